/** The handles of a figure on the map: its corners, the middles between them, the centre and the radius of a circle. */
import { h } from '../dom.js';
import { t } from '../texts.js';
import { between } from '../format.js';
import { beside } from '../map.js';

/** The least pixels between two corners which have a handle in their middle, so that no two handles overlap. */
const ROOM = 92;

/** The handles of one figure on one map. */
export class Handles {
  #figure;
  /** @type {any} */
  #map = null;
  /** The handles by name: `corner 3`, `middle 3`, `centre`, `radius`.
   * @type {Map<string, any>} */
  #shown = new Map();
  /** The name of the handle that is dragged. */
  #dragged = '';

  /** @param {import('./figure.js').Figure} figure */
  constructor(figure) {
    this.#figure = figure;
    figure.onChange(() => this.#update());
  }

  /** @param {any} map */
  attach(map) {
    this.#map = map;
    map.doubleClickZoom.disable();
    map.on('moveend', () => this.#update());
    map.on('click', (/** @type {{lngLat: any}} */ { lngLat }) => this.#tapped([lngLat.lat, lngLat.lng]));
    this.#update();
  }

  remove() {
    for (const { marker } of this.#shown.values()) marker.remove();
    this.#shown.clear();
    this.#map = null;
  }

  /** A tap moves a circle there, and adds a point to what is being drawn.
   * @param {Point} point */
  #tapped(point) {
    const figure = this.#figure;
    if (figure.isLarge) return;
    if (figure.form === 'circle') figure.move(point);
    else if (figure.adds) figure.add(point);
    else { figure.selected = -1; figure.tell(); }
  }

  /** The handles that there should be: name, place and what they do. */
  #wanted() {
    const figure = this.#figure;
    const map = this.#map;
    const { form, center, points } = figure;
    if (figure.isLarge) return [];
    if (form === 'circle') {
      if (!center) return [];
      return [
        { name: 'centre', kind: 'centre', point: center, label: t('draw.handle.centre'),
          moved: (/** @type {Point} */ to) => figure.move(to) },
        { name: 'radius', kind: 'radius', point: east(center, figure.radius), label: t('draw.handle.radius'),
          moved: (/** @type {Point} */ to) => figure.widen(Math.round(between(...center, ...to))) },
      ];
    }
    const bounds = map.getBounds();
    /** @param {Point} point */
    const isSeen = ([lat, lon]) => lat >= bounds.getSouth() && lat <= bounds.getNorth()
      && lon >= bounds.getWest() && lon <= bounds.getEast();
    const wanted = [];
    const count = form === 'polygon' && points.length > 2 ? points.length : points.length - 1;
    for (let at = 0; at < count; at += 1) {
      const next = points[(at + 1) % points.length];
      const end = [next[0], beside(next[1], points[at][1])];
      const [one, other] = [points[at], end].map(([lat, lon]) => map.project([lon, lat]));
      if (Math.hypot(one.x - other.x, one.y - other.y) < ROOM) continue;
      const { lat, lng } = map.unproject([(one.x + other.x) / 2, (one.y + other.y) / 2]);
      if (isSeen([lat, lng])) {
        wanted.push({ name: `middle ${at}`, kind: 'middle', point: [lat, lng],
          label: t('draw.handle.middle', { n: at + 1 }),
          began: (/** @type {Point} */ to) => figure.insert(at + 1, to),
          moved: (/** @type {Point} */ to) => figure.set(at + 1, to),
          pressed: () => figure.insert(at + 1, [lat, lng]) });
      }
    }
    points.forEach((point, at) => {
      if (!isSeen(point)) return;
      wanted.push({ name: `corner ${at}`, kind: at === figure.selected ? 'corner is-selected' : 'corner', point,
        label: t('draw.handle.corner', { n: at + 1 }), moved: (/** @type {Point} */ to) => figure.set(at, to),
        pressed: () => {
          // A tap on the first corner closes the area.
          if (at === 0 && figure.adds && form === 'polygon' && points.length > 2) figure.adds = false;
          figure.selected = at;
          figure.tell();
        } });
    });
    return wanted;
  }

  #update() {
    if (!this.#map || (this.#dragged && this.#figure.form !== 'circle')) return;
    const wanted = this.#wanted();
    const names = new Set(wanted.map(({ name }) => name));
    for (const [name, { marker }] of this.#shown) {
      if (!names.has(name)) { marker.remove(); this.#shown.delete(name); }
    }
    for (const one of wanted) {
      let shown = this.#shown.get(one.name);
      if (!shown) this.#shown.set(one.name, shown = this.#make(one.name));
      Object.assign(shown, one);
      shown.element.classList.remove('corner', 'middle', 'centre', 'radius', 'is-selected');
      shown.element.classList.add(...one.kind.split(' '));
      shown.element.title = one.label;
      if (one.name !== this.#dragged) shown.marker.setLngLat([one.point[1], one.point[0]]);
      if (!shown.isOn) { shown.marker.addTo(this.#map); shown.isOn = true; }
      // The library names each marker alike.
      shown.element.setAttribute('aria-label', one.label);
    }
  }

  /** @param {string} name */
  #make(name) {
    const element = h('div', { class: 'handle', role: 'button', onclick: (event) => {
      // A press on a handle is not also a press on the map.
      event.stopPropagation();
      if (!shown.wasDragged) shown.pressed?.();
      shown.wasDragged = false;
    } }, h('span.handle-mark'));
    const marker = new window['maplibregl'].Marker({ element, draggable: true, subpixelPositioning: true });
    /** @type {any} */
    const shown = { element, marker, isOn: false };
    const place = () => {
      const { lat, lng } = marker.getLngLat();
      return [lat, lng];
    };
    marker.on('dragstart', () => {
      this.#dragged = name;
      shown.wasDragged = true;
      this.#figure.grab();
      shown.began?.(place());
    });
    marker.on('drag', () => shown.moved(place()));
    marker.on('dragend', () => {
      this.#dragged = '';
      // A touch that drags is not followed by a press.
      setTimeout(() => { shown.wasDragged = false; });
      this.#figure.drop();
    });
    return shown;
  }
}

/** Returns the point of a circle in the east.
 * @param {Point} center @param {number} radius */
function east([lat, lon], radius) {
  const scale = Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  return /** @type {[number, number]} */ ([lat, lon + radius / 111_195 / scale]);
}
