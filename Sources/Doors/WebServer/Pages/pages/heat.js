/** Where one has been: a map of how many trips have passed each square. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { read } from '../rpc.js';
import { choice, said } from '../ui.js';
import { makeMap } from '../map.js';

const sheet = new URL('../year/year.css', import.meta.url).pathname;
let loaded;

/** Loads the texts and the style sheet of the heat map and of a year, once. */
export const prepare = () => loaded ??= Promise.all([addTexts('year'), new Promise((resolve) => {
  document.head.append(h('link', { rel: 'stylesheet', href: sheet, onload: resolve, onerror: resolve }));
})]);

const WORLD = [-180, -85, 180, 85];
/** The share of the view's width and height beyond which squares are loaded, too. */
const MARGIN = 0.25;

/** The colours of the heat, from few trips to many; they show on a light map and on a dark one. */
const COLOURS = ['rgba(92, 42, 180, 0)', 'rgba(92, 42, 180, .65)', '#c8246f', '#f27a1d', '#ffd84a'];

/** Returns the place of the middle of a square, in degrees east and north.
 * @param {number} level @param {number} x @param {number} y */
export function middleOf(level, x, y) {
  const size = 2 ** level;
  const down = Math.PI * (1 - (2 * (y + 0.5)) / size);
  return [((x + 0.5) / size) * 360 - 180, (Math.atan(Math.sinh(down)) * 180) / Math.PI];
}

/** Returns the share of colour of a square, so that a single trip shows and a hundred stand out.
 * @param {number} trips @param {number} most */
export const weightOf = (trips, most) => 0.25 + (0.75 * Math.log(1 + trips)) / Math.log(1 + Math.max(most, 3));

/** @param {Squares} answer */
const collection = (answer) => ({
  type: 'FeatureCollection', features: answer.cells.map(([x, y, trips]) => ({
    type: 'Feature', properties: { weight: weightOf(trips, answer.most) },
    geometry: { type: 'Point', coordinates: middleOf(answer.level, x, y) },
  })),
});

/** @typedef {Pick<Result<'history.heat'>, 'level' | 'most' | 'cells'>} Squares */

/** What lies on the map. */
class Layer {
  /** @type {any} */
  #map = null;
  /** @type {Squares} */
  #answer = { level: 7, most: 0, cells: [] };

  /** @param {any} map */
  attach(map) {
    this.#map = map;
    map.addSource('heat', { type: 'geojson', data: collection(this.#answer) });
    const words = map.getStyle().layers.find((/** @type {{type: string}} */ { type }) => type === 'symbol')?.id;
    map.addLayer({
      id: 'heat', type: 'heatmap', source: 'heat', paint: {
        'heatmap-weight': ['get', 'weight'], 'heatmap-intensity': 0.8, 'heatmap-opacity': 0.85,
        'heatmap-radius': this.#radius(),
        'heatmap-color': ['interpolate', ['linear'], ['heatmap-density'], 0, COLOURS[0], 0.12, COLOURS[1],
          0.45, COLOURS[2], 0.75, COLOURS[3], 1, COLOURS[4]],
      },
    }, words);
  }

  /** Shows an answer of `history.heat`.
   * @param {Result<'history.heat'>} answer */
  set(answer) {
    this.#answer = answer;
    if (!this.#map) return;
    this.#map.getSource('heat').setData(collection(answer));
    this.#map.setPaintProperty('heat', 'heatmap-radius', this.#radius());
  }

  remove() { if (this.#map?.getLayer('heat')) { this.#map.removeLayer('heat'); this.#map.removeSource('heat'); } }

  /** The radius of a square's heat in pixels: a little more than the square, which grows with the zoom. */
  #radius() {
    const { level } = this.#answer;
    /** @param {number} zoom */
    const pixels = (zoom) => Math.max(1, 1.3 * 512 * 2 ** (zoom - level));
    return ['interpolate', ['exponential', 2], ['zoom'], level - 8, pixels(level - 8), level + 2, pixels(level + 2)];
  }
}

/** Returns the window of a map with a margin, within one turn around the world.
 * @param {Bounds | null} bounds */
export function windowOf(bounds) {
  if (!bounds) return WORLD;
  const { west, south, east, north } = bounds;
  const [across, up] = [MARGIN * (east - west), MARGIN * (north - south)];
  /** @param {number} lon */
  const turned = (lon) => ((((lon + 180) % 360) + 360) % 360) - 180;
  const lats = [Math.max(-85, south - up), Math.min(85, north + up)];
  return east - west + 2 * across >= 360 ? [-180, lats[0], 180, lats[1]]
    : [turned(west - across), lats[0], turned(east + across), lats[1]];
}

/**
 * Creates the map of where one has been, and a choice of years.
 * @param {AbortSignal} signal that the page is left
 */
export async function heatMap(signal) {
  await prepare();
  const map = await makeMap({ label: t('heat.title'), class: 'heat-map', signal });
  const layer = new Layer();
  map.put(layer);
  const years = h('div.actions');
  const note = h('p.note', { role: 'status' });
  let [device, year, questions] = ['', 0, 0];
  let shown = '';

  /** Loads the squares of a window; true if they are those that are wanted now.
   * @param {number[]} bbox @param {number} zoom */
  async function load(bbox, zoom) {
    const question = ++questions;
    const answer = await read('history.heat', { bbox, zoom, ...(device ? { device } : {}), ...(year ? { year } : {}) })
      .catch((error) => { fill(note, said(error)); return null; });
    if (!answer || signal.aborted || question !== questions) return null;
    layer.set(answer);
    map.element.dataset.squares = String(answer.cells.length);
    fill(note, answer.pending ? t('heat.pending', { n: answer.pending }) : !answer.cells.length ? t('heat.none') : '');
    return answer;
  }

  const refine = () => load(windowOf(map.bounds()), Math.max(0, Math.min(20, Math.floor(map.zoom()))));
  map.onMove(() => { refine(); });

  /** Shows other trips, and moves to where they were. */
  async function show(one = device, only = year) {
    [device, year] = [one, only];
    const answer = await load(WORLD, 3);
    if (!answer) return;
    const all = answer.years;
    if (all.join() !== shown) {
      shown = all.join();
      const choices = [['0', t('heat.all')], ...[...all].reverse().map((n) => [String(n), String(n)])];
      fill(years, all.length > 1 ? choice(choices, String(year), t('heat.years'),
        (chosen) => show(device, Number(chosen))) : null);
    }
    // The squares of the whole world are as large as a country, so those within them are asked for before the
    // map moves.
    const [southWest, northEast] = around(answer);
    if (!southWest) return refine();
    const near = await load(windowOf({ west: southWest[1], south: southWest[0], east: northEast[1],
      north: northEast[0] }), 8);
    if (near) map.fit(around(near.cells.length ? near : answer), 13);
  }

  return { element: h('div.section', years, map.element, note, h('small', t('heat.keys'))), show };
}

/** Returns the corners of what the squares cover, of the shorter way around the earth.
 * @param {{level: number, cells: number[][]}} heat */
function around({ level, cells }) {
  if (!cells.length) return [];
  const size = 360 / 2 ** level;
  const columns = [...new Set(cells.map(([x]) => x))].sort((one, other) => one - other);
  // The widest gap between columns is where the map ends.
  let [gap, first] = [columns[0] + 2 ** level - columns[columns.length - 1], columns[0]];
  for (let n = 1; n < columns.length; n++) {
    if (columns[n] - columns[n - 1] > gap) [gap, first] = [columns[n] - columns[n - 1], columns[n]];
  }
  const lons = cells.map(([x]) => (x >= first ? x : x + 2 ** level) * size - 180);
  const lats = cells.flatMap(([, y]) => [middleOf(level, 0, y - 0.5)[1], middleOf(level, 0, y + 0.5)[1]]);
  const [south, north] = [Math.min(...lats), Math.max(...lats)];
  return [[south, Math.min(...lons)], [north, Math.max(...lons) + size]];
}
