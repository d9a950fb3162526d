/** The way of this machine's events to its centre, and of boards' events to this machine, for administrators. */
import { h, fill } from '../dom.js';
import { addTexts, number, t } from '../texts.js';
import { call, read } from '../rpc.js';
import { section, badge, button, copy, dialog, empty, formDialog, rowText, said, toast, when } from '../ui.js';
import { reachable } from './invitations.js';

/**
 * Returns the section with the centre and the boards.
 * @param {AbortSignal} signal that the page is left
 */
export function boards(signal) {
  const [element, list] = [h('div'), h('div')];
  /** Whether the chain of a log was the same when it was computed last, by the chain.
   * @type {Map<string, boolean | undefined>} */
  const verified = new Map();
  const load = () => read('uplink.status').then((state) => {
    for (const one of all(state)) one.proven = verified.get(one.chain);
    if (!signal.aborted) fill(list, rows(state));
  }).catch((error) => fill(list, empty(said(error))));
  const verify = async () => {
    const state = await call('uplink.verify');
    const known = all(state);
    for (const { chain, proven } of known) verified.set(chain, proven);
    fill(list, rows(state));
    const wrong = known.find(({ proven }) => proven === false);
    toast(wrong ? t('boards.wrong', { name: nameOf(wrong) }) : t('boards.proven', { n: known.length }));
  };
  addTexts('boards').then(() => {
    fill(element, section(t('boards'), list, h('div.actions',
      button({ label: t('boards.add'), icon: 'add', onclick: () => add(load) }),
      button({ label: t('boards.verify'), onclick: verify }))));
    return load();
  }).catch((error) => fill(element, empty(said(error))));
  const every = setInterval(load, 10_000);
  signal.addEventListener('abort', () => clearInterval(every));
  return element;
}

/** Returns the logs that go somewhere: this machine's own, if its centre has some of it, and those of boards.
 * @param {Result<'uplink.status'>} state */
const all = ({ own, boards: found }) => [...(own.seq ? [own] : []), ...found];

/** @param {Uplink} log */
const nameOf = ({ board }) => board ?? t('boards.centre');

/** @param {Result<'uplink.status'>} state */
function rows(state) {
  const known = all(state);
  if (!known.length && !state.silent.length) return empty(t('boards.none'));
  return h('ul.rows', known.map(row), state.silent.map((name) =>
    h('li.row', rowText(name, t('boards.silent')), badge(t('boards.waiting'), ''))));
}

/** @param {Uplink} one */
function row(one) {
  const last = one.last ?? one.seq;
  const left = last - one.seq;
  const facts = one.board ? t('boards.here', { n: one.seq }) : t('boards.there', { n: one.seq, all: number(last) });
  return h('li.row',
    rowText(nameOf(one), facts, one.missing ? t('boards.missing', { n: one.missing }) : null,
      one.seen ? h('span', t('boards.seen'), ' ', when(one.seen)) : null,
      h('code', `${one.log.slice(0, 8)} · ${one.chain.slice(0, 16)}`)),
    one.proven === undefined ? null
      : badge(t(one.proven ? 'boards.same' : 'boards.other'), one.proven ? 'good' : 'warm'),
    left ? badge(t('boards.left', { n: left }), '') : null);
}

/**
 * Asks for the name of a board, and shows its secret, which nobody sees again.
 * @param {() => any} done what to do once the board has a secret
 */
const add = (done) => formDialog(t('boards.add'), {
  fields: [{ name: 'name', label: t('boards.name'), required: true, hint: t('boards.name.hint') }],
  submit: t('boards.make'),
  action: async ({ name }, form) => {
    const made = await call('uplink.board', { name });
    form.addEventListener('close', () => show(made), { once: true });
    await done();
  },
});

/** @param {{name: string, secret: string}} made */
function show({ name, secret }) {
  const url = reachable().server ?? 'https://centre.example.org';
  const settings = `uplink:\n  url: ${url}\n  secret: /etc/waymark/uplink.secret\n`;
  const part = (/** @type {string} */ label, /** @type {string} */ text) => h('section', h('p', label),
    h('div.row', h('pre.row-text', text),
    button({ label: `${t('share.copy')}: ${label}`, icon: 'link', hidesLabel: true, onclick: () => copy(text) })));
  dialog(t('boards.title', { name }),
    part(t('boards.secret'), secret), part(t('boards.settings'), settings), h('p', h('small', t('boards.once'))));
}
