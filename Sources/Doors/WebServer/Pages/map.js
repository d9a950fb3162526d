/** Maps without other servers: countries from this site, and above them the administrator's tiles, if there are any. */
import { h } from './dom.js';
import { t } from './texts.js';
import { units } from './format.js';

let loading;

/** Loads Leaflet and its marker clusters, once. @returns {Promise<any>} */
export function leaflet() {
  loading ??= script('/lib/leaflet/leaflet.min.js').then(() => script('/lib/leaflet/leaflet.markercluster.min.js')).then(() => window['L']);
  return loading;
}

/** @param {string} src */
export const script = (src) => new Promise((resolve, reject) => {
  document.head.append(h('script', { src, onload: () => resolve(undefined), onerror: () => reject(new Error(src)) }));
});

let ground;

/** Loads the countries and the description of the tiles, once; null for each that fails. */
function loadGround() {
  const json = (url) => fetch(url).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  ground ??= Promise.all([json('/world.json'), json('/tiles.json')]);
  return ground;
}

export const calm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Creates a map in an element of its own.
 *
 * The map measures itself once the element is on the page. `fit` and `see` wait until then.
 * @param {{label: string, class?: string, small?: boolean, signal?: AbortSignal}} options
 * @returns {Promise<{element: any, map: any, L: any, fit: (points: any[], zoom?: number) => void, see: (point: any, zoom: number) => void}>}
 */
export async function makeMap({ label, class: name = '', small, signal }) {
  const L = await leaflet();
  const element = h('div', { class: `map ${name}`, role: 'region', 'aria-label': label });
  const still = calm();
  const map = L.map(element, {
    zoomControl: !small, attributionControl: true, minZoom: 1, maxZoom: 19, zoomSnap: 0.5,
    zoomAnimation: !still, fadeAnimation: !still, markerZoomAnimation: !still, inertia: !still, scrollWheelZoom: !small, keyboard: true,
  }).setView([48, 10], 3);
  map.attributionControl.setPrefix(false).addAttribution('Natural Earth');
  if (!small) {
    map.zoomControl.setPosition('bottomright');
    const imperial = units() === 'miles';
    L.control.scale({ imperial, metric: !imperial, position: 'bottomleft' }).addTo(map);
    for (const [kind, key] of [['in', 'map.in'], ['out', 'map.out']]) {
      const control = element.querySelector(`.leaflet-control-zoom-${kind}`);
      control.setAttribute('aria-label', t(key));
      control.title = t(key);
    }
  }
  /** The last call of `fit` or `see` that waits for the map to have a size. @type {(() => void) | null} */
  let pending = null;
  const sized = () => map.getSize().x > 0 && element.isConnected;
  const watcher = new ResizeObserver(() => {
    map.invalidateSize({ animate: false });
    if (pending && sized()) { pending(); pending = null; }
  });
  watcher.observe(element);
  signal?.addEventListener('abort', () => { watcher.disconnect(); map.remove(); });
  const soon = (act) => { if (sized()) act(); else pending = act; };
  /** The longitude of what the map shows. A map that is moved over half a turn away from it jumps a turn back. */
  let home = 0;
  map.on('moveend', () => {
    const { lat, lng } = map.getCenter();
    if (Math.abs(lng - home) > 181) map.setView([lat, beside(lng, home)], map.getZoom(), { animate: false });
  });
  drawGround(L, map, signal);
  return {
    element, map, L,
    fit: (points, zoom = 16) => {
      if (!points.length) return;
      const bounds = L.latLngBounds(points).pad(0.08);
      home = bounds.getCenter().lng;
      soon(() => map.fitBounds(bounds, { maxZoom: zoom, animate: false }));
    },
    see: (point, zoom) => { home = point[1]; soon(() => map.setView(point, zoom, { animate: false })); },
  };
}

async function drawGround(L, map, signal) {
  const [world, tiles] = await loadGround();
  if (signal?.aborted) return;
  map.createPane('ground').style.zIndex = '150';
  const renderer = L.svg({ pane: 'ground', padding: 0.3 });
  const drawn = new Set();
  /** Draws the countries once for each turn around the world that is visible. */
  const draw = () => {
    const view = map.getBounds();
    for (let turn = Math.round(view.getWest() / 360); turn <= Math.round(view.getEast() / 360); turn++) {
      if (drawn.has(turn)) continue;
      drawn.add(turn);
      for (const { rings } of world?.countries ?? []) {
        L.polygon(rings.map((ring) => ring.map(([lon, lat]) => [lat, lon + 360 * turn])), { renderer, pane: 'ground', className: 'land', interactive: false, smoothFactor: 1.2 }).addTo(map);
      }
    }
  };
  map.on('moveend', draw);
  draw();
  const source = tiles?.provider?.url ?? tiles?.tiles;
  if (source) {
    L.tileLayer(source, {
      minNativeZoom: tiles.min_zoom, maxNativeZoom: tiles.max_zoom || 19, maxZoom: 19, attribution: escape(tiles.provider?.attribution ?? tiles.attribution ?? ''),
    }).addTo(map);
    return;
  }
  grid(L).addTo(map);
  names(L, map, world?.countries ?? []);
}

/** @param {string} text */
const escape = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Creates a fine grid, so that movement is visible on a map without streets. */
function grid(L) {
  const Grid = L.GridLayer.extend({ createTile: () => h('div', { class: 'grid' }) });
  return new Grid({ minZoom: 9, tileSize: 128 });
}

function names(L, map, countries) {
  const shown = new Map();
  const update = () => {
    const zoom = map.getZoom();
    const view = map.getBounds();
    for (const country of countries) {
      const at = [country.at[1], beside(country.at[0], map.getCenter().lng)];
      const isSeen = zoom >= 3 && zoom <= 8 && country.size * 4 ** zoom > 2600 && view.contains(at);
      if (isSeen && !shown.has(country)) {
        const label = h('span', null, country.name);
        shown.set(country, L.marker(at, { interactive: false, keyboard: false, icon: L.divIcon({ className: 'country', html: label, iconSize: [0, 0] }) }).addTo(map));
      } else if (!isSeen && shown.has(country)) {
        shown.get(country).remove();
        shown.delete(country);
      } else {
        shown.get(country)?.setLatLng(at);
      }
    }
  };
  map.on('moveend', update);
  update();
}

/** Creates a pin, which only a pointer can open. For the keyboard, each page lists the same entries beside the map.
 *
 * @param {any} L
 * @param {any} point
 * @param {{kind: string, title: string, text?: any, colour?: string, open?: () => void}} options */
export function pin(L, point, { kind, title, text, colour, open }) {
  const mark = h('span', { class: 'pin-mark' }, text ?? '');
  if (colour) mark.dataset.colour = colour;
  const marker = L.marker(point, { icon: L.divIcon({ className: `pin pin-${kind}`, html: mark, iconSize: [26, 26] }), keyboard: false, title, riseOnHover: true });
  if (open) marker.on('click', open);
  return marker;
}

/** Creates the icon of a cluster, with its number of entries. @param {any} L @param {number} count */
const crowdIcon = (L, count) => L.divIcon({ className: 'cluster', html: h('span', null, count), iconSize: [34, 34] });

/** Creates the marker of a cluster that the server computed.
 *
 * @param {any} L
 * @param {{lat: number, lon: number, count: number}} of
 * @param {() => void} open */
export const crowd = (L, { lat, lon, count }, open) => L.marker([lat, lon], { icon: crowdIcon(L, count), keyboard: false }).on('click', open);

/** Creates a layer that clusters close pins. @param {any} L */
export const clusters = (L) => L.markerClusterGroup({
  showCoverageOnHover: false, maxClusterRadius: 44, disableClusteringAtZoom: 16, animate: !calm(), chunkedLoading: true,
  iconCreateFunction: (cluster) => crowdIcon(L, cluster.getChildCount()),
});

/**
 * Creates the mark of a device: its position, its accuracy as a circle, and its course as an arrow.
 * @param {any} L
 * @param {any} map
 */
export function deviceMark(L, map) {
  const arrow = h('span', { class: 'me-arrow' });
  const dot = h('span', { class: 'me-mark' }, arrow);
  const marker = L.marker([0, 0], { icon: L.divIcon({ className: 'me', html: dot, iconSize: [28, 28] }), keyboard: false, interactive: false, zIndexOffset: 1000 });
  const circle = L.circle([0, 0], { radius: 0, className: 'accuracy', interactive: false });
  return {
    /** Moves the mark to a fix. @param {any} fix with lat, lon, and optionally track, speed, accuracy, old */
    move(fix) {
      marker.setLatLng([fix.lat, fix.lon]);
      circle.setLatLng([fix.lat, fix.lon]).setRadius(fix.accuracy ?? 0);
      arrow.hidden = fix.old || fix.track === undefined || (fix.speed ?? 0) < 0.5;
      dot.classList.toggle('old', Boolean(fix.old));
      arrow.style.transform = `rotate(${fix.track ?? 0}deg)`;
      if (!map.hasLayer(marker)) { circle.addTo(map); marker.addTo(map); }
    },
  };
}

/** Returns a longitude plus as many turns as bring it within half a turn of another. @param {number} lon @param {number} other */
export const beside = (lon, other) => lon + 360 * Math.round((other - lon) / 360);

/**
 * Returns points whose longitudes continue beyond 180 degrees where their line crosses the 180th meridian.
 * @param {any[]} points
 * @param {number} [end] a longitude beside which the line ends
 */
export const unwrapped = (points, end = points.at(-1)?.lon) =>
  [...points].reverse().map((point) => ({ ...point, lon: (end = beside(point.lon, end)) })).reverse();

/**
 * Splits a trace at its gaps, and returns the lines, which end beside a longitude.
 * @param {any[]} points
 * @param {number} [end]
 * @returns {[number, number][][]}
 */
export function lines(points, end) {
  const all = [];
  for (const { lat, lon, gap } of unwrapped(points, end)) {
    if (!all.length || gap) all.push([]);
    all[all.length - 1].push([lat, lon]);
  }
  return all;
}
