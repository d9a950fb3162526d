/** Photos, reviews, hearts, sharing, suggesting and flagging, for subjects of any kind; and the rows of people. */
import { h, fill, icon } from './dom.js';
import { t, number } from './texts.js';
import { call, read } from './rpc.js';
import { upload } from './upload.js';
import {
  me, button, section, avatar, stars, when, empty, toast, dialog, form, formDialog, ask, attempt, said, photo, copy,
  pages, Wrong,
} from './ui.js';
import { path, pathOf } from './paths.js';
import { orderable } from './order.js';
import { whileShown } from './live.js';
import { waitsMark } from './outbox/mark.js';

/**
 * Shows the photos of a subject, each of which opens in a dialog. With `mayAdd`, people add and reorder photos.
 * @param {{subject: string, name: string, mayAdd?: boolean, single?: boolean, changed?: () => void}} options
 */
export function gallery({ subject, name, mayAdd, changed }) {
  const list = h('ul.gallery');
  const told = h('p.hidden', { role: 'status' });
  const element = h('div.section', list, told);
  /** @type {(Photo & Waiting)[]} */
  let photos = [];
  const handle = orderable(list, told, async (from, to) => {
    const [one] = photos.splice(from, 1);
    photos.splice(to, 0, one);
    draw();
    try {
      await call('photos.update', { photo: one.id, position: to + 1 });
    } catch (error) {
      await load();
      throw error;
    }
  });
  async function load() {
    photos = (await read('photos.list', { subject }).catch(() => ({ photos: [] }))).photos;
    draw();
  }
  function draw() {
    fill(list, photos.map((one, n) => h('li',
      h('button', {
        type: 'button', onclick: () => view(n), 'aria-label': t('photo.open', { name: one.caption ?? name }),
      }, photo(one.id, '')),
      one.caption && h('small', one.caption), waitsMark(one),
      mayAdd && photos.length > 1 && !one.waits && handle(one.caption ?? `${name}, ${n + 1}`, n))));
    list.hidden = !photos.length;
    // Hide the gallery if it has no photos and nobody can add one here.
    element.hidden = !photos.length && !mayAdd;
  }
  /** @param {number} n */
  function view(n) {
    const one = photos[n];
    const mine = mayAdd || one.person === me.person?.id || me.admin;
    const element = dialog(one.caption ?? name,
      photo(one.id, one.caption ?? name, { whole: true, class: 'photo whole' }),
      h('p.page-note', one.person && [
        h('a', { href: path('people', one.person), onclick: () => element.close() }, `@${one.person}`), ', ',
      ], when(one.taken ?? one.added)),
      h('div.actions',
        photos.length > 1 && button({ label: t('previous'), icon: 'back', hidesLabel: true, onclick: () => turn(-1) }),
        photos.length > 1 && button({ label: t('next'), icon: 'next', hidesLabel: true, onclick: () => turn(1) }),
        !one.waits && h('a.button.small', {
          href: `/photos/${encodeURIComponent(one.id)}`, download: one.name ?? `waymark-${one.id}`,
        }, icon('download'), t('photo.save')),
        !one.waits && button({
          label: t('share'), icon: 'share', kind: 'small', onclick: () => shareDialog(`photo/${one.id}`),
        }),
        mine && button({ label: t('photo.caption'), kind: 'small', onclick: () => formDialog(t('photo.caption'), {
          fields: [{ name: 'caption', label: t('photo.caption'), value: one.caption }],
          submit: t('keep'), keepEmpty: true,
          action: async ({ caption }) => {
            await call('photos.update', { photo: one.id, caption }, { title: one.caption ?? name });
            element.close();
            await load();
          },
        }) }),
        mine && !one.cover && !one.waits && button({ label: t('photo.cover'), kind: 'small', onclick: async () => {
          await call('photos.update', { photo: one.id, cover: true });
          toast(t('photo.iscover'));
          element.close();
          await load();
          changed?.();
        } }),
        mine && button({ label: t('remove'), kind: 'small danger', onclick: async () => {
          if (!(await ask(t('photo.remove'), t('remove')))) return;
          await call('photos.remove', { photo: one.id }, { title: one.caption ?? name });
          element.close();
          await load();
          changed?.();
        } })));
    element.classList.add('wide');
    /** @param {number} by */
    const turn = (by) => { element.close(); view((n + by + photos.length) % photos.length); };
    element.addEventListener('keydown', (/** @type {any} */ event) => {
      const on = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
      if (photos.length > 1 && /^Arrow(Left|Right)$/.test(event.key)) turn(event.key === on ? 1 : -1);
    });
  }
  if (mayAdd) element.append(h('div.actions', uploadButton(subject, async () => { await load(); changed?.(); })));
  load();
  return element;
}

/**
 * Creates a button that uploads photos, several at once, each with a caption.
 * @param {string} subject
 * @param {() => any} done
 * @param {string} [label]
 */
export const uploadButton = (subject, done, label = t('photo.add')) => button({ label, icon: 'photo', onclick: () => {
  const captions = h('div.section');
  const progress = h('div.progress', { hidden: true }, h('span'));
  const sent = new Set();
  const sheet = form({
    fields: [{
      name: 'files', label: t('photo.choose'), type: 'file', required: true,
      attributes: { accept: 'image/*', multiple: true },
    }, captions, progress],
    submit: t('photo.send'), rename: { subject: 'files', upload: 'files', size: 'files' },
    action: async ({ files }) => {
      progress.hidden = false;
      for (const [n, file] of files.entries()) {
        if (sent.has(file)) continue;
        await upload(subject, file, captions.querySelectorAll('input')[n]?.value.trim() ?? '', (part) => {
          const filled = /** @type {HTMLElement} */ (progress.firstElementChild);
          filled.style.inlineSize = `${(100 * (n + part)) / files.length}%`;
        });
        sent.add(file);
      }
      element.close();
      await done();
    },
  });
  const chosen = sheet.input('files');
  chosen.addEventListener('change', () => fill(captions, [...chosen.files].map((file) =>
    h('label.field', h('span', t('photo.captionof', { name: file.name })), h('input', { type: 'text' })))));
  const element = dialog(label, sheet);
} });

/**
 * Shows the score of a subject, the histogram of stars, and the reviews.
 * @param {{subject: string, own?: boolean, page: any}} options with `own`, the button to write a review is missing
 */
export function reviews({ subject, own }) {
  const summary = h('div.section');
  const list = h('div');
  const element = section(t('reviews'), summary, list);
  let order = 'newest';
  async function load() {
    const answer = await read('reviews.summary', { subject });
    const mine = answer.own ? await read('reviews.get', { review: answer.own }).catch(() => null) : null;
    fill(summary, stars(answer.score, answer.count), answer.count ? histogram(answer.histogram) : null,
      me.person && !own && button({
        label: t(mine ? 'review.change' : 'review.write'), icon: 'star', onclick: () => write(mine),
      }));
    fill(list, pages({
      method: 'reviews.list', list: 'reviews', params: /** @type {any} */ ({ subject, order, limit: 20 }),
      none: t('reviews.none'), row: row,
    }));
  }
  /** @param {Review | null} mine */
  const write = (mine) => formDialog(t(mine ? 'review.change' : 'review.write'), {
    fields: [
      { name: 'rating', label: t('review.rating'), type: 'stars', required: true, value: mine?.rating },
      { name: 'text', label: t('review.text'), type: 'textarea', value: mine?.text },
    ], submit: t('review.send'),
    action: async (values) => {
      await call('reviews.put', { subject, ...values }, { title: document.title.replace(/ · Waymark$/, '') });
      await load();
    },
  });
  /** @param {Review} review */
  function row(review) {
    const isMine = review.author.id === me.person?.id;
    const agrees = h('span', review.agrees ? number(review.agrees) : '');
    /** @type {HTMLElement | false | null} */
    const agree = me.person && !isMine && button({
      label: t('review.agree'), icon: 'check', kind: 'small', pressed: review.agreed, onclick: async () => {
        const now = await call('reviews.agree', { review: review.id, agree: !review.agreed });
        review.agreed = now.agreed;
        if (agree) agree.setAttribute('aria-pressed', String(now.agreed));
        fill(agrees, now.agrees ? number(now.agrees) : '');
      },
    });
    if (agree) agree.append(agrees);
    return h('li.review',
      h('div.review-head', avatar(review.author, 'small'),
        h('a', { href: path('people', review.author.id) }, review.author.name),
        stars(review.rating), h('small', when(review.time)), waitsMark(review)),
      review.text && h('p.prose', review.text),
      h('div.actions', agree || (review.agrees ? h('small', t('review.agrees', { n: review.agrees })) : null),
        me.person && !isMine && flagButton(() => call('reviews.flag', { review: review.id }), review.flagged),
        (isMine || me.admin) && button({ label: t('remove'), kind: 'small', onclick: async () => {
          if (await ask(t('review.remove'), t('remove'))) {
            await call('reviews.remove', { review: review.id });
            await load();
          }
        } })));
  }
  load().catch((error) => fill(summary, empty(said(error))));
  whileShown(element, subject, load);
  return element;
}

/**
 * Creates a button that flags something after confirmation.
 * @param {() => Promise<any>} flag
 * @param {boolean} [flagged] whether the person has already flagged it
 */
export function flagButton(flag, flagged) {
  const element = button({
    label: t(flagged ? 'flagged' : 'flag'), icon: 'flag', kind: 'small', disabled: flagged, onclick: async () => {
      if (!(await ask(t('flag.ask'), t('flag')))) return;
      await flag();
      toast(t('flag.done'));
    },
  });
  return element;
}

/** Replaces the waymark:// links in a text to share with addresses of pages.
 * @param {string} text */
const withAddresses = (text) =>
  text.replace(/waymark:\/\/[^\s]+/g, (link) => {
    const page = pathOf(link);
    return page ? location.origin + page : link;
  });

/**
 * Shows the text to share a subject with, which people copy, mail or send.
 * @param {string} subject
 * @param {string} [note] says who can open the address in it
 */
export async function shareDialog(subject, note = t('share.who')) {
  const answer = await attempt(() => call('subjects.share', { subject }));
  if (!answer) return;
  const text = withAddresses(answer.text);
  dialog(t('share.title', { title: answer.title }), h('p.field-hint', note),
    h('textarea.autofocus', { rows: 3, readonly: true, 'aria-label': t('share.text'), value: text }),
    h('div.form-buttons', button({ label: t('share.copy'), kind: 'primary', onclick: () => copy(text) }),
      h('a.button', {
        href: `mailto:?subject=${encodeURIComponent(answer.title)}&body=${encodeURIComponent(text)}`,
      }, t('share.mail')),
      h('a.button', { href: `sms:?body=${encodeURIComponent(text)}` }, t('share.sms')),
      'share' in navigator ? button({
        label: t('share.other'), onclick: () => navigator.share({ title: answer.title, text }).catch(() => {}),
      }) : null));
}

/**
 * Opens a form to suggest a subject to friends and followed people, with one message for all.
 * @param {string} subject
 * @param {string} title
 */
export async function suggestDialog(subject, title) {
  const [friends, following] = await Promise.all([read('friends.list'), read('people.following')]);
  const people = [...new Map([...friends.people, ...following.people].map((person) => [person.id, person])).values()];
  if (!people.length) {
    return void dialog(t('suggest.title', { title }),
      empty(t('suggest.nobody'), h('a.button', { href: '/people' }, t('nav.people'))));
  }
  const nameOf = new Map(people.map(({ id, name }) => [id, name]));
  formDialog(t('suggest.title', { title }), {
    fields: [
      { name: 'to', label: t('suggest.to'), type: 'checks', value: people.length === 1 ? [people[0].id] : [],
        options: people.map((person) => [person.id, h('span.actions', avatar(person, 'small'), person.name)]) },
      { name: 'text', label: t('suggest.text'), type: 'textarea' },
    ], submit: t('suggest.send'),
    action: async ({ to, text }, element) => {
      if (!to.length) throw new Wrong('to', t('error.required'));
      const names = to.map((/** @type {string} */ id) => nameOf.get(id)).join(', ');
      if (!(await ask(t('suggest.ask', { name: names }), t('suggest.send'), false))) return false;
      for (const person of to) {
        await call('suggestions.send', { subject, to: person, text });
        // Who has it is no longer ticked if another cannot get it.
        element.querySelector(`[name=to] [value="${person}"]`).checked = false;
      }
      toast(t('suggest.sent'));
      return true;
    },
  });
}

/**
 * Creates a button for a reaction, such as a heart, with its count. With `who`, a second button lists the people.
 * @param {{subject: string, kind: 'heart' | 'like' | 'save', count: number, on?: boolean, label: string,
 *   who?: boolean}} options
 */
export function mark({ subject, kind, count, on, label, who }) {
  const shown = h('span', null);
  const show = () => fill(shown, kind === 'save' ? label : number(count));
  const element = button({
    label, icon: kind === 'save' ? 'save' : 'heart', kind: kind === 'save' ? '' : 'heart', pressed: Boolean(on),
    disabled: !me.person, onclick: async () => {
      const answer = await call('reactions.set', { subject, kind, on: !on });
      count = answer.waits ? count + (on ? -1 : 1) : kind === 'heart' ? answer.hearts : answer.likes;
      on = answer.waits ? !on : answer.own.includes(kind);
      element.setAttribute('aria-pressed', String(on));
      show();
    },
  });
  element.lastElementChild?.replaceWith(shown);
  element.setAttribute('aria-label', label);
  show();
  if (kind !== 'save') whileShown(element, subject, async () => {
    const answer = await call('reactions.get', { subject });
    on = answer.own.includes(kind);
    count = kind === 'heart' ? answer.hearts : answer.likes;
    element.setAttribute('aria-pressed', String(on));
    show();
  });
  return who ? [element, button({
    label: t('hearts.who'), icon: 'people', hidesLabel: true, onclick: () => dialog(t('hearts.who'), pages({
      method: 'reactions.list', list: 'people', none: t('hearts.none'),
      params: { subject, kind: /** @type {'heart' | 'like'} */ (kind) },
      row: ({ person }) => personRow(person, followButton(person)),
    })),
  })] : element;
}

/** Creates the row of a person, with actions.
 * @param {Person} person
 * @param {any[]} actions */
export function personRow(person, ...actions) {
  return h('li.row', h('a', { href: path('people', person.id), class: 'row-link' }, avatar(person),
    h('span.row-text', h('strong', person.name), h('small', `@${person.id}`))), h('span.row-actions', actions));
}

/**
 * Creates a button that follows or unfollows a person; null where that is not possible.
 * @param {Person | Profile} person
 * @param {() => void} [changed]
 */
export function followButton(person, changed) {
  if (!me.person || person.id === me.person.id || person.following === undefined) return null;
  const element = h('button', { type: 'button', class: 'button small' });
  const show = () => {
    element.setAttribute('aria-pressed', String(person.following));
    fill(element, t(person.following ? 'people.following' : 'people.follow'));
    element.setAttribute('aria-label', `${t(person.following ? 'people.following' : 'people.follow')}: ${person.name}`);
  };
  element.addEventListener('click', () => attempt(async () => {
    person.following = (await call(
      person.following ? 'people.unfollow' : 'people.follow', { person: person.id })).following;
    show();
    changed?.();
  }));
  show();
  return element;
}

/**
 * Creates a bar chart of ratings, from five stars to one: each bar is its share of all ratings.
 * @param {number[]} histogram the counts of 1 to 5 stars
 */
export function histogram(histogram) {
  const all = Math.max(1, histogram.reduce((sum, count) => sum + count, 0));
  return h('ol.histogram', [5, 4, 3, 2, 1].map((n) => {
    const bar = h('span.bar');
    bar.style.inlineSize = `${(100 * histogram[n - 1]) / all}%`;
    return h('li', h('span', t('stars', { n })), h('span.track', { 'aria-hidden': 'true' }, bar),
      h('span', number(histogram[n - 1])));
  }));
}
