/**
 * The schemas of vector tiles over which the style is drawn, each as a table of the same subjects.
 *
 * A subject is a list of the layers of a tile that hold it. `only` restricts a layer. The other entries are expressions
 * that give the style's own words: the `rank` of a way, the `kind` of a surface, a place or a point, and a name.
 * @typedef {{layer: string, only?: any, [what: string]: any}} Part
 */
import { openMapTiles } from './openmaptiles.js';
import { protomaps } from './protomaps.js';
import { shortbread } from './shortbread.js';

/**
 * Returns the name and the table of a file's schema by the names of its layers; null if it is none of the three.
 * @param {{id: string}[]} layers
 * @returns {{name: string, table: Record<string, Part[]>} | null}
 */
export function schemaOf(layers) {
  /** @param {...string} names */
  const has = (...names) => names.some((name) => layers.some(({ id }) => id === name));
  // A file may lack what its region does not have, such as streets, so more than one layer tells.
  if (has('transportation', 'landcover') && !has('roads', 'earth')) return { name: 'OpenMapTiles',
    table: openMapTiles() };
  if (has('roads', 'earth')) return { name: 'Protomaps', table: protomaps() };
  if (has('streets', 'water_polygons', 'place_labels')) return { name: 'Shortbread', table: shortbread() };
  return has('waterway', 'place') ? { name: 'OpenMapTiles', table: openMapTiles() } : null;
}
