/** Items of a plan that somebody would have to do at the same time. */

/** @param {{time?: string} | undefined} time */
const moment = (time) => (time?.time ? Date.parse(time.time) : NaN);

/** Whether a planned time has a time of day.
 * @param {{at: string} | undefined} time */
const hasClock = (time) => Boolean(time?.at.includes('T'));

/** Whether the same person takes part in both; where nobody is named, everybody does.
 * @param {Activity} one @param {Activity} other */
const together = (one, other) => !one.people?.length || !other.people?.length
  || one.people.some((person) => other.people?.includes(person));

/**
 * Returns the titles of the items that overlap with each item, by its id. Whole days and lodging overlap with nothing,
 * an item that ends as another begins does not overlap with it, and an item without an end takes no time.
 * @param {any[]} items
 * @returns {Map<string, string[]>}
 */
export function overlaps(items) {
  const timed = items.filter(({ tab, from }) => tab !== 'lodging' && hasClock(from))
    .map((item) => ({ item, from: moment(item.from), to: hasClock(item.to) ? moment(item.to) : moment(item.from) }))
    .sort((one, other) => one.from - other.from);
  /** @type {Map<string, string[]>} */
  const found = new Map();
  /** @param {Activity} one @param {Activity} other */
  const note = (one, other) => found.set(one.id, [...(found.get(one.id) ?? []), other.title]);
  timed.forEach((one, n) => {
    for (const other of timed.slice(n + 1)) {
      if (other.from >= one.to) break;
      if (!together(one.item, other.item) || one.item.links?.includes(other.item.id)
        || other.item.links?.includes(one.item.id)) continue;
      note(one.item, other.item);
      note(other.item, one.item);
    }
  });
  return found;
}
