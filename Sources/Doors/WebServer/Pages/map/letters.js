/**
 * Letters for the names on the map, made of the viewer's own fonts, so that no server needs to have them.
 *
 * The library asks for 256 characters at a time, each as a signed distance field: a small picture whose values say how
 * far a pixel lies from the outline. The field is computed with the distance transform of Felzenszwalb and
 * Huttenlocher, Distance Transforms of Sampled Functions, 2012.
 */

/** The size of the letters in pixels, which the library expects. */
const SIZE = 24;
/** The pixels around a letter that hold its distances, as the library expects. */
const BORDER = 3;
/** The distance at which the field ends, in pixels. */
const REACH = 8;
/** The part of the field's values that lies outside of a letter. */
const OUTSIDE = 0.25;
/** The pixels between the top of a line and the base of its letters, in the library's layout. */
const BASE = 26;
/** The letters that are made before the page gets a turn. */
const AT_ONCE = 24;

/** @type {Record<string, string>} */
const FONTS = { regular: '500', bold: '700', italic: 'italic 500' };

/** The answers by address. All maps of the page share them.
 * @type {Map<string, Promise<{data: ArrayBuffer}>>} */
const kept = new Map();

/** Makes the letters of an address such as `letters://bold/0-255`.
 * @param {{url: string}} asked */
export async function fetchLetters({ url }) {
  if (!kept.has(url)) kept.set(url, make(url));
  const { data } = await /** @type {Promise<{data: ArrayBuffer}>} */ (kept.get(url));
  // The library moves the bytes to its worker, so it gets a copy.
  return { data: data.slice(0) };
}

/** @param {string} url */
async function make(url) {
  const [stack, range] = url.replace('letters://', '').split('/');
  const [first, last] = range.split('-').map(Number);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 3 * SIZE;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
  pen.font = `${FONTS[stack] ?? FONTS.regular} ${SIZE}px system-ui, sans-serif`;
  pen.textBaseline = 'alphabetic';
  const letters = [];
  for (let code = first; code <= last; code++) {
    // Control characters and halves of pairs have no picture.
    if (code > 31 && (code < 127 || code > 159) && (code < 0xd800 || code > 0xdfff)) letters.push(...field(3,
      letter(pen, code)));
    if ((code - first) % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => { setTimeout(resolve); });
  }
  const bytes = [...field(1, [...new TextEncoder().encode(stack)]), ...field(2, [...new TextEncoder().encode(range)]),
    ...letters];
  return { data: new Uint8Array(field(1, bytes)).buffer };
}

/** Returns a letter as a message: its code, field, size, place and advance.
 * @param {CanvasRenderingContext2D} pen @param {number} code */
function letter(pen, code) {
  const text = String.fromCodePoint(code);
  const measure = pen.measureText(text);
  const [left, top] = [Math.floor(-measure.actualBoundingBoxLeft), Math.ceil(measure.actualBoundingBoxAscent)];
  const most = 3 * SIZE - 2 * BORDER;
  const width = Math.max(0, Math.min(most, Math.ceil(measure.actualBoundingBoxRight) - left));
  const height = Math.max(0, Math.min(most, Math.ceil(measure.actualBoundingBoxDescent) + top));
  const rest = [...number(7, Math.round(measure.width))];
  if (!width || !height) return [...number(1, code), ...number(3, 0), ...number(4, 0), ...number(5, 0),
    ...number(6, 0), ...rest];
  const [columns, rows] = [width + 2 * BORDER, height + 2 * BORDER];
  pen.clearRect(0, 0, columns, rows);
  pen.fillText(text, BORDER - left, BORDER + top);
  return [
    ...number(1, code), ...field(2, distances(pen.getImageData(0, 0, columns, rows).data, columns, rows)),
    ...number(3, width), ...number(4, height), ...number(5, zigzag(left)), ...number(6, zigzag(top - BASE)), ...rest,
  ];
}

/** Returns the distances to the outline of a picture, as the values of its field.
 * @param {Uint8ClampedArray} pixels @param {number} columns @param {number} rows */
function distances(pixels, columns, rows) {
  const count = columns * rows;
  const [outer, inner] = [new Float64Array(count), new Float64Array(count)];
  for (let n = 0; n < count; n++) {
    const ink = pixels[4 * n + 3] / 255;
    // The outline crosses a pixel that is partly inked, nearer to the side that has less ink.
    outer[n] = ink === 1 ? 0 : ink === 0 ? 1e9 : Math.max(0, 0.5 - ink) ** 2;
    inner[n] = ink === 1 ? 1e9 : ink === 0 ? 0 : Math.max(0, ink - 0.5) ** 2;
  }
  transform(outer, columns, rows);
  transform(inner, columns, rows);
  return Array.from(outer, (square, n) =>
    Math.max(0, Math.min(255, Math.round(255 - 255 * ((Math.sqrt(square) - Math.sqrt(inner[n])) / REACH + OUTSIDE)))));
}

/** Replaces values of a grid by the least sum of a value and the square of the distance to it.
 * @param {Float64Array} grid @param {number} columns @param {number} rows */
function transform(grid, columns, rows) {
  for (let x = 0; x < columns; x++) along(grid, x, columns, rows);
  for (let y = 0; y < rows; y++) along(grid, y * columns, 1, columns);
}

/** Does so along one row or column: the lower envelope of parabolas, each of which stands on a value.
 * @param {Float64Array} grid @param {number} start @param {number} step @param {number} length */
function along(grid, start, step, length) {
  const values = new Float64Array(length);
  const feet = new Int32Array(length);
  const bounds = new Float64Array(length + 1);
  let last = 0;
  [bounds[0], bounds[1]] = [-Infinity, Infinity];
  for (let n = 0; n < length; n++) values[n] = grid[start + n * step];
  for (let n = 1; n < length; n++) {
    const meet = () => (values[n] + n * n - values[feet[last]] - feet[last] ** 2) / (2 * (n - feet[last]));
    let at = meet();
    while (at <= bounds[last]) {
      last--;
      at = meet();
    }
    feet[++last] = n;
    [bounds[last], bounds[last + 1]] = [at, Infinity];
  }
  for (let n = 0, foot = 0; n < length; n++) {
    while (bounds[foot + 1] < n) foot++;
    grid[start + n * step] = values[feet[foot]] + (n - feet[foot]) ** 2;
  }
}

// Protocol buffers.

/** @param {number} value */
const zigzag = (value) => (value << 1) ^ (value >> 31);

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (let rest = value >>> 0; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

/** @param {number} tag @param {number} value */
const number = (tag, value) => [tag << 3, ...varint(value)];

/** @param {number} tag @param {number[]} bytes */
function field(tag, bytes) { return [(tag << 3) | 2, ...varint(bytes.length)].concat(bytes); }
