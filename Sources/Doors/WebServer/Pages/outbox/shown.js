/** Answers of the daemon with the changes that wait on this phone, each marked with `waits`. */
import { fieldsOf, isNew, keyOf, planOf } from './objects.js';
import { isShiftOf, shiftedBy } from './shifts.js';
import { OWN } from './store.js';
import { balancesWith, MONEY, sumsWith } from './sums.js';

/** @typedef {import('./store.js').Entry} Entry */

const TIMES = ['start', 'end', 'from', 'to'];

/** What a new object has that nobody has entered. */
/** @type {Record<string, any>} */
const NEW = {
  activities: { tab: 'itinerary', level: 'everyone', links: [], people: [] },
  locations: { level: 'everyone', radius_m: 100, photos: 0 },
  expenses: { split: 'evenly', payers: [], shares: [], may_edit: true },
  checklists: { level: 'everyone', tasks: [], done: 0 },
  tasks: { done: false },
};

/** Whether an entry is shown in its place; what is refused is shown if it is nowhere else.
 * @param {Entry} entry */
const isShown = ({ state, method }) => state === 'waiting' || (state === 'refused' && isNew(method));

/** Returns an object with the fields of a change.
 * @param {Record<string, any>} object
 * @param {Entry} entry */
function laid(object, entry) {
  /** @type {Record<string, any>} */
  const out = { ...object, waits: entry.state };
  for (const name of fieldsOf(entry)) {
    const value = entry.params[name];
    const zoned = /^(from|to)_zone$/.exec(name);
    if (zoned) continue;
    if (value === '' || value === undefined) delete out[name];
    // The moment of a time is known once the daemon has it; until then it has no zone either.
    else if (TIMES.includes(name)) out[name] = { at: value };
    else if (name === 'payers' || name === 'shares') {
      out[name] = value.map((/** @type {any} */ line) => ({ ...line, name: nameOf(line.person, object) }));
    } else out[name] = value;
  }
  // What it comes to in the plan's currency is known once the daemon has it.
  if (entry.method === 'expenses.update' && MONEY.some((name) => name in entry.params)) delete out.converted;
  return out;
}

/** Returns the name of a person, as the last answers tell it.
 * @param {string} id @param {any} object */
function nameOf(id, object) {
  const known = [...object.payers ?? [], ...object.shares ?? [], ...object.members ?? []];
  return known.find((one) => one.person === id || one.id === id)?.name ?? `@${id}`;
}

/** Returns the members of a plan, as the last answer tells them; a plan of this phone has only the person.
 * @param {any} plan */
const membersOf = (plan) => (plan?.startsWith(OWN) ? [ownMember()]
  : JSON.parse(localStorage.getItem(`read:plans.get:${JSON.stringify({ plan })}`) ?? '{}').answer?.members);

/** Returns the person who uses this browser, as the last answer tells. */
const ownPerson = () => JSON.parse(localStorage.getItem('whoami') ?? '{}').person;

/** Returns the person as the owner of a new plan. */
function ownMember() {
  const { id, name } = ownPerson() ?? {};
  return { member: '1', id, name, state: 'member', role: 'owner', travels: true };
}

/** Returns the object that an entry makes.
 * @param {Entry} entry */
function made(entry) {
  const { id, params, method, at } = entry;
  const noun = method.split('.')[0];
  const person = ownPerson();
  if (noun === 'photos') return { ...laid({}, entry), id, person: person?.id, added: new Date(at).toISOString() };
  if (noun === 'repayments') {
    /** @param {string} id */
    const named = (id) => ({ person: id, name: nameOf(id, { members: membersOf(params.plan) }) });
    return { ...params, id, from: named(params.from), to: named(params.to), time: new Date(at).toISOString(),
      waits: entry.state };
  }
  if (noun === 'plans') {
    const { id: owner, name } = ownMember();
    return { zone: Intl.DateTimeFormat().resolvedOptions().timeZone, currency: 'EUR', level: 'friends',
      postal_codes: [], ...laid({}, entry), id, revision: 0, created: new Date(at).toISOString(),
      owner: { id: owner, name }, members: [ownMember()], likes: 0, liked: false, saved: false, locations: 0,
      photos: 0, rating: { count: 0, score: 0, histogram: [] }, may_edit: true, member: true };
  }
  if (noun === 'reviews') {
    return { ...laid({}, entry), id, author: person, time: new Date(at).toISOString(), agrees: 0 };
  }
  const { members, ...object } = laid({ ...NEW[noun], members: membersOf(params.plan) }, entry);
  return { ...object, id, plan: params.plan, revision: 0 };
}

/**
 * Returns a list of objects with what waits.
 * @param {Entry[]} entries
 * @param {string} noun such as activities
 * @param {any[]} list
 * @param {(params: any) => boolean} belongs whether a new object is of this list
 * @param {any} of whether new objects come first, and the plan of all of them
 */
function listed(entries, noun, list, belongs, { isNewest = false, plan = undefined } = {}) {
  let out = list;
  /** @param {any} one */
  const planOf = (one) => (noun === 'plans' ? one.id : plan ?? one.plan);
  for (const entry of entries) {
    if (out.some((one) => isShiftOf(entry, planOf(one)))) {
      const mark = noun === 'plans' ? { waits: entry.state } : {};
      out = out.map((one) => (isShiftOf(entry, planOf(one))
        ? { ...shiftedBy(noun, one, entry.params.days), ...mark } : one));
    }
    if (!isShown(entry) || !entry.method.startsWith(`${noun}.`)) continue;
    const { params, method } = entry;
    const id = params[keyOf(method) ?? ''];
    if (isNew(method)) {
      if (belongs(params)) out = isNewest ? [made(entry), ...out] : [...out, made(entry)];
    } else if (method === `${noun}.remove`) out = out.filter((one) => one.id !== id);
    else if (method === `${noun}.update`) out = out.map((one) => (one.id === id ? laid(one, entry) : one));
    else if (method === `${noun}.move`) out = moved(out, id, params);
  }
  return out;
}

/** Returns a list in which one object stands before or after another.
 * @param {any[]} list @param {string} id @param {{before?: string, after?: string}} params */
function moved(list, id, { before, after }) {
  const one = list.find((each) => each.id === id);
  const rest = list.filter((each) => each !== one);
  const at = rest.findIndex((each) => each.id === (after ?? before));
  return one && at >= 0 ? [...rest.slice(0, at + (after ? 1 : 0)), one, ...rest.slice(at + (after ? 1 : 0))] : list;
}

/** @param {Activity} item */
const beginOf = (item) => (item.from ?? item.to)?.at ?? '';

/** Returns the days of a plan with what waits.
 * @param {Entry[]} entries @param {any} answer @param {string} plan */
function itinerary(entries, answer, plan) {
  const items = answer.days.flatMap((/** @type {any} */ day) => day.items);
  const all = listed(entries, 'activities', items, (params) => params.plan === plan, { plan });
  if (all === items) return answer;
  const days = new Map();
  /** @param {any} one @param {any} other */
  const order = (one, other) => (beginOf(one) < beginOf(other) ? -1 : beginOf(one) > beginOf(other) ? 1 : 0);
  for (const item of [...all].sort(order)) {
    const day = beginOf(item).slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  const named = [...days.keys()].filter(Boolean).sort().map((day) => ({ day, items: days.get(day) }));
  return { ...answer, days: days.has('') ? [...named, { items: days.get('') }] : named };
}

/** Returns a list of things to tick with what waits.
 * @param {Entry[]} entries @param {any} list @param {string} plan */
function ticked(entries, list, plan) {
  const tasks = listed(entries, 'tasks', list.tasks, (params) => params.checklist === list.id, { plan });
  return tasks === list.tasks ? list : { ...list, tasks, done: tasks.filter(({ done }) => done).length };
}

/** Returns one object with what waits.
 * @param {Entry[]} entries @param {string} noun @param {any} object */
function one(entries, noun, object) {
  return listed(entries, noun, [object], () => false)[0] ?? object;
}

/** Returns the person's own review of a subject, if it waits.
 * @param {Entry[]} entries
 * @param {string} subject */
const reviewOf = (entries, subject) =>
  entries.find((each) => isShown(each) && each.method === 'reviews.put' && each.params.subject === subject);

/** Returns the reviews of a subject with the person's own that waits.
 * @param {Entry[]} entries @param {any[]} reviews @param {string} subject */
function reviewed(entries, reviews, subject) {
  const entry = reviewOf(entries, subject);
  if (!entry) return reviews;
  const mine = made(entry);
  return [mine, ...reviews.filter(({ author }) => author?.id !== mine.author?.id)];
}

/** Returns an answer about the money of a plan with what waits, by a function of `sums.js`.
 * @param {Entry[]} entries @param {any} answer @param {string} plan @param {any} count */
function counted(entries, answer, plan, count) {
  const some = entries.filter((entry) => entry.state === 'waiting' && planOf(entry) === plan
    && /^(expenses|repayments)\./.test(entry.method));
  if (!some.length) return answer;
  const kept = localStorage.getItem(`read:expenses.list:${JSON.stringify({ plan, newest: true, limit: 20 })}`);
  const [newest] = JSON.parse(kept ?? '{}').answer?.expenses ?? [];
  const members = (membersOf(plan) ?? []).filter((/** @type {{state: string}} */ { state }) => state === 'member');
  return count(some, answer, { currency: answer.currency, members, me: ownPerson()?.id ?? '',
    turn: (newest?.number ?? 0) + 1 });
}

/**
 * How the answers of the methods change by what waits.
 * @type {Record<string, (entries: Entry[], answer: any, params: any) => any>}
 */
const ANSWERS = {
  'plans.list': (entries, answer, { of, person, text = '', after }) => ({ ...answer,
    plans: listed(entries, 'plans', answer.plans, ({ title }) => !after && !person && of === 'own'
      && title.toLocaleLowerCase().includes(text.toLocaleLowerCase()), { isNewest: true }) }),
  'plans.get': (entries, answer) => one(entries, 'plans', answer),
  'plans.itinerary': (entries, answer, { plan }) => itinerary(entries, answer, plan),
  'activities.get': (entries, answer) => one(entries, 'activities', answer),
  'activities.list': (entries, answer, { plan, tab = 'itinerary', after }) => ({ ...answer,
    activities: listed(entries, 'activities', answer.activities,
      (params) => !after && params.plan === plan && (params.tab ?? 'itinerary') === tab, { plan }) }),
  'locations.get': (entries, answer) => one(entries, 'locations', answer),
  'locations.list': (entries, answer, { plan, after }) => ({ ...answer,
    locations: listed(entries, 'locations', answer.locations, (params) => !after && params.plan === plan, { plan }) }),
  'expenses.list': (entries, answer, { plan, after, newest }) => ({ ...answer,
    expenses: listed(entries, 'expenses', answer.expenses, (params) => !after && params.plan === plan,
      { isNewest: newest }) }),
  'expenses.balances': (entries, answer, { plan }) => counted(entries, answer, plan, balancesWith),
  'expenses.sums': (entries, answer, { plan }) => counted(entries, answer, plan, sumsWith),
  // The newest come last; those that wait come first if there are more pages.
  'repayments.list': (entries, answer, { plan, after }) => ({ ...answer,
    repayments: listed(entries, 'repayments', answer.repayments, (params) => !after && params.plan === plan,
      { isNewest: answer.next !== undefined }) }),
  'checklists.list': (entries, answer, { plan }) => ({ ...answer,
    checklists: listed(entries, 'checklists', answer.checklists, (params) => params.plan === plan)
      .map((list) => ticked(entries, list, plan)) }),
  'photos.list': (entries, answer, { subject, after }) => ({ ...answer,
    photos: listed(entries, 'photos', answer.photos, (params) => !after && params.subject === subject) }),
  'reviews.list': (entries, answer, { subject, after }) =>
    (after ? answer : { ...answer, reviews: reviewed(entries, answer.reviews, subject) }),
  'reviews.summary': (entries, answer, { subject }) => {
    const entry = reviewOf(entries, subject);
    return entry ? { ...answer, own: answer.own ?? entry.id } : answer;
  },
  'reviews.get': (entries, answer, { review }) => {
    const entry = answer.subject && reviewOf(entries, answer.subject);
    return entry ? { ...laid(answer, entry), id: review } : answer;
  },
};

/** Returns an answer with what waits.
 * @param {Entry[]} entries @param {string} method
 * @param {any} params
 * @param {any} answer */
export const shown = (entries, method, params, answer) => ANSWERS[method]?.(entries, answer, params) ?? answer;

/** What a plan of this phone has before anything waits in it. */
/** @type {Record<string, any>} */
const EMPTY = {
  'plans.itinerary': { days: [] }, 'activities.list': { activities: [] }, 'locations.list': { locations: [] },
  'checklists.list': { checklists: [] }, 'expenses.list': { expenses: [] }, 'repayments.list': { repayments: [] },
  'expenses.balances': { balances: [], transfers: [] },
  'expenses.sums': { total: '0', people: [], tabs: [], days: [], categories: [] },
};

/**
 * Returns the answer about an object that only this phone knows; undefined for any other.
 * @param {Entry[]} entries
 * @param {string} method
 * @param {any} params
 */
export function own(entries, method, params) {
  const id = [params.activity, params.location, params.review, params.plan].find((each) => each?.startsWith(OWN));
  const entry = id && entries.find((each) => each.id === id);
  if (entry && /\.get$/.test(method)) {
    // What was done before it was made has not changed it.
    return shown(entries.slice(entries.indexOf(entry) + 1), method, params, made(entry));
  }
  if (entry && params.plan && method in EMPTY) {
    return shown(entries, method, params, { currency: made(entry).currency, ...EMPTY[method] });
  }
  if (!params.subject?.includes(OWN)) return undefined;
  if (method === 'photos.list') return shown(entries, method, params, { photos: [] });
  if (method === 'reviews.summary') return shown(entries, method, params, { count: 0, score: 0 });
  if (method === 'reviews.list') return shown(entries, method, params, { reviews: [] });
  return undefined;
}

