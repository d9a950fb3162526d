/** The time zones of places, in which the pages tell when something was there. */
import { read } from './rpc.js';
import { clock, day, planned } from './format.js';
import { locale } from './texts.js';

/** @type {Map<string, Promise<string | undefined>>} */
const known = new Map();

/**
 * Returns the time zone of a place, or undefined if it is not known. Places close to each other are asked for once.
 * @param {number | undefined} lat
 * @param {number | undefined} lon
 * @returns {Promise<string | undefined>}
 */
export function zoneAt(lat, lon) {
  if (lat === undefined || lon === undefined) return Promise.resolve(undefined);
  const at = [lat, lon].map((degree) => Number(degree.toFixed(2)));
  const key = at.join();
  if (!known.has(key)) {
    known.set(key, read('places.at', { lat: at[0], lon: at[1] }).then(({ zone }) => zone, () => undefined));
  }
  return /** @type {Promise<string | undefined>} */ (known.get(key));
}

/** Returns the zone in which a trip is told, on its page and in lists alike.
 * @param {{bounds?: Bounds}} trip */
export const zoneOf = (trip) => zoneAt(trip.bounds?.north, trip.bounds?.east);

/** Returns the name of a zone if clocks show another time there than here, and nothing otherwise.
 * @param {string} time @param {string | undefined} zone */
export function zoneName(time, zone) {
  if (!zone || clock(time, zone) === clock(time)) return '';
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(new Date(time));
  return ` ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone}`;
}

/** Formats a time of day in a zone, with the zone's name where it is not the reader's.
 * @param {string} time @param {string | undefined} zone */
export const clockIn = (time, zone) => clock(time, zone) + zoneName(time, zone);

/** Formats a moment in a zone, with the zone's name where it is not the reader's.
 * @param {string} time @param {string | undefined} zone */
export const momentIn = (time, zone) => `${day(time, zone)}, ${clockIn(time, zone)}`;

/**
 * Formats a planned time in its zone, with the zone's name where it is not the reader's.
 * @param {PlannedTime | undefined} time
 * @param {boolean} [onlyClock] whether to omit the date
 */
export const plannedIn = (time, onlyClock = false) =>
  planned(time, onlyClock) + (time?.at.includes('T') && time.time ? zoneName(time.time, time.zone) : '');

/**
 * Formats the beginning and the end of an item: the zone is named once if both ends have the same.
 * @param {{from?: PlannedTime, to?: PlannedTime}} item
 * @returns {string[]} the beginning and the end, each empty if there is none
 */
export function plannedSpan({ from, to }) {
  if (!to) return [plannedIn(from, true), ''];
  const isSameDay = from?.at.slice(0, 10) === to.at.slice(0, 10);
  const names = [from, to].map((time) => (time?.at.includes('T') ? zoneName(time.time, time.zone) : ''));
  const start = planned(from, true) + (names[0] === names[1] ? '' : names[0]);
  return [start, `– ${plannedIn(to, isSameDay)}`];
}
