/** The page Now: a map that follows the device, and its surroundings. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readAll, readPages, staleSince, Refused } from '../rpc.js';
import { me, section, button, buttonLink, when, badge, told, attempt } from '../ui.js';
import { distance, speed, duration, clock, moment, between } from '../format.js';
import { makeMap, lines, beside } from '../map.js';
import { path, pathOf } from '../paths.js';

/** The zooms from which the map shows circles, and the shapes of sights; and the most shapes. */
const [CIRCLES, SHAPES, MOST_SHAPES] = [12.5, 9, 40];

/** The age of an old fix, in seconds. */
const OLD = 30;

/** @param {any} page */
export async function show(page) {
  page.title(t('nav.now'));
  const making = makeMap({ label: t('now.map'), signal: page.signal });
  let [devices, current] = await readAll([['devices.list'], ['position.current']]);
  /** Whether a device carries the person: otherwise nobody knows where they are, and the page shows a device. */
  const aboard = Boolean(devices?.devices.some(({ people }) => me.person && people?.includes(me.person.id)));
  if (!aboard && (!current || current.old)) current = await latest(devices?.devices ?? []) ?? current;
  const device = current?.device ?? devices?.devices.find((one) => one.primary)?.name ?? devices?.devices[0]?.name;
  const name = devices?.devices.find((one) => one.name === device)?.title ?? device;
  const map = await making;
  if (page.signal.aborted) return;

  let follows = true;
  let fix = current;
  /** When the last fix came, by this browser's clock. */
  let came = current ? (staleSince ?? Date.now()) - (current.age ?? 0) * 1000 : 0;
  /** Whether the fix is too old to say where the device is. */
  let isOld = Boolean(current?.old);
  const follow = button({ label: t('now.follow'), icon: 'follow', hidesLabel: true, pressed: true, onclick: () => setFollow(!follows) });
  function setFollow(on) {
    follows = on;
    follow.setAttribute('aria-pressed', String(on));
    if (on && fix) map.see([fix.lat, fix.lon]);
  }
  map.onDrag(() => setFollow(false));

  const status = h('div.card');
  const near = h('span', t('now.closest'));
  const closest = h('ol.rows.dense');
  const votes = h('div');
  const happened = h('ul.rows.dense');
  const add = me.person || me.admin ? button({ label: t(aboard ? 'now.add' : 'now.addthere'), icon: 'add', kind: 'primary',
    onclick: () => addSight(aboard ? null : map.center()) }) : null;
  const boarding = me.person && device && !aboard ? h('div.card', h('p', t('now.aboard', { device: name })),
    button({ label: t('now.aboard.yes'), icon: 'check', onclick: async () => {
      await call('devices.join', { device });
      page.refresh();
    } })) : null;
  const anchor = h('span');
  if (add && device && (aboard || me.admin)) {
    import('../anchor.js').then(({ anchorButtons }) =>
      fill(anchor, anchorButtons(device, () => fix && { lat: fix.lat, lon: fix.lon }))).catch(() => {});
  }
  /** Opens the form of a new sight, whose module is loaded now. */
  async function addSight(place) {
    await attempt(async () => (await import('../sight-form.js')).addSight(page, place, fix));
  }
  fill(page.main, h('div.now',
    h('div.now-map', map.element, h('div.now-tools', follow)),
    h('div.now-side', h('h1', { class: 'hidden', tabindex: '-1' }, t('nav.now')), status, boarding,
      h('div.actions', add, buttonLink('/sights', t('nav.sight'), 'search'),
        anchor),
      votes, section(near, closest), section(t('now.happened'), happened))));

  const mark = map.device();
  const former = map.layer();
  const way = map.layer().line('way', []);
  let trip = null;

  /** Shows the speed of the device and its current trip. */
  function showStatus() {
    if (!fix) return fill(status, h('p', t('now.nofix')), me.person && buttonLink('/machine', t('nav.machine')));
    const age = (Date.now() - came) / 1000;
    if (age >= OLD) isOld = true;
    if (isOld !== Boolean(fix.old)) { fix.old = isOld; mark.move(fix); }
    status.classList.toggle('old', isOld);
    if (isOld) {
      return fill(status,
        h('div.toolbar', h('strong', name), h('small', t('now.fix'), ' ', moment(fix.time))),
        h('p.age', t('now.seen', { time: duration(age) })),
        trip ? h('p', t('now.wastrip', { distance: distance(trip.distance), time: duration((Date.parse(fix.time) - Date.parse(trip.start)) / 1000) }), ' ',
          h('a', { href: path('trips', trip.id) }, t('now.totrip'))) : null,
        me.person && buttonLink('/machine', t('nav.machine')));
    }
    fill(status,
      h('div.toolbar', h('strong', name), h('small', t('now.fix'), ' ', clock(fix.time))),
      h('p.speed', speed(fix.speed)),
      trip ? h('p', t('now.trip', { distance: distance(trip.distance), time: duration((Date.parse(fix.time) - Date.parse(trip.start)) / 1000) }), ' ',
        h('a', { href: path('trips', trip.id) }, t('now.totrip'))) : h('p', t('now.notrip')));
  }

  async function loadTrip() {
    if (!device) return;
    trip = (await read('trips.current', { device }).catch(() => null))?.trip ?? null;
    way.set(trip ? lines(await readPages('trips.trace', 'points', { id: trip.id, tolerance: 4 }).catch(() => []), fix?.lon) : []);
    showStatus();
  }

  let asked = { lat: 0, lon: 0, at: 0 };
  async function loadClosest() {
    asked = { lat: fix?.lat ?? 0, lon: fix?.lon ?? 0, at: Date.now() };
    const answer = await read('sights.nearest', fix ? { device: fix.device ?? device } : map.center()).catch((error) => {
      if (error instanceof Refused) return { nearest: [] };
      throw error;
    });
    if (page.signal.aborted) return;
    // Without a fix, these are the sights around the middle of the map, so their distances mean nothing.
    fill(near, t(!fix ? 'nav.sight' : aboard ? 'now.closest' : 'now.closestto', { device: name }));
    fill(closest, answer.nearest.map((sight) => {
      const arrow = icon('now');
      arrow.style.transform = `rotate(${sight.bearing}deg)`;
      return h('li.row', h('a', { class: 'row-link', href: path('sights', sight.id) },
        h('span.row-text', h('strong', sight.title), sight.category && h('small', sight.category)),
        fix && h('span.row-end', distance(sight.distance), h('small', arrow, ' ', t(`compass.${sight.compass}`)))));
    }));
    if (!answer.nearest.length) fill(closest, h('li.row', t('now.nosights')));
  }

  async function loadVotes() {
    if (!me.person) return;
    const answer = await read('votes.here').catch(() => null);
    fill(votes, answer?.votes.length ? section(t('now.votes'), h('ul.rows.dense', answer.votes.map((vote) => {
      const dot = h('span.swatch');
      dot.dataset.colour = vote.colour;
      return h('li.row', h('a', { class: 'row-link', href: path('votes', vote.id) }, dot,
        h('span.row-text', h('strong', vote.subject), h('small', t('vote.voted', { n: vote.voted, all: vote.participants })))));
    }))) : null);
  }

  /** @param {any} event */
  function eventRow(event) {
    const telling = tellingOf(event);
    return telling && h('li.row', telling.path ? h('a', { class: 'row-link', href: telling.path }, h('span.row-text', h('span', telling.text))) : h('span.row-text', h('span', telling.text)),
      h('small', when(event.time)));
  }
  async function loadEvents() {
    const last = (await call('events.list', { limit: 1 }).catch(() => null))?.last ?? 0;
    const answer = await read('events.list', { after: Math.max(0, last - 40), limit: 60 }).catch(() => null);
    const rows = (answer?.events ?? []).reverse().map(eventRow).filter(Boolean).slice(0, 12);
    fill(happened, rows.length ? rows : h('li.row', t('now.nothing')));
  }

  // Sights in the visible part of the map.
  const sights = map.clusters();
  const around = map.layer();
  const things = map.layer();
  /** Returns where to draw a place: on the visible turn around the world. */
  const at = ({ lat, lon }) => /** @type {[number, number]} */ ([lat, beside(lon, map.center().lon)]);
  let windowSeen = '';
  /** The sights with a shape that the map has shown, by id. */
  const shapes = new Map();
  async function loadWindow() {
    const view = map.bounds();
    if (!view) return;
    const [more, up] = [0.2 * (view.east - view.west), 0.2 * (view.north - view.south)];
    const isWorld = view.east - view.west + 2 * more >= 360;
    const bbox = [isWorld ? -180 : beside(view.west - more, 0), Math.max(-90, view.south - up), isWorld ? 180 : beside(view.east + more, 0), Math.min(90, view.north + up)]
      .map((degree) => Number(degree.toFixed(3)));
    if (String(bbox) === windowSeen) return;
    windowSeen = String(bbox);
    // At most as many as fit beside each other.
    const { clientWidth, clientHeight } = map.element;
    const limit = Math.max(20, Math.min(500, Math.round((clientWidth * clientHeight * 2) / 60 ** 2)));
    const answer = await read('sights.map', { bbox, limit }).catch(() => null);
    if (!answer || page.signal.aborted) return;
    around.clear();
    for (const one of answer.clusters) {
      const [west, south, east, north] = one.bbox;
      const [, lon] = at(one);
      around.cluster([one.lat, lon], one.count, () => map.fit([[south, beside(west, lon)], [north, beside(east, lon)]], map.zoom() + 3, true));
    }
    sights.set(answer.sights.map((sight) => ({ point: at(sight), kind: 'sight', title: sight.title, open: () => page.go(path('sights', sight.id)) })));
    if (map.zoom() >= CIRCLES) {
      for (const sight of answer.sights.filter(({ form }) => !form).slice(0, 200)) around.sight(sight, at(sight));
    }
    if (map.zoom() < SHAPES) return;
    const shaped = answer.sights.filter(({ form }) => form).slice(0, MOST_SHAPES);
    if (shapes.size > 500) shapes.clear();
    const fresh = shaped.filter(({ id }) => !shapes.has(id));
    if (fresh.length) {
      const found = await readAll(fresh.map(({ id }) => ['sights.get', { id }])).catch(() => []);
      found.forEach((sight, n) => shapes.set(fresh[n].id, sight));
      // The map may show another window by now.
      if (page.signal.aborted || windowSeen !== String(bbox)) return;
    }
    for (const { id } of shaped) {
      const sight = shapes.get(id);
      if (sight) around.sight(sight, at(sight));
    }
  }

  /** Shows the locations of current plans, and the person's open votes. */
  async function loadPlans() {
    if (!me.person) return;
    const plans = (await read('plans.list', { order: 'start' }).catch(() => null))?.plans ?? [];
    const now = Date.now();
    const on = plans.filter(({ start, end }) => start && Date.parse(start.time) - 864e5 < now && Date.parse((end ?? start).time) + 2 * 864e5 > now).slice(0, 5);
    for (const plan of on) {
      const answer = await read('locations.list', { plan: plan.id, limit: 100 }).catch(() => null);
      answer?.locations.forEach((location, n) => {
        if (location.lat === undefined) return;
        things.circle('fence-location', at(location), location.radius_m);
        things.pin(at(location), { kind: location.passed ? 'passed' : 'location', title: location.name, text: n + 1, open: () => page.go(path('locations', location.id)) });
      });
    }
    const own = (await read('votes.list', { part: 'initiated' }).catch(() => null))?.votes ?? [];
    for (const vote of own.filter(({ ended }) => !ended).slice(0, 5)) {
      const { lat, lon, colour, subject, id } = await read('votes.get', { vote: vote.id });
      if (lat !== undefined) things.pin(at({ lat, lon }), { kind: 'vote', title: subject, colour, open: () => page.go(path('votes', id)) });
    }
  }

  async function loadPast() {
    const trips = (await read('trips.list', { limit: 12, ...(device ? { device } : {}) }).catch(() => null))?.trips ?? [];
    for (const past of trips.filter(({ end }) => end)) {
      const points = await readPages('trips.trace', 'points', { id: past.id, tolerance: 15 }).catch(() => []);
      if (page.signal.aborted) return;
      former.line('way-past', lines(points, fix?.lon));
    }
  }

  if (fix) { mark.move(fix); map.see([fix.lat, fix.lon], 14); }
  showStatus();
  map.onLongPress((place) => add && addSight(place));
  let wait = 0;
  map.onMove(() => { clearTimeout(wait); wait = window.setTimeout(() => attempt(loadWindow), 250); });
  page.signal.addEventListener('abort', () => clearTimeout(wait));

  page.on('position', (event) => {
    if (event.device !== device && device) return;
    if (!fix) map.see([event.lat, event.lon], 14);
    fix = { device: event.device, time: event.time, lat: event.lat, lon: beside(event.lon, fix?.lon ?? event.lon), ...event.fix };
    came = Date.now();
    isOld = false;
    mark.move(fix);
    if (trip) {
      way.extend([fix.lat, fix.lon]);
      trip.distance += trip.at ? between(trip.at[0], trip.at[1], fix.lat, fix.lon) : 0;
      trip.at = [fix.lat, fix.lon];
    }
    if (follows) map.see([fix.lat, fix.lon]);
    showStatus();
    if (Date.now() - asked.at > 3000 && between(asked.lat, asked.lon, fix.lat, fix.lon) > 15) loadClosest().catch(() => {});
  });
  page.on('any', (event) => {
    if (event.type === 'position') return;
    const row = eventRow(event);
    if (row) { happened.prepend(row); while (happened.children.length > 12) happened.lastElementChild.remove(); }
    if (/^trip\./.test(event.type)) loadTrip();
    if ((event.geofence ?? event.notification)?.kind === 'vote') loadVotes();
  });
  const every = setInterval(() => { loadTrip(); loadVotes(); }, 60_000);
  const aging = setInterval(() => { if (fix && (isOld || Date.now() - came >= OLD * 1000)) showStatus(); }, 5000);
  page.signal.addEventListener('abort', () => { clearInterval(every); clearInterval(aging); });

  // Load the rest once the page is shown.
  queueMicrotask(async () => {
    await Promise.allSettled([loadClosest(), loadTrip(), loadVotes(), loadEvents()]);
    if (page.signal.aborted) return;
    await Promise.allSettled([loadWindow(), loadPlans()]);
    if (!page.signal.aborted) loadPast();
  });
}

/** Returns the last fix of the device that has had the latest: one that is live comes before a recording that is over. */
async function latest(devices) {
  const [first] = devices.filter(({ last }) => last).sort((one, other) => other.last.time.localeCompare(one.last.time));
  return first ? read('position.current', { device: first.name }).catch(() => null) : null;
}

/** Returns the text of an event and the address that it leads to; null for other events. @param {any} event */
export function tellingOf(event) {
  const { type, geofence, trip, stop, notification } = event;
  if (notification) return { text: told(notification), path: pathOf(notification.destination) };
  if (geofence) return { text: [t(`event.${type}`), ' ', h('b', geofence.title)], path: pathOf(`${geofence.kind}/${geofence.id}`) };
  if (type === 'geofence.speed') return { text: [badge(event.device), ' ', t(event.max_speed === undefined ? 'event.speed' : 'event.speed.end')], path: null };
  if (trip) return { text: [t(`event.${type}`), trip.distance && type === 'trip.end' ? ` (${distance(trip.distance)})` : ''], path: path('trips', trip.id) };
  if (stop) return { text: t(`event.${type}`), path: null };
  if (type === 'health.changed') return { text: event.findings.length ? event.findings.map(({ text }) => text).join('; ') : t('event.health.well'), path: me.person ? '/machine' : null };
  if (type.startsWith('source.')) return { text: [badge(event.device), ' ', t(`event.${type}`)], path: me.person ? '/machine' : null };
  return null;
}
