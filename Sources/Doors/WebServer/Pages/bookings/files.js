/** Reads files with bookings: calendars, tracks and mails become items and locations of a plan. */
import { t } from '../texts.js';
import { tabOf } from '../planning/oneline.js';
import { Unreadable, bytesOf, decoded } from './bytes.js';
import { readCalendar } from './calendar.js';
import { isMail, readMail } from './mail.js';
import { readReservations } from './reservations.js';
import { settled } from './times.js';

/** The most items and locations of a file. */
const MOST = 300;
/** The most bytes of a line, a text and a link that a plan takes. */
const [LINE, TEXT, LINK] = [500, 10_000, 2000];
/** The most bytes of a track. */
const TRACK = 5_000_000;

/**
 * Reads a file. Throws `Unreadable` if it has no bookings.
 * @param {File} file
 * @param {Plan} plan
 * @returns {Promise<{items: any[], locations: any[], notes: string[]}>} items and locations as the daemon takes them,
 *   and what is worth knowing
 */
export async function readBookings(file, plan) {
  const bytes = await bytesOf(file);
  const start = bytes.slice(0, 2000).replace(/^\u00EF\u00BB\u00BF/, '').trimStart();
  const found = { drafts: /** @type {any[]} */ ([]), locations: /** @type {any[]} */ ([]), cancelled: 0 };
  if (/^BEGIN:VCALENDAR/i.test(start)) takeCalendar(found, bytes);
  else if (/<(\w+:)?gpx[\s>]/.test(start)) found.locations = readTrack(decoded(bytes));
  else if (/^<(!doctype html|html|head|body)/i.test(start)) found.drafts = readReservations(decoded(bytes));
  else if (isMail(bytes)) takeMail(found, bytes);
  else throw new Unreadable('bookings.unknown');
  if (!found.drafts.length && !found.locations.length) {
    throw new Unreadable(found.cancelled ? 'bookings.cancelled.all' : 'bookings.none');
  }
  if (found.drafts.length > MOST || found.locations.length > MOST) throw new Unreadable('bookings.many');
  const items = [];
  for (const draft of found.drafts) items.push(await itemOf(draft, plan));
  return {
    items: once(items, keyOf), locations: once(found.locations, ({ name, lat, lon }) => `${name} ${lat} ${lon}`),
    notes: /** @type {string[]} */ ([found.cancelled && t('bookings.cancelled', { n: found.cancelled }),
      found.drafts.some(({ repeats }) => repeats) && t('bookings.repeats')].filter(Boolean)),
  };
}

/** What two items have in common that are the same booking.
 * @param {{title: string, from?: string | PlannedTime}} item */
export const keyOf = ({ title, from }) =>
  `${title.trim().toLocaleLowerCase()} ${(typeof from === 'string' ? from : from?.at ?? '').slice(0, 16)}`;

/** Returns what tells whether a plan has a booking: its title or its code, each with its beginning.
 * @param {Activity} activity */
export const keysOf = ({ title, booking_code: code, from }) =>
  [keyOf({ title, from }), code && keyOf({ title: `# ${code}`, from })].filter(Boolean);

/** Leaves out what comes again.
 * @param {any[]} list @param {(one: any) => string} key */
function once(list, key) {
  const seen = new Set();
  return list.filter((one) => !seen.has(key(one)) && seen.add(key(one)));
}

/**
 * @typedef {{drafts: any[], locations: any[], cancelled: number}} Found what a file has, before it is like the
 * daemon's objects
 */

/** @param {Found} found @param {string} bytes @param {string | undefined} [charset] */
function takeCalendar(found, bytes, charset) {
  const { events, cancelled } = readCalendar(bytes, charset);
  found.drafts.push(...events);
  found.cancelled += cancelled;
}

/** @param {Found} found @param {string} bytes */
function takeMail(found, bytes) {
  const { calendars, pages, tracks } = readMail(bytes);
  // A reservation says more than the calendar that comes with it.
  for (const page of pages) found.drafts.push(...readReservations(page));
  for (const calendar of calendars) {
    try {
      takeCalendar(found, calendar.bytes, calendar.charset);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }
  for (const track of tracks) found.locations.push(...readTrack(track));
}

/** Returns the named points of a GPX file.
 * @param {string} written */
function readTrack(written) {
  if (written.length > TRACK) throw new Unreadable('bookings.large');
  const xml = new DOMParser().parseFromString(written, 'application/xml');
  if (xml.documentElement.localName !== 'gpx' || xml.querySelector('parsererror')) {
    throw new Unreadable('bookings.damaged');
  }
  const points = ['wpt', 'rtept'].flatMap((name) => [...xml.getElementsByTagNameNS('*', name)]);
  return points.map((point) => {
    /** @param {string} name */
    const text = (name) => [...point.children].find(({ localName }) => localName === name)?.textContent ?? '';
    const [lat, lon] = ['lat', 'lon'].map((name) => parseFloat(point.getAttribute(name) ?? ''));
    const description = cut(text('desc').trim(), TEXT);
    return { name: line(text('name')), lat, lon, ...(description ? { description } : {}) };
  }).filter(({ name, lat, lon }) => name && Math.abs(lat) <= 90 && Math.abs(lon) <= 180);
}

/** Returns as much of a text as fits into some bytes.
 * @param {string} text @param {number} bytes */
function cut(text, bytes) {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

/** Returns a text as one line.
 * @param {string | undefined} text @returns {string | undefined} */
const line = (text) => cut((text ?? '').split(/[\p{Cc}\u2028\u2029]+/u).map((part) => part.trim()).filter(Boolean)
  .join(', '), LINE).trim() || undefined;

/** Returns a text of several lines.
 * @param {string | undefined} text */
const prose = (text) => cut((text ?? '').replace(/[^\P{Cc}\n\t]/gu, '').trim(), TEXT) || undefined;

/** Returns an address of the web; nothing for another text.
 * @param {string | undefined} text */
function link(text) {
  if (!text || text.length > LINK || /\s/.test(text)) return undefined;
  try {
    const { protocol, host } = new URL(text);
    return /^https?:$/.test(protocol) && host ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the item of a draft, as `activities.add` takes it.
 * @param {any} draft @param {Plan} plan */
async function itemOf(draft, plan) {
  const { fromPlace = draft, toPlace = fromPlace, lat, lon, mode } = draft;
  const [from, to] = [await settled(draft.from, fromPlace, plan.zone), await settled(draft.to, toPlace, plan.zone)];
  const title = line(titleOf(draft)) ?? t('bookings.untitled');
  const item = {
    tab: draft.tab ?? tabOf(title), title, from: from?.at, from_zone: from?.zone, to: to?.at, to_zone: to?.zone,
    location: line(draft.location), address: line(draft.address), contact: line(draft.contact), note: prose(draft.note),
    url: link(draft.url), booked: draft.booked, booking_code: line(draft.booking_code),
    booking_url: link(draft.booking_url), mode: mode && t(`bookings.${mode}`), departure: line(draft.departure),
    arrival: line(draft.arrival), ...(Number.isFinite(lat) && Number.isFinite(lon) ? { lat, lon } : {}),
  };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

/** Returns the title of a draft: a journey is named by its number and its ends.
 * @param {any} options */
function titleOf({ title, mode, departure, arrival }) {
  if (!mode) return title;
  const ends = [departure, arrival].filter(Boolean).join(' → ');
  return [[t(`bookings.${mode}`), title].filter(Boolean).join(' '), ends].filter(Boolean).join(', ');
}
