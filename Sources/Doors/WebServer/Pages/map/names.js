/**
 * The names of the style. Layers further down this list are placed first, and others make way.
 *
 * The library puts letters one after the other. Scripts whose letters join or run from right to left are drawn by the
 * browser as a picture of the whole name instead, which `pictures.js` makes.
 */
import { among, all, byZoom } from './words.js';
import { POINTS } from './palette.js';

/** The text of a name, if the library can set it.
 * @param {any} name */
const text = (name) => ['case', ['is-supported-script', name], name, ''];

/**
 * Returns the layout of a name: its text, or else its picture.
 * @param {any} name
 * @param {string} look a word for the letters: regular, bold or italic
 * @param {string} pen the name of a colour of the palette
 * @param {number} size the size of the picture
 */
const named = (name, look, pen, size) => ({
  'text-field': text(name), 'text-font': [look],
  'icon-image': ['case', ['is-supported-script', name], '', ['concat', `name:${look}:${pen}:${size}:`, name]],
});

/** @param {Colours} colour @param {string} pen */
const ink = (colour, pen, halo = 1.4) => ({ 'text-color': colour[pen], 'text-halo-color': colour.halo,
  'text-halo-width': halo });

/** @type {Record<string, number[]>} */
const SIZES = {
  city: [4, 11, 8, 15, 12, 22, 15, 26], town: [7, 10.5, 11, 14.5, 15, 21], village: [9, 10.5, 13, 13.5, 16, 18],
  suburb: [11, 10.5, 15, 15], hamlet: [13, 10.5, 17, 14], quarter: [13, 10, 17, 14],
};
/** @type {Record<string, number>} */
const FROM = { city: 3, town: 7, village: 9.5, suburb: 11, hamlet: 12.5, quarter: 13 };
/** @type {Record<string, number>} */
const UNTIL = { city: 16, town: 17, village: 18, suburb: 17, hamlet: 20, quarter: 18 };

/** @param {Colours} colour @returns {LayerTemplate[]} */
export const names = (colour) => [
  {
    id: 'house', of: 'house',
    make: ({ name }) => ({
      type: 'symbol', minzoom: 17, layout: { ...named(['to-string', name], 'regular', 'number', 10),
        'text-size': byZoom(17, 9.5, 20, 13) },
      paint: ink(colour, 'number', 1),
    }),
  },
  {
    id: 'point', of: 'point',
    make: ({ name, kind, order }) => ({
      type: 'symbol', minzoom: 14,
      filter: ['all', ['!=', kind, ''], ['!=', name, ''], ['step', ['zoom'], among(kind, 'sight', 'care', 'view'),
        15, among(kind, 'sight', 'care', 'view', 'bed', 'fuel', 'church', 'office', 'shop', 'food'), 16,
          ['!=', kind, 'transport'],
        17, true]],
      layout: {
        'text-field': text(name), 'text-font': ['regular'], 'text-size': byZoom(14, 10.5, 18, 12.5),
          'text-anchor': 'top',
        'text-offset': [0, 0.75], 'text-optional': true, 'text-max-width': 8, 'icon-image': ['concat', 'point:', kind],
        'icon-size': byZoom(14, 0.75, 17, 1), 'symbol-sort-key': ['to-number', order], 'text-padding': 4,
      },
      paint: { ...ink(colour, 'point'), 'text-color': pointColour(kind, colour) },
    }),
  },
  {
    id: 'parking', of: 'point',
    make: ({ name, kind }) => ({
      type: 'symbol', minzoom: 16, filter: ['all', among(kind, 'parking', 'toilets'), ['==', name, '']],
      layout: { 'icon-image': ['concat', 'point:', kind], 'icon-size': 0.75, 'icon-padding': 6 },
    }),
  },
  {
    id: 'way name', of: 'wayName',
    make: ({ name, rank }) => ({
      type: 'symbol', minzoom: 12,
      filter: ['all', ['!=', name, ''], ['!=', rank, ''],
        ['step', ['zoom'], among(rank, 'motorway', 'trunk', 'primary'),
        13, among(rank, 'motorway', 'trunk', 'primary', 'secondary', 'tertiary'), 14,
        ['!', among(rank, 'path', 'track', 'service')], 16, true]],
      layout: {
        ...named(name, 'regular', 'word', 12), 'symbol-placement': 'line', 'symbol-spacing': 320,
        'text-size': ['interpolate', ['linear'], ['zoom'], 12, 9.5, 15,
          ['match', rank, ['path', 'track', 'service'], 10, 11.5],
          18, ['match', rank, ['path', 'track', 'service'], 11.5, 14]],
        'text-letter-spacing': 0.02, 'text-max-angle': 30, 'text-padding': 3, 'icon-keep-upright': true,
        'icon-rotation-alignment': 'map',
        'symbol-sort-key': ['match', rank, 'motorway', 0, 'trunk', 1, 'primary', 2, 'secondary', 3, 'tertiary', 4,
          'minor', 5, 6],
      },
      paint: ink(colour, 'word', 1.6),
    }),
  },
  {
    id: 'stream name', of: 'streamName',
    make: ({ name }) => ({
      type: 'symbol', minzoom: 12, filter: ['!=', name, ''],
      layout: {
        ...named(name, 'italic', 'waterWord', 12), 'symbol-placement': 'line', 'symbol-spacing': 400,
        'text-size': byZoom(12, 10, 17, 13), 'text-letter-spacing': 0.08, 'text-max-angle': 30,
          'icon-keep-upright': true,
        'icon-rotation-alignment': 'map',
      },
      paint: ink(colour, 'waterWord'),
    }),
  },
  {
    id: 'shield', of: 'wayName',
    make: ({ ref, rank }) => ({
      type: 'symbol', minzoom: 9,
      filter: ['all', ['!=', ['to-string', ref], ''], ['<=', ['length', ['to-string', ref]], 6],
        ['step', ['zoom'], among(rank, 'motorway', 'trunk'), 11, among(rank, 'motorway', 'trunk', 'primary'),
          13, among(rank, 'motorway', 'trunk', 'primary', 'secondary')]],
      layout: {
        'symbol-placement': 'line', 'symbol-spacing': 420, 'text-rotation-alignment': 'viewport',
          'icon-rotation-alignment': 'viewport',
        'text-field': ['to-string', ref], 'text-font': ['bold'], 'text-size': 9.5, 'icon-image': 'shield',
          'icon-text-fit': 'both',
        'icon-text-fit-padding': [2, 4, 1.5, 4], 'text-padding': 12, 'icon-padding': 12,
      },
      paint: { 'text-color': colour.shieldWord },
    }),
  },
  {
    id: 'peak', of: 'peak',
    make: ({ name, height }) => ({
      type: 'symbol', minzoom: 11,
      layout: {
        'text-field': ['format', text(name), {},
          ['case', ['!=', ['to-string', height], ''], ['concat', '\n', ['to-string', height], ' m'], ''],
          { 'font-scale': 0.88 }],
        'text-font': ['regular'], 'text-size': byZoom(11, 10, 16, 12.5), 'text-anchor': 'top', 'text-offset': [0, 0.5],
        'icon-image': 'peak', 'text-optional': true, 'symbol-sort-key': ['-', 0, ['to-number', height, 0]],
          'text-max-width': 7,
      },
      paint: ink(colour, 'peak'),
    }),
  },
  {
    id: 'lake name', of: 'lakeName',
    make: ({ name, isSea }) => ({
      type: 'symbol', minzoom: 3, filter: ['all', ['!=', name, ''], ['step', ['zoom'], isSea, 10, true]],
      layout: {
        ...named(name, 'italic', 'waterWord', 13), 'text-size': ['case', isSea, 14, 12], 'text-letter-spacing': 0.06,
          'text-max-width': 7,
      },
      paint: ink(colour, 'waterWord'),
    }),
  },
  ...['quarter', 'hamlet', 'suburb', 'village', 'town', 'city'].map((word) => ({
    id: word, of: 'place',
    make: (/** @type {Drawn} */ { name, kind, order }) => ({
      type: 'symbol', minzoom: FROM[word], maxzoom: UNTIL[word], filter: all(['==', kind, word], ['!=', name, '']),
      layout: {
        ...named(name, /city|town/.test(word) ? 'bold' : 'regular', 'word', 15),
        'text-size': byZoom(...SIZES[word]), 'text-max-width': 8, 'symbol-sort-key': ['to-number', order],
        ...(/quarter|suburb/.test(word) ? { 'text-transform': 'uppercase', 'text-letter-spacing': 0.08 } : {}),
      },
      paint: ink(colour, /city|town|village/.test(word) ? 'word' : 'soft', 1.6),
    }),
  })),
  {
    id: 'state', of: 'place',
    make: ({ name, kind }) => ({
      type: 'symbol', minzoom: 5, maxzoom: 9, filter: ['==', kind, 'state'],
      layout: {
        ...named(name, 'regular', 'soft', 12), 'text-size': 11.5, 'text-transform': 'uppercase',
          'text-letter-spacing': 0.1,
        'text-max-width': 7,
      },
      paint: ink(colour, 'soft'),
    }),
  },
];

/** @param {any} kind @param {Colours} colour */
const pointColour = (kind, colour) => ['match', kind,
  ...Object.entries(POINTS).flatMap(([one, [light, dark]]) => [one, colour.isDark ? dark : light]), colour.point];
