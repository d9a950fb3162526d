/** Maps: what the pages need of them before one is drawn. The library and what draws is loaded with the first map. */
import { h } from './dom.js';

/** @param {string} src */
export const script = (src) => new Promise((resolve, reject) => {
  document.head.append(h('script', { src, onload: () => resolve(undefined), onerror: () => reject(new Error(src)) }));
});

export const calm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

const view = () => import('./map/view.js');

/** Loads what a map needs, before a page has one. */
export const prepareMap = () => view().then(({ prepare }) => prepare());

/** Makes the next map ask which files of tiles there are, after one was added or removed. */
export const forgetFiles = () => view().then((module) => module.forgetFiles());

/** Creates a map in an element of its own. Points are pairs of degrees north and east.
 * @param {{label: string, class?: string, signal?: AbortSignal}} options */
export const makeMap = (options) => view().then(({ makeView }) => makeView(options));

/** Returns a longitude plus as many turns as bring it within half a turn of another.
 * @param {number} lon @param {number} other */
export const beside = (lon, other) => lon + 360 * Math.round((other - lon) / 360);

/** Returns points whose longitudes continue beyond 180 degrees where their line crosses the 180th meridian.
 * @param {any[]} points
 * @param {number} [end] a longitude beside which the line ends */
export const unwrapped = (points, end = points.at(-1)?.lon) =>
  [...points].reverse().map((point) => ({ ...point, lon: (end = beside(point.lon, end)) })).reverse();

/** Splits a trace at its gaps, and returns the lines, which end beside a longitude.
 * @param {any[]} points @param {number} [end]
 * @returns {[number, number][][]} */
export function lines(points, end) {
  /** @type {Point[][]} */
  const all = [];
  for (const { lat, lon, gap } of unwrapped(points, end)) {
    if (!all.length || gap) all.push([]);
    all[all.length - 1].push([lat, lon]);
  }
  return all;
}
