/** A shape while somebody draws it. The map and the list of positions show the same figure. */
import { t } from '../texts.js';
import { Wrong } from '../form.js';
import { beside } from '../map.js';
import { unrolled } from '../map/shapes.js';

/** The most positions that can be changed by hand: each is a row of the list. */
export const MOST_POSITIONS = 500;
/** The most steps that can be undone. */
const MOST_STEPS = 200;
/** The radius in metres of a new circle, and of a new way, which is half its width. */
const [CIRCLE, WAY] = [100, 25];
/** The least and the greatest radius in metres that the server takes. */
const [LEAST, GREATEST] = [1, 100_000];

/** @typedef {[number, number]} Point degrees north and east */
/**
 * A ring of a polygon, whose last point is not the first again, or a line of a way. A hole lies in the last ring before
 * it that is none.
 * @typedef {{points: Point[], isHole: boolean}} Part
 */
/** @typedef {{form: string, center: Point | null, radius: number, half: number, parts: Part[]}} State */

export class Figure {
  /** @type {State} */
  #state = { form: 'circle', center: null, radius: CIRCLE, half: WAY, parts: [{ points: [], isHole: false }] };
  /** @type {State[]} */
  #past = [];
  /** @type {(() => void)[]} */
  #heard = [];
  #isDragging = false;
  /** What was typed last. */
  #key = '';
  /** The part whose points the list shows and to which a tap adds. */
  part = 0;
  /** The selected point of that part; -1 for none. */
  selected = -1;
  /** Whether a tap on the map adds a point. */
  adds = false;
  /** Whether the person has changed the shape. */
  isChanged = false;

  /** Takes the shape of a sight.
   * @param {Sight} sight */
  take({ form, lat, lon, radius, shape }) {
    const state = { ...this.#state, form: form ?? 'circle', center: /** @type {Point} */ ([lat, lon]) };
    if (!form) state.radius = radius;
    if (form === 'corridor') state.half = radius;
    // An answer has no shape of very many positions.
    if (form) state.parts = shape ? partsOf(form, shape, lon) : [];
    this.#state = state;
  }

  /** Puts the circle at a point.
   * @param {Point} center */
  start(center) { this.#state = { ...this.#state, center }; }

  get form() { return this.#state.form; }
  get center() { return this.#state.center; }
  get parts() { return this.#state.parts; }
  /** The radius of a circle, or half the width of a way, in metres. */
  get radius() { return this.form === 'circle' ? this.#state.radius : this.#state.half; }
  /** The points of the current part. */
  get points() { return this.#state.parts[this.part]?.points ?? []; }
  /** Whether the shape has more positions than can be changed by hand. */
  get isLarge() { return this.form !== 'circle' && (!this.parts.length || this.all.length > MOST_POSITIONS); }
  get canUndo() { return this.#past.length > 0; }

  /** The points that the shape is in, in which a circle has only its centre. */
  get all() {
    if (this.form === 'circle') return this.center ? [this.center] : [];
    return this.parts.flatMap(({ points }) => points);
  }

  /** @param {() => void} heard is called after each change */
  onChange(heard) { this.#heard.push(heard); }

  /** Tells all that show the figure. */
  tell() { for (const heard of this.#heard) heard(); }

  /** Makes all changes until `drop` one step of the history. */
  grab() {
    this.#remember();
    this.#isDragging = true;
  }

  drop() {
    this.#isDragging = false;
    this.tell();
  }

  /** @param {string} [key] what is being typed, which is one step as long as it is the same */
  #remember(key = '') {
    if (this.#isDragging || (key && key === this.#key)) return;
    this.#key = key;
    this.#past.push(this.#state);
    if (this.#past.length > MOST_STEPS) this.#past.shift();
  }

  /** @param {Partial<State>} values @param {string} [key] */
  #change(values, key) {
    this.#remember(key);
    this.#state = { ...this.#state, ...values };
    this.isChanged = true;
    this.tell();
  }

  /** @param {Point[]} points @param {string} [key] */
  #replace(points, key) {
    this.#change({ parts: this.parts.map((part, n) => (n === this.part ? { ...part, points } : part)) }, key);
  }

  undo() {
    const before = this.#past.pop();
    if (!before) return;
    this.#state = before;
    this.#key = '';
    this.part = Math.min(this.part, before.parts.length - 1);
    if (this.selected >= this.points.length) this.selected = -1;
    this.isChanged = this.#past.length > 0;
    this.tell();
  }

  /** @param {string} form circle, polygon or corridor */
  choose(form) {
    if (form === this.form) return;
    // A way has no holes, and each of its lines can be an area.
    const parts = this.isLarge ? [{ points: [], isHole: false }]
      : this.parts.map(({ points, isHole }) => ({ points, isHole: isHole && form !== 'corridor' }));
    const { center } = this;
    this.part = Math.min(this.part, parts.length - 1);
    this.selected = -1;
    this.adds = form !== 'circle' && (parts[this.part].points.length < (form === 'polygon' ? 3 : 2));
    this.#change({ form, center: form === 'circle' ? center ?? this.points[0] ?? null : center, parts });
  }

  /** Moves the circle.
   * @param {Point} center @param {string} [key] */
  move(center, key) { this.#change({ center }, key); }

  /** @param {number} radius @param {string} [key] */
  widen(radius, key) {
    const metres = Math.min(GREATEST, Math.max(LEAST, radius));
    this.#change(this.form === 'circle' ? { radius: metres } : { half: metres }, key);
  }

  /** Adds a point behind the last one.
   * @param {Point} point */
  add(point) { this.insert(this.points.length, point); }

  /** @param {number} at @param {Point} point */
  insert(at, point) {
    if (this.all.length >= MOST_POSITIONS) return;
    this.selected = at;
    const [lat, lon] = point;
    const { points } = this;
    this.#replace([...points.slice(0, at), [lat, this.#beside(lon, at)], ...points.slice(at)]);
  }

  /** @param {number} at @param {Point} point @param {string} [key] */
  set(at, [lat, lon], key) {
    this.#replace(this.points.map((point, n) => (n === at ? [lat, this.#beside(lon, at)] : point)), key);
  }

  /** Removes a point.
   * @param {number} at */
  remove(at) {
    if (!this.points[at]) return;
    this.selected = -1;
    this.#replace(this.points.filter((_, n) => n !== at));
  }

  /** Moves a point within the order.
   * @param {number} at @param {number} to */
  swap(at, to) {
    const points = [...this.points];
    if (!points[at] || !points[to]) return;
    [points[at], points[to]] = [points[to], points[at]];
    this.selected = to;
    this.#replace(points);
  }

  /** Returns a longitude on the turn around the world on which the point before lies.
   * @param {number} lon @param {number} at */
  #beside(lon, at) {
    const near = this.points[at - 1] ?? this.points[at] ?? this.center;
    return near ? beside(lon, near[1]) : lon;
  }

  /** Two edges of the current part that cross, by their first points; null if none do. */
  crossing() {
    const { points } = this;
    const count = points.length;
    if (this.form !== 'polygon' || count < 4 || this.isLarge) return null;
    for (let one = 0; one < count; one += 1) {
      for (let other = one + 2; other < count; other += 1) {
        if (one === 0 && other === count - 1) continue;
        if (cross(points[one], points[one + 1], points[other], points[(other + 1) % count])) return [one, other];
      }
    }
    return null;
  }

  /**
   * Returns the shape as values of a call.
   * @param {boolean} hadShape whether the sight is not a circle as yet
   */
  values(hadShape) {
    const { form, center, parts } = this;
    const radius = round(this.radius, 1);
    if (form === 'circle') {
      if (!center) throw new Wrong('shape', t('draw.none'));
      const [lat, lon] = position(center);
      return hadShape ? { shape: { type: 'Point', coordinates: [lon, lat] }, radius } : { lat, lon, radius };
    }
    if (this.isLarge) return form === 'corridor' ? { radius } : {};
    const least = form === 'polygon' ? 3 : 2;
    const kept = parts.filter(({ points }, n) => points.length || n === this.part);
    for (const { points } of kept) {
      if (points.length < least) throw new Wrong('shape', t(`draw.few.${form}`, { n: points.length }));
    }
    const lines = kept.map(({ points, isHole }) => {
      const positions = points.map(position).map(([lat, lon]) => [lon, lat]);
      return { isHole, positions: form === 'polygon' ? [...positions, positions[0]] : positions };
    });
    if (form === 'corridor') {
      return { shape: geometry('LineString', lines.map(({ positions }) => positions)), radius };
    }
    /** @type {number[][][][]} */
    const polygons = [];
    for (const { isHole, positions } of lines) {
      const last = polygons.at(-1);
      if (isHole && last) last.push(positions); else polygons.push([positions]);
    }
    return { shape: geometry('Polygon', polygons) };
  }
}

/**
 * Returns the rings or lines of a geometry.
 * @param {string} form
 * @param {any} shape
 * @param {number} lon where they lie
 * @returns {Part[]}
 */
function partsOf(form, { type, coordinates }, lon) {
  const all = type.startsWith('Multi') ? coordinates : [coordinates];
  if (form === 'corridor') {
    return all.map((/** @type {Point[]} */ line) => ({ points: unrolled(line, lon), isHole: false }));
  }
  return all.flatMap((/** @type {Point[][]} */ rings) => {
    const outer = unrolled(rings[0], lon);
    return rings.map((/** @type {Point[]} */ ring, /** @type {number} */ n) => ({
      points: (n ? unrolled(ring, outer[0][1]) : outer).slice(0, -1), isHole: n > 0,
    }));
  });
}

/** @param {string} type @param {number[][][] | number[][][][]} parts */
const geometry = (type, parts) => (parts.length === 1
  ? { type, coordinates: parts[0] } : { type: `Multi${type}`, coordinates: parts });

/** @param {number} value @param {number} digits */
const round = (value, digits) => Number(value.toFixed(digits));

/** A position as the server takes it.
 * @param {Point} point */
const position = ([lat, lon]) => [round(lat, 7), round(beside(lon, 0), 7)];

/** Whether two lines cross between their ends.
 * @param {Point} a @param {Point} b @param {Point} c @param {Point} d */
function cross(a, b, c, d) {
  /** @param {Point} p @param {Point} q @param {Point} r */
  const side = (p, q, r) => Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}
