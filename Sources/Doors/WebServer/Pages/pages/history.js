/** History: a calendar of each year, and a search for when a device was at a place. */
import { h, fill } from '../dom.js';
import { t, locale } from '../texts.js';
import { read, readAll, readPages } from '../rpc.js';
import { head, choice, button, buttonLink, figures, figure, section, empty, pages, searchField, said } from '../ui.js';
import { distance, duration, day, clock, plainDay } from '../format.js';
import { findPlaces, showPlaces } from '../places.js';
import { path } from '../paths.js';
import { heatMap, prepare } from './heat.js';

/** The radius in metres around the middle of a town, in which a trip was in it. */
const RADIUS = 3000;

/** Returns what stands in place of the calendar before the first trip has ended.
 * @param {any[]} devices */
async function beginning(devices) {
  const some = devices.slice(0, 20);
  /** @type {any[]} */
  const answers = !some.length ? [] : await readAll(some.flatMap(({ name }) =>
    [['trips.current', { device: name }], ['position.current', { device: name }]])).catch(() => []);
  for (const [n, { name }] of some.entries()) {
    const [trip, fix] = [answers[2 * n]?.trip, answers[2 * n + 1]];
    if (!trip || !fix) continue;
    const time = duration((Date.parse(fix.time) - Date.parse(trip.start)) / 1000);
    return empty(t(fix.old ? 'history.begun' : 'history.begins', { distance: distance(trip.distance), time }),
      buttonLink(`/now?device=${encodeURIComponent(name)}`, t('nothing.map'), 'now', 'primary'),
      buttonLink(path('trips', trip.id), t('now.totrip')));
  }
  return empty(t('trips.none'), buttonLink('/now', t('nothing.map'), 'now'));
}

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.history'));
  await prepare();
  const devices = await readPages('devices.list', 'devices', {}).catch(() => []);
  let device = page.query.get('device') ?? '';
  if (!devices.some((one) => one.name === device)) device = '';
  let year = Number(page.query.get('year')) || 0;
  /** The machine's time zone, in which days begin.
   * @type {string | undefined} */
  let zone;
  const calendar = h('div.section');
  const found = h('div.section');
  const own = () => (device ? { device } : {});

  async function yearParts() {
    const answer = await read('reports.summary', { period: 'year', limit: 1000, ...own() });
    const { sums } = answer;
    ({ zone } = answer);
    const years = [...new Set(sums.map((sum) => Number(sum.start.slice(0, 4))))];
    if (!years.length) return [await beginning(devices.filter(({ name }) => !device || name === device))];
    if (!years.includes(year)) [year] = years;
    const of = sums.filter((sum) => Number(sum.start.slice(0, 4)) === year);
    /** @param {string} name */
    const total = (name) => of.reduce((sum, one) => sum + /** @type {any} */ (one)[name], 0);
    const days = new Map();
    for (const sum of await readPages('reports.summary', 'sums',
      { period: 'day', from: `${year}-01-01`, to: `${year}-12-31`, limit: 1000, ...own() }, 20_000)) {
      const known = days.get(sum.start) ?? { distance: 0, trips: 0 };
      days.set(sum.start, { distance: known.distance + sum.distance, trips: known.trips + sum.trips });
    }
    return [
      years.length > 1 ? choice(years.map((one) => [String(one), String(one)]), String(year), t('history.year'),
        (chosen) => { year = Number(chosen); reload(); }) : h('h2', String(year)),
      figures(figure(distance(total('distance')), t('trip.distance')), figure(String(total('trips')), t('nav.trips')),
        figure(duration(total('moving')), t('trip.moving')), figure(String(days.size), t('history.days'))),
      yearTable(year, days, page, device), h('small', t('history.keys')),
      h('div.actions', buttonLink(`/history/year/${year}${device ? `?device=${encodeURIComponent(device)}` : ''}`,
        t('year.title', { year: String(year) }), 'reports')),
    ];
  }
  const reload = newest(calendar, page.signal, yearParts);
  const [heat] = await Promise.all([heatMap(page.signal), reload()]);
  fill(page.main,
    head(t('nav.history'), { note: t('history.note'), actions: [buttonLink('/reports', t('nav.reports'), 'reports')] }),
    h('div.toolbar', searchField(t('history.search'), (text) => search(text)),
      devices.length > 1 ? choice([['', t('all')], ...devices.map((one) => [one.name, one.title ?? one.name])], device,
        t('trips.device'), (chosen) => { device = chosen; reload(); heat.show(device); }) : null),
    found, calendar, section(t('heat.title'), heat.element));
  heat.show(device);

  /** The number of the last search. */
  let asked = 0;
  /** Shows the places with a name.
   * @param {string} text */
  async function search(text) {
    if (!text) { asked += 1; return fill(found); }
    const question = ++asked;
    const answer = await findPlaces(text);
    if (page.signal.aborted || question !== asked) return;
    const list = h('ul.rows.dense', { 'aria-label': t('place.found') });
    showPlaces(list, answer, near);
    fill(found, list);
  }

  /** Shows when a device was at a place.
   * @param {Place} place */
  function near(place) {
    asked += 1;
    fill(found, section(t('history.in', { place: place.name }), pages({
      method: 'history.near', list: 'trips', params: { lat: place.lat, lon: place.lon, radius: RADIUS, limit: 20,
        ...own() }, none: t('history.never', { place: place.name }),
      row: ({ near = '', ...trip }) => h('li.row', h('a.row-link', { href: dayPath(dayIn(near, zone), device) },
        h('span.row-text', h('strong', day(near, zone)),
        h('small', `${clock(near, zone)} · ${trip.name ?? trip.device}`)),
        h('span.row-end', distance(trip.distance)))),
    })));
  }
}

/**
 * Returns the address of the page of a day.
 * @param {string} date such as 2026-05-01
 * @param {string} [device] the only device that it is to show
 */
export const dayPath = (date, device) =>
  `/history/${date}${device ? `?device=${encodeURIComponent(device)}` : ''}`;

/**
 * Returns a function that asks anew and shows the answer in an element. An answer that comes after that to a later
 * question is not shown.
 * @param {Element} element
 * @param {AbortSignal} signal that the page is left
 * @param {() => Promise<any>} ask
 */
export function newest(element, signal, ask) {
  let questions = 0;
  return async function load() {
    const question = ++questions;
    element.setAttribute('aria-busy', 'true');
    const parts = await ask().catch((error) => empty(said(error), button({ label: t('again'), onclick: load })));
    if (question !== questions || signal.aborted) return;
    element.removeAttribute('aria-busy');
    fill(element, parts);
  };
}

/**
 * Returns the day of a moment in a time zone, such as 2026-05-01.
 * @param {string} time
 * @param {string} [timeZone]
 */
export const dayIn = (time, timeZone) => new Intl.DateTimeFormat('en-CA',
  { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(time));

/**
 * Creates the calendar of a year: a row for each month, and a link for each day, darker the farther it went.
 *
 * One day is in the order of the Tab key; the arrow keys move on from there.
 * @param {Page} page
 * @param {number} year
 * @param {Map<string, {distance: number, trips: number}>} days
 * @param {string} device the only device, or none
 */
function yearTable(year, days, page, device) {
  const links = new Map();
  const most = Math.max(...[...days.values()].map((one) => one.distance), 1);
  /** @param {number} n */
  const month = (n) => new Intl.DateTimeFormat(locale,
    { month: 'short', timeZone: 'UTC' }).format(new Date(Date.UTC(year, n, 15)));
  /** @param {string} date */
  const link = (date) => {
    const sum = days.get(date);
    const told = sum ? `${distance(sum.distance)}, ${t('history.trips', { n: sum.trips })}` : t('history.nothing');
    const label = `${plainDay(date)}: ${told}`;
    const element = h('a', { href: dayPath(date, device), 'aria-label': label, title: label, tabindex: '-1',
      'data-level': sum ? String(Math.min(4, 1 + Math.floor((4 * sum.distance) / most))) : null });
    links.set(date, element);
    return element;
  };
  const rows = Array.from({ length: 12 }, (_, n) => h('tr', h('th', { scope: 'row' }, month(n)),
    Array.from({ length: new Date(Date.UTC(year, n + 1, 0)).getUTCDate() },
      (_, m) => h('td', link(new Date(Date.UTC(year, n, m + 1)).toISOString().slice(0, 10))))));
  const dates = [...links.keys()];
  const kept = sessionStorage.getItem('history.day');
  let current = links.has(kept) ? kept : dates.filter((date) => days.has(date)).at(-1) ?? dates[0];
  links.get(current).tabIndex = 0;
  /** Moves the focus to a day of this year.
   * @param {string} date */
  function move(date) {
    if (!links.has(date)) return;
    links.get(current).tabIndex = -1;
    current = date;
    links.get(current).tabIndex = 0;
    links.get(current).focus();
  }
  /** @param {number} count */
  const later = (count) => dates[dates.indexOf(current) + count];
  /** @param {number} count */
  const inMonth = (count) => {
    const [, n, m] = current.split('-').map(Number);
    const last = new Date(Date.UTC(year, n + count, 0)).getUTCDate();
    return new Date(Date.UTC(year, n - 1 + count, Math.min(m, last))).toISOString().slice(0, 10);
  };
  const element = h('div.table.calendar', { onkeydown: (event) => {
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1;
    const to = { ArrowRight: () => later(forward), ArrowLeft: () => later(-forward), ArrowDown: () => inMonth(1),
      ArrowUp: () => inMonth(-1), Home: () => dates[0], End: () => dates[dates.length - 1] }[event.key];
    if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(to());
  }, onclick: () => sessionStorage.setItem('history.day', current), onfocusin: (event) => {
    const date = event.target.getAttribute('href')?.slice('/history/'.length).split('?')[0];
    if (date && date !== current) { links.get(current).tabIndex = -1; current = date; links.get(current).tabIndex = 0; }
  } }, h('table', h('caption.hidden', t('history.calendar', { year: String(year) })),
    h('thead', h('tr', h('td'), Array.from({ length: 31 }, (_, n) => h('th', { scope: 'col' }, String(n + 1))))),
      h('tbody', rows)));
  // Coming back from a day, the focus is on it again.
  if (kept && links.has(kept)) page.main.addEventListener('shown',
    () => links.get(kept).scrollIntoView({ block: 'nearest', inline: 'nearest' }), { once: true });
  return element;
}
