/** The countries that come with the pages. */

const collection = (features) => ({ type: 'FeatureCollection', features });

/** No countries yet. */
export const noWorld = { countries: collection([]), names: collection([]) };

let loading;

/** Loads the countries, once; there are none if that fails. @returns {Promise<typeof noWorld>} */
export function worldOf() {
  loading ??= fetch('/world.json').then((answer) => answer.json()).then(({ countries }) => ({
    countries: collection(countries.flatMap(({ rings }) => rings.map((ring) => feature('Polygon',
      [[...ring, ring[0]]])))),
    names: collection(countries.map(({ name, at, size }) => feature('Point', at, { name, size }))),
  })).catch(() => noWorld);
  return loading;
}

const feature = (type, coordinates, properties = {}) => ({ type: 'Feature', properties,
  geometry: { type, coordinates } });
