/** The points of the trips of a plan. */
import { readPages } from '../rpc.js';
import { unwrapped } from '../map.js';

/** The most points of all trips together, and the tolerances in metres with which trips are read. */
const [MOST_POINTS, FINE, COARSE] = [40_000, 10, 50];
/** The number of trips from which they are read coarsely. */
const MANY = 60;

/**
 * Reads the points of trips in order of their start, beside a longitude; trips without points are left out.
 * @param {any[]} all
 * @param {number | undefined} lon
 * @param {AbortSignal} signal
 */
export async function readLegs(all, lon, signal) {
  /** @type {{lat: number, lon: number}[][]} */
  const legs = [];
  /** @type {any[]} */
  const trips = [];
  let count = 0;
  for (const trip of all) {
    const points = await readPages('trips.trace', 'points',
      { id: trip.id, tolerance: all.length > MANY ? COARSE : FINE, limit: 1000 }).catch(() => []);
    if (signal.aborted || count > MOST_POINTS) break;
    if (!points.length) continue;
    const leg = unwrapped(points, lon ?? points[points.length - 1].lon);
    lon = leg[leg.length - 1].lon;
    legs.push(leg);
    trips.push(trip);
    count += leg.length;
  }
  return { legs, trips };
}
