/** The times of bookings in the zones of their places. */
import { read } from '../rpc.js';
import { zoneAt } from '../zones.js';
import { offset } from '../planning/clocks.js';

/** Whether a text is the name of a time zone that the browser knows.
 * @param {any} name */
export function isZone(name) {
  if (!/^[A-Z][\w+-]*(\/[\w+-]+)*$/.test(name ?? '')) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** What clocks of a zone show at a moment, such as 2026-05-01T10:00.
 * @param {number} moment @param {string} zone */
const wall = (moment, zone) => new Date(moment + offset(moment, zone)).toISOString().slice(0, 16);

/** The zones of places that were searched for by name.
 * @type {Map<string, Promise<string | undefined>>} */
const named = new Map();

/** Returns the zone of a town.
 * @param {string | undefined} name */
function zoneOfTown(name) {
  if (!name) return Promise.resolve(undefined);
  if (!named.has(name)) {
    // “Frankfurt Airport” and “Berlin Hbf” begin with the town.
    const text = name.split(/[\s(,]/)[0];
    named.set(name, read('places.search', { text, limit: 20 }).then(async ({ places }) => {
      const town = places.find(({ kind }) => kind === 'place');
      return town && (town.zone ?? await zoneAt(town.lat, town.lon));
    }).catch(() => undefined));
  }
  return /** @type {Promise<string | undefined>} */ (named.get(name));
}

/**
 * Returns a time as clocks show it at its place, and their zone; without a zone, the plan's is meant.
 *
 * A time with an offset alone is that of a zone which has this offset then: the zone of the place, of the plan, or of
 * the town. If none has it, the time is that of the plan's clocks.
 * @param {import('./calendar.js').Time | undefined} time
 * @param {{lat?: number, lon?: number, name?: string}} place
 * @param {string} planZone
 * @returns {Promise<{at: string, zone?: string} | undefined>}
 */
export async function settled(time, place, planZone) {
  if (!time) return undefined;
  const { at, zone, offset: ahead, isUTC } = time;
  if (!at.includes('T') || zone) return { at, ...(zone ? { zone } : {}) };
  const there = await zoneAt(place.lat, place.lon);
  if (ahead === undefined) return { at, zone: there ?? await zoneOfTown(place.name) };
  const moment = Date.parse(`${at}Z`) - ahead;
  if (isUTC) return { at: wall(moment, there ?? planZone), zone: there ?? planZone };
  for (const find of [() => there, () => planZone, () => zoneOfTown(place.name)]) {
    const zone = await find();
    if (zone && offset(moment, zone) === ahead) return { at, zone };
  }
  return { at: wall(moment, planZone), zone: planZone };
}
