/** A day of the past: its trips, stops, sights and photos in order of time, and its map. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { me, head, buttonLink, empty, photo, figures, figure } from '../ui.js';
import { read, readAll, readPages } from '../rpc.js';
import { distance, duration, clock, plainDay } from '../format.js';
import { makeMap, lines, unwrapped } from '../map.js';
import { runs, speedsOf, stepWidth, legendOf } from '../map/speeds.js';
import { preparePlayer } from '../player/player.js';
import { speedLegend, stopSize } from '../player/list.js';
import { path, pathOf } from '../paths.js';
import { dayPath } from './history.js';
import { tripName } from './trips.js';

/** The most photos among which those of the day are looked for. */
const MOST_PHOTOS = 1000;
/** The most trips whose lines the map shows. */
const MOST_LINES = 50;

/** @param {Page} page */
export async function show(page) {
  const { day } = page.params;
  const device = page.query.get('device') ?? '';
  /** @type {{device?: string}} */
  const own = device ? { device } : {};
  const [history, sums] = await readAll([['history.day', { day, ...own }],
    ['reports.summary', { period: 'day', from: day, to: day, ...own }]]);
  if (!history) return fill(page.main, head(t('nothing.title')),
    empty(t('nothing'), buttonLink('/history', t('nav.history'))));
  const { zone, begin, end } = history;
  page.title(plainDay(day));
  sessionStorage.setItem('history.day', day);
  const photos = me.person ? (await readPages('photos.list', 'photos', { person: me.person.id, limit: 100 },
    MOST_PHOTOS).catch(() => [])).filter(({ taken }) => taken && taken >= begin && taken < end) : [];
  const several = new Set([...history.trips, ...history.stops].map((one) => one.device)).size > 1;
  /** Returns the times of an entry, as far as they are on this day.
   * @param {string} start @param {string | undefined} stop */
  const times = (start, stop) => [start < begin ? '…' : clock(start, zone), !stop ? t('now.word') : stop > end ? '…'
    : clock(stop, zone)].join(' – ');
  /** @param {string} start @param {string | undefined} stop */
  const long = (start, stop) => stop && duration((Date.parse(stop) - Date.parse(start)) / 1000);
  /**
   * @param {string} name
   * @param {string} title
   * @param {(string | false | undefined)[]} notes
   * @param {string | null} [ending]
   * @param {string} [href]
   */
  const row = (name, title, notes, ending, href) => h('li.row',
    h(href ? 'a.row-link' : 'span.row-link', href ? { href } : {}, icon(name),
    h('span.row-text', h('strong', title), h('small', notes.filter(Boolean).join(' · ')))), ending
      && h('span.row-end', ending));
  const entries = /** @type {[string, Element][]} */ ([
    ...history.trips.map((trip) => [trip.start,
      row('trips', tripName(trip), [times(trip.start, trip.end), several && trip.device, long(trip.start, trip.end)],
      trip.distance === undefined ? null : distance(trip.distance), path('trips', trip.id))]),
    ...history.stops.map((stop) => [stop.start,
      row('lodging', stop.name ?? t('history.stop'),
      [times(stop.start, stop.end), several && stop.device, long(stop.start, stop.end)])]),
    ...history.visits.map((visit) => [visit.entered,
      row('sight', visit.title, [visit.left ? times(visit.entered, visit.left) : clock(visit.entered, zone), several
      && visit.device], null, path('sights', visit.sight))]),
    ...photos.map((one) => [one.taken, h('li.row',
      h('a.row-link', { href: pathOf(one.subject) ?? '/profile' }, photo(one.id, '', { class: 'photo thumb' }),
      h('span.row-text', h('strong', one.caption ?? t('photo')),
        h('small', clock(/** @type {string} */ (one.taken), zone)))))]),
  ]).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, element]) => element);
  /** @param {number} days */
  const beside = (days) => new Date(Date.parse(`${day}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  const way = (sums?.sums ?? []).reduce((sum, one) => sum + one.distance, 0);
  const map = history.trips.length || history.stops.length
    ? await makeMap({ label: t('map.of', { name: plainDay(day) }), signal: page.signal }) : null;
  const legend = h('div');
  fill(page.main,
    head(plainDay(day), { back: [`/history?${new URLSearchParams(Object.entries({ year: day.slice(0, 4), ...own }))}`,
      t('nav.history')], note: [device, t('report.zone', { zone })].filter(Boolean).join(' · '), actions: [
      buttonLink(dayPath(beside(-1), device), t('history.before')),
        buttonLink(dayPath(beside(1), device), t('history.after'))] }),
    entries.length ? [
      figures(figure(distance(way), t('trip.distance')), figure(String(history.trips.length), t('nav.trips')),
        figure(String(history.stops.length), t('trip.stops'))),
      map?.element, legend,
      h('ol.rows', { 'aria-label': t('history.timeline') }, entries)] : empty(t('history.empty')));
  if (map) draw(map, history, page, legend).catch(() => {});
}

/** Draws the trips, coloured by their speed, and the places of the stops, the larger the longer they were.
 * @param {any} map @param {HistoryDay} history @param {Page} page @param {HTMLDivElement} legend */
async function draw(map, history, page, legend) {
  await preparePlayer();
  const layer = map.layer();
  const all = history.stops.map((stop) => [stop.lat, stop.lon]);
  for (const stop of history.stops) layer.pin([stop.lat, stop.lon],
    { kind: 'stop', title: stop.name ?? t('history.stop'), text: '', size: stopSize(stop) });
  const traces = [];
  for (const trip of history.trips.slice(0, MOST_LINES)) {
    const { points } = await read('trips.trace',
      { id: trip.id, tolerance: 20, limit: 1000 }).catch(() => ({ points: [] }));
    if (page.signal.aborted) return;
    const ways = lines(points);
    if (!ways.length) continue;
    layer.line('way', ways);
    all.push(...ways.flat());
    traces.push(unwrapped(points));
  }
  const speeds = traces.map(speedsOf);
  const width = stepWidth(speeds.flat());
  const coloured = traces.flatMap((points, n) => runs(points, speeds[n], width));
  layer.speeds(coloured);
  fill(legend, speedLegend(legendOf(coloured, width)));
  if (all.length) map.fit(all);
}
