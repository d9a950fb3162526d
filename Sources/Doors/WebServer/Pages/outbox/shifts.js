/** Moves of whole plans by days, which wait with the changes before and after them. */
import { callNow } from '../rpc.js';

/** @typedef {import('./store.js').Entry} Entry */

const DAY = 86_400_000;

/** The times that move with a plan. Expenses keep their days, because they happened. */
/** @type {Record<string, string[]>} */
const TIMES = { plans: ['start', 'end'], activities: ['from', 'to'], locations: ['from', 'to'], tasks: ['day'] };

/** @param {string} at */
const noonOf = (at) => Date.parse(`${at.slice(0, 10)}T12:00Z`);

/** Returns a day or a time, such as 2027-05-01T19:00, moved by days.
 * @param {string} at @param {number} days */
export function dayBy(at, days) {
  const noon = noonOf(at);
  return Number.isFinite(noon) ? new Date(noon + days * DAY).toISOString().slice(0, 10) + at.slice(10) : at;
}

/** Returns the days between two times.
 * @param {string} from @param {string} to */
export const daysBetween = (from, to) => Math.round((noonOf(to) - noonOf(from)) / DAY);

/** Returns a time of an object moved by days, as the daemon answers it.
 * @param {any} time @param {number} days */
const timeBy = (time, days) => (typeof time === 'string' ? dayBy(time, days) : {
  ...time, at: dayBy(time.at, days), shown: undefined,
  ...(time.time ? { time: new Date(Date.parse(time.time) + days * DAY).toISOString() } : {}),
});

/** Returns an object, or the parameters of a call, with its times moved by days.
 * @param {string} noun
 * @param {Record<string, any>} object
 * @param {number} days */
export const shiftedBy = (noun, object, days) => ({ ...object, ...Object.fromEntries((TIMES[noun] ?? [])
  .filter((name) => object[name]).map((name) => [name, timeBy(object[name], days)])) });

/** Whether an entry moves a plan.
 * @param {any} entry @param {string | undefined} plan */
export const isShiftOf = ({ method, params, state }, plan) =>
  method === 'plans.shift' && params.plan === plan && state === 'waiting';

/**
 * Returns a change that becomes a part of an earlier one: what moves the plan after the earlier one moves it, too.
 * @param {Entry[]} list
 * @param {Entry} entry
 * @param {Entry} earlier
 * @param {string | undefined} plan
 * @returns {Entry}
 */
export function before(list, entry, earlier, plan) {
  const days = list.filter((one) => (one.n ?? 0) > (earlier.n ?? 0) && isShiftOf(one, plan))
    .reduce((sum, { params }) => sum + params.days, 0);
  const noun = entry.method.split('.')[0];
  return days ? { ...entry, params: shiftedBy(noun, entry.params, -days),
    base: entry.base && shiftedBy(noun, entry.base, -days) } : entry;
}

/**
 * Returns how the list changes by one more move of a plan right after another; nothing if that is not the last entry.
 * @param {Entry[]} list
 * @param {Entry} entry
 */
export function joined(list, entry) {
  const last = list[list.length - 1];
  if (!last || last.tried || !isShiftOf(last, entry.params.plan)) return null;
  last.params.days += entry.params.days;
  return { ...(last.params.days ? { put: [last] } : { remove: [last] }), value: last.id };
}

/**
 * Whether somebody else has moved the plan of a move that is sent for the first time, so that the person must choose.
 * @param {(body: (list: Entry[]) => any) => Promise<any>} store
 * @param {Entry} sent
 */
export async function isOvertaken(store, sent) {
  const { method, params, base, n } = sent;
  if (method !== 'plans.shift' || !base?.start) return false;
  /** @param {Partial<Entry>} change */
  const now = (change) => store((list) => ({ put: list.filter((one) => one.n === n)
    .map((one) => ({ ...one, tried: undefined, ...change })) }));
  let plan;
  try {
    plan = await callNow('plans.get', { plan: params.plan });
  } catch (error) {
    await now({});
    throw error;
  }
  const day = plan.start?.at.slice(0, 10);
  if (day === base.start.at.slice(0, 10)) return false;
  if (day === dayBy(base.start.at, params.days).slice(0, 10)) {
    await store((list) => ({ remove: list.filter((one) => one.n === n) }));
  } else await now({ state: 'conflict', current: { start: plan.start } });
  return true;
}
