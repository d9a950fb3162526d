/** The journey of a plan: planned and travelled, side by side. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import { figures, figure, section, badge, empty, button, ask, rowText, table } from '../ui.js';
import { distance, duration, moment, planned, plainDay, clock } from '../format.js';
import { makeMap, lines, beside } from '../map.js';
import { path } from '../paths.js';
import { placed } from './plan.js';

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  const journey = await read('plans.journey', { plan: plan.id });
  const map = await makeMap({ label: t('journey.map'), class: 'tall', signal: page.signal });
  const marked = placed(journey.locations);
  const seen = marked.map(({ lat, lon }) => [lat, lon]);
  const drawn = map.layer();
  drawn.line('way-plan', [...seen]);
  for (const one of marked) drawn.pin([one.lat, one.lon], { kind: one.visited ? 'passed' : 'location', title: one.name, text: one.number, open: () => page.go(path('locations', one.id)) });
  for (const trip of journey.trips ?? []) {
    const parts = lines(await readPages('trips.trace', 'points', { id: trip.id, tolerance: 10 }).catch(() => []), seen.at(-1)?.[1]);
    drawn.line('way', parts);
    seen.push(...parts.flat());
  }
  for (const stop of journey.stops ?? []) drawn.pin([stop.lat, beside(stop.lon, seen.at(-1)?.[1] ?? stop.lon)], { kind: 'stop', title: clock(stop.start, plan.zone) });
  map.fit(seen, 13);
  const visited = journey.locations.filter((one) => one.visited).length;
  fill(body,
    figures(figure(`${visited} / ${journey.locations.length}`, t('journey.visited')), figure(distance(journey.planned_m), t('journey.planned')), journey.travelled_m !== undefined && figure(distance(journey.travelled_m), t('journey.travelled'))),
    map.element,
    table([t('location'), t('journey.when'), t('journey.passed'), t('journey.stayed')], journey.locations.map((one) => [h('a', { href: path('locations', one.id) }, one.name), planned(one.from) || '–',
      one.visited ? moment(one.passed, plan.zone) : badge(t('journey.not')), one.stayed_s === undefined ? '–' : duration(one.stayed_s)])),
    table([t('journey.day'), t('journey.planned'), t('journey.travelled')], journey.days.map((day) => [day.day ? plainDay(day.day) : t('plan.noday'), distance(day.planned_m), distance(day.travelled_m)]), [1, 2]),
    journey.trips ? section(t('nav.trips'), journey.trips.length ? h('ul.rows.dense', journey.trips.map((trip) => h('li.row', h('a.row-link', { href: path('trips', trip.id) },
      rowText(moment(trip.start, plan.zone), trip.device), h('span.row-end', distance(trip.distance_m))),
    plan.may_edit && button({ label: t('journey.takeout'), kind: 'small', onclick: async () => { if (await ask(t('journey.takeout.ask'), t('journey.takeout'), false)) { await call('plans.removeTrip', { plan: plan.id, trip: trip.id }); page.refresh(); } } })))) : empty(t('journey.notrips'))) : null,
    journey.stops?.length ? section(t('journey.stops'), h('ul.rows.dense', journey.stops.map((stop) => h('li.row', h('span.row-text', moment(stop.start, plan.zone)), h('span', stop.end ? duration((Date.parse(stop.end) - Date.parse(stop.start)) / 1000) : t('now.word')))))) : null);
}
