/** The marks of many devices: clusters where they are close, and labels where there is room for them. */
import { h } from '../dom.js';
import { beside } from '../map.js';
import { placed, opening } from './pins.js';

/** The pixels within which marks become a cluster. */
const NEAR = 30;
/** The zoom from which marks stand around their place instead. */
const APART = 16.5;
/** The pixels beyond the edge of the map within which marks are made. */
const MARGIN = 60;
/** The milliseconds between two arrangements of the marks. */
const WAIT = 200;
/** The size of a label in pixels: its height, the width of a letter, and the greatest width. */
const [HEIGHT, LETTER, WIDEST] = [19, 7, 150];

/** @typedef {{name: string, title: string, note: string, lat: number, lon: number, track?: number, old: boolean,
 * moves: boolean}} Marked */
/** @typedef {{device: Marked, lon: number, x: number, y: number}} Seen a device in view, and its pixels */
/** @typedef {number[]} Box left, top, right and bottom in pixels */

export class Marks {
  /** @type {any} */
  #map = null;
  /** @type {Marked[]} */
  #devices = [];
  /** The marks on the map, by key.
   * @type {Map<string, any>} */
  #shown = new Map();
  #timer = 0;
  #open;
  #fit;

  /**
   * @param {(name: string) => void} open
   * @param {(points: [number, number][]) => void} fit shows all of some points
   */
  constructor(open, fit) {
    this.#open = open;
    this.#fit = fit;
  }

  /** Replaces the devices; those that come first keep their labels.
   * @param {Marked[]} devices */
  set(devices) {
    this.#devices = devices;
    this.#later();
  }

  /** @param {any} map */
  attach(map) {
    this.#map = map;
    map.on('moveend', () => this.#later());
    map.on('rotate', () => { for (const one of this.#shown.values()) one.turn?.(map.getBearing()); });
    this.#later();
  }

  remove() {
    clearTimeout(this.#timer);
    for (const one of this.#shown.values()) one.remove();
    this.#shown.clear();
    this.#map = null;
  }

  /** Arranges the marks once, however often devices and the map move meanwhile. */
  #later() {
    if (this.#timer) return;
    this.#timer = window.setTimeout(() => { this.#timer = 0; this.#arrange(); }, WAIT);
  }

  #arrange() {
    const map = this.#map;
    // The map may have been removed meanwhile.
    if (!map?.style) return;
    const wanted = new Map();
    const isNear = map.getZoom() >= APART;
    const boxes = [];
    for (const group of groups(this.#seen())) {
      if (group.length > 1 && !isNear) {
        wanted.set(`cluster ${group[0].device.name} ${group.length} ${isOld(group)}`, { group });
        boxes.push([group[0].x - 20, group[0].y - 20, group[0].x + 20, group[0].y + 20]);
        continue;
      }
      group.forEach((one, n) => {
        // In a ring, each has room for its dot.
        const radius = group.length > 1 ? Math.max(16, (group.length * 26) / (2 * Math.PI)) : 0;
        const angle = (2 * Math.PI * n) / group.length - Math.PI / 2;
        const offset = [radius * Math.cos(angle), radius * Math.sin(angle)];
        wanted.set(`device ${one.device.name}`, { one, offset });
        boxes.push([one.x + offset[0] - 11, one.y + offset[1] - 11, one.x + offset[0] + 11, one.y + offset[1] + 11]);
      });
    }
    for (const [key, mark] of this.#shown) if (!wanted.has(key)) { mark.remove(); this.#shown.delete(key); }
    for (const [key, { group, one, offset }] of wanted) {
      const mark = this.#shown.get(key) ?? this.#make(key, group, one);
      if (group) mark.move(group); else mark.move(one, offset, this.#label(one, offset, boxes), map.getBearing());
    }
  }

  /** Returns the devices in view, with the pixels where they are. */
  #seen() {
    const map = this.#map;
    const { clientWidth, clientHeight } = map.getContainer();
    const middle = map.getCenter().lng;
    return this.#devices.map((device) => {
      const lon = beside(device.lon, middle);
      const { x, y } = map.project([lon, device.lat]);
      return { device, lon, x, y };
    }).filter(({ x, y }) => x > -MARGIN && y > -MARGIN && x < clientWidth + MARGIN && y < clientHeight + MARGIN);
  }

  /** Whether a label fits beside all dots and the labels before it; it then takes its place.
   * @param {Seen} seen @param {number[]} offset @param {Box[]} boxes */
  #label({ device, x, y }, [right, down], boxes) {
    const half = Math.min(WIDEST, 12 + LETTER * (device.title.length + (device.note ? device.note.length + 3 : 0))) / 2;
    const box = [x + right - half, y + down + 12, x + right + half, y + down + 12 + HEIGHT];
    const isFree = boxes.every((other) => box[2] <= other[0] || box[0] >= other[2] || box[3] <= other[1]
      || box[1] >= other[3]);
    if (isFree) boxes.push(box);
    return isFree;
  }

  /** @param {string} key @param {Seen[]} group @param {Seen} one */
  #make(key, group, one) {
    const mark = group ? this.#cluster(group) : this.#mark(one);
    mark.attach(this.#map);
    this.#shown.set(key, mark);
    return mark;
  }

  /** @param {Seen[]} group */
  #cluster(group) {
    let members = group;
    const element = h('div', { class: isOld(group) ? 'fleet-cluster old' : 'fleet-cluster', role: 'button',
      onclick: opening(() => this.#fit(members.map(({ device, lon }) => [device.lat, lon]))) },
    h('span', group.length));
    const mark = placed(element, middleOf(group), group.map(({ device }) => device.title).join(', '));
    return {
      ...mark,
      move: (/** @type {Seen[]} */ group) => {
        members = group;
        const [lat, lon] = middleOf(group);
        mark.marker?.setLngLat([lon, lat]);
        element.title = group.map((/** @type {Seen} */ { device }) => device.title).join(', ');
      },
    };
  }

  /** @param {Seen} seen */
  #mark({ device: { name, lat }, lon }) {
    const arrow = h('span.fleet-arrow');
    const label = h('span.fleet-label');
    const element = h('div', { class: 'fleet-mark', role: 'button', onclick: opening(() => this.#open(name)) },
      h('span.fleet-dot'), arrow, label);
    const mark = placed(element, [lat, lon], name);
    let track = 0;
    /** @param {number | undefined} bearing */
    const turn = (bearing) => { arrow.style.transform = `rotate(${track - (bearing ?? 0)}deg)`; };
    return {
      ...mark,
      turn,
      /** @param {Seen} seen @param {number[]} offset @param {boolean} hasLabel @param {number} [bearing] */
      move: ({ device, lon }, offset, hasLabel, bearing) => {
        const text = device.note ? `${device.title} · ${device.note}` : device.title;
        track = device.track ?? 0;
        mark.marker?.setLngLat([lon, device.lat]).setOffset(offset);
        turn(bearing);
        arrow.hidden = device.old || device.track === undefined || !device.moves;
        element.classList.toggle('old', device.old);
        label.hidden = !hasLabel;
        if (label.textContent !== text) label.textContent = text;
        element.title = text;
        element.setAttribute('aria-label', text);
      },
    };
  }
}

/** @param {Seen[]} group */
const isOld = (group) => group.every(({ device }) => device.old);

/** @param {Seen[]} group @returns {Point} the mean of the places of a group */
const middleOf = (group) => [
  group.reduce((sum, { device }) => sum + device.lat, 0) / group.length,
  group.reduce((sum, { lon }) => sum + lon, 0) / group.length,
];

/** Puts those that are close to the first one of a group into that group.
 * @param {Seen[]} seen */
function groups(seen) {
  const cells = new Map();
  const all = [];
  /** @param {number} x @param {number} y */
  const at = (x, y) => `${Math.floor(x / NEAR)} ${Math.floor(y / NEAR)}`;
  for (const one of seen) {
    let found;
    for (const right of [0, -NEAR, NEAR]) {
      for (const down of [0, -NEAR, NEAR]) {
        found ??= (cells.get(at(one.x + right, one.y + down)) ?? [])
          .find((/** @type {Seen[]} */ [first]) => Math.hypot(first.x - one.x, first.y - one.y) < NEAR);
      }
    }
    if (found) { found.push(one); continue; }
    const group = [one];
    all.push(group);
    const key = at(one.x, one.y);
    cells.set(key, [...(cells.get(key) ?? []), group]);
  }
  return all;
}
