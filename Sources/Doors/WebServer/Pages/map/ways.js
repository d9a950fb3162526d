/**
 * Roads, paths and railways of the style: tunnels, then what lies on the ground, then bridges, so that none is
 * hidden.
 */
import { among, growing, byZoom } from './words.js';

const ROADS = ['motorway', 'trunk', 'primary', 'secondary', 'tertiary', 'minor', 'service'];

/** The widths of roads in pixels at the zooms 6, 10, 13, 15, 17 and 20. */
const WIDTHS = /** @type {Record<string, number[]>} */ ({
  motorway: [1, 2.2, 4.5, 9, 19, 70], trunk: [0.9, 2, 4, 8.5, 18, 66], primary: [0.6, 1.6, 3.4, 8, 17, 62],
  secondary: [0.3, 1.2, 2.8, 7, 15, 56], tertiary: [0.1, 0.8, 2.2, 6, 14, 52], minor: [0, 0.3, 1.3, 4.4, 11.5, 46],
  service: [0, 0, 0.6, 2.2, 6.5, 28],
});
const STOPS = [6, 10, 13, 15, 17, 20];
/** The part of an edge that is drawn at each of them: far away, edges would be all that one sees of small streets. */
const EDGES = [0.3, 0.5, 0.7, 1, 1, 1.2];

/**
 * Returns the width of a road, plus a number of pixels.
 * @param {any} part
 * @param {number} more
 */
const width = ({ rank, isLink }, more) => growing(...STOPS.flatMap((zoom, n) => [zoom, [
  '+', more * EDGES[n],
  ['*', ['case', isLink, 0.65, 1], ['match', rank, ...ROADS.flatMap((road) => [road, WIDTHS[road][n]]), 0.5]],
]]));

/** @param {any} rank @param {Colours} colour */
const fill = (rank, colour) => ['match', rank, 'motorway', colour.motorway, 'trunk', colour.trunk, 'primary',
  colour.primary,
  'secondary', colour.secondary, colour.street];
/** @param {any} rank @param {Colours} colour */
const edge = (rank, colour) => ['match', rank, 'motorway', colour.motorwayEdge, 'trunk', colour.trunkEdge,
  'primary', colour.primaryEdge, 'secondary', colour.secondaryEdge, colour.streetEdge];

/** Which roads are drawn from which zoom.
 * @param {any} rank */
const shown = (rank) => ['step', ['zoom'], among(rank, 'motorway', 'trunk'), 7,
  among(rank, 'motorway', 'trunk', 'primary'),
  9, among(rank, 'motorway', 'trunk', 'primary', 'secondary'), 10, among(rank, ...ROADS.slice(0, 5)),
  12, among(rank, ...ROADS.slice(0, 6)), 13.5, among(rank, ...ROADS)];

/** Important roads lie over others.
 * @param {any} rank */
const order = (rank) => ['match', rank, ...ROADS.flatMap((road, n) => [road, ROADS.length - n]), 0];

/** @param {Drawn} drawn */
const isGround = ({ isBridge, isTunnel }) => ['all', ['!', isBridge], ['!', isTunnel]];

/** @param {Colours} colour @returns {LayerTemplate[]} */
export const ways = (colour) => [
  {
    id: 'ferry', of: 'way',
    make: ({ rank }) => ({
      type: 'line', minzoom: 8, filter: ['==', rank, 'ferry'],
      paint: { 'line-color': colour.ferry, 'line-width': byZoom(8, 0.8, 16, 1.6), 'line-dasharray': [4, 3] },
    }),
  },
  ...roads('tunnel', ({ isTunnel }) => isTunnel, colour),
  ...paths('path', isGround, colour),
  ...roads('road', isGround, colour),
  ...rails('rail', ({ isBridge }) => ['!', isBridge], colour),
  ...roads('bridge', ({ isBridge }) => isBridge, colour),
  ...paths('foot bridge', ({ isBridge }) => isBridge, colour),
  ...rails('rail bridge', ({ isBridge }) => isBridge, colour),
  {
    id: 'lift', of: 'way',
    make: ({ rank }) => ({
      type: 'line', minzoom: 12, filter: ['==', rank, 'lift'],
      paint: { 'line-color': colour.rail, 'line-width': 1.2, 'line-dasharray': [6, 2, 1, 2] },
    }),
  },
];

/** Two layers of roads: their edges, and over all edges the roads, so that crossings stay open.
 * @param {string} id @param {(part: Drawn) => any} which @param {Colours} colour
 * @returns {LayerTemplate[]} */
function roads(id, which, colour) {
  const isTunnel = id === 'tunnel';
  /** @param {Drawn} part */
  const one = (part) => ({ type: 'line', minzoom: 5, filter: ['all', which(part), shown(part.rank)] });
  /** @param {Drawn} part */
  const layout = (part) => ({
    'line-join': 'round', 'line-cap': id === 'road' ? 'round' : 'butt', 'line-sort-key': order(part.rank),
  });
  return [
    {
      id: `${id} edge`, of: 'way',
      make: (part) => ({
        ...one(part), minzoom: 9, layout: layout(part),
        paint: {
          'line-color': edge(part.rank, colour), 'line-width': width(part, id === 'bridge' ? 2.6 : 1.6),
          ...(isTunnel ? { 'line-dasharray': [3, 2] } : {}),
          'line-opacity': byZoom(9, 0.3, 12, 1),
        },
      }),
    },
    {
      id, of: 'way',
      make: (part) => ({
        ...one(part), layout: layout(part),
        paint: {
          'line-color': fill(part.rank, colour), 'line-width': width(part, 0), 'line-opacity': isTunnel ? 0.55 : 1,
        },
      }),
    },
  ];
}

/** Paths, which are dotted, and tracks, which are dashed.
 * @param {string} id @param {(part: Drawn) => any} which @param {Colours} colour
 * @returns {LayerTemplate[]} */
const paths = (id, which, colour) => [
  {
    id: `${id} edge`, of: 'way',
    make: (part) => ({
      type: 'line', minzoom: 15, filter: ['all', which(part), among(part.rank, 'path', 'track')],
        layout: { 'line-join': 'round' },
      paint: { 'line-color': colour.halo, 'line-opacity': 0.5, 'line-width': growing(15, 2.4, 18, 6) },
    }),
  },
  {
    id, of: 'way',
    make: (part) => ({
      type: 'line', minzoom: 13.5, filter: ['all', which(part), ['==', part.rank, 'path']],
        layout: { 'line-join': 'round' },
      paint: {
        'line-color': colour.path, 'line-width': growing(13, 0.7, 16, 1.4, 18, 2.6), 'line-dasharray': [2, 1.5],
        'line-opacity': byZoom(13.5, 0.5, 15, 0.9),
      },
    }),
  },
  {
    id: `${id} for carts`, of: 'way',
    make: (part) => ({
      type: 'line', minzoom: 13, filter: ['all', which(part), ['==', part.rank, 'track']],
        layout: { 'line-join': 'round' },
      paint: {
        'line-color': colour.track, 'line-width': growing(13, 0.8, 16, 1.8, 18, 3.4), 'line-dasharray': [5, 2],
        'line-opacity': byZoom(13, 0.5, 15, 0.9),
      },
    }),
  },
];

/** Railways: a line with sleepers; trams: a thin line.
 * @param {string} id @param {(part: Drawn) => any} which @param {Colours} colour
 * @returns {LayerTemplate[]} */
const rails = (id, which, colour) => [
  {
    id, of: 'way',
    make: (part) => ({
      type: 'line', minzoom: 8, filter: ['all', which(part), ['==', part.rank, 'rail']],
      paint: {
        'line-color': colour.rail, 'line-width': growing(8, 0.6, 13, 1.6, 16, 3, 19, 7),
        'line-opacity': ['case', part.isTunnel, 0.4, 1],
      },
    }),
  },
  {
    id: `${id} gaps`, of: 'way',
    make: (part) => ({
      type: 'line', minzoom: 13, filter: ['all', which(part), ['==', part.rank, 'rail'], ['!', part.isTunnel]],
      paint: { 'line-color': colour.railGap, 'line-width': growing(13, 0.8, 16, 1.8, 19, 5), 'line-dasharray': [5, 5] },
    }),
  },
  {
    id: `${id} in streets`, of: 'way',
    make: (part) => ({
      type: 'line', minzoom: 13, filter: ['all', which(part), ['==', part.rank, 'tram'], ['!', part.isTunnel]],
      paint: { 'line-color': colour.tram, 'line-width': growing(13, 0.7, 17, 2) },
    }),
  },
];
