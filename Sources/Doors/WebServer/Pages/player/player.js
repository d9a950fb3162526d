/** The player of one or several trips: it moves a device along them on the map, and tells what happens on the way. */
import { h, fill, icon, icons } from '../dom.js';
import { t, addTexts, locale } from '../texts.js';
import { button } from '../ui.js';
import { speed, height } from '../format.js';
import { calm } from '../map.js';
import { loadSheet } from '../sheets.js';
import { Timeline } from './timeline.js';
import { Camera } from './camera.js';
import { zoneAt } from './zones.js';
import { makeSightCard } from './passing.js';

Object.assign(icons, { tilt: 'M8 6h8l5 12H3zM5.5 12h13', up: 'M12 20V5M6 11l6-6 6 6' });

/** How many times as fast as it was the player can play, and the seconds that it should take at first. */
const [RATES, WHOLE] = [[1, 2, 5, 10, 30, 60, 100, 300, 1000], 90];
/** The milliseconds between two pictures where somebody wants less motion. */
const SELDOM = 500;
/** The part of the whole that an arrow goes, and the least milliseconds. */
const [STRIDE, LEAST_STRIDE] = [1 / 100, 5000];

/** Loads the texts and styles of the player. */
export const preparePlayer = () =>
  Promise.all([addTexts('player'), loadSheet(new URL('player.css', import.meta.url))]);

/**
 * Creates a player.
 *
 * @param {{map: any, legs: any[][], happenings: {at: number, element: any}[], zone?: string, signal: AbortSignal,
 * moved?: (place: any) => void}} options the points of each trip; what happens, in order of time, each with the row
 * that tells it; a time zone until that of the place is known; `moved` is called with each place
 */
export function makePlayer({ map, legs, happenings, zone, signal, moved = () => {} }) {
  const timeline = new Timeline(legs);
  const { length } = timeline;
  const mark = map.device();
  const showSight = makeSightCard(map, signal);
  let offset = 0;
  let place = timeline.at(0);
  let isPlaying = false;
  let frame = 0;
  let timer = 0;
  let shownZone = zone;
  let rate = RATES.find((one) => length / 1000 / one <= WHOLE) ?? RATES[RATES.length - 1];
  const camera = new Camera(map, () => follow.setAttribute('aria-pressed', 'false'));

  /** @type {HTMLInputElement} */
  const slider = h('input', { type: 'range', min: '0', max: String(Math.max(1, Math.round(length / 1000))), step: '1',
    'aria-label': t('trip.time'), oninput: () => jump(Number(slider.value) * 1000) });
  slider.value = '0';
  const when = h('span.player-clock');
  const how = h('span');
  const play = button({ label: t('trip.play'), icon: 'play', hidesLabel: true, kind: 'plays',
    onclick: () => (isPlaying ? pause() : start()) });
  /** @type {HTMLSelectElement} */
  const rates = h('select', { 'aria-label': t('trip.rate'), onchange: () => setRate(Number(rates.value)) },
    RATES.map((one) => h('option', { value: String(one), selected: one === rate }, `${one} ×`)));
  /** @param {string} label @param {string} name @param {boolean} isOn @param {(on: boolean) => void} onclick */
  const toggle = (label, name, isOn, onclick) => {
    const element = button({ label, icon: name, kind: 'small', pressed: isOn, onclick: () => {
      const on = element.getAttribute('aria-pressed') !== 'true';
      element.setAttribute('aria-pressed', String(on));
      onclick(on);
    } });
    return element;
  };
  const follow = toggle(t('player.follow'), 'follow', true, (on) => {
    camera.follows = on;
    if (on) camera.see(place);
  });
  const element = h('div.card.player-card', { role: 'group', 'aria-label': t('player.title') },
    h('div.player', play, slider, rates, h('output.player-now', when, how)),
    h('div.actions.player-tools', follow,
      toggle(t('player.course'), 'up', false, (on) => camera.turn(on, place)),
      toggle(t('player.tilt'), 'tilt', false, (on) => camera.tilt(on)),
      h('small.player-keys', t('player.keys'))));

  /** @param {number} one */
  function setRate(one) {
    rate = one;
    rates.value = String(one);
    camera.chooseZoom();
  }

  /** Shows what the device did at an offset in milliseconds.
   * @param {number} to */
  function go(to) {
    offset = Math.min(Math.max(to, 0), length);
    place = timeline.at(offset);
    mark.move({ ...place, track: place.course, accuracy: 0, speed: place.course === undefined ? 0 : 1 });
    slider.value = String(Math.round(offset / 1000));
    tell();
    moved(place);
    showSight(place);
  }

  /** Goes to an offset that somebody chose.
   * @param {number} to */
  function jump(to) {
    go(to);
    camera.see(place);
  }

  function tell() {
    shownZone = zoneAt(place.lat, place.lon, () => !signal.aborted && tell()) ?? shownZone;
    const time = timeOf(place.at, shownZone);
    const more = [place.speed === undefined ? null : speed(place.speed),
      place.alt === undefined ? null : height(Math.round(place.alt) || 0)].filter(Boolean).join(' · ');
    if (when.textContent !== time) fill(when, time);
    if (how.textContent !== more) fill(how, more);
    const text = [time, more].filter(Boolean).join(', ');
    if (slider.getAttribute('aria-valuetext') !== text) slider.setAttribute('aria-valuetext', text);
    tellHappening();
  }

  let current = -1;
  /** Marks what has happened last in the list, and shows that row. */
  function tellHappening() {
    let n = happenings.length - 1;
    while (n > 0 && happenings[n].at > place.at) n -= 1;
    if (n === current) return;
    happenings[current]?.element.removeAttribute('aria-current');
    current = n;
    const row = happenings[n]?.element;
    if (!row) return;
    row.setAttribute('aria-current', 'step');
    const list = row.parentElement;
    if (list && list.scrollHeight > list.clientHeight && !list.contains(document.activeElement)) {
      list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2 + row.clientHeight / 2;
    }
  }

  function start() {
    if (offset >= length) go(0);
    isPlaying = true;
    show('trip.pause', 'pause');
    camera.chooseZoom();
    let before = performance.now();
    const step = () => {
      const now = performance.now();
      const passed = now - before;
      before = now;
      go(offset + passed * rate);
      camera.follow(place, pace(place.leg) * rate, passed / 1000);
      if (offset >= length) pause();
    };
    // The pictures of a page in the background are not asked for; the time goes on all the same.
    if (calm()) { timer = window.setInterval(step, SELDOM); return; }
    const next = () => { step(); if (isPlaying) frame = requestAnimationFrame(next); };
    frame = requestAnimationFrame(next);
  }

  function pause() {
    isPlaying = false;
    clearInterval(timer);
    cancelAnimationFrame(frame);
    show('trip.play', 'play');
  }

  /** @param {string} label @param {string} name */
  function show(label, name) {
    play.setAttribute('aria-label', t(label));
    play.title = t(label);
    fill(play, icon(name));
  }

  const paces = new Map();
  /** The mean speed of a trip, which decides how near the map is.
   * @param {any} leg */
  const pace = (leg) => {
    if (!paces.has(leg)) paces.set(leg, timeline.speedOf(leg));
    return paces.get(leg);
  };

  /** Plays by keys, unless the focus is where a key does something else.
   * @param {KeyboardEvent} event */
  function pressed(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (document.querySelector('dialog[open]')) return;
    if (target !== slider && target.closest('button, a, input, select, textarea, summary, [contenteditable]')) return;
    // A map that has the focus is moved and zoomed by these keys.
    if (event.key !== ' ' && target.closest('.map')) return;
    const stride = Math.max(LEAST_STRIDE, length * STRIDE) * (event.shiftKey ? 5 : 1);
    const faster = RATES.indexOf(rate);
    const act = {
      ' ': () => (isPlaying ? pause() : start()),
      ArrowRight: () => jump(offset + stride), ArrowLeft: () => jump(offset - stride),
      '+': () => setRate(RATES[Math.min(RATES.length - 1, faster + 1)]),
      '-': () => setRate(RATES[Math.max(0, faster - 1)]),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
  document.addEventListener('keydown', pressed, { signal });
  signal.addEventListener('abort', pause);
  go(0);
  return {
    element,
    /** The moment that is shown, in milliseconds since 1970. */
    get now() { return place.at; },
    /** The point that is shown. */
    get place() { return place; },
    /** Goes to a moment.
     * @param {number} moment in milliseconds since 1970 */
    seek: (moment) => jump(timeline.offsetOf(moment)),
  };
}

/** Returns the day, the time and the zone of a moment, as the clock of the place has it.
 * @param {number} moment @param {string | undefined} timeZone */
const timeOf = (moment, timeZone) => new Intl.DateTimeFormat(locale, {
  weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZone,
  timeZoneName: 'short',
}).format(moment);
