/** The card of a sight that comes near while somebody travels: what it is, on which side, and stars once it is left. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, button, form, photo, toast } from '../ui.js';
import { between, distance } from '../format.js';
import { path } from '../paths.js';
import { loadSheet } from '../sheets.js';
import { SOUNDS, announce, chooseSound, chosenSound } from './sounds.js';

/** The age from which an event no longer says what is near, in milliseconds. */
const PAST = 15 * 60_000;
/** The metres that a device moves before the line between two places is its course. */
const STRIDE = 5;
/** The metres by which a sight that was never reached has become farther away again when its card goes. */
const RECEDED = 100;
/** The metres to the middle of a sight from which the card says that it is here. */
const HERE = 20;
/** How long a card that somebody has closed stays closed, in milliseconds. */
const CLOSED = 5 * 60_000;
/** The speed in metres per second below which a receiver's course says nothing. */
const SLOW = 0.5;
/** How long a card stays after the sight was left, in milliseconds: with stars, and without. */
const [RATED, LEFT] = [30_000, 6_000];
/** The degrees from the course within which something is ahead, and beyond which it is behind. */
const [AHEAD, BEHIND] = [20, 150];

/**
 * Creates the card, which stays hidden until a sight comes near. There is one at a time: that of the newest sight.
 * @param {Page} page
 * @param {(device: string) => boolean} carries whether a device carries the person
 * @param {() => any[]} fixes returns two fixes of the device on the page: one before, and the last one
 */
export async function makePassing(page, carries, fixes) {
  await Promise.all([addTexts('near'), loadSheet(new URL('passing.css', import.meta.url))]);
  const said = h('p.hidden', { 'aria-live': 'polite' });
  const place = h('div.passing-place');
  page.main.append(said);
  // Beside the map there is what people read and press.
  (page.main.querySelector('.now-map') ?? page.main).append(place);
  /**
   * The sight of the card: its place and photo once they are loaded, whether it is `near`, `inside` or `left`, and the
   * least distance so far.
   * @type {any}
   */
  let shown = null;
  /** The sight whose card the person has closed, and when. */
  let closed = { id: '', at: 0 };
  /**
   * Where each device is that carries the person, and its course in degrees if it is known.
   * @type {Map<string, any>}
   */
  const places = new Map();
  let timer = 0;

  function close() {
    clearTimeout(timer);
    const hadFocus = place.contains(document.activeElement);
    shown = null;
    fill(place);
    if (hadFocus) page.main.querySelector('h1')?.focus({ preventScroll: true });
  }
  function dismiss() {
    closed = { id: shown?.id ?? '', at: Date.now() };
    close();
  }
  /** Closes the card after a while, unless somebody is busy with it.
   * @param {number} span */
  function closeAfter(span) {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (place.matches(':focus-within, :hover')) closeAfter(span); else close();
    }, span);
  }
  page.signal.addEventListener('abort', () => clearTimeout(timer));
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !shown || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    dismiss();
  }, { signal: page.signal });

  /** Takes where the device is now.
   * @param {any} event */
  function moved({ device, time, lat, lon, fix }) {
    if (!carries(device)) return;
    const before = places.get(device);
    // An event may tell of a place that the device has left since.
    if (lat === undefined || (before && time < before.time)) return;
    const now = { lat, lon };
    const track = (fix?.speed ?? SLOW) >= SLOW ? fix?.track : undefined;
    // Slow steps add up: the line of the course begins where the course was last known.
    const hasMoved = !before || track !== undefined || between(before.from.lat, before.from.lon, lat, lon) >= STRIDE;
    const course = track ?? (before && hasMoved ? bearing(before.from, now) : before?.course);
    places.set(device, { time, now, course, from: hasMoved ? now : before.from });
    if (!shown || shown.device !== device) return;
    const away = awayFrom(shown);
    if (away !== undefined) {
      shown.least = Math.min(shown.least ?? away, away);
      if (shown.phase === 'near' && away > shown.least + RECEDED) return close();
    }
    showWhere();
  }
  page.on('position', moved);
  for (const known of fixes()) if (known) moved({ ...known, fix: known });

  /** Returns how far a sight is from the device that comes near it; undefined if either place is not known.
   * @param {any} options */
  function awayFrom({ device, lat, lon }) {
    const at = places.get(device);
    return at && lat !== undefined ? between(at.now.lat, at.now.lon, lat, lon) : undefined;
  }

  /** Returns how far away the sight is, and on which side. */
  function where() {
    const away = awayFrom(shown);
    if (away === undefined) return '';
    if (shown.phase === 'inside' && (shown.form || away < HERE)) return t('near.here');
    return t(`near.${sideOf(shown)}`, { distance: distance(away) });
  }

  /** Returns on which side of the course the sight lies.
   * @param {any} sight */
  function sideOf(sight) {
    const at = places.get(sight.device);
    if (at?.course === undefined) return sight.side ?? 'away';
    return sideFrom(at.now, at.course, sight);
  }

  const line = h('span.passing-where');
  const showWhere = () => { if (shown?.phase !== 'left') fill(line, where()); };

  /** Draws the card of the sight. */
  function draw() {
    const { id, title, phase, cover, isDrawn } = shown;
    const leaves = phase === 'left';
    shown.isDrawn = true;
    fill(place, h('section.card.passing', { 'aria-label': title, 'data-fresh': !isDrawn },
      h('a.passing-head', { href: path('sights', id) }, photo(cover, ''),
        h('span.row-text', h('strong', title), leaves ? h('span', t(shown.mayRate ? 'near.how' : 'near.gone')) : line)),
      leaves && shown.mayRate ? rating(shown) : null,
      h('div.toolbar', sounds(), button({ label: t('close'), icon: 'close', hidesLabel: true, onclick: dismiss }))));
  }

  /** Creates the choice of the sound. */
  const sounds = () => h('label', h('span', t('near.sound')), h('select', { onchange: (event) => {
    chooseSound(event.target.value);
    announce(shown?.title ?? '');
  } }, SOUNDS.map((one) => h('option', { value: one, selected: one === chosenSound() }, t(`near.sound.${one}`)))));

  /** Creates the stars. A pointer rates at once; keys choose, and the button sends.
   * @param {{id: string}} one */
  function rating({ id }) {
    const sheet = form({
      fields: [{ name: 'rating', label: t('review.rating'), type: 'stars', required: true }], submit: t('review.send'),
      action: async ({ rating }) => {
        await call('reviews.put', { subject: `sight/${id}`, rating });
        toast(t('near.thanks'));
        if (shown?.id === id) close();
      },
    });
    let isPointed = false;
    sheet.addEventListener('pointerdown', () => { isPointed = true; });
    sheet.addEventListener('keydown', () => { isPointed = false; });
    sheet.addEventListener('change', () => { if (isPointed) sheet.requestSubmit(); });
    return sheet;
  }

  /** Shows a sight, and tells of it once.
   * @param {any} event @param {string} phase */
  function begin(event, phase) {
    const { geofence: { id, title }, device, side } = event;
    const isNew = shown?.id !== id;
    if (isNew) shown = { id, title, device };
    Object.assign(shown, { phase, side });
    clearTimeout(timer);
    moved(event);
    if (shown?.id !== id) return;
    showWhere();
    draw();
    if (!isNew) return;
    const sight = shown;
    // What is not known of it yet does not keep the card waiting.
    read('sights.get', { id }).then((found) => {
      Object.assign(sight, { lat: found.lat, lon: found.lon, form: found.form, cover: found.cover });
    }, () => {}).then(() => {
      if (shown !== sight || sight.phase === 'left' || page.signal.aborted) return;
      showWhere();
      draw();
      const words = [title, where()].filter(Boolean).join(', ');
      fill(said, words);
      announce(words);
    });
  }

  /** Asks how the sight was that the device has left.
   * @param {any} event */
  async function leave(event) {
    begin(event, 'left');
    const sight = shown;
    closeAfter(LEFT);
    if (!me.person) return;
    const subject = `sight/${sight.id}`;
    const [found, summary] = await Promise.all([read('sights.get', { id: sight.id }),
      read('reviews.summary', { subject })]).catch(() => []);
    if (shown !== sight || sight.phase !== 'left' || page.signal.aborted) return;
    sight.mayRate = Boolean(summary) && !summary.own && found.added_by !== me.person.id;
    sight.cover = found?.cover;
    draw();
    if (sight.mayRate) { fill(said, `${sight.title}. ${t('near.how')}`); closeAfter(RATED); }
  }

  return {
    /** Takes an event of a sight, from the device that carries the person.
     * @param {any} event */
    hear(event) {
      const kind = event.type.slice('geofence.'.length);
      if (page.signal.aborted || Date.now() - Date.parse(event.time) > PAST) return;
      const { id } = event.geofence;
      const isClosed = closed.id === id && Date.now() - closed.at < CLOSED;
      if (kind === 'exit' || kind === 'cross') {
        if (isClosed) closed.id = '';
        // A sight that is watched no more was not left.
        else if (event.reason && shown?.id === id) close();
        // Nobody is asked while the card of a newer sight is there.
        else if (!event.reason && (shown ? shown.id === id : kind === 'exit')) leave(event).catch(() => {});
        return;
      }
      if (isClosed || !['approach', 'enter'].includes(kind)) return;
      if (kind === 'approach' && shown?.id === id) return;
      begin(event, kind === 'enter' ? 'inside' : 'near');
    },
  };
}

/**
 * Returns on which side of a course a place lies: `ahead`, `behind`, `left` or `right`; `away` without a course.
 * @param {any} from
 * @param {number | undefined} course in degrees
 * @param {any} to
 */
export function sideFrom(from, course, to) {
  if (course === undefined) return 'away';
  const turn = ((bearing(from, to) - course + 540) % 360) - 180;
  const size = Math.abs(turn);
  return size <= AHEAD ? 'ahead' : size >= BEHIND ? 'behind' : turn < 0 ? 'left' : 'right';
}

/** Returns the direction from one place to another, in degrees clockwise from north.
 * @param {any} from @param {any} to */
function bearing(from, to) {
  const rad = Math.PI / 180;
  const [north, other, east] = [from.lat * rad, to.lat * rad, (to.lon - from.lon) * rad];
  const angle = Math.atan2(Math.sin(east) * Math.cos(other),
    Math.cos(north) * Math.sin(other) - Math.sin(north) * Math.cos(other) * Math.cos(east));
  return (angle / rad + 360) % 360;
}
