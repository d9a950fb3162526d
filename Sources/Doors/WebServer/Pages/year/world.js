/** The countries that come with the pages, for a picture of them and to tell in which of them a place is. */

let loading;

/** @returns {Promise<{name: string, rings: any[]}[]>} */
const countries = () => loading ??= fetch('/world.json').then((answer) => answer.json())
  .then((world) => world.countries).catch(() => []);

/** Returns the outlines of all countries. */
export const worldRings = async () => (await countries()).flatMap(({ rings }) => rings);

/** Whether a place is inside of an outline.
 * @param {any} place @param {Point[]} ring */
function isIn(place, ring) {
  const [lon, lat] = place;
  let inside = false;
  for (let n = 0, before = ring.length - 1; n < ring.length; before = n++) {
    const [[x, y], [other, below]] = [ring[n], ring[before]];
    if ((y > lat) !== (below > lat) && lon < ((other - x) * (lat - y)) / (below - y) + x) inside = !inside;
  }
  return inside;
}

/**
 * Returns the English names of the countries that have some places, those of the most places first. The outlines are
 * rough, so that a place near a border may be told to be in the neighbour's country.
 * @param {any[][]} places degrees east and north
 */
export async function countriesAt(places) {
  const all = (await countries()).map(({ name, rings }) => ({ name, rings, count: 0, boxes: rings.map(boxOf) }));
  for (const place of places) {
    const [lon, lat] = place;
    const one = all.find(({ rings, boxes }) => rings.some((ring, n) => {
      const [west, south, east, north] = boxes[n];
      return lon >= west && lon <= east && lat >= south && lat <= north && isIn(place, ring);
    }));
    if (one) one.count += 1;
  }
  return all.filter(({ count }) => count).sort((one, other) => other.count - one.count).map(({ name }) => name);
}

/** @param {[number, number][]} ring @returns {number[]} */
function boxOf(ring) {
  const [lons, lats] = [0, 1].map((axis) => ring.map((point) => point[axis]));
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}
