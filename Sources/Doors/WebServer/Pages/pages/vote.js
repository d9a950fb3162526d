/** A vote: the passcode, the ballot and the result; for its initiator, also the name conflicts. */
import { h, fill } from '../dom.js';
import { t, number } from '../texts.js';
import { call, read, Refused } from '../rpc.js';
import { head, form, button, section, empty, badge, figures, figure, when, toast, said, attempt } from '../ui.js';
import { moment } from '../format.js';
import { follow, isAbout } from '../live.js';
import { optionText } from '../planning/answers.js';
import { choose, chosen, readChoices } from '../planning/choices.js';
import { statusBadge } from './votes.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  const found = await read('votes.find', { vote: id });
  page.title(found.subject);
  const body = h('div.section');
  const top = h('div.section');
  fill(page.main, top, body);
  let timer = 0;
  page.signal.addEventListener('abort', () => clearInterval(timer));

  /** @param {ListedVote & Partial<Vote>} vote */
  function drawHead(vote) {
    const bar = h('span');
    bar.style.inlineSize = `${vote.progress}%`;
    const dot = h('span.swatch');
    dot.dataset.colour = vote.colour;
    page.main.dataset.colour = vote.colour;
    fill(top,
      head(vote.subject, {
        back: ['/votes', t('nav.votes')],
        note: h('span.actions', dot, statusBadge(vote), vote.initiator ? h('span', vote.initiator.name) : null),
      }),
      figures(figure(h('span.pass', vote.id), t('vote.id')),
        figure(t('vote.voted', { n: vote.voted, all: vote.participants }), t('vote.count')),
        vote.ended ? figure(moment(vote.ended), t('vote.ended')) : figure([moment(vote.ends)], t('vote.ends')),
        vote.wrong_passcodes ? figure(number(vote.wrong_passcodes), t('vote.wrong')) : null),
      h('div.progress', {
        role: 'progressbar', 'aria-valuenow': vote.progress, 'aria-valuemin': 0, 'aria-valuemax': 100,
        'aria-label': t('vote.count'),
      }, bar));
  }
  drawHead(found);

  let drawn = '';
  /** Returns a vote whose options read as people write them.
   * @param {Vote & Waiting} vote */
  const readable = (vote) =>
    ({ ...vote, options: vote.options.map((option) => ({ ...option, text: optionText(option.text) })) });
  /** @param {string} [passcode] */
  const load = async (passcode) => {
    const vote = readable(await call('votes.get', { vote: id, ...(passcode ? { passcode } : {}) }));
    drawHead(vote);
    draw(vote);
    drawn = stateOf(vote);
    return vote;
  };
  /** What the ballot depends on: it stays as it is while only the count changes.
   * @param {Vote} vote */
  const stateOf = (vote) => JSON.stringify([vote.status, vote.ballot, vote.ended]);
  follow(page, isAbout(`vote/${id}`), async () => {
    if (!drawn) return drawHead(await call('votes.find', { vote: id }));
    const vote = readable(await call('votes.get', { vote: id }));
    drawHead(vote);
    if (stateOf(vote) === drawn) return;
    draw(vote);
    drawn = stateOf(vote);
  });
  try {
    await load();
  } catch (error) {
    if (!(error instanceof Refused) || ![2, 4].includes(error.code)) throw error;
    fill(body, h('div.card.narrow', form({
      fields: [h('p', t(found.ended ? 'vote.locked.ended' : 'vote.locked')), {
        name: 'passcode', label: t('vote.passcode'), required: true, autocomplete: 'off',
        attributes: { inputmode: 'numeric', maxlength: 6 },
      }], submit: t(found.ended ? 'vote.result' : 'vote.enter'),
      action: async ({ passcode }) => {
        try {
          await load(passcode);
        } catch (error) {
          if (error instanceof Refused && error.code === 2) error.data.field = 'passcode';
          throw error;
        }
      },
    })));
  }
  page.on('notification', (event) => {
    if (event.notification?.destination?.endsWith(`/${id}`)) load().catch(() => {});
  });

  /** Changes the ballot. If that is refused, shows what is stored.
   * @template T @param {Promise<T>} changing */
  const change = (changing) => changing.catch(async (error) => {
    await load().catch(() => {});
    throw error;
  });

  /** @param {Vote} vote */
  function draw(vote) {
    if (vote.status === 'Finished') return drawResult(vote);
    const conflicts = h('div');
    if (vote.yours) drawConflicts(conflicts, vote);
    if (vote.ballot && vote.ballot !== 'open') {
      const mine = h('span');
      const options = h('ol.rows.dense', { 'aria-label': t('vote.options') },
        vote.options.map((option) => h('li.row', `${option.number}. ${option.text}`)));
      return fill(body, h('div.card', h('p', t(vote.ballot === 'counted' ? 'vote.handedin' : 'vote.notcounted')),
        h('div.actions', button({
          label: t('vote.showmine'), onclick: async () => fill(mine,
            t('vote.mine', { text: optionText((await call('votes.choice', { vote: id })).text ?? '–') })),
        }), mine)), options, conflicts);
    }
    const told = h('p', { role: 'status' });
    const options = h('fieldset.rows', h('legend.hidden', vote.subject), vote.options.map((option) => h('label.row',
      h('input', { type: 'radio', name: 'option', value: option.number, onchange: () => attempt(async () => {
        await change(choose(id, option.number, { title: found.subject }));
        fill(told, t('vote.chosen', { text: option.text }));
        done.disabled = false;
      }) }), h('span.row-text', `${option.number}. ${option.text}`))));
    const done = button({
      label: t('vote.done'), icon: 'check', kind: 'primary', disabled: true, onclick: async () => {
        const now = /** @type {Vote & Waiting} */ (await change(
          chosen(id).then(() => call('votes.done', { vote: id }, { title: found.subject }))));
        if (now.waits) return;
        toast(t('vote.handedin'));
        drawHead(now);
        draw(now);
      },
    });
    const known = readChoices();
    call('votes.choice', { vote: id }).then((choice) => {
      const mine = vote.options.find((option) => option.number === known(id, choice.option));
      if (!mine) return;
      /** @type {HTMLInputElement} */ (options.querySelector(`[value="${mine.number}"]`)).checked = true;
      fill(told, t('vote.chosen', { text: mine.text }));
      done.disabled = false;
    }, () => {});
    fill(body, h('p', t('vote.secret')), options, told, h('div.actions', done), conflicts);
  }

  /** @param {Vote} vote */
  function drawResult(vote) {
    const mine = h('span');
    fill(body, h('div.card',
      h('h2', vote.winners?.length ? t(vote.tie ? 'vote.tie' : 'vote.winner', {
        text: vote.options.filter((option) => vote.winners?.includes(option.number)).map(({ text }) => text).join(', '),
      }) : t('vote.nobody')),
      h('ul.section', vote.options.map((option) => {
        const bar = h('span');
        bar.style.inlineSize = `${option.percent ?? 0}%`;
        return h('li',
          h('div.toolbar',
            h('span', `${option.number}. ${option.text}`, ' ',
              vote.winners?.includes(option.number) ? badge(t('vote.won'), 'good') : null),
            h('b', `${number(option.percent ?? 0, (option.percent ?? 0) % 1 ? 1 : 0)} % (${option.count ?? 0})`)),
          h('div.progress', { 'aria-hidden': 'true' }, bar));
      })), vote.ballot ? h('p', t(vote.ballot === 'counted' ? 'vote.counted' : 'vote.notcounted')) : null,
      vote.ballot && h('div.actions', button({
        label: t('vote.showmine'), kind: 'small', onclick: async () => fill(mine,
          t('vote.mine', { text: optionText((await call('votes.choice', { vote: id })).text ?? '–') })),
      }), mine)),
    section(t('vote.names'), vote.names?.length
      ? h('ul.rows.dense', vote.names.map((name) => h('li.row', name))) : empty(t('vote.nobody'))),
    h('p.page-note', t('vote.opened'), ' ', when(vote.opened)));
  }

  /** @param {HTMLDivElement} place @param {Vote} vote */
  async function drawConflicts(place, vote) {
    try {
      showConflicts(await call('votes.conflicts', { vote: vote.id }));
    } catch (error) {
      fill(place, empty(said(error)));
    }
    /** @param {{conflicts: Conflict[]}} answer */
    function showConflicts({ conflicts }) {
      if (!conflicts.length) return fill(place);
      const [first, ...others] = conflicts;
      /** @param {Method} method @param {any} params */
      const act = (method, params) => async () => showConflicts(await call(method, { vote: vote.id, ...params }));
      fill(place, section(t('vote.conflict'), h('p', t('vote.conflict.note', { name: first.name })),
        h('ul.rows', first.ballots.map((ballot) => h('li.row',
          h('span.row-text', ballot.removed ? h('s', ballot.email) : ballot.email),
          ballot.removed
            ? button({ label: t('undo'), kind: 'small', onclick: act('votes.include', { email: ballot.email }) })
            : button({
              label: t('remove'), kind: 'small danger', onclick: act('votes.exclude', { email: ballot.email }),
            })))),
        h('div.actions',
          button({ label: t('vote.conflict.done'), kind: 'primary', onclick: async () => {
            await act('votes.settle', { name: first.name })();
            await load();
          } }),
          others.length ? h('small', t('vote.conflict.more', { n: others.length })) : null)));
    }
  }
}
