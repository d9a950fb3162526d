/** What the pages draw on the map: lines, areas, and circles of a radius in metres. */
import { COLOURS } from './speeds.js';

/** The kinds of shapes, from bottom to top. */
export const KINDS = ['corridor', 'fence', 'fence-location', 'accuracy', 'way-past', 'way-plan', 'way', 'speed'];

const empty = () => ({ type: 'FeatureCollection', features: [] });

export const shapeSources = () => Object.fromEntries(KINDS.map((kind) => [kind,
  { type: 'geojson', data: empty(), tolerance: 0.2 }]));

/** @param {Record<string, string>} pens the colours `accent`, `warm` and `card` */
export function shapeLayers({ accent, warm, card }) {
  /** @param {string} kind @param {string} colour @param {boolean} edge */
  const area = (kind, colour, edge) => [
    { id: kind, type: 'fill', source: kind,
      paint: { 'fill-color': colour, 'fill-opacity': 0.09, 'fill-antialias': false } },
    ...(edge ? [{ id: `${kind} edge`, type: 'line', source: kind,
      paint: { 'line-color': colour, 'line-opacity': 0.5, 'line-width': 1.2 } }] : []),
  ];
  const layout = { 'line-cap': 'round', 'line-join': 'round' };
  return [
    { id: 'corridor', type: 'line', source: 'corridor', layout,
      paint: { 'line-color': accent, 'line-width': 2, 'line-opacity': 0.5 } },
    ...area('fence', accent, true), ...area('fence-location', warm, true), ...area('accuracy', accent, false),
    { id: 'way-past', type: 'line', source: 'way-past', layout,
      paint: { 'line-color': accent, 'line-width': 3, 'line-opacity': 0.35 } },
    { id: 'way-plan edge', type: 'line', source: 'way-plan', layout,
      paint: { 'line-color': card, 'line-width': 5, 'line-opacity': 0.6 } },
    { id: 'way-plan', type: 'line', source: 'way-plan', layout,
      paint: { 'line-color': warm, 'line-width': 2.8, 'line-dasharray': [0.3, 2.4] } },
    { id: 'way edge', type: 'line', source: 'way', layout,
      paint: { 'line-color': card, 'line-width': 7.5, 'line-opacity': 0.75 } },
    { id: 'way', type: 'line', source: 'way', layout, paint: { 'line-color': accent, 'line-width': 4.5 } },
    { id: 'speed', type: 'line', source: 'speed', layout,
      paint: { 'line-width': 4.5, 'line-color': ['match', ['get', 'step'],
        ...COLOURS.flatMap((colour, step) => [step, colour]), accent] } },
  ];
}

/** The shapes of one map, which it draws once it is ready. */
export class Shapes {
  #shapes = Object.fromEntries(KINDS.map((kind) => [kind, new Set()]));
  /** @type {any} */
  #map = null;
  #waiting = new Set();

  /** Draws on a map from now on.
   * @param {any} map */
  attach(map) {
    this.#map = map;
    for (const kind of KINDS) if (this.#shapes[kind].size) this.#draw(kind);
  }

  /** The shapes of a kind, each a list of lines or rings.
   * @param {string} kind @returns {Point[][][]} */
  of(kind) { return [...this.#shapes[kind]].map(({ parts }) => parts); }

  /**
   * Adds a line in one or several parts.
   * @param {string} kind
   * @param {any[]} parts points, or lists of points: [degrees north, degrees east]
   */
  line(kind, parts) { return this.#add(kind, 'MultiLineString', inParts(parts)); }

  /**
   * Adds lines whose colours say how fast the way was, over a line of the kind `way`.
   * @param {{step: number, line: [number, number][]}[]} runs
   */
  speeds(runs) {
    const steps = new Map();
    for (const { step, line } of runs) {
      if (!steps.has(step)) steps.set(step, []);
      steps.get(step).push(line);
    }
    const drawn = [...steps].map(([step, lines]) => this.#add('speed', 'MultiLineString', lines, { step }));
    return { remove: () => { for (const shape of drawn) shape.remove(); } };
  }

  /**
   * Adds a circle.
   * @param {string} kind
   * @param {[number, number]} center degrees north and east
   * @param {number} radius in metres
   */
  circle(kind, center, radius) {
    const shape = this.#add(kind, 'Polygon', [ring(center, radius)]);
    /** @param {Point} center @param {number} radius */
    const set = (center, radius) => shape.set([ring(center, radius)]);
    return { ...shape, set };
  }

  /**
   * Adds a corridor in its true width.
   * @param {[number, number][][]} parts lines of points
   * @param {number} radius half its width in metres
   */
  corridor(parts, radius) {
    const lines = parts.filter(({ length }) => length);
    const drawn = [this.#add('corridor', 'MultiLineString', lines),
      ...lines.map((line) => this.polygon([band(line, radius)]))];
    return { remove: () => { for (const shape of drawn) shape.remove(); } };
  }

  /** Adds an area.
   * @param {Point[][]} rings the outer ring, and its holes */
  polygon(rings) { return this.#add('fence', 'Polygon', rings); }

  /**
   * Adds the shape of a sight: polygons, a corridor, or else its circle.
   * @param {{lat: number, lon: number, radius: number, form?: string, shape?: any}} sight
   * @param {[number, number]} center where it lies on the visible turn around the world
   */
  sight({ form, shape, radius }, center) {
    if (!form) return this.circle('fence', center, radius);
    if (!shape) return { remove: () => {} };
    const parts = shape.type.startsWith('Multi') ? shape.coordinates : [shape.coordinates];
    if (form === 'corridor') {
      return this.corridor(parts.map((/** @type {Point[]} */ line) => unrolled(line, center[1])), radius);
    }
    const drawn = parts.map((/** @type {Point[][]} */ rings) => {
      const outer = unrolled(rings[0], center[1]);
      // The holes of a polygon lie in its outer ring, also where that goes over the antimeridian.
      return this.polygon([outer,
        ...rings.slice(1).map((/** @type {Point[]} */ ring) => unrolled(ring, outer[0][1]))]);
    });
    return { remove: () => { for (const one of drawn) one.remove(); } };
  }

  /** @param {string} kind @param {string} type @param {any} parts */
  #add(kind, type, parts, properties = {}) {
    const shape = { type, parts, properties };
    this.#shapes[kind].add(shape);
    this.#draw(kind);
    return {
      set: (/** @type {Point[][]} */ parts) => { shape.parts = inParts(parts); this.#draw(kind); },
      /** Adds a point to the end of a line.
       * @param {Point} point */
      extend: (point) => {
        if (!shape.parts.length) shape.parts = [[]];
        shape.parts[shape.parts.length - 1].push(point);
        this.#draw(kind);
      },
      remove: () => { this.#shapes[kind].delete(shape); this.#draw(kind); },
    };
  }

  /** Draws the shapes of a kind once, however many of them change at the same time.
   * @param {string} kind */
  #draw(kind) {
    if (!this.#map || this.#waiting.has(kind)) return;
    this.#waiting.add(kind);
    queueMicrotask(() => {
      this.#waiting.delete(kind);
      const features = [...this.#shapes[kind]].map(({ type, parts, properties }) => ({
        type: 'Feature', properties,
        geometry: { type, coordinates: parts.filter((/** @type {Point[]} */ { length }) => length > 1)
          .map((/** @type {Point[]} */ part) => part.map(([lat, lon]) => [lon, lat])) },
      }));
      this.#map.getSource(kind)?.setData({ type: 'FeatureCollection', features });
    });
  }
}

/** @param {any[]} parts */
const inParts = (parts) => (Array.isArray(parts[0]?.[0]) ? parts : [parts]);

/**
 * Returns positions of GeoJSON as points whose longitudes go on beyond ±180 degrees, so that each edge takes the
 * shorter way round the earth.
 * @param {[number, number][]} positions degrees east and north
 * @param {number} start the longitude near which the first one lies
 * @returns {[number, number][]}
 */
export function unrolled(positions, start) {
  let last = start;
  return positions.map(([lon, lat]) => {
    last = lon + 360 * Math.round((last - lon) / 360);
    return [lat, last];
  });
}

/** @param {Point} center @param {number} radius @returns {Point[]} a circle on the ground as a ring of points */
function ring([lat, lon], radius) {
  const north = radius / 111_195;
  const east = north / Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  return Array.from({ length: 65 }, (_, n) => {
    const angle = (n / 32) * Math.PI;
    return /** @type {[number, number]} */ ([lat + north * Math.sin(angle), lon + east * Math.cos(angle)]);
  });
}

/**
 * Returns the edge of all that is within a distance of a line, as a ring. Where the line comes back upon itself, so
 * does the ring.
 * @param {[number, number][]} line
 * @param {number} radius in metres
 * @returns {[number, number][]}
 */
export function band(line, radius) {
  const points = line.filter(([lat, lon], n) => !n
    || lat !== line[n - 1][0] || lon !== line[n - 1][1]);
  if (points.length < 2) return ring(points[0], radius);
  /** @param {number} lat */
  const scale = (lat) => 111_195 * Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  const legs = points.slice(1).map(([lat, lon], n) => {
    const [east, north] = [(lon - points[n][1]) * scale((lat + points[n][0]) / 2), (lat - points[n][0]) * 111_195];
    return { angle: Math.atan2(north, east), length: Math.hypot(east, north) };
  });
  /** @type {[number, number][]} */
  const edge = [];
  /** @param {Point} point @param {number} angle @param {number} far */
  const put = ([lat, lon], angle, far) =>
    edge.push([lat + (far * Math.sin(angle)) / 111_195, lon + (far * Math.cos(angle)) / scale(lat)]);
  /** Goes around a point, clockwise.
   * @param {Point} point @param {number} from @param {number} by */
  const turn = (point, from, by) => {
    const steps = Math.max(1, Math.ceil(by / (Math.PI / 16)));
    for (let step = 0; step <= steps; step += 1) put(point, from - (by * step) / steps, radius);
  };
  /** Follows the left side of legs, given as points, angles and lengths in the order of the way.
   * @param {Point[]} points @param {{angle: number, length: number}[]} legs */
  const side = (points, legs) => {
    put(points[0], legs[0].angle + Math.PI / 2, radius);
    for (let n = 1; n < legs.length; n += 1) {
      const [before, after] = [legs[n - 1], legs[n]];
      const bend = Math.atan2(Math.sin(after.angle - before.angle), Math.cos(after.angle - before.angle));
      if (bend <= 0) {
        turn(points[n], before.angle + Math.PI / 2, -bend);
      } else if (radius * Math.tan(bend / 2) < Math.min(before.length, after.length)) {
        put(points[n], before.angle + (bend + Math.PI) / 2, radius / Math.cos(bend / 2));
      } else {
        put(points[n], before.angle + Math.PI / 2, radius);
        edge.push(points[n]);
        put(points[n], after.angle + Math.PI / 2, radius);
      }
    }
    turn(points[points.length - 1], legs[legs.length - 1].angle + Math.PI / 2, Math.PI);
  };
  side(points, legs);
  side([...points].reverse(), [...legs].reverse().map(({ angle, length }) => ({ angle: angle + Math.PI, length })));
  return [...edge, edge[0]];
}
