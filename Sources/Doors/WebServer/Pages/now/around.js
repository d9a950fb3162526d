/** What lies around the device on the map Now: sights, plans, votes and former trips, as far as the map shows them. */
import { read, readAll, readPages } from '../rpc.js';
import { me, attempt } from '../ui.js';
import { lines, beside } from '../map.js';
import { path } from '../paths.js';

/** The zooms from which the map shows circles, and the shapes of sights; and the most shapes. */
const [CIRCLES, SHAPES, MOST_SHAPES] = [12.5, 9, 40];
/** The most former trips that are drawn, and among how many of the last they are looked for. */
const [MOST_TRIPS, TRIPS] = [12, 100];
/** The ground under a pixel at zoom 0 on the equator, in metres. */
const PIXEL = 78_271;

/**
 * Draws what lies around, and again whenever the map has moved.
 * @param {{page: any, map: any, device: () => string | undefined}} options `device` returns the device whose trips are
 * drawn
 */
export function drawAround({ page, map, device }) {
  const sights = map.clusters();
  const around = map.layer();
  const things = map.layer();
  const former = map.layer();
  /** Returns where to draw a place: on the visible turn around the world.
   * @param {{lat?: number, lon?: number}} place */
  const at = ({ lat, lon }) => /** @type {Point} */ (
    [lat, beside(/** @type {number} */ (lon), map.center().lon)]);
  let windowSeen = '';
  /** The sights with a shape that the map has shown, by id. */
  const shapes = new Map();

  async function loadWindow() {
    const view = map.bounds();
    if (!view) return;
    const bbox = boxOf(view);
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
      around.cluster([one.lat, lon], one.count, () =>
        map.fit([[south, beside(west, lon)], [north, beside(east, lon)]], map.zoom() + 3, true));
    }
    sights.set(answer.sights.map((sight) =>
      ({ point: at(sight), kind: 'sight', title: sight.title, open: () => page.go(path('sights', sight.id)) })));
    if (map.zoom() >= CIRCLES) {
      for (const sight of answer.sights.filter(({ form }) => !form).slice(0, 200)) around.sight(sight, at(sight));
    }
    if (map.zoom() >= SHAPES) await drawShapes(answer.sights.filter(({ form }) => form).slice(0, MOST_SHAPES), bbox);
  }

  /** @param {MappedSight[]} shaped @param {number[]} bbox */
  async function drawShapes(shaped, bbox) {
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
    const on = plans.filter(({ start, end }) => start && Date.parse(start.time) - 864e5 < now
      && Date.parse((end ?? start).time) + 2 * 864e5 > now).slice(0, 5);
    for (const plan of on) {
      const answer = await read('locations.list', { plan: plan.id, limit: 100 }).catch(() => null);
      answer?.locations.forEach((location, n) => {
        if (location.lat === undefined) return;
        things.circle('fence-location', at(location), location.radius_m);
        things.pin(at(location), { kind: location.passed ? 'passed' : 'location', title: location.name, text: n + 1,
          open: () => page.go(path('locations', location.id)) });
      });
    }
    const own = (await read('votes.list', { part: 'initiated' }).catch(() => null))?.votes ?? [];
    for (const vote of own.filter(({ ended }) => !ended).slice(0, 5)) {
      const { lat, lon, colour, subject, id } = await read('votes.get', { vote: vote.id });
      if (lat === undefined) continue;
      things.pin(at({ lat, lon }), { kind: 'vote', title: subject, colour, open: () => page.go(path('votes', id)) });
    }
  }

  /** The device whose former trips are known, those trips, and the lines that are drawn, by trip.
   * @type {{device?: string, trips: ListedTrip[], drawn: Map<string, any>}} */
  let past = { device: undefined, trips: [], drawn: new Map() };

  /** Draws the former trips that the map shows, as finely as it shows them. */
  async function loadPast() {
    const name = device();
    if (!name) return;
    if (past.device !== name) {
      /** @type {typeof past} */
      const found = past = { device: name, trips: [], drawn: new Map() };
      former.clear();
      const answer = await read('trips.list', { limit: TRIPS, device: name }).catch(() => null);
      if (page.signal.aborted || past !== found) return;
      past.trips = (answer?.trips ?? []).filter(({ end }) => end);
    }
    const view = map.bounds();
    if (!view) return;
    const { trips, drawn } = past;
    const level = Math.min(17, Math.round(map.zoom()));
    for (const trip of trips.filter(({ bounds }) => !bounds || meets(bounds, view)).slice(0, MOST_TRIPS)) {
      const before = drawn.get(trip.id);
      if (before && before.level >= level) continue;
      const tolerance = Math.round(Math.min(50_000, Math.max(5, (1.5 * PIXEL) / 2 ** level)));
      const points = await readPages('trips.trace', 'points', { id: trip.id, tolerance }).catch(() => null);
      if (page.signal.aborted || past.drawn !== drawn) return;
      if (!points) continue;
      // The map may have moved meanwhile, and the trip may have been drawn for where it is now.
      const shown = drawn.get(trip.id);
      if (shown && shown.level >= level) continue;
      shown?.line.remove();
      drawn.set(trip.id, { level, line: former.line('way-past', lines(points, map.center().lon)) });
    }
  }

  let wait = 0;
  page.signal.addEventListener('abort', () => clearTimeout(wait));
  const loadSoon = () => {
    clearTimeout(wait);
    wait = window.setTimeout(() => attempt(async () => { await loadWindow(); await loadPast(); }), 250);
  };
  map.onMove(loadSoon);
  // A map that has no size yet has no window, and need not move when it gets one.
  map.onStart(loadSoon);
  return { loadWindow, loadPlans, loadPast };
}

/** Returns the window of a view and a little more, as west, south, east and north.
 * @param {Bounds} bounds */
function boxOf({ west, south, east, north }) {
  const [more, up] = [0.2 * (east - west), 0.2 * (north - south)];
  const isWorld = east - west + 2 * more >= 360;
  return [isWorld ? -180 : beside(west - more, 0), Math.max(-90, south - up), isWorld ? 180 : beside(east + more, 0),
    Math.min(90, north + up)].map((degree) => Number(degree.toFixed(3)));
}

/** Whether the bounds of a trip and a view have a place in common, on any turn around the world.
 * @param {Bounds} bounds @param {Bounds} view */
function meets(bounds, view) {
  if (bounds.north < view.south || bounds.south > view.north) return false;
  const width = bounds.east - bounds.west + (bounds.east < bounds.west ? 360 : 0);
  const west = view.west + ((((bounds.west - view.west) % 360) + 360) % 360);
  return west <= view.east || west + width - 360 >= view.west;
}
