/** The days of a story: what was planned, what happened, and the photos, in order of time. Only computes. */
import { daysOf } from './days.js';

/**
 * What a day tells: an item, a location, a trip, a stop, or photos, with when it was in milliseconds.
 * @typedef {{kind: 'item' | 'location' | 'trip' | 'stop' | 'photos', at: number, of: any, photos: any[]}} Entry
 */

/** Returns the day of a moment by the clocks of a zone, or else of this machine.
 * @param {string} time
 * @param {string | undefined} zone */
export function dayIn(time, zone) {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zone };
  return new Intl.DateTimeFormat('en-CA', /** @type {Intl.DateTimeFormatOptions} */ (options)).format(new Date(time));
}

/** Returns when something is that is planned; what is for the whole day comes before the rest of it.
 * @param {any} from */
const plannedAt = (from) => (from?.at.includes('T') && from.time ? Date.parse(from.time) : -Infinity);

/**
 * Returns the days on which there is something to tell, with their numbers in the plan, and the photos of no day.
 *
 * A photo whose time is on one of these days has its place by that time; any other is shown with its subject.
 * @param {{plan: any, zone?: string, days: any[], locations: any[], trips?: any[], stops?: any[], photos: any[]}} of
 * `days` are those of the plan's itinerary
 * @returns {{chapters: {day: string, number?: number, entries: Entry[]}[], rest: any[]}}
 */
export function chaptersOf({ plan, zone, days, locations, trips = [], stops = [], photos }) {
  const all = daysOf(plan, days);
  const numbers = new Map(all.filter(({ day }) => day).map(({ day }, n) => [day, n + 1]));
  /** @type {Map<string, Entry[]>} */
  const chapters = new Map();
  /** The entries by their subjects.
   * @type {Map<string, Entry>} */
  const bySubject = new Map();
  /** @param {string} day @param {Entry['kind']} kind @param {number} at @param {any} of @param {string} [subject] */
  const put = (day, kind, at, of, subject) => {
    /** @type {Entry} */
    const entry = { kind, at, of, photos: [] };
    if (subject) bySubject.set(subject, entry);
    chapters.set(day, [...chapters.get(day) ?? [], entry]);
  };
  for (const { day = '', items } of all) {
    for (const item of items) put(day, 'item', plannedAt(item.from), item, `activity/${item.id}`);
  }
  for (const one of locations) {
    const day = one.passed ? dayIn(one.passed, zone) : one.from?.at.slice(0, 10) ?? '';
    put(day, 'location', one.passed ? Date.parse(one.passed) : plannedAt(one.from), one, `location/${one.id}`);
  }
  for (const trip of trips) put(dayIn(trip.start, zone), 'trip', Date.parse(trip.start), trip);
  for (const stop of stops) put(dayIn(stop.start, zone), 'stop', Date.parse(stop.start), stop);
  const rest = [];
  for (const photo of photos) {
    const day = photo.taken && dayIn(photo.taken, zone);
    if (day && (chapters.has(day) || numbers.has(day))) put(day, 'photos', Date.parse(photo.taken), null);
    const entry = day && chapters.get(day)?.at(-1);
    (entry && entry.kind === 'photos' ? entry : bySubject.get(photo.subject))?.photos.push(photo) ?? rest.push(photo);
  }
  const inOrder = [...chapters.keys()].filter(Boolean).sort();
  if (chapters.has('')) inOrder.push('');
  return {
    rest,
    chapters: inOrder.map((day) => ({ day, number: numbers.get(day), entries: joined(chapters.get(day) ?? []) })),
  };
}

/** Returns entries in order of time, with photos that follow each other as one.
 * @param {Entry[]} entries */
function joined(entries) {
  /** @type {Entry[]} */
  const all = [];
  for (const entry of [...entries].sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? -1 : 1))) {
    const last = all.at(-1);
    if (entry.kind === 'photos' && last?.kind === 'photos') last.photos.push(...entry.photos);
    else all.push(entry);
  }
  return all;
}
