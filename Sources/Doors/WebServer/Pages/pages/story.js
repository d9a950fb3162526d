/** The story of a plan: its route, days, photos and distances on one page, which is also a book to print. */
import { h, fill, icon } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { read, readAll, readPages } from '../rpc.js';
import { head, button, buttonLink, dialog, empty, figure, figures, photo, section } from '../ui.js';
import { between, clock, distance, duration, plainDay, planned, span } from '../format.js';
import { plannedIn, zoneName } from '../zones.js';
import { lines, makeMap } from '../map.js';
import { path } from '../paths.js';
import { loadSheet } from '../sheets.js';
import { follow, isAbout } from '../live.js';
import { chaptersOf } from '../planning/chapters.js';
import { ends } from '../planning/days.js';
import { readLegs } from '../planning/legs.js';
import { placed } from './plan.js';
import { goneLink, openedLink } from './link.js';

/** The least length in seconds of a stop that is told, and the most stops whose towns are asked for. */
const [SHORT, NAMED] = [15 * 60, 40];
/** The most subjects whose photos are asked for in one request, and at all. */
const [TOGETHER, SUBJECTS] = [20, 300];

/** @param {Page} page the page of a plan, or of a link to one */
export async function show(page) {
  await Promise.all([addTexts('story'), loadSheet(new URL('../story/story.css', import.meta.url))]);
  const { id, link } = page.params;
  const told = link ? await toldByLink(link) : await toldByPlan(id);
  if (!told) return goneLink(page);
  const { plan, zone, locations, journey, photos, of } = told;
  page.title(`${plan.title}, ${t('story')}`);
  const stops = (journey.stops ?? []).filter((/** @type {any} */ stop) => lengthOf(stop) >= SHORT);
  const [{ chapters, rest }, towns, map] = await Promise.all([
    chaptersOf({ ...told, trips: journey.trips, stops }), townsOf(stops), draw(page, told)]);
  if (page.signal.aborted) return;

  /** @param {any} one */
  const named = (one) => one.caption
    ?? locations.find((/** @type {any} */ location) => one.subject === `location/${location.id}`)?.name ?? plan.title;
  /** @param {any} one */
  const open = (one) => dialog(named(one),
    photo(one.id, named(one), { whole: true, class: 'photo whole', of })).classList.add('wide');
  /** @param {Photo[]} all */
  const gallery = (all) => (all.length ? h('ul.story-photos', all.map((one) => h('li',
    h('button', { type: 'button', onclick: () => open(one), 'aria-label': t('photo.open', { name: named(one) }) },
      photo(one.id, '', { of })), one.caption && h('small', one.caption)))) : null);

  /** Shows one entry: when, what kind, what, and the photos of it.
   * @param {import('../planning/chapters.js').Entry} entry */
  function entry({ kind, of: one, photos: own }) {
    const [when, name, ...text] = {
      item: () => tellItem(one, zone), location: () => tellLocation(one, zone, link, locations.indexOf(one) + 1),
      trip: () => tellTrip(one, zone), stop: () => tellStop(one, zone, towns.get(one)),
      photos: () => [own[0].taken ? clock(own[0].taken, zone) : '', 'photo'],
    }[kind]();
    return h(`li.story-entry.is-${kind}`, h('span.story-time', when), icon(name),
      h('div.story-text', text, gallery(own)));
  }
  const days = new Map((journey.days ?? []).map((/** @type {any} */ one) => [one.day ?? '', one]));
  /** Tells how far a day went: what was travelled, or else what is planned.
   * @param {string} day */
  const far = (day) => {
    const { travelled_m: travelled, planned_m: planned } = days.get(day) ?? {};
    return travelled ? t('story.far', { distance: distance(travelled) })
      : planned ? t('story.plannedfar', { distance: distance(planned) }) : null;
  };
  const visited = locations.filter((/** @type {any} */ { passed }) => passed).length;
  const [first, last] = ends(plan);
  const lasts = first ? (Date.parse(last ?? first) - Date.parse(first)) / 86_400_000 + 1 : 0;
  const count = Math.max(lasts, chapters.filter(({ day }) => day).length);
  const names = (plan.members ?? []).filter((/** @type {Member} */ { state }) => state === 'member')
    .map((/** @type {Member} */ { name }) => name).join(', ');
  const isEmpty = !chapters.length && !photos.length;
  fill(page.main, h('article.story',
    h('div.story-start',
      head(plan.title, {
        back: link ? [path('s', link), t('back')] : [path('plans', id), t('story.plan')],
        actions: isEmpty ? [] : [button({ label: t('story.print'), icon: 'feed', onclick: print })],
        note: [span(plan.start, plan.end), plan.destination, names && t('story.with', { names }),
          plan.start && zoneName(plan.start.time, zone) && t('story.zone', { zone })]
          .filter(Boolean).join(' · '),
      }),
      told.cover ? photo(told.cover, '', { whole: true, class: 'cover story-cover', of }) : null,
      plan.description && h('p.prose', plan.description),
      isEmpty ? empty(t('story.empty'), link ? null : buttonLink(path('plans', id), t('story.fill'), 'add', 'primary'))
        : figures(count > 0 && figure(String(count), t('story.days')),
          locations.length > 0 && figure(visited ? `${visited} / ${locations.length}` : String(locations.length),
            t(visited ? 'journey.visited' : 'plan.locations')),
          journey.planned_m > 0 && figure(distance(journey.planned_m), t('journey.planned')),
          journey.travelled_m > 0 && figure(distance(journey.travelled_m), t('journey.travelled')),
          photos.length > 0 && figure(String(photos.length), t('story.photos'))),
      map?.element),
    chapters.map(({ day, number, entries }) => h('section.story-day',
      h('h2', day ? plainDay(day) : t('plan.noday')),
      h('p.page-note', [number && t('story.day', { n: number }), far(day)].filter(Boolean).join(' · ')),
      h('ol.story-entries', entries.map(entry)))),
    rest.length ? section(t('story.more'), gallery(rest)) : null));
  if (!link) {
    follow(page, isAbout(`plan/${id}`), () => { if (!document.querySelector('dialog[open]')) page.redraw(); });
  }
}

/** Reads a plan with its journey, and the photos of all that belongs to it.
 * @param {string} id */
async function toldByPlan(id) {
  const [plan, itinerary, locations, journey] = await Promise.all([read('plans.get', { plan: id }),
    read('plans.itinerary', { plan: id }), readPages('locations.list', 'locations', { plan: id }),
    read('plans.journey', { plan: id })]);
  const { days } = itinerary;
  const stayed = new Map(journey.locations.map((one) => [one.id, one.stayed_s]));
  const subjects = [`plan/${id}`, ...locations.filter(({ photos }) => photos).map((one) => `location/${one.id}`),
    ...days.flatMap(({ items }) => items.map((item) => `activity/${item.id}`))].slice(0, SUBJECTS);
  const photos = [];
  for (let n = 0; n < subjects.length; n += TOGETHER) {
    const answers = await readAll(subjects.slice(n, n + TOGETHER).map((subject) => ['photos.list', { subject }]));
    photos.push(...answers.flatMap((answer) => answer?.photos ?? []));
  }
  return {
    plan, zone: plan.zone, days, journey, of: '', cover: plan.picture,
    locations: locations.map((one) => ({ ...one, stayed_s: stayed.get(one.id) })),
    // The cover is shown already.
    photos: photos.filter((one) => one.id !== plan.picture),
  };
}

/** Reads what a link tells; null if it shows nothing any more.
 * @param {string} link */
async function toldByLink(link) {
  const plan = await openedLink(link);
  if (!plan) return null;
  const { days, locations } = plan;
  const cover = plan.photos.find((/** @type {{subject: string}} */ { subject }) => subject.startsWith('plan/'))?.id;
  const marked = placed(locations);
  const planned = marked.slice(1).reduce((sum, { lat, lon }, n) =>
    sum + between(marked[n].lat, marked[n].lon, lat, lon), 0);
  return {
    plan, zone: plan.start?.zone, days, locations, journey: /** @type {any} */ ({ planned_m: planned }), cover,
    photos: plan.photos.filter((/** @type {{id: string}} */ { id }) => id !== cover),
    of: `/s/${encodeURIComponent(link)}`,
  };
}

/** Returns the towns of stops, as far as they are known.
 * @param {any[]} stops
 * @returns {Promise<Map<any, string | undefined>>} */
async function townsOf(stops) {
  const asked = stops.slice(0, NAMED);
  if (!asked.length) return new Map();
  const answers = await readAll(asked.map(({ lat, lon }) =>
    ['places.at', { lat: Number(lat.toFixed(2)), lon: Number(lon.toFixed(2)) }])).catch(() => []);
  return new Map(asked.map((stop, n) => [stop, answers[n]?.town?.name]));
}

/** Returns the length of a stop in seconds; 0 if it has not ended.
 * @param {{start: string, end?: string}} stop */
const lengthOf = ({ start, end }) => (end ? (Date.parse(end) - Date.parse(start)) / 1000 : 0);

/** Draws the planned and the travelled route; null if nothing of it has a place.
 * @param {Page} page @param {any} options */
async function draw(page, { locations, journey }) {
  const marked = placed(locations);
  if (!marked.length && !journey.trips?.length) return null;
  const map = await makeMap({ label: t('journey.map'), class: 'tall', signal: page.signal });
  const drawn = map.layer();
  const seen = marked.map(({ lat, lon }) => [lat, lon]);
  drawn.line('way-plan', [...seen]);
  for (const one of marked) {
    drawn.pin([one.lat, one.lon], { kind: one.passed ? 'passed' : 'location', title: one.name, text: one.number });
  }
  map.fit(seen, 13);
  // The story is there before the ways of all trips are.
  readLegs(journey.trips ?? [], seen.at(-1)?.[1], page.signal).then(({ legs }) => {
    if (page.signal.aborted || !legs.length) return;
    for (const points of legs) {
      const parts = lines(points, points[points.length - 1].lon);
      drawn.line('way', parts);
      seen.push(...parts.flat());
    }
    map.fit(seen, 13);
  }).catch(() => {});
  return map;
}

/** @param {...(string | false | undefined)} all */
const notes = (...all) => all.filter(Boolean).map((note) => h('small', note));

/** Formats the time of day of a planned time, with its zone where that is not the story's.
 * @param {any} time @param {string} zone */
const clockOf = (time, zone) => (time?.zone === zone ? planned(time, true) : plannedIn(time, true));

/** Tells an item, with what a traveller needs of it on the way: the address, the code, and whom to call.
 * @param {Activity} item @param {string} zone */
function tellItem(item, zone) {
  const { from, to } = item;
  const isLong = to && from?.at.slice(0, 10) !== to.at.slice(0, 10);
  const ends = [item.departure, item.arrival].filter(Boolean).join(' → ');
  const end = to && !isLong && h('small', `– ${clockOf(to, zone)}`);
  return [[clockOf(from, zone), end], item.tab, h('strong', item.title),
    ...notes(isLong && t('story.until', { time: to.zone === zone ? planned(to) : plannedIn(to) }),
      [item.mode, ends].filter(Boolean).join(' · '), [item.location, item.address].filter(Boolean).join(', '),
      item.contact),
    item.booking_code && h('span.story-code', t('story.code'), ' ', h('code', item.booking_code)),
    item.description && h('p.prose', item.description), ...notes(item.recommendation, item.note)];
}

/** Tells a location: when somebody arrived there, or else when that is planned.
 * @param {any} one @param {string} zone @param {string} link @param {number} number */
function tellLocation(one, zone, link, number) {
  const name = `${number}. ${one.name}`;
  return [one.passed ? clock(one.passed, zone) : clockOf(one.from, zone), 'sight',
    h('strong', link ? name : h('a', { href: path('locations', one.id) }, name)),
    ...notes(one.address, one.stayed_s >= 60 && t('story.stayed', { time: duration(one.stayed_s) })),
    one.description && h('p.prose', one.description)];
}

/** Tells a trip, from when to when and how far.
 * @param {any} trip @param {string} zone */
const tellTrip = (trip, zone) => [clock(trip.start, zone), 'trips',
  h('a', { href: path('trips', trip.id) }, t('story.trip', { distance: distance(trip.distance_m) })),
  ...notes([trip.device, trip.end ? t('story.until', { time: clock(trip.end, zone) }) : t('now.word')].join(' · '))];

/** Tells a stop that was not planned.
 * @param {any} stop
 * @param {string} zone
 * @param {string} [town] */
function tellStop(stop, zone, town) {
  const time = duration(lengthOf(stop));
  const words = town ? t('story.stopin', { town, time }) : t('story.stop', { time });
  return [clock(stop.start, zone), 'time', h('span', words)];
}

/** Prints the book, once the photos that nobody has scrolled to are there. */
async function print() {
  /** @type {NodeListOf<HTMLImageElement>} */
  const found = document.querySelectorAll('.story img');
  const images = [...found];
  for (const image of images) image.loading = 'eager';
  await Promise.allSettled(images.map((image) => image.decode()));
  window.print();
}
