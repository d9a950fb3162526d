/** The journey of a plan: planned and travelled, side by side, and played. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { figures, figure, section, badge, empty, button, ask, rowText, table } from '../ui.js';
import { distance, duration, plainDay, clock, day } from '../format.js';
import { momentIn, plannedIn } from '../zones.js';
import { makeMap, lines, beside } from '../map.js';
import { runs, speedsOf, stepWidth, legendOf } from '../map/speeds.js';
import { makePlayer, preparePlayer } from '../player/player.js';
import { beside as playedBeside, happeningRow, speedLegend, stopSize } from '../player/list.js';
import { path } from '../paths.js';
import { readLegs } from '../planning/legs.js';
import { placed } from './plan.js';

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  const journey = await read('plans.journey', { plan: plan.id });
  const [map] = await Promise.all([makeMap({ label: t('journey.map'), class: 'tall', signal: page.signal }),
    preparePlayer()]);
  const marked = placed(journey.locations);
  const seen = marked.map(({ lat, lon }) => [lat, lon]);
  const drawn = map.layer();
  drawn.line('way-plan', [...seen]);
  for (const one of marked) {
    drawn.pin([one.lat, one.lon], {
      kind: one.visited ? 'passed' : 'location', title: one.name, text: one.number,
      open: () => page.go(path('locations', one.id)),
    });
  }
  const { legs, trips } = await readLegs(journey.trips ?? [], seen.at(-1)?.[1], page.signal);
  const speeds = legs.map(speedsOf);
  const width = stepWidth(speeds.flat());
  const coloured = legs.flatMap((points, n) => runs(points, speeds[n], width));
  for (const points of legs) {
    const parts = lines(points, points[points.length - 1].lon);
    drawn.line('way', parts);
    seen.push(...parts.flat());
  }
  drawn.speeds(coloured);
  for (const stop of journey.stops ?? []) {
    drawn.pin([stop.lat, beside(stop.lon, seen.at(-1)?.[1] ?? stop.lon)], { kind: 'stop', size: stopSize(stop),
      title: [clock(stop.start, plan.zone), lengthOf(stop)].filter(Boolean).join(', ') });
  }
  map.fit(seen, 13);
  /** The player, once there is one.
   * @type {any} */
  let player = null;
  const happenings = happeningsOf(journey, trips, legs, plan.zone, (moment) => player?.seek(moment));
  const playing = h('div');
  const played = h('ol.rows.played-list', { 'aria-label': t('player.list') }, inDays(happenings, plan.zone));
  const visited = journey.locations.filter((one) => one.visited).length;
  fill(body,
    figures(figure(`${visited} / ${journey.locations.length}`, t('journey.visited')),
      figure(distance(journey.planned_m), t('journey.planned')),
      journey.travelled_m !== undefined && figure(distance(journey.travelled_m), t('journey.travelled'))),
    legs.length ? playedBeside(map.element, [speedLegend(legendOf(coloured, width)), playing], played) : map.element,
    !journey.locations.length ? null : table(
      [t('location'), t('journey.when'), t('journey.passed'), t('journey.stayed')],
      journey.locations.map((one) => [
        h('a', { href: path('locations', one.id) }, one.name), plannedIn(one.from) || '–',
        one.visited ? momentIn(/** @type {string} */ (one.passed), plan.zone) : badge(t('journey.not')),
        one.stayed_s === undefined ? '–' : duration(one.stayed_s),
      ])),
    table([t('journey.day'), t('journey.planned'), t('journey.travelled')], journey.days.map((day) => [
      day.day ? plainDay(day.day) : t('plan.noday'), distance(day.planned_m), distance(day.travelled_m),
    ]), [1, 2]),
    journey.trips ? section(t('nav.trips'), journey.trips.length
      ? h('ul.rows.dense', journey.trips.map((trip) => h('li.row.roomy',
        h('a.row-link', { href: path('trips', trip.id) },
          rowText(momentIn(trip.start, plan.zone), trip.device), h('span.row-end', distance(trip.distance_m))),
        plan.may_edit && button({ label: t('journey.takeout'), kind: 'small', onclick: async () => {
          if (await ask(t('journey.takeout.ask'), t('journey.takeout'), false)) {
            await call('plans.removeTrip', { plan: plan.id, trip: trip.id });
            page.refresh();
          }
        } }))))
      : empty(t('journey.notrips'))) : null,
    journey.stops?.length ? section(t('journey.stops'), h('ul.rows.dense', journey.stops.map((stop) => h('li.row',
      h('span.row-text', momentIn(stop.start, plan.zone)),
      h('span', stop.end
        ? duration((Date.parse(stop.end) - Date.parse(stop.start)) / 1000)
        : t('now.word')))))) : null);
  if (legs.length) {
    player = makePlayer({ map, legs, happenings, zone: plan.zone, signal: page.signal });
    fill(playing, player.element);
  }
}

/** Returns how long a stop was; nothing if it has not ended.
 * @param {{start: string, end?: string}} stop */
const lengthOf = ({ start, end }) => (end ? duration((Date.parse(end) - Date.parse(start)) / 1000) : '');

/**
 * Returns what happened on a journey, in order of time, each with the row that tells it.
 * @param {Journey} journey
 * @param {any[]} trips
 * @param {any[]} legs
 * @param {string} zone
 * @param {(moment: number) => void} seek
 */
function happeningsOf(journey, trips, legs, zone, seek) {
  /** @param {string} time @param {string} title @param {string} note @param {string} [end] */
  const of = (time, title, note, end) => {
    const at = Date.parse(time);
    return { at, element: happeningRow({ title, note, end, open: () => seek(at) }) };
  };
  return [
    ...trips.map((trip) => of(trip.start, t('player.departure'), `${clock(trip.start, zone)} · ${trip.device}`,
      distance(trip.distance_m))),
    ...(journey.stops ?? []).map((/** @type {any} */ stop) =>
      of(stop.start, t('player.stop'), clock(stop.start, zone), lengthOf(stop))),
    ...journey.locations.filter((/** @type {any} */ { passed }) => passed).map((/** @type {any} */ one) =>
      of(one.passed, t('player.passed', { name: one.name }), clock(one.passed, zone))),
    // The last point of a trip may lie a little before its end.
    ...trips.flatMap((/** @type {any} */ trip, /** @type {number} */ n) => (trip.end
      ? [of([trip.end, legs[n].at(-1).time].sort()[0], t('player.arrival'), clock(trip.end, zone))] : [])),
  ].sort((one, other) => one.at - other.at);
}

/** Returns the rows of what happened, with the days between them.
 * @param {any[]} happenings @param {string} zone */
function inDays(happenings, zone) {
  let last = '';
  return happenings.flatMap(({ at, element }) => {
    const date = day(new Date(at).toISOString(), zone);
    if (date === last) return [element];
    last = date;
    return [h('li.row-day', date), element];
  });
}
