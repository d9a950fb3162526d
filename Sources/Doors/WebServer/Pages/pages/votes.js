/** Votes: those nearby, a search by number, and the person's history. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import {
  head, section, pages, button, buttonLink, badge, choice, searchField, form, formDialog, when, empty, said, Wrong,
} from '../ui.js';
import { path } from '../paths.js';
import { follow, isOf, swap } from '../live.js';

export const COLOURS = ['blue', 'teal', 'green', 'yellow', 'orange', 'red', 'pink', 'purple', 'brown', 'grey'];

/** @param {ListedVote | ListedVote & Waiting} vote */
export const statusBadge = (vote) =>
  badge(t(`vote.${vote.status}`), { 'In progress': 'good', 'Something is wrong': 'warm', Finished: '' }[vote.status]);

/** @param {ListedVote} vote */
export function voteRow(vote) {
  const dot = h('span.swatch');
  dot.dataset.colour = vote.colour;
  const bar = h('span');
  bar.style.inlineSize = `${vote.progress}%`;
  return h('li.row', { 'data-colour': vote.colour },
    h('a.row-link', { href: path('votes', vote.id) }, dot,
      h('span.row-text', h('strong', vote.subject),
        h('small', vote.id, ' · ', when(vote.opened), ' · ',
          t('vote.voted', { n: vote.voted, all: vote.participants }),
          vote.ballot === 'not counted' ? ` · ${t('vote.notcounted')}` : ''),
        h('span.progress', { 'aria-hidden': 'true' }, bar)), statusBadge(vote)));
}

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.votes'));
  const here = h('div');
  const history = h('div');
  let part = 'initiated';
  let text = '';
  const loadHere = async () => {
    /** @type {{votes: ListedVote[], error?: any}} */
    const answer = await read('votes.here').catch((error) => ({ votes: [], error }));
    fill(here, answer.votes.length ? h('ul.rows', answer.votes.map(voteRow)) : empty(
      answer.error ? said(answer.error) : t('votes.nonehere'),
      answer.error?.code === 5 ? buttonLink('/profile', t('profile.devices'))
        : answer.error ? null : button({ label: t('vote.new'), icon: 'add', onclick: () => openVote(page) })));
  };
  const loadHistory = (isQuiet = false) => (isQuiet ? swap : fill)(history, pages({
    method: 'votes.list', list: 'votes',
    params: { part: /** @type {'initiated' | 'attended'} */ (part), limit: 20, ...(text ? { text } : {}) },
    none: empty(t(text ? 'votes.notext' : `votes.none.${part}`, { text }), part === 'initiated' && !text
      && button({ label: t('vote.new'), icon: 'add', onclick: () => openVote(page) })),
    row: voteRow,
  }));
  loadHere();
  loadHistory();
  follow(page, isOf('vote'), () => { loadHere(); loadHistory(true); });
  page.on('any', (event) => {
    if (event.geofence?.kind === 'vote' || event.notification?.kind === 'vote') {
      loadHere();
      loadHistory();
    }
  });
  fill(page.main,
    head(t('nav.votes'), {
      actions: [button({ label: t('vote.new'), icon: 'add', kind: 'primary', onclick: () => openVote(page) })],
    }),
    section(t('votes.here'), here),
    h('div.card', form({
      fields: [{
        name: 'vote', label: t('vote.number'), required: true, hint: t('vote.number.hint'),
        attributes: { inputmode: 'numeric', maxlength: 7 },
      }], submit: t('vote.find'),
      action: async ({ vote }) => {
        const found = await call('votes.find', { vote });
        page.go(path('votes', found.id));
      },
    })),
    section(t('votes.history'), h('div.toolbar',
      choice([['initiated', t('votes.initiated')], ['attended', t('votes.attended')]], part, t('votes.history'),
        (chosen) => { part = chosen; loadHistory(); }),
      searchField(t('votes.search'), (words) => { text = words; loadHistory(); })), history));
}

/** Throws an error at the field whose value the daemon would refuse.
 * @param {any} options */
function check({ options, participants, passcode }) {
  if (options.length < 2 || new Set(options).size < options.length) throw new Wrong('options', t('vote.options.wrong'));
  if (!Number.isInteger(participants) || participants < 2 || participants > 1000) {
    throw new Wrong('participants', t('vote.participants.wrong'));
  }
  if (!/^\d{1,6}$/.test(passcode)) throw new Wrong('passcode', t('vote.passcode.wrong'));
}

/** Opens the form of a new vote. How long it is open and its colour are behind a button.
 * @param {Page} page */
function openVote(page) {
  const colours = h('fieldset.swatches', h('legend', t('vote.colour')), COLOURS.map((one, n) =>
    h('label', { 'data-colour': one },
      h('input', { type: 'radio', name: 'colour', value: one, checked: n === 0 }),
      h('span.swatch'), h('span', t(`colour.${one}`)))));
  formDialog(t('vote.new'), {
    fields: [
      { name: 'subject', label: t('vote.subject'), required: true },
      {
        name: 'options', label: t('vote.options'), type: 'textarea', required: true, rows: 3,
        hint: t('vote.options.hint'),
      },
      {
        name: 'participants', label: t('vote.participants'), type: 'number', required: true, half: true,
        hint: t('vote.participants.hint'),
      },
      {
        name: 'passcode', label: t('vote.passcode'), required: true, half: true, hint: t('vote.passcode.hint'),
        attributes: { inputmode: 'numeric', maxlength: 6 },
      },
      {
        name: 'limit', label: t('vote.limit'), type: 'select', value: '1h', more: true,
        options: ['10m', '1h', '1d', '1w'].map((one) => [one, t(`vote.limit.${one}`)]),
      },
      Object.assign(colours, { more: true }),
    ],
    submit: t('vote.open'),
    action: async (values) => {
      const colour = /** @type {HTMLInputElement} */ (colours.querySelector('input:checked')).value;
      const options = values.options.split('\n').map((/** @type {string} */ line) => line.trim()).filter(Boolean);
      check({ ...values, options });
      const vote = await call('votes.open', { ...values, options, colour });
      page.go(path('votes', vote.id));
    },
  });
}
