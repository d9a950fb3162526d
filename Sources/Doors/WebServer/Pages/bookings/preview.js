/** Shows what files would add to a plan, and adds what the person has ticked. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import { attempt, badge, button, dialog, said, toast } from '../ui.js';
import { between, place, planned } from '../format.js';
import { Unreadable } from './bytes.js';
import { keyOf, keysOf, readBookings } from './files.js';

/** The most files at a time, and the metres within which locations of one name are the same. */
const [FILES, SAME] = [20, 50];

/**
 * Reads files and shows what they would add. The texts and styles of bookings have been loaded.
 * @param {Page} page
 * @param {any} plan
 * @param {File[]} files
 */
export async function previewBookings(page, plan, files) {
  const [found, known] = await Promise.all([readAll(files.slice(0, FILES), plan), whatIsThere(plan)]);
  if (page.signal.aborted) return;
  const rows = [
    ...found.items.map((item) => rowOf(item, 'item', keysOf(item).some((key) => known.items.has(key)))),
    ...found.locations.map((one) => rowOf(one, 'location', known.locations.some((other) => isSame(one, other)))),
  ];
  const notes = [...found.errors, ...found.notes].map((note) => h('p.page-note', note));
  if (!rows.length) return void dialog(t('plan.files'), h('div.section', { role: 'status' }, notes));
  show(page, plan, rows, notes);
}

/** Reads files one after the other; what cannot be read is told.
 * @param {File[]} files @param {Plan} plan */
async function readAll(files, plan) {
  /** @type {{items: any[], locations: any[], notes: string[], errors: string[]}} */
  const all = { items: [], locations: [], notes: [], errors: [] };
  const keys = new Set();
  for (const file of files) {
    try {
      const { items, locations, notes } = await readBookings(file, plan);
      all.items.push(...items.filter((item) => !keys.has(keyOf(item)) && keys.add(keyOf(item))));
      all.locations.push(...locations.filter((one) => !all.locations.some((other) => isSame(one, other))));
      all.notes.push(...notes);
    } catch (error) {
      const reason = error instanceof Unreadable ? t(error.message) : said(error);
      all.errors.push(t('bookings.of', { file: file.name, reason }));
    }
  }
  return all;
}

/** Returns what the plan has already.
 * @param {Plan} plan */
async function whatIsThere(plan) {
  const [{ days }, locations] = await Promise.all([read('plans.itinerary', { plan: plan.id }),
    readPages('locations.list', 'locations', { plan: plan.id })]);
  return { items: new Set(days.flatMap(({ items }) => items).flatMap(keysOf)), locations };
}

/** @param {any} one @param {any} other */
const isSame = (one, other) => one.name.toLocaleLowerCase() === other.name.toLocaleLowerCase()
  && other.lat !== undefined && between(one.lat, one.lon, other.lat, other.lon) < SAME;

/** Creates the row of what would be added: ticked, unless the plan has it.
 * @param {any} one @param {string} kind @param {boolean} isKnown */
function rowOf(one, kind, isKnown) {
  const box = h('input', { type: 'checkbox', checked: !isKnown });
  const error = h('span.field-error', { 'aria-live': 'polite' });
  const isItem = kind === 'item';
  const times = isItem ? [one.from, one.to].filter(Boolean).map((at) => planned({ at })).join(' – ') : '';
  const zones = [...new Set([one.from_zone, one.to_zone].filter(Boolean))].join(', ');
  const facts = isItem ? [[times, zones && `(${zones})`].filter(Boolean).join(' '), one.location ?? one.address,
    one.booking_code && t('bookings.code', { code: one.booking_code })] : [place(one.lat, one.lon)];
  const element = h('li.row', h('label.check', box, icon(isItem ? one.tab : 'sight'), h('span.row-text',
    h('strong', one.title ?? one.name), h('small', facts.filter(Boolean).join(' · ')), error)),
  isKnown ? badge(t('bookings.known')) : null);
  return { one, kind, box, error, element };
}

/** @typedef {ReturnType<typeof rowOf>} Row */

/** Opens the list with a tick each.
 * @param {Page} page @param {Plan} plan @param {Row[]} rows @param {Child} notes */
function show(page, plan, rows, notes) {
  let left = rows;
  const chosen = () => left.filter(({ box }) => box.checked);
  const label = h('span');
  const add = button({ label: '', kind: 'primary autofocus', onclick: send });
  add.replaceChildren(label);
  const list = h('ul.rows.dense.bookings', { onchange: count }, rows.map(({ element }) => element));
  const all = button({ label: t('bookings.all'), kind: 'small', onclick: () => {
    const on = chosen().length < left.length;
    for (const { box } of left) box.checked = on;
    count();
  } });
  function count() {
    const n = chosen().length;
    fill(label, t('bookings.add', { n }));
    add.disabled = !n;
  }
  count();
  const element = dialog(t('plan.files'), h('div.section', h('p.field-hint', t('bookings.note')), notes,
    rows.length > 3 ? h('div.actions', all) : null, list),
  h('div.form-buttons', add, button({ label: t('cancel'), onclick: () => element.close() })));
  /** @type {[Method, any][]} */
  const added = [];
  let isSent = false;

  /** Adds what is ticked. What is refused says why, and stays. */
  async function send() {
    isSent = true;
    list.setAttribute('aria-busy', 'true');
    for (const row of chosen()) {
      try {
        added.push(await addOne(plan, row));
        row.element.remove();
        left = left.filter((other) => other !== row);
      } catch (error) {
        fill(row.error, said(error));
      }
    }
    list.removeAttribute('aria-busy');
    count();
    if (!chosen().length) element.close();
  }
  element.addEventListener('close', () => {
    if (!isSent || !added.length) return;
    page.refresh();
    const undo = button({ label: t('undo'), kind: 'small', onclick: () => attempt(async () => {
      for (const [method, subject] of added.splice(0)) await call(method, subject);
      note.remove();
      page.refresh();
    }) });
    const note = toast(t('bookings.added', { n: added.length }), undo);
  });
}

/** Adds one to the plan, and returns the call that removes it.
 * @param {Plan} plan
 * @param {Row} row
 * @returns {Promise<[Method, any]>} */
async function addOne(plan, { one, kind }) {
  if (kind === 'item') {
    const { id } = await call('activities.add', { plan: plan.id, ...one });
    return ['activities.remove', { activity: id }];
  }
  const { locations } = await call('locations.import', { plan: plan.id, locations: [one] });
  return ['locations.remove', { location: locations[0] }];
}
