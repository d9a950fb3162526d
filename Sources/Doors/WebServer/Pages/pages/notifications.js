/** The notifications of the person, and their rules. */
import { h, fill } from '../dom.js';
import { t, has } from '../texts.js';
import { call, read } from '../rpc.js';
import {
  head, pages, button, buttonLink, choice, told, emphasised, empty, when, attempt, menu, formDialog, toast, badge,
} from '../ui.js';
import { pathOf } from '../paths.js';
import { swap } from '../live.js';
import { browsers } from '../push/push.js';

const EVENTS = ['approach', 'enter', 'cross', 'dwell', 'exit'];

/** @param {string} kind */
const kindName = (kind) => (has(`news.kind.${kind}`) ? t(`news.kind.${kind}`) : kind);

/** Escapes a name or a title as the daemon does in a text.
 * @param {string} text */
const bold = (text) => `<b>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')}</b>`;

/** Returns the text of a notification, of which those that gather people are written in the reader's language.
 * @param {ListedNotice} one */
function written(one) {
  const { kind, count: n, people = [], about } = one;
  if (n === undefined || !has(`told.${kind}`)) return told(one);
  const [first, second] = people.map(({ name }) => bold(name));
  const who = !first ? t('told.some', { n })
    : n === 1 ? first : n === 2 && second ? t('told.two', { first, second }) : t('told.more', { first, n: n - 1 });
  return emphasised(t(`told.${kind}`, { who, n, what: about ? bold(about) : t(`told.${kind}.other`) }));
}

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.bell'));
  const list = h('div');
  const kinds = (await read('notifications.rules')).all_kinds;
  let kind = '';
  async function update() {
    page.showNews((await call('notifications.badge')).count);
  }
  function load(isQuiet = false) {
    (isQuiet ? swap : fill)(list, pages({
      method: 'notifications.list', list: 'notifications',
      params: /** @type {any} */ ({ limit: 30, ...(kind ? { kind } : {}) }),
      none: kind ? t('news.none') : empty(t('news.nothing'),
        buttonLink('/people?of=suggested', t('nav.people'), 'people', 'primary')), row,
      loaded: () => update().catch(() => {}),
    }));
  }
  /** @param {ListedNotice} one */
  function row(one) {
    const leads = pathOf(one.destination);
    const isOut = leads && !leads.startsWith('/');
    /** @param {any} event */
    const open = (event) => attempt(async () => {
      // The browser opens a link to another site by itself.
      if (!isOut) event.preventDefault();
      await call('notifications.open', { notification: one.id });
      element.classList.remove('new');
      await update();
      if (leads && !isOut) page.go(leads);
    });
    const what = one.action && (has(`act.${one.action.method}`) ? t(`act.${one.action.method}`) : one.action.title);
    const action = one.action && button({
      label: one.action.done ? t('news.did', { what }) : what ?? '', kind: 'small primary', disabled: one.action.done,
      onclick: async () => {
        // A refusal can mean that the button was pressed on another page.
        const answer = await call('notifications.act', { notification: one.id }).catch((error) => {
          load();
          throw error;
        });
        const opens = pathOf(answer.url ?? '');
        if (answer.url) return void (opens && window.open(opens, '_blank', 'noopener'));
        toast(t('news.done'));
        element.classList.remove('new');
        one = answer.notification;
        element.replaceWith(row(one));
        await update();
      },
    });
    const element = h('li', { class: `row roomy ${one.state === 'read' ? '' : 'new'}` },
      h('a.row-link', {
        href: leads ?? '/notifications', ...(isOut ? { target: '_blank', rel: 'noopener noreferrer' } : {}),
        onclick: open,
      }, h('span.row-text', h('span', written(one)),
        h('small', kindName(one.kind), ' · ', when(one.time),
          one.silent ? [' ', badge(t('news.silent'))] : null,
          one.state === 'read' ? null : h('span.hidden', ` (${t('news.unread')})`)))),
      action, menu(`${t('more.actions')}: ${kindName(one.kind)}`, [
        one.state !== 'read' && { label: t('news.read'), icon: 'check', onclick: async () => {
          await call('notifications.read', { notification: one.id });
          element.classList.remove('new');
          await update();
        } },
        { label: t('remove'), icon: 'remove', onclick: async () => {
          await call('notifications.remove', { notification: one.id });
          element.remove();
          await update();
        } },
      ]));
    return element;
  }
  load();
  // Who presses a notification of the browser comes here, and goes on to what it is about.
  const pressed = page.query.get('open');
  if (pressed) {
    history.replaceState(null, '', '/notifications');
    attempt(async () => {
      const { destination } = await call('notifications.open', { notification: pressed });
      const leads = pathOf(destination);
      if (leads?.startsWith('/')) page.go(leads, true);
    });
  }
  page.on('notification', () => load(true));
  const which = choice([['', t('all')], ...kinds.map((one) => [one, kindName(one)])], '', t('news.which'),
    (chosen) => { kind = chosen; load(); });
  which.classList.add('one-line');
  fill(page.main, head(t('nav.bell'), { actions: [
    button({ label: t('news.readall'), icon: 'check', onclick: async () => {
      await call('notifications.read', { all: true });
      load();
    } }),
    button({ label: t('news.rules'), icon: 'edit', onclick: rules }),
  ] }), which, list);
}

async function rules() {
  const now = await read('notifications.rules');
  const [from, to] = (now.quiet ?? '').split('-');
  formDialog(t('news.rules'), {
    fields: [
      {
        name: 'kinds', label: t('news.about'), type: 'checks',
        options: now.all_kinds.map((one) => [one, kindName(one)]), value: now.kinds,
      },
      {
        name: 'events', label: t('news.events'), type: 'checks',
        options: EVENTS.map((one) => [one, t(`news.event.${one}`)]), value: now.events,
      },
      { name: 'categories', label: t('news.only'), type: 'list', value: now.categories, hint: t('news.only.hint') },
      { name: 'excluded_categories', label: t('news.not'), type: 'list', value: now.excluded_categories },
      { name: 'quiet_from', label: t('news.quietfrom'), type: 'time', value: from, half: true },
      { name: 'quiet_to', label: t('news.quietto'), type: 'time', value: to, half: true },
      {
        name: 'zone', label: t('plan.zone'),
        value: now.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, half: true,
      },
      {
        name: 'cool_down', label: t('news.cooldown'), type: 'number', value: Math.round(now.cool_down / 60),
        half: true,
      },
      { name: 'once', label: t('news.once'), type: 'checkbox', value: now.once },
    ], submit: t('keep'), keepEmpty: true, rename: { quiet: 'quiet_from' },
    action: async ({ quiet_from, quiet_to, cool_down, zone, ...values }) => {
      await call('notifications.setRules', {
        ...values, quiet: quiet_from && quiet_to ? `${quiet_from}-${quiet_to}` : '', ...(zone ? { zone } : {}),
        ...(cool_down === undefined ? {} : { cool_down: cool_down * 60 }),
      });
      toast(t('kept'));
    },
  }, browsers());
}
