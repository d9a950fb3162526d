/** Surfaces, waters, buildings and borders of the style. */
import { byZoom, growing } from './words.js';

/** @param {Colours} colour @returns {LayerTemplate[]} */
export function surfaces(colour) {
  return [
    // The ground of every tile that there is. Where there is none, the map shows that it knows nothing.
    {
      id: 'present', of: 'present',
      make: () => ({ type: 'fill', paint: { 'fill-color': colour.land, 'fill-antialias': false } }),
    },
    { id: 'earth', of: 'land', make: () => ({ type: 'fill', paint: { 'fill-color': colour.land } }) },
    {
      id: 'surface', of: 'surface',
      make: ({ kind }) => ({
        type: 'fill', filter: ['!=', kind, ''],
        paint: { 'fill-antialias': false, 'fill-color': surfaceColour(kind, colour),
          'fill-opacity': byZoom(5, 0.5, 9, 1) },
      }),
    },
    {
      id: 'reserve edge', of: 'surface',
      make: ({ kind }) => ({
        type: 'line', minzoom: 10, filter: ['==', kind, 'reserve'],
        paint: { 'line-color': colour.woodWord, 'line-opacity': 0.35, 'line-width': 1.5 },
      }),
    },
    { id: 'ice', of: 'ice', make: () => ({ type: 'fill', paint: { 'fill-color': colour.ice } }) },
    {
      id: 'water', of: 'water',
      make: () => ({ type: 'fill', paint: { 'fill-color': colour.water, 'fill-outline-color': colour.waterEdge } }),
    },
    {
      id: 'stream', of: 'stream',
      make: ({ rank }) => ({
        type: 'line', minzoom: 8, layout: { 'line-cap': 'round', 'line-join': 'round' },
        filter: ['step', ['zoom'], ['==', rank, 'river'], 11, ['!=', rank, 'stream'], 13, true],
        paint: {
          'line-color': colour.water,
          'line-width': growing(8, ['match', rank, 'river', 0.8, 0.3], 14,
            ['match', rank, 'river', 3, 'canal', 2.2, 1.2],
            18, ['match', rank, 'river', 14, 'canal', 9, 5]),
        },
      }),
    },
    { id: 'apron', of: 'apron', make: () => ({ type: 'fill', minzoom: 11, paint: { 'fill-color': colour.apron } }) },
    {
      id: 'runway', of: 'runway',
      make: ({ rank }) => ({
        type: 'line', minzoom: 10,
        paint: {
          'line-color': colour.apron,
          'line-width': growing(10, 1, 14, ['match', rank, 'runway', 12, 4], 18, ['match', rank, 'runway', 120, 40]),
        },
      }),
    },
    { id: 'square', of: 'square', make: () => ({ type: 'fill', minzoom: 14, paint: { 'fill-color': colour.square } }) },
    {
      id: 'building', of: 'building',
      make: () => ({
        type: 'fill', minzoom: 14,
        paint: {
          'fill-color': colour.building, 'fill-opacity': byZoom(14, 0.5, 15, 1),
          'fill-outline-color': byZoom(14, colour.building, 16, colour.buildingEdge),
        },
      }),
    },
  ];
}

const SURFACES = 'wood grass farm sand rock ice wetland houses works shops civic graves sport reserve'.split(' ');

/** @param {any} kind @param {Colours} colour */
const surfaceColour = (kind, colour) => ['match', kind, ...SURFACES.flatMap((one) => [one, colour[one]]), colour.land];

/** Borders of countries and states, each with a soft edge.
 * @param {Colours} colour @returns {LayerTemplate[]} */
export const borders = (colour) => [
  {
    id: 'border edge', of: 'border',
    make: ({ rank }) => ({
      type: 'line', minzoom: 4, filter: ['==', rank, 'country'], layout: { 'line-join': 'round' },
      paint: { 'line-color': colour.border, 'line-opacity': 0.14, 'line-width': byZoom(4, 2, 14, 9) },
    }),
  },
  {
    id: 'border', of: 'border',
    make: ({ rank, isDisputed }) => ({
      type: 'line', minzoom: 3, filter: ['all', ['==', rank, 'country'], ['!', isDisputed]],
      paint: { 'line-color': colour.border, 'line-width': byZoom(4, 0.8, 14, 2), 'line-dasharray': [6, 2, 1.5, 2] },
    }),
  },
  {
    id: 'disputed border', of: 'border',
    make: ({ rank, isDisputed }) => ({
      type: 'line', minzoom: 3, filter: ['all', ['==', rank, 'country'], isDisputed],
      paint: { 'line-color': colour.border, 'line-width': byZoom(4, 0.8, 14, 2), 'line-dasharray': [2, 2] },
    }),
  },
  {
    id: 'state border', of: 'border',
    make: ({ rank }) => ({
      type: 'line', minzoom: 5, filter: ['==', rank, 'state'],
      paint: { 'line-color': colour.state, 'line-width': byZoom(5, 0.5, 14, 1.4), 'line-dasharray': [3, 2] },
    }),
  },
];
