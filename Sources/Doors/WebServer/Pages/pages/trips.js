/** Trips, with small maps. */
import { h, fill, svg } from '../dom.js';
import { t } from '../texts.js';
import { read, readPages } from '../rpc.js';
import { me, head, pages, choice, button, buttonLink, empty, attempt, toast } from '../ui.js';
import { distance, duration, speed, clock, day } from '../format.js';
import { zoneOf, clockIn, momentIn } from '../zones.js';
import { lines } from '../map.js';
import { path } from '../paths.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.trips'));
  const devices = await readPages('devices.list', 'devices', {}).catch(() => []);
  const list = h('div.section');
  /** @param {string} device */
  function load(device) {
    let last = '';
    fill(list, pages({
      method: 'trips.list', list: 'trips', params: { limit: 20, ...(device ? { device } : {}) },
      none: empty(t('trips.none'), wayOn(devices)), tag: 'div', class: 'section',
      row: (trip) => {
        const date = day(trip.start);
        const heading = date === last ? null : h('h2', date);
        last = date;
        return [heading, tripRow(trip, page.signal)].filter(Boolean);
      },
    }));
  }
  load('');
  /** @param {FileList} [files] */
  const importing = async (files) => (await import('../histories.js')).importHistories(() => load(''), files);
  fill(page.main, head(t('nav.trips'), { note: t('trips.note'), actions: me.admin
    ? [button({ label: t('histories.title'), icon: 'add', onclick: () => importing() })] : [] }),
    me.admin ? dropZone(importing) : null,
    devices.length > 1 ? choice([['', t('all')], ...devices.map((one) => [one.name, one.title ?? one.name])], '',
      t('trips.device'), load) : null, list);
}

/** Returns the way to a first trip: with a device for an administrator, on board of one for others.
 * @param {Device[]} devices */
function wayOn(devices) {
  if (!devices.length) return me.admin && buttonLink('/machine', t('nav.machine'), 'machine', 'primary');
  const isAboard = devices.some((device) => device.people?.includes(me.person?.id ?? ''));
  return me.person && !isAboard ? buttonLink('/welcome', t('now.aboard.yes'), 'check', 'primary')
    : buttonLink('/now', t('nothing.map'), 'now', 'primary');
}

/**
 * Creates the zone in which files of journeys can be dropped; the button does the same for a keyboard.
 * @param {(files: FileList) => Promise<any>} importing
 */
function dropZone(importing) {
  /** @param {DragEvent} event */
  const over = (event) => { event.preventDefault(); zone.classList.add('dragging'); };
  const away = () => zone.classList.remove('dragging');
  const zone = h('div.empty.drop', { ondragenter: over, ondragover: over, ondragleave: away, ondrop: (event) => {
    event.preventDefault();
    away();
    // The browser forgets what was dropped once this function has returned.
    const kept = new DataTransfer();
    const dropped = /** @type {DataTransfer} */ (event.dataTransfer);
    for (const file of dropped.files) kept.items.add(file);
    const hasFolder = [...dropped.items].some((item) => item.webkitGetAsEntry()?.isDirectory);
    if (hasFolder) toast(t('histories.folder'));
    else if (kept.files.length) attempt(() => importing(kept.files));
  } }, h('p', t('histories.drop')));
  return zone;
}

/** Returns the name of a trip, or a text with its start and device if it has none.
 * @param {Trip | ListedTrip | HistoryTrip} trip @param {string | undefined} [zone] */
export const tripName = (trip, zone) =>
  trip.name ?? t('trip.from', { time: clock(trip.start, zone), device: trip.device });

/**
 * Creates the row of a trip, whose small map follows later.
 * @param {ListedTrip} trip
 * @param {AbortSignal} signal
 */
export function tripRow(trip, signal) {
  const small = svg('svg', { class: 'trail', viewBox: '0 0 80 56', 'aria-hidden': 'true' });
  drawTrail(small, trip, signal);
  const [name, times] = [h('strong'), h('small')];
  /** @param {string} [zone] */
  const tell = (zone) => {
    fill(name, tripName(trip, zone));
    fill(times, trip.end
      ? `${clock(trip.start, zone)} – ${clockIn(trip.end, zone)} · ${
        duration((Date.parse(trip.end) - Date.parse(trip.start)) / 1000)}`
      : t('since', { time: clockIn(trip.start, zone) }));
    if (!trip.end) tellHowFar(times, trip, signal, zone);
  };
  tell();
  zoneOf(trip).then((zone) => { if (zone && !signal.aborted) tell(zone); });
  return h('div.rows', h('div.row', h('a.row-link', { href: path('trips', trip.id) }, small,
    h('span.row-text', name, times),
    h('span.row-end', h('b', distance(trip.distance)),
      h('small', trip.average_speed ? `⌀ ${speed(trip.average_speed)}` : '')))));
}

/**
 * Shows whether a trip without an end is going on, and how long it was until its device's last fix.
 * @param {HTMLElement} place
 * @param {ListedTrip} trip
 * @param {string | undefined} zone
 * @param {AbortSignal} signal
 */
async function tellHowFar(place, trip, signal, zone) {
  const fix = await read('position.current', { device: trip.device }).catch(() => null);
  if (signal.aborted || !fix) return;
  const length = duration((Date.parse(fix.time) - Date.parse(trip.start)) / 1000);
  fill(place, fix.old ? t('trip.lastfix', { time: clock(trip.start, zone), last: momentIn(fix.time, zone) })
    : t('trip.goeson', { time: clockIn(trip.start, zone) }), ' · ', length);
}

/**
 * Draws the trace of a trip as a line, north up.
 * @param {SVGElement} small
 * @param {ListedTrip} trip
 * @param {AbortSignal} signal
 */
async function drawTrail(small, trip, signal) {
  if (!trip.bounds) return;
  const { south, west, north } = trip.bounds;
  const east = trip.bounds.east < west ? trip.bounds.east + 360 : trip.bounds.east;
  const wide = Math.cos(((south + north) / 2) * Math.PI / 180);
  const extent = Math.max((east - west) * wide / 72, (north - south) / 48, 1e-6);
  const { points } = await read('trips.trace',
    { id: trip.id, tolerance: Math.max(5, Math.round(extent * 111_195 * 1.5)) }).catch(() => ({ points: [] }));
  if (signal.aborted) return;
  const middle = (west + east) / 2;
  /** @param {Point} point */
  const at = ([lat, lon]) => `${(40 + ((lon - middle) * wide) / extent).toFixed(1)} ${
    (28 - (lat - (south + north) / 2) / extent).toFixed(1)}`;
  small.append(...lines(points, middle).map((line) => svg('path', { d: `M${line.map(at).join('L')}` })));
}

