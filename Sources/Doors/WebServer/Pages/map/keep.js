/**
 * Areas of the street map that this browser keeps, so that they are drawn without a connection. Each is a cache of its
 * own, with the tiles and a note of what it is; the service worker answers from it when the server cannot be reached.
 * Letters need nothing: the page makes them itself.
 */
import { h, fill } from '../dom.js';
import { t, addTexts, number } from '../texts.js';
import { read } from '../rpc.js';
import { button, dialog, empty, rowText, section, toast } from '../ui.js';
import { size } from '../format.js';

/** How the names of the caches begin. */
const KIND = 'area-';
/** The address of the note in each cache. */
const NOTE = '/area-note';
/** The tiles that an area may have, and the bytes that all areas may have together. */
export const MOST = { tiles: 1500, bytes: 100e6 };
/** The tiles that are fetched to estimate the size, and those that are fetched at once. */
const [SAMPLE, AT_ONCE] = [12, 6];

/** @typedef {{west: number, south: number, east: number, north: number}} Bounds */

/**
 * Returns the addresses of all tiles of an area, at all zoom levels that the files have.
 * @param {any[]} files as `describe` returns them
 * @param {Bounds} bounds
 * @returns {string[]}
 */
export function addresses(files, bounds) {
  const all = [];
  for (const { source, bounds: [west, south, east, north], minzoom, maxzoom, isProvider } of files) {
    const [first, last] = [Math.max(bounds.west, west), Math.min(bounds.east, east)];
    const [low, high] = [Math.max(bounds.south, south), Math.min(bounds.north, north)];
    if (isProvider || first > last || low > high) continue;
    const template = source.tiles[0].replace(/^tiles:\/\/[^/]*/, '');
    for (let zoom = minzoom; zoom <= maxzoom; zoom++) {
      const [left, top] = tileOf(high, first, zoom);
      const [right, bottom] = tileOf(low, last, zoom);
      for (let x = left; x <= right; x++) {
        for (let y = top; y <= bottom; y++) {
          all.push(template.replace('{z}', String(zoom)).replace('{x}', String(x)).replace('{y}', String(y)));
          // An area that is far too large is not counted to its end.
          if (all.length > 4 * MOST.tiles) return all;
        }
      }
    }
  }
  return all;
}

/** Returns the column and row of the tile at a place.
 * @param {number} lat @param {number} lon @param {number} zoom */
function tileOf(lat, lon, zoom) {
  const sine = Math.sin((Math.max(-85.05, Math.min(85.05, lat)) * Math.PI) / 180);
  const parts = [lon / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
  return parts.map((part) => Math.max(0, Math.min(2 ** zoom - 1, Math.floor(part * 2 ** zoom))));
}

/** Returns the notes of the areas that are kept, the newest first. */
export async function areas() {
  const names = (await caches.keys()).filter((name) => name.startsWith(KIND)).sort().reverse();
  const found = await Promise.all(names.map(async (name) => {
    const note = await (await caches.open(name)).match(NOTE);
    return note ? { ...await note.json(), cache: name } : { cache: name, name: '', bytes: 0, tiles: 0 };
  }));
  return found;
}

/**
 * Runs an action for each of some values, some at once.
 * @param {any[]} values
 * @param {(value: any) => Promise<any>} act
 */
async function forEach(values, act) {
  const rest = [...values].reverse();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (rest.length) await act(rest.pop());
  }));
}

/** Estimates the bytes of tiles from some of them.
 * @param {string[]} paths */
async function estimate(paths) {
  const step = Math.max(1, Math.floor(paths.length / SAMPLE));
  const some = paths.filter((_, index) => index % step === 0);
  let bytes = 0;
  await forEach(some, async (path) => {
    const { size: taken } = await (await fetch(path)).blob();
    bytes += taken;
  });
  return Math.round((bytes / Math.max(1, some.length)) * paths.length);
}

/**
 * Keeps tiles in a new cache; nothing of them stays if it fails.
 * @param {string} name of the area
 * @param {string[]} paths
 * @param {number} left the bytes that may still be kept
 * @param {(part: number) => void} told is called with the part that is done
 */
async function keep(name, paths, left, told) {
  const id = `${KIND}${Date.now()}`;
  const cache = await caches.open(id);
  let [bytes, done] = [0, 0];
  try {
    await forEach(paths, async (path) => {
      const answer = await fetch(path);
      // That there is no tile is worth keeping, too.
      if (!answer.ok && answer.status !== 404) throw new Error(`The tile ${path} was answered with ${answer.status}.`);
      // The sum is read after this has come, because others add to it meanwhile.
      const { size: taken } = await answer.clone().blob();
      bytes += taken;
      if (bytes > left) throw new RangeError();
      await cache.put(path, answer);
      told(++done / paths.length);
    });
    const note = { name, bytes, tiles: paths.length, at: new Date().toISOString() };
    await cache.put(NOTE, new Response(JSON.stringify(note)));
    return note;
  } catch (error) {
    await caches.delete(id);
    throw error;
  }
}

/** Returns the name of the town at the middle of an area, or its position.
 * @param {Bounds} bounds */
async function nameOf({ west, south, east, north }) {
  const [lat, lon] = [(south + north) / 2, (west + east) / 2];
  const found = await read('places.at', { lat, lon }).catch(() => null);
  return found?.town?.name ?? `${number(lat, 2)}, ${number(lon, 2)}`;
}

/**
 * Shows what keeping the visible area would take, and the areas that are kept.
 * @param {any[]} files as `describe` returns them
 * @param {Bounds | null} bounds
 */
export async function keepArea(files, bounds) {
  await addTexts('keep');
  const offer = h('div.stack', { 'aria-live': 'polite' });
  const list = h('div');
  dialog(t('keep.title'), h('p', t('keep.why')), offer, section(t('keep.areas'), list));
  if (!window.caches || !navigator.serviceWorker?.controller) {
    fill(offer, empty(t('keep.insecure')));
    fill(list, empty(t('keep.none')));
    return;
  }
  await Promise.all([show(), propose()]);

  async function show() {
    const kept = await areas();
    fill(list, kept.length ? h('ul.rows', kept.map((area) => h('li.row',
      rowText(area.name, t('keep.facts', { size: size(area.bytes), n: area.tiles })), button({
        label: t('keep.remove', { name: area.name }), icon: 'remove', hidesLabel: true, kind: 'danger',
        onclick: async () => {
          await caches.delete(area.cache);
          await Promise.all([show(), propose()]);
        },
      })))) : empty(t('keep.none')));
  }

  async function propose() {
    const paths = bounds ? addresses(files, bounds) : [];
    if (!paths.length) return fill(offer, empty(t('keep.nothing')));
    if (paths.length > MOST.tiles) return fill(offer, empty(t('keep.large')));
    fill(offer, h('p', t('keep.counting')));
    let expected;
    try {
      expected = await estimate(paths);
    } catch {
      return fill(offer, empty(t('keep.offline')));
    }
    const left = MOST.bytes - (await areas()).reduce((sum, { bytes }) => sum + bytes, 0);
    const filled = h('span');
    const bar = h('div.progress', { hidden: true }, filled);
    const takes = t('keep.takes', { size: size(expected), n: paths.length, left: size(Math.max(0, left)) });
    const start = button({ label: t('keep.keep'), icon: 'download', kind: 'primary', onclick: async () => {
      bar.hidden = false;
      try {
        /** @param {number} part */
        const told = (part) => { filled.style.inlineSize = `${100 * part}%`; };
        const note = await keep(await nameOf(/** @type {Bounds} */ (bounds)), paths, left, told);
        fill(offer, h('p', { role: 'status' }, t('keep.done', { name: note.name, size: size(note.bytes) })));
      } catch (/** @type {any} */ error) {
        bar.hidden = true;
        toast(t(error instanceof RangeError || error?.name === 'QuotaExceededError' ? 'keep.full' : 'keep.failed'));
      }
      await show();
    } });
    return fill(offer, h('p', takes), bar, h('div.actions', start));
  }
}
