/** Votes: those nearby, a search by number, and the person's history. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import {
  head, section, pages, button, buttonLink, badge, choice, searchField, form, when, empty, dialog, said, Wrong,
} from '../ui.js';
import { path } from '../paths.js';
import { follow, isOf, swap } from '../live.js';

export const COLOURS = ['blue', 'teal', 'green', 'yellow', 'orange', 'red', 'pink', 'purple', 'brown', 'grey'];

export const statusBadge = (vote) =>
  badge(t(`vote.${vote.status}`), { 'In progress': 'good', 'Something is wrong': 'warm' }[vote.status]);

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

export async function show(page) {
  page.title(t('nav.votes'));
  const here = h('div');
  const history = h('div');
  let part = 'initiated';
  let text = '';
  const loadHere = async () => {
    const answer = await read('votes.here').catch((error) => ({ votes: [], error }));
    fill(here, answer.votes.length ? h('ul.rows', answer.votes.map(voteRow)) : empty(
      answer.error ? said(answer.error) : t('votes.nonehere'),
      answer.error?.code === 5 ? buttonLink('/profile', t('profile.devices'))
        : answer.error ? null : button({ label: t('vote.new'), icon: 'add', onclick: () => openVote(page) })));
  };
  const loadHistory = (isQuiet = false) => (isQuiet ? swap : fill)(history, pages({
    method: 'votes.list', list: 'votes', params: { part, limit: 20, ...(text ? { text } : {}) },
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

/** The draft of a new vote. */
const DRAFT = 'draft:vote';

/** Throws an error at the field of a step whose value the daemon would refuse. */
const CHECKS = {
  options: ({ options }) => {
    const texts = options.map((option) => option.trim());
    if (texts.filter(Boolean).length < 2 || texts.includes('') || new Set(texts).size < texts.length) {
      throw new Wrong('options', t('vote.options.wrong'));
    }
  },
  participants: ({ participants }) => {
    if (!Number.isInteger(participants) || participants < 2 || participants > 1000) {
      throw new Wrong('participants', t('vote.participants.wrong'));
    }
  },
  passcode: ({ passcode }) => {
    if (!/^\d{1,6}$/.test(passcode)) throw new Wrong('passcode', t('vote.passcode.wrong'));
  },
};

/** Shows the form of a new vote, in six steps. */
function openVote(page) {
  const values = { options: ['', ''], colour: 'blue', limit: '1h', ...JSON.parse(localStorage.getItem(DRAFT) ?? '{}') };
  const body = h('div.section');
  const element = dialog(t('vote.new'), body);
  element.dataset.draft = DRAFT;
  const keep = () => { localStorage.setItem(DRAFT, JSON.stringify(values)); element.dataset.unsaved = 'yes'; };
  let at = 0;
  /** @type {[string, () => any[]][]} */
  const steps = [
    ['subject', () => [{ name: 'subject', label: t('vote.subject'), required: true, value: values.subject }]],
    ['options', () => {
      const list = h('div.section');
      const draw = () => fill(list,
        values.options.map((option, n) => h('label.field', h('b', t('vote.option', { n: n + 1 })),
          h('input', { type: 'text', value: option, oninput: (event) => {
            values.options[n] = event.target.value;
            keep();
          } }))),
        h('div.actions',
          button({ label: t('vote.moreoptions'), icon: 'add', kind: 'small', onclick: () => {
            values.options.push('');
            draw();
            list.querySelectorAll('input')[values.options.length - 1].focus();
          } }),
          values.options.length > 2 && button({ label: t('vote.feweroptions'), kind: 'small', onclick: () => {
            values.options.pop();
            draw();
          } })));
      draw();
      return [list];
    }],
    ['participants', () => [{
      name: 'participants', label: t('vote.participants'), type: 'number', required: true,
      value: values.participants, hint: t('vote.participants.hint'),
    }]],
    ['passcode', () => [{
      name: 'passcode', label: t('vote.passcode'), required: true, value: values.passcode,
      hint: t('vote.passcode.hint'), attributes: { inputmode: 'numeric', maxlength: 6 },
    }]],
    ['limit', () => [{
      name: 'limit', label: t('vote.limit'), type: 'select', value: values.limit,
      options: ['10m', '1h', '1d', '1w'].map((one) => [one, t(`vote.limit.${one}`)]),
    }]],
    ['colour', () => [h('fieldset.swatches', h('legend', t('vote.colour')), COLOURS.map((one) =>
      h('label', { 'data-colour': one },
        h('input', {
          type: 'radio', name: 'colour', value: one, checked: one === values.colour,
          onchange: () => { values.colour = one; keep(); },
        }),
        h('span.swatch'), h('span', t(`colour.${one}`)))))]],
  ];
  /** Shows the current step. @param {any} [error] an error of this step */
  function draw(error) {
    const last = at === steps.length - 1;
    const sheet = form({
      fields: steps[at][1](), submit: t(last ? 'vote.open' : 'next'),
      secondary: at ? [button({ label: t('back'), onclick: () => { at--; draw(); } })] : [],
      action: async (given) => {
        Object.assign(values, given);
        keep();
        CHECKS[steps[at][0]]?.(values);
        if (!last) { at++; return draw(); }
        try {
          const vote = await call('votes.open', { ...values, options: values.options.map((option) => option.trim()) });
          localStorage.removeItem(DRAFT);
          element.close();
          page.go(path('votes', vote.id));
        } catch (problem) {
          const step = steps.findIndex(([name]) => name === problem.data?.field?.replace(/[[.].*/, ''));
          if (step < 0 || step === at) throw problem;
          at = step;
          draw(problem);
        }
      },
    });
    fill(body, h('small', t('vote.step', { n: at + 1, all: steps.length })),
      error && h('p.form-error', { role: 'alert' }, said(error)), sheet);
    sheet.querySelector('input, select')?.focus();
  }
  draw();
}
