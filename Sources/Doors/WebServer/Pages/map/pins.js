/** Pins, clusters and the mark of a device: small elements above the map. */
import { h } from '../dom.js';
import { t } from '../texts.js';
import { beside } from '../map.js';

/**
 * Places an element on the map. A pointer can press it; for the keyboard, each page lists the same entries beside
 * the map.
 * @param {any} element
 * @param {[number, number]} point degrees north and east
 * @param {string} label
 */
export function placed(element, [lat, lon], label) {
  const library = window['maplibregl'];
  const marker = library && new library.Marker({ element, subpixelPositioning: true }).setLngLat([lon, lat]);
  return {
    marker,
    /** @param {any} map */
    attach(map) {
      marker.addTo(map);
      // The library names each marker alike.
      if (label) element.setAttribute('aria-label', label); else element.removeAttribute('aria-label');
    },
    remove() { marker?.remove(); },
  };
}

/**
 * Creates a pin.
 * @param {[number, number]} point
 * @param {{kind: string, title: string, text?: any, colour?: string, size?: number,
 * open?: () => void}} options `size` in pixels, where it tells something
 */
export function makePin(point, { kind, title, text, colour, size, open }) {
  const mark = h('span.pin-mark', text ?? '');
  if (colour) mark.dataset.colour = colour;
  if (size) mark.style.inlineSize = mark.style.blockSize = `${size}px`;
  const element = h('div', { class: `pin pin-${kind}`, title, role: open ? 'button' : 'img', onclick: opening(open) },
    mark);
  // A large mark is pressed wherever it is seen, and lies under smaller ones.
  if (size && size > 26) element.style.inlineSize = element.style.blockSize = `${size}px`;
  if (size) element.style.zIndex = size > 26 ? '0' : '1';
  return placed(element, point, title || String(text ?? ''));
}

/**
 * Creates the mark of a cluster, with its number of entries.
 * @param {[number, number]} point
 * @param {number} count
 * @param {() => void} open
 */
export const makeCluster = (point, count, open) =>
  placed(h('div', { class: 'cluster', role: 'button', onclick: opening(open) }, h('span', count)), point,
    String(count));

/** A press on a pin is not also a press on the map.
 * @param {(() => void) | undefined} open */
export const opening = (open) => open && ((/** @type {any} */ event) => { event.stopPropagation(); open(); });

/** Creates the mark of a device: a dot, and an arrow in the direction of its course. */
export function makeDevice() {
  const arrow = h('span.me-arrow');
  const dot = h('span.me-mark', arrow);
  const one = placed(h('div', { class: 'me', role: 'img' }, dot), [0, 0], t('trips.device'));
  one.marker?.setRotationAlignment('map');
  return {
    ...one,
    /** @param {any} fix with lat, lon, and optionally track, speed and old */
    move(fix) {
      one.marker?.setLngLat([fix.lon, fix.lat]).setRotation(fix.track ?? 0);
      arrow.hidden = fix.old || fix.track === undefined || (fix.speed ?? 0) < 0.5;
      dot.classList.toggle('old', Boolean(fix.old));
    },
  };
}

/** Pixels within which pins become a cluster, and the zoom up to which they do. */
const [RADIUS, CLUSTERED] = [44, 14];
let made = 0;

/** Pins that the library's worker clusters where they are close. */
export class Clusters {
  #id = `pins${++made}`;
  /** @type {any[]} */
  #pins = [];
  /** @type {any} */
  #map = null;
  /** The elements on the map: clusters by number, and pins by index. */
  #shown = new Map();

  /**
   * Replaces the pins.
   * @param {{point: [number, number], kind: string, title: string, open?: () => void}[]} pins
   */
  set(pins) {
    this.#pins = pins;
    this.#clear();
    this.#map?.getSource(this.#id).setData(this.#data());
  }

  /** @param {any} map */
  attach(map) {
    this.#map = map;
    map.addSource(this.#id, { type: 'geojson', data: this.#data(), cluster: true, clusterRadius: RADIUS,
      clusterMaxZoom: CLUSTERED });
    // A source without a layer is not loaded.
    map.addLayer({ id: this.#id, type: 'circle', source: this.#id,
      paint: { 'circle-radius': 1, 'circle-opacity': 0 } });
    const update = () => map.isSourceLoaded(this.#id) && this.#update();
    map.on('moveend', update);
    map.on('sourcedata', (/** @type {{sourceId?: string}} */ { sourceId }) => sourceId === this.#id && update());
  }

  /** The library clusters only within one turn around the world; a marker then goes to the turn that is in view. */
  #data() {
    return {
      type: 'FeatureCollection', features: this.#pins.map(({ point: [lat, lon] }, index) =>
        ({ type: 'Feature', properties: { index }, geometry: { type: 'Point', coordinates: [beside(lon, 0), lat] } })),
    };
  }

  #clear() {
    for (const one of this.#shown.values()) one.remove();
    this.#shown.clear();
  }

  #update() {
    const wanted = new Map();
    for (const { properties, geometry } of this.#map.querySourceFeatures(this.#id)) {
      const key = properties.cluster ? `cluster ${properties.cluster_id}` : properties.index;
      wanted.set(key, { properties, point: [geometry.coordinates[1], geometry.coordinates[0]] });
    }
    for (const [key, one] of this.#shown) if (!wanted.has(key)) { one.remove(); this.#shown.delete(key); }
    for (const [key, { properties, point }] of wanted) {
      if (this.#shown.has(key)) continue;
      const pin = this.#pins[properties.index];
      if (!properties.cluster && !pin) continue;
      const one = properties.cluster
        ? makeCluster(point, properties.point_count,
          () => this.#open(properties.cluster_id, point)) : makePin(pin.point, pin);
      one.attach(this.#map);
      this.#shown.set(key, one);
    }
  }

  /** Shows the pins of a cluster.
   * @param {number} id @param {number[]} point */
  async #open(id, [lat, lon]) {
    const zoom = await this.#map.getSource(this.#id).getClusterExpansionZoom(id);
    this.#map.easeTo({ center: [lon, lat], zoom: zoom + 0.3 });
  }
}
