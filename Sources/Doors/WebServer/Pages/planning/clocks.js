/** Clock times that a zone skips, as when summer time begins. */
import { locale, t } from '../texts.js';
import { planned } from '../format.js';

const DAY = 26 * 3_600_000;

/**
 * Returns how far the clocks of a zone are ahead of UTC at a moment, in milliseconds.
 * @param {number} moment
 * @param {string} zone
 */
export function offset(moment, zone) {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric',
    day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' }).formatToParts(moment);
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second']
    .map((name) => Number(parts.find(({ type }) => type === name)?.value));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/**
 * Returns what clocks show instead of a local time that they skip: 2026-03-29T03:30 for 2026-03-29T02:30 in Berlin;
 * null if they show that time, and for an unknown zone.
 * @param {string} local such as 2026-03-29T02:30
 * @param {string} zone
 */
export function skipped(local, zone) {
  const wanted = Date.parse(`${local}Z`);
  if (!Number.isFinite(wanted) || !/T\d\d:\d\d$/.test(local)) return null;
  try {
    const [before, after] = [offset(wanted - DAY, zone), offset(wanted + DAY, zone)];
    if ([before, after, offset(wanted, zone)].some((ahead) => offset(wanted - ahead, zone) === ahead)) return null;
    const moment = wanted - before;
    return new Date(moment + offset(moment, zone)).toISOString().slice(0, 16);
  } catch {
    return null;
  }
}

/**
 * Returns the sentence about a planned time that clocks skip.
 * @param {{at: string, shown: string, zone: string}} time
 */
export const skippedText = ({ at, shown, zone }) =>
  t('clock.skipped', { at: planned({ at }), shown: planned({ at: shown }, true), zone });

/** Returns the sentences about the times of an item, a location or a plan that clocks skip.
 * @param {any} one a plan, a location or an activity */
export const skippedIn = (one) =>
  [one?.start, one?.end, one?.from, one?.to].filter((time) => time?.shown).map(skippedText);

/** Returns the name of a zone with its present offset, as in: Europe/Lisbon (GMT+1).
 * @param {string} zone */
export function zoneLabel(zone) {
  try {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'shortOffset' });
    return `${zone} (${format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value})`;
  } catch {
    return zone;
  }
}
