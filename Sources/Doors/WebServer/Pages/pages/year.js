/** A year in pictures: its sums, its months, where one was, the countries and the new places; also on paper. */
import { h, fill, svg } from '../dom.js';
import { t, number, locale } from '../texts.js';
import { read, readPages } from '../rpc.js';
import { head, choice, button, buttonLink, figures, figure, section, empty } from '../ui.js';
import { distance, duration, plainDay, place } from '../format.js';
import { newest } from './history.js';
import { middleOf, weightOf, prepare } from './heat.js';
import { countriesAt, worldRings } from '../year/world.js';

/** The width and the greatest height of the picture of the map. */
const [WIDTH, HEIGHT] = [800, 520];
/** The most countries and places that are listed. */
const MOST = 60;

/** @param {Page} page */
export async function show(page) {
  await prepare();
  const year = Number(page.params.year);
  page.title(t('year.title', { year: String(year) }));
  const devices = await readPages('devices.list', 'devices', {}).catch(() => []);
  let device = page.query.get('device') ?? '';
  const body = h('div.section.year');
  const neighbours = [year - 1, year + 1].map((one) => buttonLink('', String(one)));
  const load = newest(body, page.signal, () => {
    for (const [n, link] of neighbours.entries()) {
      link.href = `/history/year/${year - 1 + 2 * n}${device ? `?device=${encodeURIComponent(device)}` : ''}`;
    }
    return pictures(year, device);
  });
  await load();
  fill(page.main,
    head(t('year.title', { year: String(year) }), { back: [`/history?year=${year}`, t('nav.history')],
      actions: [...neighbours, button({ label: t('report.print'), onclick: () => window.print() })] }),
    devices.length > 1 ? h('div.toolbar.actions', choice([['', t('all')],
      ...devices.map((one) => [one.name, one.title ?? one.name])], device, t('trips.device'),
    (chosen) => { device = chosen; load(); })) : null,
    body);
}

/** Returns the pictures of a year.
 * @param {number} year @param {string} device */
async function pictures(year, device) {
  const own = device ? { device } : {};
  const story = await read('history.year', { year, ...own });
  if (!story.trips) return empty(t('year.none', { year: String(year) }));
  const heat = story.bbox ? await read('history.heat', { bbox: story.bbox, zoom: zoomOf(story.bbox), year, ...own })
    .catch(() => null) : null;
  const rings = await worldRings();
  const countries = await countryNames(story, heat);
  const months = story.months.map((one, n) => ({ ...one, name: monthName(year, n, 'long'),
    short: monthName(year, n, 'narrow') }));
  return [
    figures(figure(distance(story.distance), t('trip.distance')), figure(number(story.days), t('history.days')),
      figure(number(story.trips), t('nav.trips')), figure(duration(story.moving), t('trip.moving')),
      countries.length ? figure(number(countries.length), t('year.countries')) : null,
      figure(number(story.places_new), t('year.places.new'))),
    story.pending ? h('p.note', t('heat.pending', { n: story.pending })) : null,
    section(t('year.months'), bars(months), h('small', best(story, months))),
    heat?.cells.length ? section(t('heat.title'), still(heat, /** @type {number[]} */ (story.bbox), rings, year),
      h('small', t('year.squares', { n: story.squares, fresh: number(story.squares_new) }))) : null,
    countries.length ? section(t('year.countries'), h('ul.year-names', { 'aria-label': t('year.countries') },
      countries.slice(0, MOST).map((name) => h('li', name)))) : null,
    story.new_places.length ? section(t('year.places.new'), h('ol.rows.dense.year-places',
      { 'aria-label': t('year.places.new') }, story.new_places.slice(0, MOST).map((one) => h('li.row',
        h('span.row-text', h('strong', one.name ?? place(one.lat, one.lon)),
          h('small', [one.country && countryName(one.country), t('history.trips', { n: one.trips })]
            .filter(Boolean).join(' · ')))))),
    story.places_new > MOST ? h('small', t('year.places.more', { n: story.places_new - MOST })) : null) : null,
  ];
}

/** @param {number} year @param {number} n @param {'long' | 'narrow'} month */
const monthName = (year, n, month) => new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' })
  .format(new Date(Date.UTC(year, n, 15)));

/** Says what was the farthest month and day.
 * @param {HistoryYear} year @param {any[]} months */
function best({ longest }, months) {
  const month = months.reduce((one, other) => (other.distance > one.distance ? other : one));
  return [t('year.best', { month: month.name, distance: distance(month.distance) }),
    longest && t('year.longest', { day: plainDay(longest.day), distance: distance(longest.distance) })]
    .filter(Boolean).join(' ');
}

/** Draws the distance of each month as a bar, and lists the numbers for those who hear them.
 * @param {any[]} months */
function bars(months) {
  const most = Math.max(...months.map((one) => one.distance), 1);
  const [width, height, foot] = [60, 180, 24];
  /** @param {any} one */
  const told = (one) => `${one.name}: ${distance(one.distance)}, ${t('history.trips', { n: one.trips })}`;
  return h('figure.year-picture', svg('svg', { viewBox: `0 0 ${12 * width} ${height + foot + 18}`, role: 'img',
    'aria-label': `${t('year.months')}. ${months.filter((one) => one.trips).map(told).join('; ')}` },
  months.map((one, n) => {
    const tall = Math.max(one.trips ? 2 : 0, (height * one.distance) / most);
    return svg('g', {}, svg('title', {}, told(one)),
      svg('rect', { x: n * width + 8, y: 18 + height - tall, width: width - 16, height: tall, rx: 4,
        class: 'year-bar' }),
      one.distance ? svg('text', { x: (n + 0.5) * width, y: 12 + height - tall, class: 'year-value' },
        short(one.distance)) : '',
      svg('text', { x: (n + 0.5) * width, y: 18 + height + foot - 6, class: 'year-month' }, one.short));
  })));
}

/** Returns a distance without its unit's decimals, as a bar has little room.
 * @param {number} metres */
const short = (metres) =>
  distance(metres < 1000 ? metres : Math.round(metres / 1000) * 1000).replace(/[.,]0(?=\D)/, '');

/** @param {number} lon */
const across = (lon) => (lon + 180) / 360;
/** @param {number} lat */
const down = (lat) => (1 - Math.asinh(Math.tan((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180)) / Math.PI) / 2;

/** Returns the zoom at which a window in degrees fills the picture.
 * @param {number[]} point */
export function zoomOf([west, south, east, north]) {
  const share = Math.max((across(east) - across(west)) / (WIDTH / 512), (down(south) - down(north)) / (HEIGHT / 512));
  return Math.max(0, Math.min(13, Math.round(Math.log2(1 / Math.max(share, 2 ** -13)))));
}

/**
 * Draws the squares over the coasts and the borders of the world, without a map of streets.
 * @param {{level: number, cells: number[][], most: number}} heat
 * @param {number[]} bbox
 * @param {any[]} rings
 * @param {number} year
 */
function still({ level, cells, most }, [west, south, east, north], rings, year) {
  // At least 60 km, so that a coast or a border may be in it.
  const least = 0.0015;
  let [left, right, top, bottom] = [across(west), across(east), down(north), down(south)];
  const pad = Math.max(0.08 * Math.max(right - left, bottom - top), least / 4);
  [left, right, top, bottom] = [left - pad, right + pad, top - pad, bottom + pad];
  const scale = WIDTH / Math.max(right - left, (bottom - top) * (WIDTH / HEIGHT));
  const height = Math.max(200, Math.round((bottom - top) * scale));
  const shift = (WIDTH - (right - left) * scale) / 2;
  /** @param {number} value */
  const x = (value) => ((value - left) * scale + shift).toFixed(1);
  /** @param {number} value */
  const y = (value) => ((value - top) * scale).toFixed(1);
  const size = Math.max(2.5, scale / 2 ** level);
  const land = rings.map((/** @type {number[][]} */ ring) => {
    const points = ring.map((/** @type {number[]} */ [lon, lat]) => [across(lon), down(lat)]);
    const xs = points.map((/** @type {number[]} */ [one]) => one);
    const ys = points.map((/** @type {number[]} */ [, one]) => one);
    const isInside = Math.max(...xs) > left - shift / scale && Math.min(...xs) < right + shift / scale
      && Math.max(...ys) > top && Math.min(...ys) < bottom;
    return isInside ? `M${points.map((/** @type {number[]} */ [one, other]) =>
      `${x(one)} ${y(other)}`).join('L')}Z` : '';
  }).join('');
  return h('figure.year-picture', svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', class: 'year-map',
    'aria-label': t('year.map', { year: String(year), n: cells.length }) },
  svg('rect', { width: WIDTH, height, class: 'year-sea' }), svg('path', { d: land, class: 'year-land' }),
  cells.map(([column, row, trips]) => svg('rect', { x: x(column / 2 ** level), y: y(row / 2 ** level),
    width: size.toFixed(1), height: size.toFixed(1), rx: (size / 4).toFixed(1), class: 'year-square',
    'fill-opacity': (0.35 + 0.65 * weightOf(trips, most)).toFixed(2) }))));
}

/** Returns the name of a country in the reader's language.
 * @param {string} code two letters */
function countryName(code) {
  try {
    return new Intl.DisplayNames([locale], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Returns the names of the countries; without a gazetteer, those of the world that comes with the pages.
 * @param {HistoryYear} story @param {Result<'history.heat'> | null} heat */
async function countryNames(story, heat) {
  if (story.countries.length || !heat) return story.countries.map(({ code }) => countryName(code));
  return countriesAt(heat.cells.map(([x, y]) => middleOf(heat.level, x, y)));
}
