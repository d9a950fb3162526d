/** The balances and sums of a plan with the expenses and repayments that wait, as the daemon will compute them. */
import { transfersOf } from './settlement.js';

/** @typedef {import('./store.js').Entry} Entry */
/** @typedef {{total: bigint, paid: [string, bigint][], owed: [string, bigint][]}} Distribution */
/** @typedef {{currency: string, members: any[], me: string, turn: number}} Context */

/** Currencies whose amounts have no decimals, and those with three; the others have two. */
const WHOLE = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const THREE = 'BHD IQD JOD KWD LYD OMR TND';
/** The fields that decide what an expense costs whom, and to what it counts. */
export const MONEY = ['amount', 'currency', 'rate', 'payers', 'split', 'shares', 'personal', 'tab', 'day', 'category'];

/** @param {string} currency */
const decimalsOf = (currency) => (WHOLE.includes(currency) ? 0 : THREE.includes(currency) ? 3 : 2);
const sum = (/** @type {bigint[]} */ list) => list.reduce((all, one) => all + one, 0n);
/** What a member is called here: the username, or the number if the account is deleted.
 * @param {any} one */
const keyOf = (one) => one.person ?? one.id ?? `#${one.member}`;

/** Returns a decimal number as an integer of its smallest units; null if it is none.
 * @param {string} text
 * @param {number} decimals */
function integer(text, decimals) {
  const [, sign, whole, rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text ?? '')) ?? [];
  return whole === undefined || rest.length > decimals ? null : BigInt(sign + whole + rest.padEnd(decimals, '0'));
}

/** Returns an integer of smallest units as a decimal number.
 * @param {bigint} minor @param {number} decimals */
function written(minor, decimals) {
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return `${minor < 0n ? '-' : ''}${digits.slice(0, at)}${decimals ? `.${digits.slice(at)}` : ''}`;
}

/**
 * Divides an amount by weights as the daemon does: by the largest remainders, and equal ones by turns.
 * @param {bigint} amount @param {bigint[]} weights @param {number} turn
 */
function divide(amount, weights, turn) {
  const whole = sum(weights);
  if (whole <= 0n) return weights.map(() => 0n);
  const shares = weights.map((weight) => amount * weight / whole);
  const rest = weights.map((weight) => amount * weight % whole);
  const first = turn % weights.length;
  const order = weights.map((_, n) => (n + first) % weights.length).filter((n) => rest[n] > 0n)
    .sort((one, other) => (rest[one] > rest[other] ? -1 : rest[one] < rest[other] ? 1 : 0));
  for (const n of order.slice(0, Number(amount - sum(shares)))) shares[n]++;
  return shares;
}

/** Returns the weights of the shares of an expense; null if they are of no use.
 * @param {string} split @param {any[]} shares @param {number} decimals @param {bigint} whole */
function weightsOf(split, shares, decimals, whole) {
  if (split === 'evenly') return shares.map(() => 1n);
  const weights = shares.map(({ share }) => integer(share, split === 'parts' ? 0 : split === 'exact' ? decimals : 4));
  if (weights.some((one) => one === null)) return null;
  const all = sum(/** @type {bigint[]} */ (weights));
  return all > 0n && (split === 'parts' || all === (split === 'exact' ? whole : 1_000_000n))
    ? /** @type {bigint[]} */ (weights) : null;
}

/** Converts an amount by a rate, rounded to the nearest unit; null without a rate.
 * @param {bigint} whole @param {number} decimals @param {string | undefined} rate @param {number} to */
function converted(whole, decimals, rate, to) {
  const [, units, rest = ''] = /^(\d+)(?:\.(\d+))?$/.exec(rate ?? '') ?? [];
  if (units === undefined) return null;
  const dividend = whole * BigInt(units + rest) * 10n ** BigInt(to);
  const divisor = 10n ** BigInt(decimals + rest.length);
  return (2n * dividend + divisor) / (2n * divisor);
}

/**
 * Returns who pays and who owes how much of an expense; null if the daemon will not take it as it is.
 * @param {any} expense
 * @param {Context} context
 * @returns {Distribution | null}
 */
function distributed(expense, { currency: main, members, me, turn: next }) {
  const { amount, currency = main, rate, personal, split = 'evenly', number: turn = next } = expense;
  const decimals = decimalsOf(currency);
  const whole = integer(amount, decimals);
  const payers = expense.payers?.length ? expense.payers : [{ person: me, amount }];
  const shares = personal ? payers : expense.shares?.length ? expense.shares : members.filter(({ travels }) => travels);
  const paid = payers.map((/** @type {any} */ one) => integer(one.amount, decimals));
  const weights = whole && shares.length ? weightsOf(personal ? 'evenly' : split, shares, decimals, whole) : null;
  const isWrong = paid.some((/** @type {any} */ one) => one === null);
  if (!whole || whole <= 0n || !weights || isWrong || sum(paid) !== whole) return null;
  const total = currency === main ? whole : converted(whole, decimals, rate, decimalsOf(main));
  if (total === null) return null;
  const owed = split === 'exact' && !personal ? weights : divide(whole, weights, turn);
  /** @param {any[]} parts */
  const inMain = (parts) => (currency === main ? parts : divide(total, parts, turn));
  /** @param {any[]} people @param {any[]} parts */
  const lines = (people, parts) => inMain(parts)
    .map((one, n) => /** @type {[string, bigint]} */ ([keyOf(people[n]), one]));
  return { total, paid: lines(payers, paid), owed: lines(shares, owed) };
}

/** Returns the same of an expense as the daemon has stored it.
 * @param {Expense} expense
 * @param {Context} context
 * @returns {Distribution | null} */
function stored(expense, context) {
  const { payers = [], shares = [], converted: whole } = expense;
  const decimals = decimalsOf(context.currency);
  /** @param {any[]} people */
  const lines = (people) => people.map((one) => /** @type {[string, bigint]} */ (
    [keyOf(one), integer(one.converted, decimals)]));
  const [paid, owed] = [lines(payers), lines(shares)];
  if (!whole || [...paid, ...owed].some(([, minor]) => minor === null)) return distributed(expense, context);
  return { total: integer(whole.amount, decimals) ?? 0n, paid, owed };
}

/**
 * Returns what the waiting changes of expenses add and take away: each an expense with its distribution.
 * @param {Entry[]} entries those of the plan
 * @param {Context} context
 */
function changesOf(entries, context) {
  let { turn } = context;
  return entries.map(({ method, params, base }) => {
    /** @type {Record<string, any>} */
    const one = { minus: null, plus: null };
    /** @param {any} side @param {Expense} expense @param {Distribution | null} of */
    const add = (side, expense, of) => { if (of) one[side] = { ...expense, of }; };
    if (method === 'expenses.add') add('plus', params, distributed(params, { ...context, turn: turn++ }));
    else if (base?.payers) {
      if (method === 'expenses.update') {
        const expense = { ...base, ...params };
        const of = MONEY.some((name) => name in params) ? distributed(expense, context) : null;
        if (!of) return one;
        add('plus', expense, of);
      }
      add('minus', base, stored(base, context));
    }
    return one;
  }).filter(({ minus, plus }) => minus || plus);
}

/**
 * Returns the rows of an answer with changed amounts, in order; new ones only if they are not zero.
 * @param {any[]} rows
 * @param {(row: any) => string} key
 * @param {any} value
 * @param {Map<string, bigint>} changes
 * @param {any} made
 * @param {any} order
 */
function merged(rows, key, value, changes, made, order) {
  const left = new Map(changes);
  const out = rows.map((row) => {
    const change = left.get(key(row)) ?? 0n;
    left.delete(key(row));
    return change ? { ...row, [value.name]: value.plus(row[value.name], change) } : row;
  });
  for (const [name, change] of left) if (change) out.push({ ...made(name), [value.name]: value.plus('0', change) });
  return out.sort(order);
}

/** @param {any} one @param {any} other */
const byNumber = (one, other) => Number(one.member) - Number(other.member);

/** Returns how to name people, by what they are called here.
 * @param {any[]} members */
const naming = (members) => (/** @type {string} */ name) => {
  const found = members.find((one) => keyOf(one) === name);
  return found ? { member: found.member, person: found.id, name: found.name }
    : { member: '0', person: name, name: `@${name}` };
};

/** @param {string} name @param {number} decimals */
const valueOf = (name, decimals) =>
  ({ name, plus: (/** @type {string} */ text, /** @type {bigint} */ change) =>
    written((integer(text, decimals) ?? 0n) + change, decimals) });

/** @param {Map<string, bigint>} map @param {string} key @param {bigint} change */
const added = (map, key, change) => { if (key) map.set(key, (map.get(key) ?? 0n) + change); };

/**
 * Returns the balances and transfers of a plan with what waits, and how many changes are in them as `waits`.
 * @param {Entry[]} entries those of the plan that wait
 * @param {any} answer
 * @param {Context} context
 */
export function balancesWith(entries, answer, context) {
  const decimals = decimalsOf(context.currency);
  const changes = new Map();
  /** @param {any} side @param {bigint} sign */
  const put = (side, sign) => {
    if (!side || side.personal) return;
    for (const [person, minor] of side.of.paid) added(changes, person, sign * minor);
    for (const [person, minor] of side.of.owed) added(changes, person, -sign * minor);
  };
  const shared = changesOf(entries, context)
    .filter(({ minus, plus }) => (plus && !plus.personal) || (minus && !minus.personal));
  for (const { minus, plus } of shared) { put(minus, -1n); put(plus, 1n); }
  const repaid = entries.filter(({ method, params, base }) => {
    const of = method === 'repayments.add' ? params : method === 'repayments.remove' ? base : null;
    const minor = of && integer(of.amount, decimals);
    if (!minor) return false;
    const sign = method === 'repayments.add' ? 1n : -1n;
    /** @param {any} one */
    const person = (one) => (typeof one === 'string' ? one : keyOf(one));
    added(changes, person(of.from), sign * minor);
    added(changes, person(of.to), -sign * minor);
    return true;
  });
  const waits = shared.length + repaid.length;
  if (!waits) return answer;
  const named = naming(context.members);
  const balances = merged(answer.balances, keyOf, valueOf('balance', decimals), changes, named, byNumber);
  const open = balances.map((one) => ({ one, minor: integer(one.balance, decimals) ?? 0n }));
  const transfers = transfersOf(open).map(({ from, to, minor }) => {
    /** @param {any} options */
    const who = ({ balance, ...one }) => one;
    return { from: who(from), to: who(to), amount: written(minor, decimals) };
  });
  return { ...answer, balances, transfers, waits };
}

/**
 * Returns the sums of a plan with what waits, and how many changes are in them as `waits`.
 * @param {Entry[]} entries those of the plan that wait
 * @param {any} answer
 * @param {Context} context
 */
export function sumsWith(entries, answer, context) {
  const decimals = decimalsOf(context.currency);
  // Others do not see a person's own expenses.
  /** @param {any} side */
  const counts = (side) => side
    && (!side.personal || side.of.paid.every((/** @type {string[]} */ [who]) => who === context.me));
  const all = changesOf(entries, context).filter(({ minus, plus }) => counts(minus) || counts(plus));
  if (!all.length) return answer;
  let total = 0n;
  const [people, tabs, days, categories] = [1, 2, 3, 4].map(() => new Map());
  /** @param {any} side */
  const put = (side, /** @type {bigint} */ sign) => {
    if (!counts(side)) return;
    total += sign * side.of.total;
    for (const [name, map] of /** @type {[string, any][]} */ ([['tab', tabs], ['day', days],
      ['category', categories]])) added(map, side[name], sign * side.of.total);
    for (const [person, minor] of side.of.owed) added(people, person, sign * minor);
  };
  for (const { minus, plus } of all) { put(minus, -1n); put(plus, 1n); }
  const value = valueOf('amount', decimals);
  /** @param {any[]} rows @param {string} name @param {Map<string, bigint>} changes */
  const by = (rows, name, changes) => merged(rows, (row) => row[name], value, changes,
    (/** @type {string} */ word) => ({ [name]: word }),
    (/** @type {any} */ one, /** @type {any} */ other) => (one[name] < other[name] ? -1 : 1))
    .filter(({ amount }) => integer(amount, decimals));
  return { ...answer, total: value.plus(answer.total, total), tabs: by(answer.tabs, 'tab', tabs),
    days: by(answer.days, 'day', days), categories: by(answer.categories, 'category', categories),
    people: merged(answer.people, keyOf, value, people, naming(context.members), byNumber), waits: all.length };
}
