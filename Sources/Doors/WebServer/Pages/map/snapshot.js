/**
 * The picture of a map as it was last drawn, which stands in its place until the map has drawn itself. It is kept with
 * the answers that this browser keeps for a person, and deleted with them.
 */
import { h } from '../dom.js';
import { beside } from '../map.js';
import { isDark } from './palette.js';

const KEY = 'read:map';
/** The width of the world at zoom 0, in pixels, as the library has it. */
const WORLD = 512;

/** Returns where a place lies on the map of the world, in pixels.
 * @param {{lat: number, lon: number, zoom: number}} place */
function pixel({ lat, lon, zoom }) {
  const size = WORLD * 2 ** zoom;
  const sine = Math.sin(lat * Math.PI / 180);
  return { x: size * lon / 360, y: -size * Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** Returns the picture, so that a place is in the middle of the element that it is put in; null if the picture does not
 * show the place, or not at this zoom and in these colours.
 * @param {{lat: number, lon: number, zoom: number}} place */
export function snapshotOf(place) {
  const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null');
  if (!kept || kept.isDark !== isDark() || kept.zoom !== place.zoom) return null;
  const [is, was] = [pixel(place), pixel({ ...kept, lon: beside(kept.lon, place.lon) })];
  const [x, y] = [was.x - is.x, was.y - is.y];
  if (Math.abs(x) > kept.width / 2 || Math.abs(y) > kept.height / 2) return null;
  const image = h('img.map-snapshot', { src: kept.image, alt: '', width: kept.width, height: kept.height });
  image.style.transform = `translate(${x}px, ${y}px)`;
  return image;
}

/** Keeps the picture of a map that has drawn itself, unless it is turned or tilted.
 * @param {any} map */
export function keepSnapshot(map) {
  if (!map.gl || map.bearing() || map.pitch()) return;
  const { clientWidth: width, clientHeight: height } = map.element;
  const canvas = h('canvas', { width, height });
  map.gl.redraw();
  canvas.getContext('2d')?.drawImage(map.gl.getCanvas(), 0, 0, width, height);
  const about = { ...map.center(), zoom: map.zoom(), width, height, isDark: isDark() };
  canvas.toBlob((/** @type {Blob | null} */ blob) => {
    if (!blob) return;
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      try { localStorage.setItem(KEY, JSON.stringify({ ...about, image: reader.result })); } catch { /* It is full. */ }
    });
    reader.readAsDataURL(blob);
  }, 'image/webp', 0.6);
}
