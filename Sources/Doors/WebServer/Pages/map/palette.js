/** The colours of the map, light and dark. */

const light = {
  isDark: false,
  sea: '#bfd9e0', land: '#f3f0e6', unknown: '#e9e6dd', grid: '#1c2a2d14', coast: '#9fb6b6', water: '#a9d0dc',
    waterEdge: '#86b7c6',
  wood: '#cfe0bd', grass: '#dfebc9', farm: '#efecd6', sand: '#f3e6bd', rock: '#dedbd4', ice: '#eef6f8',
    wetland: '#d3e3d6',
  houses: '#eae5da', works: '#e4e0e2', shops: '#f0e4da', civic: '#ebe6cf', graves: '#d5dfc6', sport: '#cfe6cd',
  reserve: '#c8dfb4', square: '#f3efe7', building: '#dcd3c6', buildingEdge: '#c7bcab', apron: '#e2e0dc',
  motorway: '#ee9f62', motorwayEdge: '#c9713a', trunk: '#f5bd78', trunkEdge: '#d08c3f', primary: '#fbdc8c',
    primaryEdge: '#cfa648',
  secondary: '#fff1b8', secondaryEdge: '#cdbb7d', street: '#ffffff', streetEdge: '#c9c3b5', path: '#a98a62',
    track: '#a98a62',
  rail: '#8d8f92', railGap: '#f3f0e6', tram: '#a3a3ab', ferry: '#6fa3b5', border: '#9a6f9c', state: '#b093b1',
  word: '#2b3436', halo: '#fbf9f3', soft: '#5b6567', waterWord: '#3f7487', woodWord: '#50733a', number: '#7a7468',
    peak: '#7d5a3a',
  shield: '#ffffff', shieldWord: '#3c4446', point: '#5a6a6d',
};

/** @type {typeof light} */
const dark = {
  isDark: true,
  sea: '#10212a', land: '#1e2729', unknown: '#171e20', grid: '#ffffff0d', coast: '#3c5057', water: '#143240',
    waterEdge: '#1f4757',
  wood: '#1f3227', grass: '#25342a', farm: '#262b24', sand: '#3a3524', rock: '#2d3233', ice: '#33454d',
    wetland: '#1f322f',
  houses: '#242c2e', works: '#2a2b31', shops: '#30292a', civic: '#2d2e24', graves: '#25312a', sport: '#223a31',
  reserve: '#21382a', square: '#2a3235', building: '#2d373a', buildingEdge: '#3a4649', apron: '#2b3133',
  motorway: '#a4633a', motorwayEdge: '#16100c', trunk: '#8a6437', trunkEdge: '#16120c', primary: '#75623a',
    primaryEdge: '#14120c',
  secondary: '#5c563f', secondaryEdge: '#13140f', street: '#465256', streetEdge: '#13191b', path: '#8a7658',
    track: '#8a7658',
  rail: '#7b8489', railGap: '#1e2729', tram: '#646b73', ferry: '#3f7a8e', border: '#a585a8', state: '#735f76',
  word: '#e3e9e7', halo: '#151c1e', soft: '#a9b5b5', waterWord: '#84b9cb', woodWord: '#9cc28a', number: '#93a0a0',
    peak: '#d3ab84',
  shield: '#2a3437', shieldWord: '#d6dedc', point: '#a9b6b7',
};

/** @param {boolean} isDark */
export const palette = (isDark) => (isDark ? dark : light);

/** Whether the pages are dark now: by the person's choice, or else by the device's. */
export function isDark() {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme === 'dark';
  return window.matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The kinds of points, each with the colour of its disc, light and dark, and the name of its icon. */
/** @type {Record<string, string[]>} */
export const POINTS = {
  food: ['#b8552b', '#f0a47c', 'food'], bed: ['#5b57a6', '#b3b0ee', 'lodging'], shop: ['#8b4a86', '#dba6d6', 'bag'],
  transport: ['#2f6ea8', '#8fc0ec', 'transport'], fuel: ['#5a6a6d', '#b9c6c7', 'transport'],
    parking: ['#2f6ea8', '#8fc0ec', 'P'],
  sight: ['#8a5a17', '#e3b873', 'star'], view: ['#3f7a3a', '#9dcc97', 'photo'],
    church: ['#6b6258', '#c4bbb0', 'church'],
  care: ['#b23a3a', '#f0a09c', 'add'], office: ['#5a6a6d', '#b9c6c7', 'flag'], sport: ['#3f7a3a', '#9dcc97', 'heart'],
  toilets: ['#5a6a6d', '#b9c6c7', 'people'],
};
