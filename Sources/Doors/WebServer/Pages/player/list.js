/** The list beside the player, and the legend of the colours of a trace. */
import { h, add } from '../dom.js';
import { t, number } from '../texts.js';
import { units } from '../format.js';

/**
 * Creates the row of something that happened; a press shows it on the map.
 * @param {{title: string, note?: any, end?: any, open: () => any, more?: any[]}} options
 */
export const happeningRow = ({ title, note, end, open, more = [] }) => add(h('li.row',
  h('button.row-link', { type: 'button', onclick: open },
    h('span.row-text', h('strong', title), note ? h('small', note) : null),
    end ? h('span.row-end', end) : null)), more);

/** Puts the list of what happens beside the map.
 * @param {any} map @param {any[]} below @param {any} list */
export const beside = (map, below, list) => h('div.played', h('div.played-map', map, below), list);

/**
 * Creates the legend of the colours of speeds.
 * @param {{colour: string, from: number, to?: number}[]} steps
 */
export function speedLegend(steps) {
  if (!steps.length) return null;
  return h('figure.speed-legend', h('figcaption', `${t('trip.speed')}, ${units() === 'miles' ? 'mph' : 'km/h'}`),
    h('ul', steps.map(({ colour, from, to }) => {
      const swatch = h('span.speed-swatch');
      swatch.style.background = colour;
      return h('li', swatch,
        to === undefined ? t('player.over', { n: number(from) }) : `${number(from)}–${number(to)}`);
    })));
}

/** The sides of the mark of a stop in pixels: the least, the greatest, and the hours of the greatest. */
const [SMALL, LARGE, LONG] = [18, 38, 24];

/**
 * Returns the size of the mark of a stop in pixels, which grows with its length, first fast, then slowly.
 * @param {{start: string, end?: string}} stop
 */
export function stopSize({ start, end }) {
  const minutes = ((end ? Date.parse(end) : Date.now()) - Date.parse(start)) / 60_000;
  const part = Math.log1p(Math.max(0, minutes)) / Math.log1p(LONG * 60);
  return Math.round(SMALL + (LARGE - SMALL) * Math.min(1, part));
}
