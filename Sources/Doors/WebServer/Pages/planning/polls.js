/** The questions in a plan: its people vote on the plan's page, and take the answer over with one tap. */
import { h, icon } from '../dom.js';
import { t, addTexts, number } from '../texts.js';
import { call, read } from '../rpc.js';
import { ask, attempt, badge, button, formDialog, me, menu, toast, when, Wrong } from '../ui.js';
import { moment } from '../format.js';
import { replace } from '../live.js';
import { ends } from './days.js';
import { loadSheet } from '../sheets.js';
import { daysIn, optionText, takeDays, takeItem } from './answers.js';
import { choose, chosen, readChoices } from './choices.js';

/** The milliseconds for which an ended question stays on the page. */
const KEPT = 14 * 86_400_000;

/**
 * Shows the questions of a plan.
 * @param {{page: any, plan: any, place: any}} of
 * @returns {Promise<{load: () => Promise<any>, ask: () => any}>} what shows them as they are now, and opens a new one
 */
export async function showPolls({ page, plan, place }) {
  await Promise.all([addTexts('together'), loadSheet(new URL('together.css', import.meta.url))]);
  let drawn = '';
  let begun = 0;
  let latest = 0;

  async function load() {
    const turn = ++begun;
    const known = readChoices();
    const { votes } = await read('votes.asked', { plan: plan.id });
    const shown = votes.filter(({ ended }) => !ended || Date.now() - Date.parse(ended) < KEPT);
    const [choices, titles] = await Promise.all([choicesIn(shown), titlesFor(shown)]);
    // An answer that was asked for earlier may arrive later.
    if (turn < latest || page.signal.aborted) return;
    latest = turn;
    const now = JSON.stringify([shown, choices, titles]);
    if (now === drawn) return;
    drawn = now;
    replace(place, shown.map((vote) => card(vote, known(vote.id, choices[vote.id]), titles)));
  }

  /** Returns what the person has chosen so far, by the id of the vote.
   * @param {Vote[]} votes */
  async function choicesIn(votes) {
    const open = votes.filter(({ ended, ballot }) => !ended && ballot === 'open');
    const found = await Promise.all(open.map(({ id }) => read('votes.choice', { vote: id })));
    return Object.fromEntries(open.map(({ id }, n) => [id, found[n].option]));
  }

  /** Returns the titles of the plan's items, if an answer may have become one of them.
   * @param {Vote[]} votes */
  async function titlesFor(votes) {
    if (!plan.may_edit || !votes.some(({ ended }) => ended)) return [];
    const { days } = await read('plans.itinerary', { plan: plan.id });
    return days.flatMap(({ items }) => items.map(({ title }) => title));
  }

  /** Changes a vote, and shows what is stored then.
   * @param {'votes.done' | 'votes.end' | 'votes.remove'} method @param {{vote: string}} params */
  const change = async (method, params) => {
    await chosen(params.vote);
    try { return await call(method, params); } finally { await load(); }
  };

  /** @param {Vote} vote @param {number | undefined} choice @param {string[]} titles */
  function card(vote, choice, titles) {
    const isMine = vote.initiator?.id === me.person?.id;
    const mayRemove = isMine || plan.owner.id === me.person?.id;
    const { id, subject, ended, voted } = vote;
    const end = isMine && !ended && voted > 1
      && { label: t('polls.end'), icon: 'check', onclick: () => change('votes.end', { vote: id }) };
    const remove = { label: t('remove'), icon: 'remove', danger: true, onclick: async () => {
      if (await ask(t('polls.remove', { subject }), t('remove'))) await change('votes.remove', { vote: id });
    } };
    const told = [vote.initiator?.name, t('vote.voted', { n: voted, all: vote.participants })].filter(Boolean);
    return h('article.card.poll', { 'data-vote': id },
      h('div.toolbar', h('h2', icon('votes', 'inline'), ' ', subject),
        mayRemove && menu(`${t('more.actions')}: ${subject}`, [end, remove])),
      ended ? result(vote, titles) : vote.ballot === 'counted' ? waiting(vote) : ballot(vote, choice),
      h('small', told.join(' · '), ' · ', ended ? when(ended) : t('polls.until', { time: moment(vote.ends) })));
  }

  /** @param {Vote} vote @param {number | undefined} choice */
  function ballot(vote, choice) {
    const done = button({ label: t('vote.done'), icon: 'check', kind: 'primary', disabled: !choice,
      onclick: () => change('votes.done', { vote: vote.id }) });
    return [h('fieldset.rows.dense', h('legend.hidden', vote.subject), vote.options.map((option) => h('label.row',
      h('input', { type: 'radio', name: `vote-${vote.id}`, value: option.number, checked: option.number === choice,
        onchange: () => {
          done.disabled = false;
          return attempt(() => choose(vote.id, option.number).catch(async (error) => {
            drawn = '';
            await load();
            throw error;
          }));
        } }), h('span.row-text', optionText(option.text))))),
    h('div.actions', done, h('small', t('polls.secret')))];
  }

  /** @param {Vote} vote */
  const waiting = (vote) => [h('p', t('vote.handedin')),
    h('ul.plain', vote.options.map((option) => h('li', optionText(option.text))))];

  /** @param {Vote} vote @param {string[]} titles */
  function result(vote, titles) {
    const won = vote.options.filter((option) => vote.winners?.includes(option.number));
    /** @param {Option} option */
    const line = (option) => {
      const bar = h('span');
      bar.style.inlineSize = `${option.percent ?? 0}%`;
      return h('li', h('div.toolbar',
        h('span', optionText(option.text), ' ', won.includes(option) ? badge(t('vote.won'), 'good') : null),
        h('b', `${number(option.percent ?? 0)} % (${option.count ?? 0})`)),
      h('div.progress', { 'aria-hidden': 'true' }, bar));
    };
    return [h('ul.section', vote.options.map(line)), won.length ? null : h('p', t('vote.nobody')),
      plan.may_edit && won.length ? h('div.actions', won.map((option) => take(option, titles))) : null];
  }

  /** Creates the button that takes an answer over, or says that the plan has it.
   * @param {Option} option @param {string[]} titles */
  function take(option, titles) {
    const days = daysIn(option.text);
    const has = days ? ends(plan).every((day, n) => day === days[n]) : titles.includes(option.text);
    if (has) return badge([icon('check', 'inline'), ' ', t('polls.taken', { text: optionText(option.text) })], 'good');
    return button({
      label: t(days ? 'polls.takedays' : 'polls.takeitem', { text: optionText(option.text) }), icon: 'add',
      kind: 'primary', onclick: async () => {
        await (days ? takeDays(plan, days, page.refresh) : takeItem(plan, option.text, page.refresh));
        page.refresh();
      } });
  }

  await load();
  return { load, ask: () => askDialog(plan, load) };
}

/** Opens the form of a new question.
 * @param {Plan} plan
 * @param {() => any} done */
function askDialog(plan, done) {
  const days = h('div.section');
  const kinds = h('div.choice', { role: 'group', 'aria-label': t('polls.kind') });
  /** @param {number} n */
  const pair = (n) => h('fieldset.pair', h('legend', t('vote.option', { n })), ['from', 'until'].map((name) =>
    h('input', { type: 'date', 'aria-label': t(name) })));
  const more = button({ label: t('vote.moreoptions'), icon: 'add', kind: 'small', onclick: () => {
    more.before(pair(days.querySelectorAll('.pair').length + 1));
    /** @type {HTMLElement} */ (days.querySelector('.pair:last-of-type input')).focus();
  } });
  days.append(pair(1), pair(2), more);
  const element = formDialog(t('polls.ask'), {
    fields: [{ name: 'subject', label: t('polls.what'), required: true, attributes: { maxlength: 100 } }, kinds,
      { name: 'options', label: t('polls.options'), type: 'textarea', rows: 4, hint: t('polls.options.hint') }, days,
      { name: 'limit', label: t('vote.limit'), type: 'select', value: '1w',
        options: ['1h', '1d', '1w'].map((one) => [one, t(`vote.limit.${one}`)]) }],
    submit: t('polls.send'), keepEmpty: true,
    action: async ({ subject, options, limit }) => {
      const given = days.hidden ? options.split('\n').map((/** @type {string} */ line) => line.trim())
        : [...days.querySelectorAll('.pair')].map(span);
      const chosen = given.filter(Boolean);
      if (chosen.length < 2 || new Set(chosen).size < chosen.length) {
        throw new Wrong('options', t('vote.options.wrong'));
      }
      await call('votes.ask', { plan: plan.id, subject, options: chosen, limit });
      toast(t('polls.asked'));
      await done();
    },
  });
  const texts = element.querySelector('textarea').closest('.field');
  /** @param {string} kind */
  const choose = (kind) => {
    days.hidden = kind !== 'days';
    // An error about the options appears at this field.
    texts.classList.toggle('only-error', !days.hidden);
    for (const one of /** @type {Iterable<HTMLElement>} */ (kinds.children)) {
      one.setAttribute('aria-pressed', String(one.dataset.kind === kind));
    }
  };
  kinds.append(...['texts', 'days'].map((kind) =>
    h('button', { type: 'button', 'data-kind': kind, onclick: () => choose(kind) }, t(`polls.kind.${kind}`))));
  choose('texts');
}

/** Returns the option of the days in a pair of fields, of which one may be empty.
 * @param {Element} pair */
function span(pair) {
  const days = [...pair.querySelectorAll('input')].map(({ value }) => value).filter(Boolean).sort();
  return [...new Set(days)].join('/');
}
