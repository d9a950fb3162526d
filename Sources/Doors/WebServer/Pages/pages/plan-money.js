/** The money of a plan: expenses, balances, and the transfers that settle them. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, button, section, ask, badge, choice, dialog, form, download, toast, when, formDialog, menu, rowText, table,
  removal } from '../ui.js';
import { money, plainDay } from '../format.js';
import { TABS } from '../plan-forms.js';
import { quickExpense } from '../planning/quick.js';
import { todayIn, ends } from '../planning/days.js';
import { decimal } from '../decimal.js';
import { saving } from '../merge.js';
import { offerUndo } from '../bin.js';
import { growing, atHand } from '../growing.js';
import { waitsMark } from '../outbox/mark.js';

/** @param {Party} one */
const named = (one) => one.name ?? t('money.gone');

/** The expenses and repayments that one request gets; each may name two hundred people. */
const PAGE = 20;
/** The pages of a list that are kept on this phone. */
const KEPT = 5;
/** The people whom a row names at first. */
const NAMED = 8;

/** How many rows somebody has loaded of a plan, which stay when the page is drawn anew. */
let loaded = { plan: '', expenses: 1, repayments: 1 };

/**
 * Returns the loader of a list of a plan. Only its first pages are kept for when the connection is lost.
 * @param {'expenses.list' | 'repayments.list'} method
 * @param {string} list
 * @param {{plan: string, newest?: boolean}} params
 */
function pagesOf(method, list, params) {
  let count = 0;
  return async (/** @type {string | undefined} */ after) => {
    count = after === undefined ? 1 : count + 1;
    /** @type {any} */
    const answer = await read(method, { ...params, limit: PAGE, ...(after === undefined ? {} : { after }) },
      count <= KEPT);
    return { entries: answer[list], next: answer.next };
  };
}

/**
 * Returns the words for some people; those for many others appear by a button.
 * @param {any[]} people
 * @param {(one: any) => string} word
 */
function listed(people, word) {
  /** @param {Payment[]} some */
  const words = (some) => some.map(word).join(', ');
  if (people.length <= NAMED + 1) return [words(people)];
  /** @type {HTMLButtonElement} */
  const rest = h('button', { type: 'button', class: 'plain',
    onclick: () => rest.replaceWith(words(people.slice(NAMED))) }, t('money.others', { n: people.length - NAMED }));
  return [words(people.slice(0, NAMED)), ', ', rest];
}

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  const { signal } = page;
  if (loaded.plan !== plan.id) loaded = { plan: plan.id, expenses: 1, repayments: 1 };
  const [balances, sums] = await Promise.all([read('expenses.balances', { plan: plan.id }),
    read('expenses.sums', { plan: plan.id })]);
  const { currency } = balances;
  /** @param {string} value */
  const amount = (value) => money(value, currency);
  const travellers = plan.members.filter((/** @type {Member} */ { state, id }) => state === 'member' && id);
  const again = () => page.refresh();
  // Whoever travels enters what they have paid, also without the right to change the plan.
  const mayPay = plan.may_edit
    || travellers.some((/** @type {Member} */ { id, travels }) => travels && id === me.person?.id);

  /** @param {Expense} expense */
  const payersOf = (expense) => {
    const [names, ...others] = listed(expense.payers, named);
    return [t('money.by', { names }), ...others];
  };
  /** @param {Expense & Waiting} expense */
  const expenseRow = (expense) => h('li.row',
    h('span.row-text', h('strong', expense.title),
      h('small', payersOf(expense),
        [expense.day && plainDay(expense.day), expense.category].filter(Boolean).map((word) => ` · ${word}`)),
      h('small', t(`money.split.${expense.split}`), ': ',
        listed(expense.shares, (share) =>
          [named(share), share.amount && money(share.amount, expense.currency)].filter(Boolean).join(' '))),
      waitsMark(expense)),
    h('span.row-end', h('b', money(expense.amount, expense.currency)),
      expense.currency === currency || !expense.converted ? null : h('small', amount(expense.converted.amount)),
      expense.personal ? badge(t('money.personal')) : null),
    expense.may_edit && menu(t('more.actions'), [
      { label: t('edit'), icon: 'edit', onclick: () => expenseForm(plan, travellers, expense, again) },
      removal('money.remove', async () => {
        await call('expenses.remove', { expense: expense.id }, { base: { ...expense, plan: plan.id } });
        again();
        offerUndo(`expense/${expense.id}`, expense.title, again);
      }),
    ]));
  /** @param {Balance} one */
  const balanceRow = (one) => h('li.row', h('span.row-text', named(one)),
    h('span.row-end', h('b', amount(one.balance.replace(/^-/, ''))),
      h('small', Number(one.balance) > 0 ? t('money.gets') : Number(one.balance) < 0 ? t('money.owes')
        : t('money.even'))));
  /** @param {Party} one */
  const isMe = (one) => Boolean(me.person && one.person === me.person.id);
  /** @param {Transfer} transfer */
  const isMine = ({ from, to }) => isMe(from) || isMe(to);
  /** @param {Transfer} transfer */
  const transferRow = (transfer) => {
    const told = { from: named(transfer.from), to: named(transfer.to), amount: amount(transfer.amount) };
    const who = isMe(transfer.from) ? '.me' : isMe(transfer.to) ? '.tome' : '';
    const areHere = transfer.from.person && transfer.to.person;
    return h('li.row', rowText(t(`money.gives${who}`, told)), plan.may_edit && areHere
      && button({ label: t('money.paid'), kind: `small ${who && 'primary'}`, icon: 'check', onclick: async () => {
      if (!(await ask(t(`money.paid.ask${who}`, told), t('money.paid'), false))) return;
      await call('repayments.add',
        { plan: plan.id, from: /** @type {string} */ (transfer.from.person),
          to: /** @type {string} */ (transfer.to.person), amount: transfer.amount },
        { title: t('money.gave', told) });
      toast(t('kept'));
      again();
    } }));
  };
  // What a person gives or gets stands first.
  const transfers = [...balances.transfers].sort((one, other) => Number(isMine(other)) - Number(isMine(one)));
  /** @param {Repayment & Waiting} one */
  const gave = (one) =>
    t('money.gave', { from: named(one.from), to: named(one.to), amount: amount(one.amount) });
  /** @param {Repayment & Waiting} one */
  const repaymentRow = (one) =>
    h('li.row', h('span.row-text', gave(one),
      h('small', when(one.time), one.note ? ` · ${one.note}` : ''), waitsMark(one)),
    plan.may_edit && button({ label: t('undo'), kind: 'small', onclick: async () => {
      if (await ask(t('money.undo'), t('undo'))) {
        await takeBack(one);
        again();
        offerUndo(`repayment/${one.id}`, one.note ?? t('bin.kind.repayment'), again);
      }
    } }), plan.may_edit && one.waits && button({ label: t('edit'), kind: 'small', onclick: () => repay(one) }));
  /** @param {Repayment & Waiting} one */
  const takeBack = (one) => call('repayments.remove', { repayment: one.id },
    { base: { ...one, plan: plan.id }, title: gave(one) });
  /** Opens the form of a repayment, or of one that waits on this phone, which is made anew.
   * @param {any} [one] */
  function repay(one) {
    /** @param {string} name @param {Member[]} people @param {Party | undefined} chosen */
    const select = (name, people, chosen) => ({ name, label: t(`money.${name}`), type: 'select', half: true,
      options: people.map(({ id, name }) => [id, name]), value: chosen?.person });
    formDialog(t(one ? 'money.repay.edit' : 'money.repay'), {
      fields: [select('from', travellers, one?.from), select('to', [...travellers].reverse(), one?.to),
        { name: 'amount', label: t('money.amountin', { currency }), required: true, value: one?.amount,
          attributes: { inputmode: 'decimal' } },
        { name: 'note', label: t('activity.note'), value: one?.note }],
      submit: t('keep'), action: async (values) => {
        const repaid = { ...values, amount: decimal(values.amount) };
        const [from, to] = [values.from, values.to]
          .map((id) => travellers.find((/** @type {Member} */ each) => each.id === id) ?? {});
        if (one) await takeBack(one);
        await call('repayments.add', { plan: plan.id, ...repaid }, { title: gave({ ...repaid, from, to }) });
        again();
      },
    });
  }

  /** Says how many changes that wait on this phone are in an answer.
   * @param {any} answer with `waits` if the outbox has added to it */
  const waiting = ({ waits }) => (waits ? h('p.page-note', t('outbox.with', { n: waits })) : null);
  const dense = () => h('ul.rows.dense');
  const repayments = dense();
  const [expenseList, balanceList, settle, repaymentList] = await Promise.all([
    growing({ load: pagesOf('expenses.list', 'expenses', { plan: plan.id, newest: true }), row: expenseRow,
      none: t('money.none'), signal, least: loaded.expenses, grown: (count) => { loaded.expenses = count; } }),
    growing({ load: atHand(balances.balances), row: balanceRow, rows: dense(), signal }),
    growing({ load: atHand(transfers), row: transferRow, none: t('money.settled'), signal }),
    growing({ load: pagesOf('repayments.list', 'repayments', { plan: plan.id }), row: repaymentRow, rows: repayments,
      signal, least: loaded.repayments, grown: (count) => { loaded.repayments = count; } }),
  ]);

  /** @type {Record<string, string[]>} */
  const by = { people: ['people', 'name'], tabs: ['tabs', 'tab'], categories: ['categories', 'category'],
    days: ['days', 'day'] };
  const sumTable = h('div');
  /** @param {string} which */
  const showSums = async (which) => {
    const [list, key] = by[which];
    /** @param {any} one */
    const label = (one) => (key === 'day' ? plainDay(one.day) : key === 'tab' ? t(`tab.${one.tab}`) : key === 'name'
      ? named(one) : one.category);
    const element = table([t(`money.by.${which}`), t('money.amount')], [], [1]);
    /** @param {...Child} cells */
    const line = (...cells) => h('tr', h('th', { scope: 'row' }, cells[0]), h('td.number', cells[1]));
    element.querySelector('table')?.append(h('tfoot', line(t('money.total'), h('b', amount(sums.total)))));
    fill(sumTable, await growing({ load: atHand(/** @type {any} */ (sums)[list]),
      row: (one) => line(label(one), amount(one.amount)),
      rows: element.querySelector('tbody'), element, signal }));
  };
  await showSums('people');

  const today = todayIn(plan.zone);
  fill(body,
    mayPay && quickExpense(plan, { people: travellers, me: me.person?.id ?? '', today }, again),
    h('div.toolbar', mayPay ? button({ label: t('money.add'), icon: 'add', kind: 'primary',
      onclick: () => expenseForm(plan, travellers, null, again) }) : null,
      h('div.actions', plan.may_edit
        ? button({ label: t('money.repay'), icon: 'money', onclick: () => repay() }) : null,
      button({ label: t('money.csv'), icon: 'download', onclick: async () => {
        let text = '';
        let after;
        do {
          /** @type {Result<'expenses.csv'>} */
          const piece = await call('expenses.csv', { plan: plan.id, ...(after ? { after } : {}) });
          text += piece.text; after = piece.next; } while (after);
        download(`${plan.title}.csv`, [text], 'text/csv');
      } }))),
    h('div.columns',
      h('div', section(t('money.expenses'), expenseList)),
      h('div',
        section(t('money.balances'), waiting(balances), balanceList),
        section(t('money.settle'), waiting(balances), settle),
        repayments.children.length ? section(t('money.repaid'), repaymentList) : null,
        section(t('money.sums'), waiting(sums),
          choice(Object.keys(by).map((key) => [key, t(`money.by.${key}`)]), 'people', t('money.sums'), showSums),
          sumTable))));
}

/**
 * Opens the form of a new or an existing expense: the amount, its payers and its shares.
 * @param {Plan} plan
 * @param {Member[]} members
 * @param {any} expense
 * @param {() => void} done
 */
function expenseForm(plan, members, expense, done) {
  const several = (expense?.payers.length ?? 1) > 1;
  // The payer of a new expense is who enters it. Whoever may not change the plan cannot enter what others have paid.
  const first = expense ? expense.payers[0]?.person : me.person?.id;
  const payers = plan.may_edit ? members : members.filter(({ id }) => id === me.person?.id);
  const payer = h('select', { 'aria-label': t('money.who') },
    payers.map(({ id, name }) => h('option', { value: id, selected: first === id }, name)),
    plan.may_edit ? h('option', { value: '', selected: several }, t('money.several')) : null);
  // The lines of the members are made when they are first shown.
  /** @param {string} label @param {any} given @param {string} key */
  const lines = (label, given, key) => {
    const known = new Map(given?.map((/** @type {any} */ line) => [line.person, line[key]]));
    const box = h('fieldset.section', h('legend', label));
    return Object.assign(box, { show: (/** @type {boolean} */ isShown) => {
      box.hidden = !isShown;
      if (!isShown || box.children.length > 1) return;
      for (const { id, name } of members) box.append(h('label.row', h('span.row-text', name),
        h('input', { type: 'text', inputmode: 'decimal', 'data-person': id, 'aria-label': `${label}: ${name}`,
          value: known.get(id) ?? '' })));
    } });
  };
  // An expense that is entered on a day of the plan is one of that day.
  const [firstDay, lastDay] = ends(plan);
  const today = todayIn(plan.zone);
  const usualDay = firstDay && today >= firstDay && today <= (lastDay ?? firstDay) ? today : undefined;
  const paid = lines(t('money.paidby'), several ? expense.payers : [], 'amount');
  const split = h('select', { 'aria-label': t('money.split') },
    ['evenly', 'parts', 'percentages', 'exact'].map((kind) =>
      h('option', { value: kind, selected: expense?.split === kind }, t(`money.split.${kind}`))));
  const evenly = h('fieldset.checks', h('legend', t('money.shared')), members.map(({ id, name, travels }) =>
    h('label.check', h('input',
      { type: 'checkbox', value: id, checked: expense
        ? expense.shares.some((/** @type {Share} */ { person }) => person === id) : travels }),
      h('span', name))));
  const shares = lines(t('money.shares'), expense?.split === 'evenly' ? [] : expense?.shares, 'share');
  const update = () => {
    paid.show(payer.value === '');
    evenly.hidden = split.value !== 'evenly';
    shares.show(split.value !== 'evenly');
  };
  payer.addEventListener('change', update);
  split.addEventListener('change', update);
  update();
  /** @param {HTMLFieldSetElement & {show: (isShown: boolean) => void}} box @param {string} key */
  const entered = (box, key) =>
    [...box.querySelectorAll('input')].filter(({ value }) => value.trim()).map((input) =>
      ({ person: input.dataset.person, [key]: decimal(input.value) }));
  const element = dialog(t(expense ? 'money.edit' : 'money.add'), form({
    fields: [
      { name: 'title', label: t('money.title'), required: true, value: expense?.title },
      { name: 'amount', label: t('money.amount'), required: true, value: expense?.amount, half: true,
        attributes: { inputmode: 'decimal' } },
      { name: 'currency', label: t('plan.currency'), value: expense?.currency ?? plan.currency, half: true,
        attributes: { maxlength: 3 } },
      h('div.field', h('b', t('money.who')), payer, paid),
      { name: 'rate', more: true, label: t('money.rate', { currency: plan.currency }), value: expense?.rate,
        hint: t('money.rate.hint'), attributes: { inputmode: 'decimal' } },
      evenly, Object.assign(h('div.field', h('b', t('money.split')), split, shares), { more: true }),
      { name: 'day', more: true, label: t('money.day'), type: 'date', value: expense ? expense.day : usualDay,
        half: true },
      { name: 'tab', more: true, label: t('money.tab'), type: 'select',
        options: [['', '–'], ...TABS.map((tab) => [tab, t(`tab.${tab}`)])], value: expense?.tab ?? '', half: true },
      { name: 'category', more: true, label: t('sight.category'), value: expense?.category },
        { name: 'personal', more: true, label: t('money.ispersonal'), type: 'checkbox', value: expense?.personal },
    ], submit: t('keep'), rename: { payers: 'amount', shares: 'amount', split: 'amount' },
    action: async (values) => {
      values.amount = decimal(values.amount);
      values.rate = values.rate && decimal(values.rate);
      values.currency = values.currency?.toUpperCase();
      values.payers = payer.value ? [{ person: payer.value, amount: values.amount }] : entered(paid, 'amount');
      values.split = split.value;
      values.shares = split.value === 'evenly'
        ? /** @type {HTMLInputElement[]} */ ([...evenly.querySelectorAll('input:checked')])
          .map(({ value }) => ({ person: value }))
        : entered(shares, 'share');
      // What is only for one person, that person pays and owes.
      if (values.personal) {
        const shares = values.payers.map((/** @type {{person: string}} */ { person }) => ({ person }));
        Object.assign(values, { split: 'evenly', shares });
      }
      for (const name of Object.keys(values)) if (values[name] === undefined) delete values[name];
      if (expense) await saving('expenses.update', { expense: expense.id, ...values, revision: expense.revision },
        { ...expense, plan: plan.id });
      else await call('expenses.add', { plan: plan.id, ...values });
      element.close();
      done();
    },
  }));
}
