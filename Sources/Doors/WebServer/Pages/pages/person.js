/** The page of a person: their profile, plans, posts and the people they follow. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import {
  me, head, avatar, figures, figure, pages, section, button, ask, toast, outLink, menu, dialog, photo,
} from '../ui.js';
import { gallery, followButton, personRow } from '../social.js';
import { number } from '../texts.js';
import { planTile } from './plans.js';
import { postTile } from './feed.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  const person = await read('people.get', { person: id });
  page.title(person.name);
  const isMe = me.person?.id === id;
  /** @param {'people.followers' | 'people.following' | 'friends.list'} method @param {string} title */
  const people = (method, title) => () => dialog(t(title), pages({
    method, list: 'people', params: { person: id }, none: t('hearts.none'),
    row: (one) => personRow(one, followButton(one)),
  }));
  /** @param {'friends.request' | 'friends.cancel' | 'friends.remove' | 'friends.confirm' | 'friends.decline'} method
   * @param {string} text */
  const again = (method, text) => async () => { await call(method, { person: id }); toast(t(text)); page.refresh(); };
  let asked = { in: false, out: false };
  if (me.person && !isMe && !person.friend) {
    const [into, out] = await Promise.all(/** @type {const} */ (['in', 'out']).map((direction) =>
      read('friends.requests', { direction, limit: 200 }).catch(() => ({ people: [] }))));
    asked = { in: into.people.some((one) => one.id === id), out: out.people.some((one) => one.id === id) };
  }
  const friendship = !me.person || isMe ? null : person.friend ? null : asked.in
    ? [
      button({ label: t('confirm'), kind: 'primary', onclick: again('friends.confirm', 'people.arefriends') }),
      button({ label: t('decline'), onclick: again('friends.decline', 'kept') }),
    ]
    : asked.out ? button({ label: t('people.cancel'), onclick: again('friends.cancel', 'kept') })
      : button({
        label: t('people.ask'), icon: 'add', kind: 'primary', onclick: again('friends.request', 'people.asked'),
      });
  /** @param {number} value @param {string} label @param {Parameters<typeof people>[0]} method */
  const count = (value, label, method) => figure(
    h('button', { type: 'button', class: 'plain', onclick: people(method, label) }, number(value)), t(label));
  fill(page.main,
    h('div.actions',
      person.picture ? photo(person.picture, person.name, { class: 'avatar large' }) : avatar(person, 'large'),
      h('div.row-text',
        head(person.name, { note: `@${person.id}${person.friend ? ` · ${t('people.isfriend')}` : ''}` }))),
    h('div.actions', friendship, followButton(person, page.refresh),
      me.person && !isMe && person.friend && menu(t('more.actions'), [{
        label: t('people.remove'), icon: 'remove', danger: true, onclick: async () => {
          if (await ask(t('people.remove.ask', { name: person.name }), t('people.remove'))) {
            await again('friends.remove', 'kept')();
          }
        },
      }])),
    figures(count(person.counts.following, 'people.of.following', 'people.following'),
      count(person.counts.followers, 'people.of.followers', 'people.followers'),
      person.counts.friends !== undefined && count(person.counts.friends, 'people.of.friends', 'friends.list')),
    person.email && h('p', t('profile.email'), ': ', h('a', { href: `mailto:${person.email}` }, person.email)),
    person.website && h('p', outLink(person.website)),
    gallery({ subject: `person/${id}`, name: person.name, mayAdd: false }),
    section(t('nav.plans'), pages({
      method: 'plans.list', list: 'plans', params: { person: id }, none: t('person.noplans'), class: 'tiles',
      row: (plan) => planTile(plan),
    })),
    section(t('nav.feed'), pages({
      method: 'posts.list', list: 'posts', params: { person: id }, none: t('person.noposts'), class: 'tiles',
      row: postTile,
    })));
}
