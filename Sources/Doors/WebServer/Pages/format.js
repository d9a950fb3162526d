/** Formats lengths, speeds, times and money for the reader. */
import { locale, number, t } from './texts.js';

/** Keeps the order of a number and its unit within right-to-left text, with directional isolates.
 * @param {string} text */
const kept = (text) => (document.documentElement.dir === 'rtl' ? `\u2068${text}\u2069` : text);

export const units = () =>
  localStorage.getItem('units') ?? (/-(US|GB|LR|MM)$/.test(navigator.language) ? 'miles' : 'metric');

/** @param {number | undefined} meters */
export function distance(meters) {
  if (meters === undefined || meters === null) return '–';
  if (units() === 'miles') {
    const miles = meters / 1609.344;
    return kept(miles < 0.19 ? `${number(meters / 0.9144)} yd` : `${number(miles, miles < 10 ? 1 : 0)} mi`);
  }
  if (meters < 1000) return kept(`${number(meters < 100 ? Math.round(meters) : Math.round(meters / 10) * 10)} m`);
  return kept(`${number(meters / 1000, meters < 100000 ? 1 : 0)} km`);
}

/** Formats a height or a radius, always in metres or feet.
 * @param {number} meters */
export const height = (meters) => kept(units() === 'miles' ? `${number(meters / 0.3048)} ft` : `${number(meters)} m`);

/** @param {number | undefined} speed metres per second */
export function speed(speed) {
  if (speed === undefined || speed === null) return '–';
  return kept(units() === 'miles' ? `${number(speed * 2.236936)} mph` : `${number(speed * 3.6)} km/h`);
}

/** @param {number | undefined} seconds */
export function duration(seconds) {
  if (seconds === undefined || seconds === null) return '–';
  const minutes = Math.round(seconds / 60);
  const h = Math.floor(minutes / 60);
  const m = minutes % 60;
  return kept(seconds < 60 ? t('time.s', { n: Math.round(seconds) }) : minutes < 60 ? t('time.min', { n: minutes })
    : h >= 48 ? t('time.days', { n: Math.round(h / 24) }) : m ? t('time.hmin', { h, m }) : t('time.h', { n: h }));
}

/** @param {string} time @param {Intl.DateTimeFormatOptions} options */
const shown = (time, options) => kept(new Intl.DateTimeFormat(locale, options).format(new Date(time)));

/** Formats the time of day, in the time zone of the place if it is known.
 * @param {string} time @param {string} [timeZone] */
export const clock = (time, timeZone) => shown(time, { timeStyle: 'short', timeZone });

/** @param {string} time @param {string} [timeZone] */
export const day = (time, timeZone) =>
  shown(time, { weekday: 'short', day: 'numeric', month: 'short', timeZone,
    ...(time.slice(0, 4) === String(new Date().getFullYear()) ? {} : { year: 'numeric' }) });

/** @param {string} time @param {string} [timeZone] */
export const moment = (time, timeZone) => `${day(time, timeZone)}, ${clock(time, timeZone)}`;

/** Formats a moment for a `datetime-local` field, in the browser's time zone.
 * @param {string | number} time */
export function fieldTime(time) {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Formats how long ago a moment was, or its date after a week.
 * @param {string} time */
export function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (Math.abs(seconds) < 45) return t('time.now');
  // The times of a replay can be ahead of the clock.
  if (seconds < 0) return clock(time);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  if (seconds < 3600) return format.format(-Math.round(seconds / 60), 'minute');
  if (seconds < 86400) return format.format(-Math.round(seconds / 3600), 'hour');
  if (seconds < 7 * 86400) return format.format(-Math.round(seconds / 86400), 'day');
  return day(time);
}

/** Formats a planned time in the time zone that it was planned in.
 * @param {{at: string, shown?: string} | undefined} planned
 * @param {boolean} [onlyClock] whether to omit the date */
export function planned(planned, onlyClock) {
  if (!planned) return '';
  const [date, clock] = (planned.shown ?? planned.at).slice(0, 16).split('T');
  if (onlyClock) return clock ? wallClock(clock) : '';
  const text = plainDay(date);
  return clock ? `${text}, ${wallClock(clock)}` : text;
}

/** @param {string} clock such as 09:30 */
const wallClock = (clock) => shown(`2020-01-01T${clock}Z`, { timeStyle: 'short', timeZone: 'UTC' });

/** Formats a calendar day, regardless of time zones.
 * @param {string} date such as 2026-05-01 */
export const plainDay = (date) => day(`${date}T12:00Z`, 'UTC');

/** Formats a range of days, or one day if both are the same.
 * @param {{at: string}} [start] @param {{at: string}} [end] */
export function span(start, end) {
  if (!start && !end) return '';
  const [from, to] = [start, end].map((time) => (time ? plainDay(time.at.slice(0, 10)) : ''));
  return from && to && from !== to ? `${from} – ${to}` : from || to;
}

const DATE = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const DATES = new RegExp(`\\b(${DATE})(?:/(${DATE}))?\\b`, 'g');

/** Returns a text in which days read as people write them, such as those that a vote chose.
 * @param {string} text */
export const withDays = (text) => text.replace(DATES, (_, first, last) => span({ at: first }, { at: last ?? first }));

/** @param {string} amount @param {string} currency */
export const money = (amount, currency) => kept(
  (formats[currency] ??= new Intl.NumberFormat(locale, { style: 'currency', currency }))
    .format(/** @type {any} */ (amount)));

/** The formats of amounts by currency, because a new one takes longer than a row.
 * @type {Record<string, Intl.NumberFormat>} */
const formats = {};

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1e6 ? `${number(bytes / 1e3)} kB`
    : bytes < 1e9 ? `${number(bytes / 1e6, 1)} MB` : `${number(bytes / 1e9, 1)} GB`;

/** @param {number} lat @param {number} lon */
export const place = (lat, lon) =>
  kept(`${number(Math.abs(lat), 5)}° ${lat < 0 ? 'S' : 'N'}, ${
    number(Math.abs(lon), 5)}° ${lon < 0 ? 'W' : t('format.east')}`);

/** Returns the distance of two places in metres, on the sphere.
 * @param {number} lat1 @param {number} lon1 @param {number} lat2 @param {number} lon2 */
export function between(lat1, lon1, lat2, lon2) {
  const rad = Math.PI / 180;
  const a = Math.sin(((lat2 - lat1) * rad) / 2) ** 2
    + Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lon2 - lon1) * rad) / 2) ** 2;
  return 2 * 6371008.8 * Math.asin(Math.sqrt(a));
}
