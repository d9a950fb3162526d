/** People: friends, requests, following, followers, suggestions and search. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import {
  me, head, pages, choice, searchField, button, section, empty, dialog, toast,
} from '../ui.js';
import { personRow, followButton } from '../social.js';
import { making, ways } from './invitations.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.people'));
  const list = h('div.section');
  let which = page.query.get('of') ?? 'friends';
  /**
   * @param {'friends.confirm' | 'friends.decline' | 'friends.cancel'} method
   * @param {string} id
   * @param {string} text
   */
  const done = (method, id, text) => async () => { await call(method, { person: id }); toast(t(text)); load(); };
  /**
   * @param {'friends.list' | 'friends.requests' | 'people.followers' | 'people.following'} method
   * @param {any} params
   * @param {(person: Person) => Child} row
   * @param {Child} none
   */
  const people = (method, params, row, none) => pages({
    method, list: 'people', params: { limit: 50, ...params }, row, none,
    loaded: (_, answer) => { if (answer.count) fill(counted, t('people.count', { n: answer.count })); },
  });
  const counted = h('small');
  function load() {
    fill(counted);
    /** @param {Person} person */
    const plain = (person) => personRow(person, followButton(person));
    if (which === 'friends') {
      fill(list, people('friends.list', {}, (person) => personRow(person, followButton(person)), empty(
        t('people.none.friends'),
        button({ label: t('invite'), icon: 'add', kind: 'primary', onclick: invite }))));
    }
    if (which === 'following' || which === 'followers') {
      fill(list, people(`people.${which}`, {}, plain, which === 'following'
        ? empty(t('people.none.following'),
          button({ label: t('people.of.suggested'), kind: 'primary',
            onclick: () => /** @type {HTMLElement} */ (choices.lastElementChild).click() }))
        : empty(t('people.none.followers'),
          button({ label: t('invite'), icon: 'add', kind: 'primary', onclick: invite }))));
    }
    if (which === 'requests') {
      fill(list, section(t('people.in'), pages({
        method: 'friends.requests', list: 'people', params: { direction: 'in' }, none: t('people.none.in'),
        row: (person) => personRow(person,
          button({
            label: t('confirm'), kind: 'small primary',
            onclick: done('friends.confirm', person.id, 'people.arefriends'),
          }),
          button({
            label: t('decline'), kind: 'small', onclick: done('friends.decline', person.id, 'kept'),
          })),
      })), section(t('people.out'), pages({
        method: 'friends.requests', list: 'people', params: { direction: 'out' }, none: t('people.none.out'),
        row: (person) => personRow(person, button({
          label: t('people.cancel'), kind: 'small', onclick: done('friends.cancel', person.id, 'kept'),
        })),
      })));
    }
    if (which === 'suggested') suggested([]);
    if (which === 'search') search('');
  }
  /** @param {string[]} not */
  async function suggested(not) {
    const { people } = await read('people.suggested', { limit: 8, ...(not.length ? { not } : {}) });
    const inviting = button({ label: t('invite'), icon: 'add', onclick: invite });
    const none = empty(t('people.none.suggested'),
      not.length ? button({ label: t('people.fromfirst'), onclick: () => suggested([]) }) : inviting);
    fill(list, people.length ? h('ul.rows', people.map((person) => personRow(person, followButton(person)))) : none,
      !people.length ? null : h('div.actions', button({
        label: t('people.others'),
        onclick: () => suggested([...not, ...people.map(({ id }) => id)].slice(-200)),
      })));
  }
  /** Searches among the followed people, and below them among everybody.
   * @param {string} text */
  function search(text) {
    if (!text) return fill(list, empty(t('people.search.note')));
    /** @param {Person} person */
    const row = (person) => personRow(person,
      person.friend === false && person.id !== me.person?.id ? button({
        label: t('people.ask'), kind: 'small', onclick: async () => {
          await call('friends.request', { person: person.id });
          toast(t('people.asked'));
        },
      }) : null, followButton(person));
    fill(list,
      section(t('people.amongfollowing'), pages({
        method: 'people.search', list: 'people', params: { text, among: 'following' },
        none: t('people.none.text', { text }), row,
      })),
      section(t('people.amongall'), pages({
        method: 'people.search', list: 'people', params: { text }, none: t('people.none.text', { text }), row,
      })));
  }
  const parts = ['friends', 'requests', 'following', 'followers', 'suggested'];
  const choices = choice(parts.map((one) => [one, t(`people.of.${one}`)]), which, t('people.which'), (chosen) => {
    which = chosen;
    /** @type {HTMLInputElement} */ (field.querySelector('input')).value = '';
    load();
  });
  const field = searchField(t('people.search'), (text) => {
    which = text ? 'search' : 'friends';
    for (const one of choices.children) {
      one.setAttribute('aria-pressed', String(!text && one === choices.firstElementChild));
    }
    if (text) search(text); else load();
  });
  load();
  page.on('notification', (event) => { if (event.notification?.kind === 'friend' && which === 'requests') load(); });
  fill(page.main, head(t('nav.people'), {
    actions: [button({ label: t('invite'), icon: 'add', kind: 'primary', onclick: invite })],
  }), h('div.toolbar', choices, field), counted, list);
}

/** Shows texts to invite people with, and creates codes that make people friends and fellow travellers at once. */
export async function invite() {
  const [sms, email] = await Promise.all([
    call('people.invitation', { for: 'sms' }), call('people.invitation', { for: 'email' })]);
  const address = `${location.origin}/sign-up`;
  /** @param {string} text */
  const link = (text) => (/waymark:\/\//.test(text) ? text.replace(/waymark:\/\/\S+/g, address) : `${text} ${address}`);
  dialog(t('invite'), h('div.section', h('h3', t('invite.words')), h('p.prose', link(sms.text)),
    ways(link(sms.text), { subject: email.subject, mail: link(email.text) }),
    h('h3', t('invite.along')), h('p.field-hint', t('invite.along.note')), making({
      method: 'people.invite', submit: t('invite.make'),
      text: (address) => t('invite.join', { name: me.person?.name, link: address }),
    })));
}
