/** The style of the map. From bottom to top: the built-in world, tiles, what the pages draw, and names. */
import { palette } from './palette.js';
import { all, byZoom, get } from './words.js';
import { surfaces, borders } from './surfaces.js';
import { ways } from './ways.js';
import { names } from './names.js';
import { shapeSources, shapeLayers } from './shapes.js';

/** The zoom from which the built-in world is not drawn: nearer, its coast lies too far from the true one. */
export const WORLD_END = 8;

/**
 * Returns the style.
 * @param {any[]} files the files of tiles, as `tiles.js` describes them
 * @param {any} world the countries as GeoJSON, and their names
 * @param {boolean} isDark
 * @param {Record<string, string>} pens the colours of what the pages draw
 */
export function styleOf(files, world, isDark, pens) {
  const colour = palette(isDark);
  const pictures = files.filter(({ schema }) => !schema);
  const streets = files.filter(({ schema }) => schema);
  return {
    version: 8,
    glyphs: 'letters://{fontstack}/{range}',
    transition: { duration: 0, delay: 0 },
    sources: {
      world: { type: 'geojson', data: world.countries },
      countries: { type: 'geojson', data: world.names },
      ...Object.fromEntries(files.map(({ id, source }) => [id, source])),
      ...shapeSources(),
    },
    layers: [
      ...ground(colour),
      ...pictures.map(({ id }) => ({ id: `pictures ${id}`, type: 'raster', source: id,
        paint: { 'raster-fade-duration': 0 } })),
      ...over(streets, [...surfaces(colour), ...ways(colour), ...borders(colour)]),
      ...shapeLayers(pens),
      ...over(streets, names(colour)),
      ...(pictures.length ? [] : countryNames(colour)),
    ],
  };
}

/**
 * Returns the layers of some templates for each file and each part of the template's subject.
 * @param {any[]} files
 * @param {{id: string, of: string, make: (part: any) => any}[]} templates
 */
function over(files, templates) {
  return templates.flatMap(({ id, of, make }) => files.flatMap((file) => (file.schema[of] ?? [])
    .map((/** @type {any} */ part, /** @type {number} */ n) => {
    const { filter, ...rest } = make(asExpressions(part));
    return {
      id: `${id} ${file.id} ${n}`, source: file.id, 'source-layer': part.layer, ...rest, filter: all(part.only, filter),
    };
  })));
}

/** Texts as expressions: the library takes a comparison of two texts for one of another kind.
 * @param {any} part */
const asExpressions = (part) => Object.fromEntries(Object.entries(part).map(([what, value]) =>
  [what, typeof value === 'string' ? ['literal', value] : value]));

/** The world without tiles: sea, land with its coasts, and a fine grid, so that movement is visible.
 * @param {{sea: string, unknown: string, land: string, coast: string}} colour */
const ground = (colour) => [
  { id: 'sea', type: 'background', paint: { 'background-color': byZoom(WORLD_END - 1, colour.sea, WORLD_END,
    colour.unknown) } },
  {
    id: 'land', type: 'fill', source: 'world', maxzoom: WORLD_END,
    paint: { 'fill-color': colour.land, 'fill-opacity': byZoom(WORLD_END - 1, 1, WORLD_END, 0),
      'fill-antialias': false },
  },
  {
    id: 'coast', type: 'line', source: 'world', maxzoom: WORLD_END,
    paint: { 'line-color': colour.coast, 'line-width': 0.8, 'line-opacity': byZoom(WORLD_END - 1, 1, WORLD_END, 0) },
  },
  { id: 'grid', type: 'background', minzoom: WORLD_END, paint: { 'background-pattern': 'grid' } },
];

/** The names of countries, the large ones first.
 * @param {{soft: string, land: string}} colour */
const countryNames = (colour) => [{
  id: 'country', type: 'symbol', source: 'countries', minzoom: 2, maxzoom: WORLD_END,
  filter: ['>', ['*', get('size'), ['^', 4, ['zoom']]], 650],
  layout: {
    'text-field': get('name'), 'text-font': ['regular'], 'text-size': 12, 'text-letter-spacing': 0.04,
      'text-max-width': 8,
    'symbol-sort-key': ['-', 0, get('size')],
  },
  paint: { 'text-color': colour.soft, 'text-halo-color': colour.land, 'text-halo-width': 1.2 },
}];
