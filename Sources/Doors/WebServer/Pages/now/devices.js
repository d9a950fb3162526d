/** What is known of devices: where they are, since when, and in which order they are listed. */
import { readAll, staleSince } from '../rpc.js';

/** The age from which a fix no longer says where a device is, in seconds. */
export const OLD = 30;
/** The most calls of one request. */
const MOST_CALLS = 100;

/** @typedef {{name: string, title: string, fix: any, came: number, old: boolean}} Known a device: its last fix, which
 * may be missing, when that came by this browser's clock, and whether it is known to be old */

/** Whether a device is silent, or has never said anything.
 * @param {Known} known @param {number} [now] */
export const isSilent = ({ fix, old, came }, now = Date.now()) => !fix || old || now - came >= OLD * 1000;

/** Returns a device as an answer of `position.current` has it.
 * @param {any} device as `devices.list` has it
 * @param {any} current that answer; nothing if there is none
 * @returns {Known} */
export function knownOf({ name, title, last }, current) {
  const now = staleSince ?? Date.now();
  const common = { name, title: title ?? name };
  if (current) return { ...common, fix: current, came: now - (current.age ?? 0) * 1000, old: Boolean(current.old) };
  return { ...common, fix: last ?? null, came: last ? Date.parse(last.time) : 0, old: true };
}

/** Reads the last fixes of devices.
 * @param {any[]} devices as `devices.list` has them @returns {Promise<Known[]>} */
export async function knowAll(devices) {
  const all = devices.filter(({ last }) => !last).map((device) => knownOf(device, null));
  const seen = devices.filter(({ last }) => last);
  for (let n = 0; n < seen.length; n += MOST_CALLS) {
    const some = seen.slice(n, n + MOST_CALLS);
    const fixes = await readAll(some.map(({ name }) => ['position.current', { device: name }])).catch(() => []);
    all.push(...some.map((device, n) => knownOf(device, fixes[n])));
  }
  return sorted(all);
}

/** Orders devices: those that report now by title, then the silent ones by the minute of their last fix, latest first.
 * @param {Known[]} all */
export function sorted(all) {
  const now = Date.now();
  /** @param {Known} one */
  const rank = (one) => (isSilent(one, now) ? (one.fix ? 1 : 2) : 0);
  /** @param {Known} one */
  const minute = (one) => (rank(one) === 1 ? Math.floor(one.came / 60_000) : 0);
  return [...all].sort((one, other) => rank(one) - rank(other) || minute(other) - minute(one)
    || one.title.localeCompare(other.title, undefined, { numeric: true }));
}

/** Returns the device that is shown where nobody asks for one: the first that reports now.
 * @param {Known[]} all */
export const firstLive = (all) => sorted(all).find((one) => !isSilent(one));
