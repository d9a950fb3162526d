/** All devices: their marks on the map, and their list beside it, in which one is chosen. */
import { h, fill, icons } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { button, searchField } from '../ui.js';
import { speed, duration } from '../format.js';
import { unwrapped } from '../map.js';
import { loadSheet } from '../sheets.js';
import { isSilent, knownOf, sorted } from './devices.js';

Object.assign(icons, { all: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z' });

/** The speed in metres a second from which a device moves. */
const MOVES = 0.5;
/** The number of devices from which the list can be searched. */
const SEARCHED = 8;

/** Loads the texts and styles. */
export const prepare = () => Promise.all([addTexts('fleet'), loadSheet(new URL('fleet.css', import.meta.url))]);

/**
 * Creates the list of devices and their marks on the map.
 * @param {{map: any, all: import('./devices.js').Known[], choose: (name: string) => any, showAll: () => void,
 * signal: AbortSignal}} options `choose` is called with the name of a device that the person chooses
 */
export function makeFleet({ map, all, choose, showAll, signal }) {
  const known = new Map(all.map((one) => [one.name, one]));
  const marks = map.marks(choose);
  let chosen = '';
  let wanted = '';
  /** The rows of the list, by device. */
  const rows = new Map();
  const list = h('ul.rows.dense.fleet-list', { onkeydown: moved });
  const count = h('small.fleet-count');
  const search = h('div');
  const element = h('section.section.fleet', { 'aria-label': t('fleet.title') },
    h('div.toolbar', h('h2', t('fleet.title')), count,
      button({ label: t('fleet.all'), icon: 'all', kind: 'small', onclick: seeAll })), search, list);

  /** Shows all devices that the list shows. */
  function seeAll() {
    const found = [...known.values()].filter(({ name, fix }) => fix && !rows.get(name)?.row.hidden);
    showAll();
    map.fit(unwrapped(found.map(({ fix }) => fix)).map(({ lat, lon }) => [lat, lon]), 15, true);
  }

  /** Arrows move through the list, as through a menu.
   * @param {KeyboardEvent} event */
  function moved(event) {
    const all = [...list.querySelectorAll('button')];
    const at = all.indexOf(/** @type {any} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    all[Math.min(all.length - 1, Math.max(0, to))]?.focus();
    event.preventDefault();
  }

  /** @param {string} name */
  function makeRow(name) {
    const title = h('strong');
    const note = h('small');
    const press = h('button.row-link', { type: 'button', onclick: () => choose(name) },
      h('span.fleet-dot'), h('span.row-text', title), h('span.row-end', note));
    const row = h('li.row', press);
    rows.set(name, { row, press, title, note });
    return rows.get(name);
  }

  /** Shows what is known now, and brings the list into its order unless somebody is in it. */
  function show() {
    const now = Date.now();
    const inOrder = sorted([...known.values()]);
    const live = inOrder.filter((one) => !isSilent(one, now)).length;
    const text = t('fleet.count', { live, silent: inOrder.length - live });
    if (count.textContent !== text) fill(count, text);
    for (const one of inOrder) {
      const { row, press, title, note } = rows.get(one.name) ?? makeRow(one.name);
      const silent = isSilent(one, now);
      const says = noteOf(one, now);
      row.classList.toggle('old', silent);
      row.hidden = !one.title.toLocaleLowerCase().includes(wanted);
      press.setAttribute('aria-pressed', String(one.name === chosen));
      if (title.textContent !== one.title) fill(title, one.title);
      if (note.textContent !== says) fill(note, says);
    }
    if (!list.contains(document.activeElement)) {
      const isInOrder = inOrder.every(({ name }, n) => list.children[n] === rows.get(name).row);
      if (!isInOrder) fill(list, inOrder.map(({ name }) => rows.get(name).row));
    }
    if (!search.firstChild && inOrder.length > SEARCHED) {
      fill(search, searchField(t('fleet.search'), (text) => { wanted = text.toLocaleLowerCase(); show(); }));
    }
    marks.set(inOrder.filter(({ name, fix }) => fix && name !== chosen).map((one) => {
      const old = isSilent(one, now);
      return { name: one.name, title: one.title, note: old ? noteOf(one, now) : '', lat: one.fix.lat, lon: one.fix.lon,
        track: one.fix.track, moves: (one.fix.speed ?? 0) >= MOVES, old };
    }));
  }

  const every = setInterval(show, 5000);
  let waiting = 0;
  signal.addEventListener('abort', () => { clearInterval(every); clearTimeout(waiting); });
  show();
  return {
    element,
    /** Returns what is known of a device.
     * @param {string} name */
    of: (name) => known.get(name),
    /** Marks the chosen device in the list.
     * @param {string} name */
    chose(name) {
      chosen = name;
      show();
    },
    /** Takes the position of a device from the stream of events.
     * @param {any} event */
    hear({ device, time, lat, lon, fix }) {
      const before = known.get(device) ?? knownOf({ name: device }, null);
      known.set(device, { ...before, fix: { device, time, lat, lon, ...fix }, came: Date.now(), old: false });
      // Twelve buses tell their places at the same time.
      waiting ||= window.setTimeout(() => { waiting = 0; show(); }, 300);
    },
  };
}

/** Returns what a device does, or how long it has been silent.
 * @param {import('./devices.js').Known} one
 * @param {number} now */
function noteOf(one, now) {
  if (!one.fix) return t('fleet.nofix');
  if (isSilent(one, now)) return t('time.ago', { time: duration((now - one.came) / 1000) });
  return one.fix.speed >= MOVES ? speed(one.fix.speed) : one.fix.speed === undefined ? t('fleet.live')
    : t('fleet.stands');
}
