/** The days of a plan. */
import { dayAfter } from './oneline.js';

/** The most days without an item that are shown. */
const MOST = 100;

/** Returns today's date by the clocks of a zone, or else of this machine.
 * @param {string} [zone] */
export function todayIn(zone) {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zone };
  return new Intl.DateTimeFormat('en-CA', /** @type {Intl.DateTimeFormatOptions} */ (options)).format(new Date());
}

/** The first and the last day of a plan; undefined where it has none.
 * @param {ListedPlan} plan
 * @returns {(string | undefined)[]} */
export const ends = (plan) => [(plan.start ?? plan.end)?.at.slice(0, 10), (plan.end ?? plan.start)?.at.slice(0, 10)];

/** Returns the day to begin with: today while the plan runs, and its first day otherwise.
 * @param {Plan} plan
 * @param {string} today */
export function usualDay(plan, today) {
  const [first, last] = ends(plan);
  return first && today > first && today <= (last ?? first) ? today : first;
}

/**
 * Returns all days of a plan, with the items of each; those without a day come last.
 * @param {Plan} plan
 * @param {{day?: string, items: any[]}[]} days the days that have items, in order
 */
export function daysOf(plan, days) {
  const [first, last] = ends(plan);
  if (!first || !last) return days;
  const filled = new Map(days.map((one) => [one.day, one]));
  const named = [...filled.keys()].filter(Boolean);
  for (let [day, n] = [first, 0]; day <= last && n < MOST; day = dayAfter(day, 1), n++) named.push(day);
  const rest = days.filter(({ day }) => !day);
  return [...[...new Set(named)].sort().map((day) => filled.get(day) ?? { day, items: [] }), ...rest];
}
