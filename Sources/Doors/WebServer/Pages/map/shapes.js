/** What the pages draw on the map: lines, and circles of a radius in metres. */

/** The kinds of shapes, from bottom to top. */
export const KINDS = ['fence', 'fence-location', 'accuracy', 'way-past', 'way-plan', 'way'];

const empty = () => ({ type: 'FeatureCollection', features: [] });

export const shapeSources = () => Object.fromEntries(KINDS.map((kind) => [kind,
  { type: 'geojson', data: empty(), tolerance: 0.2 }]));

/** @param {Record<string, string>} pens the colours `accent`, `warm` and `card` */
export function shapeLayers({ accent, warm, card }) {
  const area = (kind, colour, edge) => [
    { id: kind, type: 'fill', source: kind,
      paint: { 'fill-color': colour, 'fill-opacity': 0.09, 'fill-antialias': false } },
    ...(edge ? [{ id: `${kind} edge`, type: 'line', source: kind,
      paint: { 'line-color': colour, 'line-opacity': 0.5, 'line-width': 1.2 } }] : []),
  ];
  const layout = { 'line-cap': 'round', 'line-join': 'round' };
  return [
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
  ];
}

/** The shapes of one map, which it draws once it is ready. */
export class Shapes {
  #shapes = Object.fromEntries(KINDS.map((kind) => [kind, new Set()]));
  #map = null;
  #waiting = new Set();

  /** Draws on a map from now on. @param {any} map */
  attach(map) {
    this.#map = map;
    for (const kind of KINDS) if (this.#shapes[kind].size) this.#draw(kind);
  }

  /** The shapes of a kind, each a list of lines or rings. @param {string} kind @returns {[number, number][][][]} */
  of(kind) { return [...this.#shapes[kind]].map(({ parts }) => parts); }

  /**
   * Adds a line in one or several parts.
   * @param {string} kind
   * @param {any[]} parts points, or lists of points: [degrees north, degrees east]
   */
  line(kind, parts) { return this.#add(kind, 'MultiLineString', inParts(parts)); }

  /**
   * Adds a circle.
   * @param {string} kind
   * @param {[number, number]} center degrees north and east
   * @param {number} radius in metres
   */
  circle(kind, center, radius) {
    const shape = this.#add(kind, 'Polygon', [ring(center, radius)]);
    return { ...shape, set: (center, radius) => shape.set([ring(center, radius)]) };
  }

  #add(kind, type, parts) {
    const shape = { type, parts };
    this.#shapes[kind].add(shape);
    this.#draw(kind);
    return {
      set: (parts) => { shape.parts = inParts(parts); this.#draw(kind); },
      /** Adds a point to the end of a line. @param {[number, number]} point */
      extend: (point) => {
        if (!shape.parts.length) shape.parts = [[]];
        shape.parts[shape.parts.length - 1].push(point);
        this.#draw(kind);
      },
      remove: () => { this.#shapes[kind].delete(shape); this.#draw(kind); },
    };
  }

  /** Draws the shapes of a kind once, however many of them change at the same time. */
  #draw(kind) {
    if (!this.#map || this.#waiting.has(kind)) return;
    this.#waiting.add(kind);
    queueMicrotask(() => {
      this.#waiting.delete(kind);
      const features = [...this.#shapes[kind]].map(({ type, parts }) => ({
        type: 'Feature', properties: {},
        geometry: { type, coordinates: parts.filter(({ length }) => length > 1).map((part) => part.map(([lat,
          lon]) => [lon, lat])) },
      }));
      this.#map.getSource(kind)?.setData({ type: 'FeatureCollection', features });
    });
  }
}

/** @param {any[]} parts */
const inParts = (parts) => (Array.isArray(parts[0]?.[0]) ? parts : [parts]);

/** Returns a circle on the ground as a ring of points. */
function ring([lat, lon], radius) {
  const north = radius / 111_195;
  const east = north / Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  return Array.from({ length: 65 }, (_, n) => {
    const angle = (n / 32) * Math.PI;
    return [lat + north * Math.sin(angle), lon + east * Math.cos(angle)];
  });
}
