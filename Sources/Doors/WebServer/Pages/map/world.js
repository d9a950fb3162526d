/** The countries that come with the pages.
 * @param {any[]} features */

const collection = (features) => ({ type: 'FeatureCollection', features });

/** No countries yet. */
export const noWorld = { countries: collection([]), names: collection([]) };

let loading;

/** Loads the countries, once; there are none if that fails.
 * @returns {Promise<typeof noWorld>} */
export function worldOf() {
  loading ??= fetch('/world.json').then((answer) => answer.json()).then(({ countries }) => ({
    countries: collection(countries.flatMap((/** @type {{rings: number[][][]}} */ { rings }) =>
      rings.map((ring) => feature('Polygon', [[...ring, ring[0]]])))),
    names: collection(countries.map((/** @type {{name: string, at: number[], size: number}} */ { name, at, size }) =>
      feature('Point', at, { name, size }))),
  })).catch(() => noWorld);
  return loading;
}

/** @param {string} type @param {any} coordinates */
const feature = (type, coordinates, properties = {}) => ({ type: 'Feature', properties,
  geometry: { type, coordinates } });
