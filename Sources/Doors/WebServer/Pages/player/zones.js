/** The time zones of places, asked for as they are needed. */
import { read } from '../rpc.js';

/** The answers by cells of a quarter of a degree. A cell that has been asked for and not answered has none. */
const cells = new Map();

/**
 * Returns the time zone of a place; undefined while it is not known.
 * @param {number} lat
 * @param {number} lon
 * @param {() => void} came is called once it is known, if it has to be asked for
 * @returns {string | undefined}
 */
export function zoneAt(lat, lon, came) {
  const key = `${Math.floor(lat * 4)} ${Math.floor(lon * 4)}`;
  if (!cells.has(key)) {
    cells.set(key, undefined);
    read('places.at', { lat, lon: lon - 360 * Math.round(lon / 360) }).then(({ zone }) => {
      if (!zone) return;
      cells.set(key, zone);
      came();
    }, () => cells.delete(key));
  }
  return cells.get(key);
}
