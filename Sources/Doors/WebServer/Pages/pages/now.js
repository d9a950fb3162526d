/** The page Now: a map that follows the device, and its surroundings. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readAll, readPages } from '../rpc.js';
import { me, section, button, buttonLink, attempt } from '../ui.js';
import { distance, speed, duration, clock, moment, between } from '../format.js';
import { makeMap, lines, beside } from '../map.js';
import { path } from '../paths.js';
import { OLD, knowAll, knownOf, firstLive } from '../now/devices.js';

/** The speed from which a device that is on no trip yet is said to move, in metres per second. */
const MOVING = 1;

/** The zoom at which the map begins. */
const ZOOM = 14;

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.now'));
  const making = makeMap({ label: t('now.map'), signal: page.signal });
  const wanted = page.query.get('device');
  const [answer, current] = await readAll([['devices.list'], ['position.current', wanted ? { device: wanted } : {}]]);
  const devices = answer?.devices ?? [];
  const own = wanted ?? current?.device ?? devices.find((one) => one.primary)?.name ?? devices[0]?.name;
  /** Whether a device carries the person: only then is its place theirs.
   * @param {string | undefined} name */
  const carries = (name) => Boolean(
    me.person && devices.some((one) => one.name === name && one.people?.includes(me.person?.id ?? '')));
  let all = null;
  /** Reads where all devices are, once. */
  const know = () => all ??= knowAll(devices);
  /** The device that the page is about.
   * @type {string | undefined} */
  let device = own;
  // Who travels with none sees one that reports now rather than a recording that has ended.
  const isOwn = wanted || carries(own);
  if (!isOwn && devices.length > 1 && (current?.old ?? true)) device = firstLive(await know())?.name ?? own;
  const known = device === own || !device ? knownOf(devices.find(({ name }) => name === own) ?? { name: own }, current)
    : (await know()).find((/** @type {{name: string}} */ { name }) => name === device);
  /** The last fix of the device, when it came by this browser's clock, and whether it is too old to say where it is. */
  let { fix, came, old: isOld, title } = known;
  const { snapshotOf, keepSnapshot } = await import('../map/snapshot.js');
  const snapshot = fix && snapshotOf({ lat: fix.lat, lon: fix.lon, zoom: ZOOM });
  if (page.signal.aborted) return;

  let follows = true;
  /** The map, which is there once its library has come. Until then a picture of it may be in its place.
   * @type {any} */
  let map = null;
  const follow = button({
    label: t('now.follow'), icon: 'follow', hidesLabel: true, pressed: true, onclick: () => setFollow(!follows),
  });
  /** @param {boolean} on */
  function setFollow(on) {
    follows = on;
    follow.setAttribute('aria-pressed', String(on));
    if (on && fix) map?.see([fix.lat, fix.lon]);
  }

  const status = h('div.card');
  const others = h('div');
  const day = h('div');
  const near = h('span', t('now.closest'));
  const closest = h('ol.rows.dense');
  const votes = h('div');
  const happened = h('ul.rows.dense');
  const mayAdd = Boolean(me.person || me.admin);
  const add = h('span');
  /** Shows the button that adds a sight: where the person is, or on the map if the device does not carry them. */
  function showAdd() {
    const isHere = carries(device);
    fill(add, mayAdd && button({ label: t(isHere ? 'now.add' : 'now.addthere'), icon: 'add', kind: 'primary',
      onclick: () => addSight(isHere || !map ? null : map.center()) }));
  }
  /** What Waymark is, for somebody without an account, once its module is loaded. */
  const visitor = h('div');
  if (!me.person) {
    import('../now/visitor.js').then(({ makeVisitor }) => makeVisitor(title))
      .then((card) => fill(visitor, card), () => {});
  }
  const boarding = me.person && device && !devices.some((one) => carries(one.name))
    ? h('div.card', h('p', t('now.aboard', { device: title })),
      button({ label: t('now.aboard.yes'), icon: 'check', onclick: async () => {
        if (device) await call('devices.join', { device });
        page.refresh();
      } })) : null;
  const anchor = h('div');
  /** Shows the buttons of the device's anchor. */
  function showAnchor() {
    const name = device;
    fill(anchor);
    if (mayAdd && name && (carries(name) || me.admin)) {
      import('../anchor.js').then(({ anchorButtons }) => name === device
        && fill(anchor, anchorButtons(name, () => fix && { lat: fix.lat, lon: fix.lon }))).catch(() => {});
    }
  }
  /** Opens the form of a new sight, whose module is loaded now.
   * @param {{lat: number, lon: number} | null} place */
  async function addSight(place) {
    await attempt(async () => (await import('../sight-form.js')).addSight(page, place, fix));
  }
  const place = h('div.map');
  const stand = h('div', { class: 'now-snapshot', hidden: !snapshot }, snapshot);
  fill(page.main, h('div.now',
    h('div.now-map', place, stand, h('div.now-tools', follow)),
    h('div.now-side', h('h1', { class: 'hidden', tabindex: '-1' }, t('nav.now')), visitor, status, boarding, day,
      others,
      h('div.actions', add, buttonLink('/sights', t('nav.sight'), 'search'),
        anchor),
      votes, section(near, closest), section(t('now.happened'), happened))));

  /** The marks of the device and its way, once there is a map.
   * @type {any} */
  let mark = null;
  /** @type {any} */
  let way = null;
  /** The current trip; null if there is none, and undefined before that is known.
   * @type {any} */
  let trip;

  /** Shows the speed of the device and its current trip. */
  function showStatus() {
    if (!fix) {
      return fill(status, title && h('strong', title), h('p', t('now.nofix')),
        me.admin && buttonLink('/machine', t('nav.machine')));
    }
    const age = (Date.now() - came) / 1000;
    if (age >= OLD) isOld = true;
    if (isOld !== Boolean(fix.old)) { fix.old = isOld; mark?.move(fix); }
    status.classList.toggle('old', isOld);
    if (isOld) {
      return fill(status,
        h('div.toolbar', h('strong', title), h('small', t('now.fix'), ' ', moment(fix.time))),
        h('p.age', t('now.seen', { time: duration(age) })),
        trip ? h('p', t('now.wastrip', {
          distance: distance(trip.distance), time: duration((Date.parse(fix.time) - Date.parse(trip.start)) / 1000),
        }), ' ', h('a', { href: path('trips', trip.id) }, t('now.totrip'))) : null,
        me.admin && buttonLink('/machine', t('nav.machine')));
    }
    fill(status,
      h('div.toolbar', h('strong', title), h('small', t('now.fix'), ' ', clock(fix.time))),
      h('p.speed', speed(fix.speed)),
      trip ? h('p', t('now.trip', {
        distance: distance(trip.distance), time: duration((Date.parse(fix.time) - Date.parse(trip.start)) / 1000),
      }), ' ', h('a', { href: path('trips', trip.id) }, t('now.totrip'))) : trip === null
        && h('p', t(fix.speed >= MOVING ? 'now.starting' : 'now.notrip')));
  }

  async function loadTrip() {
    if (!device) return;
    const name = device;
    const found = (await read('trips.current', { device }).catch(() => null))?.trip ?? null;
    const points = found
      ? await readPages('trips.trace', 'points', { id: found.id, tolerance: 4 }).catch(() => []) : [];
    // The person may have chosen another device meanwhile.
    if (name !== device) return;
    trip = found;
    way.set(lines(points, fix?.lon));
    showStatus();
  }

  let asked = { lat: 0, lon: 0, at: 0 };
  async function loadClosest() {
    asked = { lat: fix?.lat ?? 0, lon: fix?.lon ?? 0, at: Date.now() };
    const { showClosest } = await import('../now/closest.js');
    await showClosest(near, closest,
      { fix, device, title, isOwn: carries(device), middle: map.center(), signal: page.signal });
  }

  /** What happened, and the votes around, whose module is loaded once the page is shown.
   * @type {any} */
  let news = null;
  async function loadNews() {
    const { makeNews } = await import('../now/news.js');
    if (!page.signal.aborted) news = makeNews(votes, happened);
    await Promise.allSettled([news?.loadVotes(), news?.loadEvents()]);
  }

  /** The card of the day, which somebody has who travels today.
   * @type {any} */
  let today = null;
  async function loadToday() {
    if (!me.person) return;
    const { makeToday } = await import('../now/today.js');
    today = await makeToday(day, () => carries(device) && fix);
  }

  /** All devices on the map and in a list, once they are loaded.
   * @type {any} */
  let fleet = null;
  /** The positions that came before they were, by device. */
  const early = new Map();
  async function loadFleet() {
    const isMissing = wanted && !devices.some(({ name }) => name === wanted);
    if (devices.length < 2 && !isMissing) return;
    const [module, all] = await Promise.all([import('../now/fleet.js'), know()]);
    await module.prepare();
    if (page.signal.aborted) return;
    fleet = module.makeFleet({ map, all, choose, showAll: () => setFollow(false), signal: page.signal });
    fill(others, isMissing && h('p', t('fleet.unknown', { name: wanted })), devices.length ? fleet.element : null);
    for (const event of early.values()) fleet.hear(event);
    fleet.chose(device);
  }

  /** Shows another device, and follows it.
   * @param {string} name */
  async function choose(name) {
    const found = fleet.of(name);
    if (name !== device) {
      device = name;
      history.replaceState(null, '', `/now?device=${encodeURIComponent(name)}`);
      ({ fix, came, old: isOld, title } = found);
      earlier = null;
      trip = undefined;
      way.set([]);
      mark.clear();
      if (fix) mark.move(fix);
      fleet.chose(name);
      showAdd();
      showAnchor();
      showStatus();
    }
    setFollow(true);
    await Promise.allSettled([loadTrip(), loadClosest()]);
    (await around)?.loadPast();
  }

  showStatus();
  showAdd();
  showAnchor();
  map = await making;
  if (page.signal.aborted) return;
  place.replaceWith(map.element);
  map.onDrag(() => setFollow(false));
  map.onDrag(() => stand.remove());
  map.onZoom(() => stand.remove());
  const keep = () => { if (map.zoom() === ZOOM && !page.signal.aborted) keepSnapshot(map); };
  map.onDrawn(() => {
    if (!stand.isConnected) return;
    stand.remove();
    // To draw it for the picture takes time that the page needs now.
    setTimeout(keep, 3000);
  });
  // A map without a connection may never be whole.
  setTimeout(() => stand.remove(), 15_000);
  document.addEventListener('visibilitychange', () => document.hidden && keep(), { signal: page.signal });
  mark = map.device();
  way = map.layer().line('way', []);
  if (fix) { mark.move(fix); map.see([fix.lat, fix.lon], ZOOM); }
  /** Draws what lies around, whose module is loaded now. */
  const around = import('../now/around.js')
    .then(({ drawAround }) => page.signal.aborted ? null : drawAround({ page, map, device: () => device }), () => null);
  map.onLongPress((/** @type {{lat: number, lon: number}} */ place) => mayAdd && addSight(place));

  page.on('position', (event) => {
    if (fleet) fleet.hear(event); else early.set(event.device, event);
    if (event.device !== device && device) return;
    device ??= event.device;
    title ??= device;
    if (!fix) map.see([event.lat, event.lon], ZOOM);
    else if (between(fix.lat, fix.lon, event.lat, event.lon) > 5) earlier = fix;
    fix = {
      device: event.device, time: event.time, lat: event.lat, lon: beside(event.lon, fix?.lon ?? event.lon),
      ...event.fix,
    };
    came = Date.now();
    isOld = false;
    mark.move(fix);
    if (trip) {
      way.extend([fix.lat, fix.lon]);
      trip.distance += trip.at ? between(trip.at[0], trip.at[1], fix.lat, fix.lon) : 0;
      trip.at = [fix.lat, fix.lon];
    }
    if (follows) map.see([fix.lat, fix.lon]);
    today?.moved();
    showStatus();
    if (Date.now() - asked.at > 3000 && between(asked.lat, asked.lon, fix.lat, fix.lon) > 15) {
      loadClosest().catch(() => {});
    }
  });
  /** The card of a sight that comes near.
   * @type {Promise<any> | null} */
  let passing = null;
  /** A fix before the last one, from which its course is known.
   * @type {any} */
  let earlier = null;
  const loadPassing = () => passing ??= import('../now/passing.js')
    .then(({ makePassing }) =>
      makePassing(page, carries, () => [earlier, fix].map((one) => one && { ...one, device })));
  page.on('any', (event) => {
    if (event.type === 'position') return;
    news?.hear(event);
    if (event.geofence?.kind === 'sight' && carries(event.device)) {
      loadPassing().then((card) => card.hear(event), () => { passing = null; });
    }
    if (/^trip\./.test(event.type)) loadTrip();
  });
  const every = setInterval(() => { loadTrip(); news?.loadVotes(); today?.load().catch(() => {}); }, 60_000);
  const aging = setInterval(() => { if (fix && (isOld || Date.now() - came >= OLD * 1000)) showStatus(); }, 5000);
  page.signal.addEventListener('abort', () => { clearInterval(every); clearInterval(aging); });

  // Load the rest once the page is shown.
  queueMicrotask(async () => {
    await Promise.allSettled([loadClosest(), loadTrip(), loadNews(), loadToday()]);
    if (page.signal.aborted) return;
    const drawn = await around;
    await Promise.allSettled([loadFleet(), drawn?.loadWindow(), drawn?.loadPlans()]);
    if (page.signal.aborted) return;
    drawn?.loadPast();
    // From here on it knows which way the device goes.
    if (carries(device)) loadPassing().catch(() => {});
  });
}
