/** The administrator's files of tiles: what the server says of them, and a way for the map to fetch each tile. */
import { schemaOf } from './schemas.js';

/** The tiles that turned out to be missing, as `ID/ZOOM/COLUMN/ROW`. */
const missing = new Set();
/**
 * The zoom from which a tile stands for all that is known of its area. A tile of a wider area may be cut off
 * anywhere.
 */
const NEAR = 8;

/**
 * A layer of a tile, encoded, with one square that covers it: the style paints the ground of each tile that there is.
 */
const PRESENT = present();

/**
 * Describes the files of tiles, with the source and the schema of each; files that the style does not know are left
 * out.
 * @param {any} answer of `/tiles.json`
 */
export function describe(answer) {
  // A number may stand for another file than before.
  missing.clear();
  /** @type {any[]} */
  const all = answer?.files ?? [answer];
  const files = all.filter((one) => one?.tiles || one?.provider).map((one, n) => {
    const [id, of] = [`tiles${n}`, one.provider ?? one];
    const layers = one.vector_layers;
    const schema = !one.provider && layers ? schemaOf(layers) : null;
    if (layers && !one.provider && !schema) return null;
    const has = schema && new Set(layers.map((/** @type {any} */ layer) => layer.id));
    const bounds = one.bounds ?? [-180, -85.06, 180, 85.06];
    const range = { minzoom: one.min_zoom ?? 0, maxzoom: one.max_zoom ?? 19 };
    return {
      id, bounds, ...range, isProvider: Boolean(one.provider), name: schema?.name ?? 'pictures',
      schema: schema && { present: [{ layer: 'present' }], ...Object.fromEntries(Object.entries(schema.table).map(
        ([subject, parts]) => [subject, parts.filter(({ layer }) => has?.has(layer))])) },
      source: {
        type: schema ? 'vector' : 'raster', bounds, ...range,
          attribution: plain(of.attribution ?? one.attribution ?? ''),
        tiles: one.provider ? urls(of.url) : [`tiles://${id}${one.tiles}`], ...(schema ? {} : { tileSize: 256 }),
      },
    };
  });
  return files.filter(Boolean);
}

/** Returns the addresses of a provider of pictures.
 * @param {string} template */
const urls = (template) => (template.includes('{s}') ? ['a', 'b', 'c'] : ['']).map((one) => template.replace('{s}',
  one).replace('{r}', ''));

/**
 * Returns the words of an attribution, which may be markup of anybody, as markup that shows nothing but these words.
 * @param {string} text
 */
function plain(text) {
  // What is in this element is text to the browser, apart from signs such as &copy;.
  const words = document.createElement('textarea');
  words.innerHTML = text.replace(/<[^>]*>/g, '');
  return words.value.trim().replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * Whether there is a street map of a place, as far as is known.
 * @param {any[]} files
 * @param {{lat: number, lon: number}} place
 * @param {number} zoom
 */
export function covers(files, { lat, lon }, zoom) {
  return files.some(({ id, bounds: [west, south, east, north], minzoom, maxzoom, isProvider }) => {
    if (isProvider) return true;
    if (lat < south || lat > north || lon < west || lon > east || zoom < minzoom - 1) return false;
    const level = Math.max(minzoom, Math.min(maxzoom, Math.floor(zoom)));
    return !missing.has([id, level, ...placeOf(lat, lon, level)].join('/'));
  });
}

/** @param {number} lat @param {number} lon @param {number} zoom */
function placeOf(lat, lon, zoom) {
  const sine = Math.sin((lat * Math.PI) / 180);
  const row = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  return [lon / 360 + 0.5, row].map((part) => Math.floor(part * 2 ** zoom));
}

/**
 * Fetches a tile for the library, from an address such as `tiles://tiles0/tiles/14/8625/5746`.
 * @param {{url: string, type?: string}} asked
 * @param {AbortController} abort
 */
export async function fetchTile({ url, type }, abort) {
  const [id, ...path] = url.replace('tiles://', '').split('/');
  const answer = await fetch(`/${path.join('/')}`, { signal: abort.signal });
  const key = [id, ...path.slice(-3)].join('/');
  if (answer.status === 404 || answer.status === 204) {
    missing.add(key);
    if (type === 'image') throw new Error(`There is no tile ${key}.`);
    return { data: new ArrayBuffer(0) };
  }
  if (!answer.ok) throw new Error(`The tile ${key} was answered with ${answer.status}.`);
  const data = await answer.arrayBuffer();
  if (type === 'image' || Number(path[path.length - 3]) < NEAR) return { data };
  const whole = new Uint8Array(data.byteLength + PRESENT.length);
  whole.set(new Uint8Array(data));
  whole.set(PRESENT, data.byteLength);
  return { data: whole.buffer };
}

/** Encodes the layer `present` (Mapbox vector tile, version 2): a square of 4096 units and a margin. */
function present() {
  /** @param {number} number */
  const zigzag = (number) => (number << 1) ^ (number >> 31);
  /** @param {number} number @returns {number[]} */
  const varint = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...varint(number >>> 7)]);
  /** @param {number} tag @param {Uint8Array | number[]} bytes */
  const field = (tag, bytes) => [(tag << 3) | 2, ...varint(bytes.length), ...bytes];
  const [edge, side] = [-64, 4096 + 128];
  const commands = [9, zigzag(edge), zigzag(edge), 26, zigzag(side), 0, 0, zigzag(side), zigzag(-side), 0, 15];
  const feature = [0x18, 3, ...field(4, commands.flatMap(varint))];
  const layer = [...field(1, [...new TextEncoder().encode('present')]), ...field(2, feature), 0x28, ...varint(4096),
    0x78, 2];
  return new Uint8Array(field(3, layer));
}
