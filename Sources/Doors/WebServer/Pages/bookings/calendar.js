/** Reads calendar files (iCalendar, RFC 5545). These functions only compute. */
import { Unreadable, decoded } from './bytes.js';
import { isZone } from './times.js';

/** The most lines and events of a file. */
const [LINES, EVENTS] = [200_000, 1000];

/**
 * The names that Windows has for some time zones, which its programs write into calendars.
 * @type {Record<string, string>}
 */
const WINDOWS = {
  'GMT Standard Time': 'Europe/London', 'W. Europe Standard Time': 'Europe/Berlin',
  'Central Europe Standard Time': 'Europe/Budapest', 'Romance Standard Time': 'Europe/Paris',
  'Central European Standard Time': 'Europe/Warsaw', 'E. Europe Standard Time': 'Europe/Chisinau',
  'GTB Standard Time': 'Europe/Bucharest', 'FLE Standard Time': 'Europe/Kiev',
  'Turkey Standard Time': 'Europe/Istanbul',
  'Russian Standard Time': 'Europe/Moscow', 'Eastern Standard Time': 'America/New_York',
  'Central Standard Time': 'America/Chicago', 'Mountain Standard Time': 'America/Denver',
  'Pacific Standard Time': 'America/Los_Angeles', 'Tokyo Standard Time': 'Asia/Tokyo', UTC: 'UTC',
};

/**
 * @typedef {{at: string, zone?: string, offset?: number, isUTC?: boolean}} Time a day, or a day and a time of day; the
 * zone if it is known, or how far its clocks are ahead of UTC in milliseconds
 */

/**
 * Reads the events of a calendar.
 * @param {string} bytes a byte string: lines may be folded within a letter
 * @param {string} [charset]
 * @returns {{events: any[], cancelled: number}} the events that take place, and the number of the others
 */
export function readCalendar(bytes, charset) {
  const text = decoded(bytes.replace(/\r?\n[ \t]/g, ''), charset).replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n|\r/);
  if (lines.length > LINES) throw new Unreadable('bookings.large');
  const zones = new Map();
  const stack = [];
  /** @type {any[]} */
  const found = [];
  /** The event and the time zone that are being read.
   * @type {any} */
  let event = null;
  let zone = '';
  for (const line of lines) {
    const property = propertyOf(line);
    if (!property) continue;
    const { name, value, parameters } = property;
    if (name === 'BEGIN') {
      stack.push(value.toUpperCase());
      if (stack.at(-1) === 'VEVENT') event = { properties: new Map() };
      continue;
    }
    const inside = stack.at(-1);
    if (name === 'END') {
      if (inside === 'VEVENT' && event) found.push(event.properties);
      if (inside === 'VEVENT') event = null;
      stack.pop();
      if (found.length > EVENTS) throw new Unreadable('bookings.many');
    } else if (inside === 'VEVENT' && event) {
      if (!event.properties.has(name)) event.properties.set(name, { value, parameters });
    } else if (inside === 'VTIMEZONE') {
      if (name === 'TZID') zone = value;
      if (name === 'X-LIC-LOCATION') zones.set(zone, value);
    }
  }
  if (!found.length && !/(^|\n)BEGIN:VCALENDAR/i.test(text)) throw new Unreadable('bookings.unknown');
  /** @param {any} event */
  const isOff = (event) => event.get('STATUS')?.value.toUpperCase() === 'CANCELLED';
  const newest = new Map();
  for (const [n, event] of found.entries()) {
    // Of an event that comes twice, the later version counts; each day of one that repeats is another event.
    const key = `${event.get('UID')?.value ?? n} ${event.get('RECURRENCE-ID')?.value ?? ''}`;
    const version = Number(event.get('SEQUENCE')?.value) || 0;
    if ((newest.get(key)?.version ?? -1) <= version) newest.set(key, { version, event });
  }
  const all = [...newest.values()].map(({ event }) => event);
  const events = all.filter((event) => !isOff(event)).map((event) => eventOf(event, zones)).filter(Boolean);
  return { events, cancelled: all.filter(isOff).length };
}

/** Splits a line into name, parameters and value; null for another line.
 * @param {string} line */
function propertyOf(line) {
  let isQuoted = false;
  /** @type {number[]} */
  const marks = [];
  for (let n = 0; n < line.length; n += 1) {
    const letter = line[n];
    if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (letter === ';' || letter === ':')) {
      marks.push(n);
      if (letter === ':') break;
    }
  }
  const end = marks.at(-1);
  if (end === undefined || line[end] !== ':') return null;
  const parts = marks.map((mark, n) => line.slice(n ? marks[n - 1] + 1 : 0, mark));
  const parameters = new Map(parts.slice(1).map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at).toUpperCase(), part.slice(at + 1).replace(/^"|"$/g, '')];
  }));
  return { name: parts[0].toUpperCase(), parameters, value: line.slice(end + 1).trim() };
}

/** Returns the text of a value without its escapes.
 * @param {string} value */
const unescaped = (value) => value.replace(/\\([\\;,nN])/g, (_, letter) => (/n/i.test(letter) ? '\n' : letter)).trim();

/** @param {Map<string, any>} event @param {Map<string, string>} zones */
function eventOf(event, zones) {
  /** @param {string} name */
  const text = (name) => unescaped(event.get(name)?.value ?? '') || undefined;
  const from = timeOf(event.get('DTSTART'), zones);
  if (!from) return null;
  const [lat, lon] = (event.get('GEO')?.value ?? '').split(';').map(parseFloat);
  return {
    title: text('SUMMARY'), from, to: endOf(from, timeOf(event.get('DTEND'), zones), event.get('DURATION')?.value),
    location: text('LOCATION'), note: text('DESCRIPTION'), url: text('URL'), repeats: event.has('RRULE'),
    ...(Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : {}),
  };
}

/**
 * Returns the time of a property; nothing where it has none.
 * @param {any} property
 * @param {Map<string, string>} zones the names of the tz database by those of the file
 * @returns {Time | undefined}
 */
function timeOf(property, zones) {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:\d\d)?(Z)?)?$/.exec(property?.value ?? '');
  if (!match) return undefined;
  const [, year, month, day, hour, minute, utc] = match;
  const at = `${year}-${month}-${day}${hour ? `T${hour}:${minute}` : ''}`;
  const read = Date.parse(hour ? `${at}Z` : at);
  if (!Number.isFinite(read) || !new Date(read).toISOString().startsWith(at)) return undefined;
  if (!hour) return { at };
  if (utc) return { at, offset: 0, isUTC: true };
  const id = property.parameters.get('TZID');
  const zone = id && [id, zones.get(id), id.split('/').slice(-2).join('/'), WINDOWS[id]].find(isZone);
  return zone ? { at, zone } : { at };
}

/**
 * Returns the end of an event: of whole days, the last one.
 * @param {Time} from
 * @param {Time | undefined} to
 * @param {string} [duration]
 * @returns {Time | undefined}
 */
function endOf(from, to, duration) {
  const isDay = !from.at.includes('T');
  /** @param {Time} time @param {number} milliseconds */
  const shifted = (time, milliseconds) => {
    const date = new Date(Date.parse(isDay ? time.at : `${time.at}Z`) + milliseconds);
    return { ...time, at: date.toISOString().slice(0, isDay ? 10 : 16) };
  };
  const span = durationOf(duration);
  const end = to ?? (span ? shifted(from, span) : undefined);
  if (!end || end.at.includes('T') === isDay) return undefined;
  // The end of whole days is the day after the last one.
  const last = isDay ? shifted(end, -86_400_000) : end;
  return last.at <= from.at && last.zone === from.zone && last.offset === from.offset ? undefined : last;
}

/** Returns a duration such as P1DT2H in milliseconds; 0 where it is none.
 * @param {string} [text] */
function durationOf(text = '') {
  const match = /^\+?P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d{1,7}S)?)?$/.exec(text);
  if (!match) return 0;
  const [weeks, days, hours, minutes] = match.slice(1).map((part) => Number(part ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000;
}
