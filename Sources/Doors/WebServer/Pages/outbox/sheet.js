/** What waits on this phone, as people see it: a count in the head of every page, and a sheet that lists it. */
import { h, fill } from '../dom.js';
import { t, has, number } from '../texts.js';
import { Refused } from '../rpc.js';
import { ask, button, copy, dialog, empty, rowText, said, when } from '../ui.js';
import { changedUnits, choose } from '../merge.js';
import { fieldsOf, identityOf, isUpdate, names, pick } from './objects.js';
import { dayBy, daysBetween } from './shifts.js';
import { newID } from './store.js';

/** @typedef {import('./store.js').Entry} Entry */

/** The button in the head of the page.
 * @type {any} */
let counter = null;
/** Draws the open sheet again.
 * @type {(() => void) | null} */
let redraw = null;

/**
 * Shows how many changes wait, or nothing if there are none.
 * @param {Entry[]} entries
 * @param {() => void} open
 */
export function drawCount(entries, open) {
  counter ??= h('button.button.small.waits', { type: 'button', onclick: open });
  const held = entries.filter(({ state }) => state !== 'waiting').length;
  fill(counter, t('outbox.count', { n: entries.length }), held ? ` · ${t('outbox.held', { n: held })}` : null);
  if (!counter.isConnected) document.querySelector('.top-end')?.prepend(counter);
  counter.hidden = !entries.length;
  redraw?.();
}

/** Returns the label of a field.
 * @param {string} name */
const label = (name) => [`field.${name}`, `history.field.${name}`].filter(has).map((key) => t(key))[0] ?? name;

/** Returns what kind of object a change is about, with its title.
 * @param {{method: string, title?: string}} entry */
const subjectOf = ({ method, title = '' }) =>
  t(title ? 'outbox.titled' : 'outbox.untitled', { kind: t(`outbox.kind.${method.split('.')[0]}`), title });

/** Returns what is done to the object.
 * @param {Entry} entry */
function deedOf(entry) {
  const { days } = entry.params;
  if (entry.method === 'plans.shift') {
    return t(days > 0 ? 'outbox.do.later' : 'outbox.do.earlier', { n: Math.abs(days) });
  }
  const fields = isUpdate(entry.method) ? fieldsOf(entry).map(label).join(', ') : '';
  const deed = t(`outbox.do.${entry.method.split('.')[1].replace('addProduct', 'add')}`);
  const size = entry.blob ? t('outbox.size', { n: number(entry.blob.size / 1e6, 1) }) : '';
  return [fields ? `${deed}: ${fields}` : deed, size].filter(Boolean).join(' · ');
}

/** Returns why an entry does not go in; nothing if it just waits.
 * @param {Entry} entry */
function reasonOf(entry) {
  const { state, error, method } = entry;
  if (state === 'conflict') return t('outbox.conflict');
  if (state !== 'refused') return null;
  if (['gone', 'old'].includes(error.code)) return t(`outbox.${error.code}`);
  return said(new Refused(error, error.method ?? method));
}

/** Returns a change as text, so that somebody can enter it elsewhere.
 * @param {Entry} entry */
const textOf = (entry) => [`${subjectOf(entry)} (${deedOf(entry)})`, ...fieldsOf(entry).map((name) => {
  const value = entry.params[name];
  const words = Array.isArray(value) ? value.map((one) => one.person ?? one).join(', ') : value;
  return `${label(name)}: ${words}`;
})].join('\n');

/**
 * Opens the sheet with everything that waits.
 * @param {{entries: () => Entry[], store: (body: (list: Entry[]) => any) => Promise<any>, wake: () => any,
 *   drop: (entry: Entry) => Promise<any>}} outbox
 */
export function openSheet({ entries, store, wake, drop }) {
  const list = h('ul.rows');
  const foot = h('div.form-buttons');
  const element = dialog(t('outbox.title'), h('p.field-hint', t('outbox.note')), list, foot);
  redraw = draw;
  element.addEventListener('close', () => { redraw = null; });
  draw();

  function draw() {
    fill(list, entries().length ? entries().map(row) : h('li', empty(t('outbox.none'))));
    fill(foot, entries().some(({ state }) => state === 'waiting')
      ? button({ label: t('outbox.now'), kind: 'primary', onclick: wake }) : null);
  }

  /** @param {Entry} entry */
  function row(entry) {
    const reason = reasonOf(entry);
    /** @param {string} word @param {() => any} onclick */
    const act = (word, onclick, kind = '') => button({ label: t(word), kind: `small ${kind}`, onclick });
    const made = when(new Date(entry.at).toISOString());
    return h('li.row', rowText(subjectOf(entry), deedOf(entry), [entry.where, ' · ', made],
      reason && h('span.form-error', reason)), h('span.row-actions',
      h('a.button.small', { href: entry.page, onclick: () => element.close() }, t('outbox.open')),
      entry.state === 'conflict' && act('outbox.choose', () => settle(entry), 'primary'),
      entry.state === 'refused' && [act('again', () => retry(entry)), act('share.copy', () => copy(textOf(entry)))],
      act('outbox.drop', () => remove(entry))));
  }

  /** Lets the person choose between their version and the saved one.
   * @param {Entry} entry */
  async function settle(entry) {
    if (entry.method === 'plans.shift') return settleShift(entry);
    const units = changedUnits(fieldsOf(entry), entry.params, entry.current);
    const chosen = units.length ? await choose(units, entry.params, entry.current) : [];
    if (!chosen) return;
    if (!chosen.length) return void await drop(entry);
    await change(entry, (one) => ({ ...one, base: one.current, current: undefined,
      params: { ...identityOf(one), ...pick(one.params, chosen.flat()), revision: one.revision } }));
  }

  /** Lets the person choose the first day of a plan that somebody else has moved, too.
   * @param {Entry} entry */
  async function settleShift(entry) {
    const { start } = entry.current;
    const wanted = dayBy(entry.base.start.at, entry.params.days);
    const chosen = await choose([['start']], { start: { at: wanted } }, entry.current);
    if (!chosen) return;
    if (!chosen.length) return void await drop(entry);
    await change(entry, (one) => ({ ...one, base: { ...one.base, start }, current: undefined,
      params: { ...one.params, days: start ? daysBetween(start.at, wanted) : one.params.days } }));
  }

  /** Sends an entry again that was refused.
   * @param {Entry} entry */
  const retry = (entry) => change(entry, (one) => one);

  /** Changes an entry, which then waits again.
   * @param {Entry} entry @param {(entry: Entry) => any} body */
  async function change(entry, body) {
    await store((all) => ({ put: all.filter(({ n }) => n === entry.n)
      .map((one) => ({ ...body(one), state: 'waiting', error: undefined, once: newID(), tried: undefined })) }));
    await wake();
  }

  /** @param {Entry} entry */
  async function remove(entry) {
    const needed = entries().filter((one) => one.n !== entry.n && names(one.params, entry.id)).length;
    const question = t(entry.tried ? 'outbox.drop.tried' : 'outbox.drop.ask', { title: subjectOf(entry) });
    const more = needed ? ` ${t('outbox.drop.more', { n: needed })}` : '';
    if (await ask(question + more, t('outbox.drop'))) await drop(entry);
  }
}
