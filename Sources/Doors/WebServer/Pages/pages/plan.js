/** A plan: its days, locations, money, people, journey and photos. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readAll, readPages } from '../rpc.js';
import {
  me, head, tabs, button, buttonLink, menu, ask, dialog, badge, avatar, photo, toast, form, download, when, copy,
  stars, formDialog, removal,
} from '../ui.js';
import { span, day } from '../format.js';
import { plannedSpan } from '../zones.js';
import { mark, shareDialog, suggestDialog } from '../social.js';
import { path } from '../paths.js';
import { unwrapped } from '../map.js';
import { planForm } from '../plan-forms.js';
import { binDialog, offerUndo } from '../bin.js';
import { follow, isAbout } from '../live.js';
import { waitsMark } from '../outbox/mark.js';

/** @type {Record<string, () => Promise<any>>} */
const parts = {
  days: () => import('./plan-days.js'), locations: () => import('./plan-locations.js'),
  lists: () => import('./plan-lists.js'), money: () => import('./plan-money.js'),
  people: () => import('./plan-people.js'), journey: () => import('./plan-journey.js'),
  photos: () => import('./plan-photos.js'), history: () => import('./plan-history.js'),
};

/** @param {Page} page */
export async function show(page) {
  const { id, part = 'days' } = page.params;
  const plan = await read('plans.get', { plan: id });
  // A plan that this phone has made has another id once it has gone in.
  if (plan.id !== id) return page.go(location.pathname.replace(id, plan.id) + location.search, true);
  page.title(plan.title);
  const subject = `plan/${id}`;
  const isOwner = plan.owner.id === me.person?.id;
  /** Whether the person is not in the plan. Who is, and has liked or saved it before, can take that back. */
  const isOthers = !isOwner && !plan.member;
  /** Whether others know the plan, too; it may only wait on this phone. */
  const isKnown = !id.startsWith('waits-');
  /** @param {boolean} published */
  const published = async (published) => {
    await call('plans.publish', { plan: id, published });
    toast(t(published ? 'plan.published' : 'plan.unpublished'));
    page.refresh();
  };
  const links = [
    ['days', '/'], ['locations'], ['lists'], ...(plan.member ? [['money']] : []),
    ...(isKnown ? [['people'], ['journey']] : []), ['photos'],
    ...(isKnown && (plan.member || plan.may_edit) ? [['history']] : []),
  ].map(([name, at]) => [at ? path('plans', id) : path('plans', id, name), t(`plan.${name}`)]);
  const isStart = !parts[part] || part === 'days';
  const body = h('div.section');
  /** What the part of the page can show again by itself.
   * @type {any} */
  let shown;
  /** The questions in the plan.
   * @type {any} */
  let polls;
  const asked = h('div.stack.polls');
  const faces = h('div.actions.faces', { role: 'status' });
  const latest = h('div', { role: 'status' });
  const tellLatest = async () => {
    if (isKnown && (plan.member || plan.may_edit)) await (await import('./plan-history.js')).showLatest(latest, plan);
  };
  follow(page, isAbout(subject), () => {
    const open = document.querySelector('dialog[open]');
    if (!open) return page.redraw();
    // A dialog may need what the page has; it is drawn again once the dialog is closed.
    open.addEventListener('close', () => { if (!page.signal.aborted) page.redraw(); }, { once: true });
    return tellLatest();
  }, async () => {
    if (!shown?.load) return false;
    const [now] = await Promise.all([read('plans.get', { plan: id }), shown.load(), polls?.load(), tellLatest()]);
    return JSON.stringify(now) === JSON.stringify(plan);
  });
  tellLatest().catch(() => {});
  if (plan.may_edit) {
    import('../bookings/drop.js').then(({ takeDrops }) => takeDrops(page, plan)).catch(() => {});
  }
  const besides = [];
  if (me.person && isKnown && (plan.member || plan.may_edit)) {
    besides.push(import('../planning/faces.js').then(({ showFaces }) => showFaces(page, plan, faces)),
      import('../planning/polls.js').then(async ({ showPolls }) => {
        polls = await showPolls({ page, plan, place: asked });
      }));
  }
  const nav = tabs(links, location.pathname, t('plan'));
  fill(page.main,
    // The other tabs begin where they are seen at once.
    isStart && plan.picture ? photo(plan.picture, '', { whole: true, class: 'cover' }) : null,
    head(plan.title, {
      back: plan.member || isOwner ? ['/plans', t('nav.plans')] : ['/explore', t('nav.explore')],
      actions: [
        isKnown && (isOthers || plan.liked)
          && mark({ subject, kind: 'like', count: plan.likes, on: plan.liked, label: t('plan.like') }),
        isKnown && me.person && (isOthers || plan.saved)
          && mark({ subject, kind: 'save', count: 0, on: plan.saved, label: t('plan.save') }),
        isKnown && button({
          label: t('share'), icon: 'share', onclick: () => (plan.member ? sharePlan(plan) : shareDialog(subject)),
        }),
        menu(t('more.actions'), [
          isKnown && plan.may_edit && { label: t('polls.ask'), icon: 'votes', onclick: () => polls?.ask() },
          plan.may_edit && { label: t('edit'), icon: 'edit', onclick: () => planForm(page, plan) },
          isKnown && plan.may_edit && {
            label: t('plan.files'), icon: 'add',
            onclick: async () => (await import('../bookings/drop.js')).chooseBookings(page, plan),
          },
          plan.may_edit && plan.start && {
            label: t('shift'), icon: 'itinerary',
            onclick: async () => (await import('../planning/shift.js')).shiftDialog(page, plan),
          },
          isKnown && isOwner && (plan.published
            ? { label: t('plan.unpublish'), icon: 'lock', onclick: () => published(false) }
            : {
              label: t('plan.publish'), icon: 'explore',
              onclick: async () => { if (await mayPublish(plan)) await published(true); },
            }),
          isKnown && me.person && { label: t('plan.copy'), icon: 'plans', onclick: () => formDialog(t('plan.copy'), {
            fields: [
              { name: 'title', label: t('plan.title'), value: plan.title },
              { name: 'start', label: t('plan.start'), type: 'date', value: plan.start?.at.slice(0, 10) },
            ], submit: t('plan.copy'),
            action: async (values) => {
              const made = await call('plans.copy', { plan: id, ...values });
              toast(t('plan.copied'));
              page.go(path('plans', made.id));
            },
          }, h('p', t('plan.copy.note'))) },
          isKnown && {
            label: t('plan.calendar'), icon: 'itinerary', onclick: async () => download(
              `${plan.title}.ics`, [(await call('plans.calendar', { plan: id })).calendar], 'text/calendar'),
          },
          isKnown && {
            label: t('plan.gpx'), icon: 'download', onclick: async () => download(
              `${plan.title}.gpx`, [(await call('plans.gpx', { plan: id })).gpx], 'application/gpx+xml'),
          },
          isKnown && me.person
            && { label: t('suggest'), icon: 'people', onclick: () => suggestDialog(subject, plan.title) },
          isKnown && plan.member
            && { label: t('bin.title'), icon: 'remove', onclick: () => binDialog(id, page.refresh) },
          isOwner && removal('plan.remove', async () => {
            await call('plans.remove', { plan: id });
            page.go('/plans');
            offerUndo(subject, plan.title, () => page.go(path('plans', id)));
          }),
        ]),
      ],
      note: [
        [span(plan.start, plan.end), plan.destination].filter(Boolean).join(' · '), ' ',
        plan.published ? badge(t('plan.public'), 'good')
          : badge([plan.level !== 'everyone' && icon('lock'), ' ', t(`level.${plan.level}`)]), ' ',
        plan.rating.count ? stars(plan.rating.score, plan.rating.count) : null, ' ',
        !isOthers && !plan.liked && plan.likes
          ? badge([icon('heart', 'inline'), ' ', t('plan.likes', { n: plan.likes })]) : null, ' ', waitsMark(plan),
      ],
    }),
    isStart && plan.description && h('p.prose', plan.description),
    isStart && h('div.actions',
      plan.members.filter((member) => member.state === 'member').slice(0, 8).map((member) => avatar(member, 'small')),
      h('small', t('people.count', { n: plan.people ?? plan.members.filter(({ travels }) => travels).length })),
      isKnown && buttonLink(path('plans', id, 'story'), t('story'), 'feed', 'small')),
    // Questions do not keep the other tabs out of a phone's window.
    faces, latest, ...(isStart ? [asked, nav, body] : [nav, body, asked]));
  const module = await (parts[part] ?? parts.days)();
  [shown] = await Promise.all([module.show({ page, plan, body, subject, isOwner }), Promise.allSettled(besides)]);
  if (plan.member && isKnown) keepParts(page, plan.id);
}

/** The plan whose parts were read for times without a connection. */
let keptPlan = '';

/** Reads the other parts of a plan shortly after it was opened, so that they open without a connection.
 * @param {Page} page @param {string} plan */
function keepParts(page, plan) {
  if (keptPlan === plan) return;
  const subject = `plan/${plan}`;
  const timer = window.setTimeout(() => {
    keptPlan = plan;
    readAll([['plans.itinerary', { plan }], ['locations.list', { plan }], ['members.list', { plan }],
      ['checklists.list', { plan }], ['votes.asked', { plan }], ['expenses.balances', { plan }],
      ['expenses.sums', { plan }],
      ['expenses.list', { plan, newest: true, limit: 20 }], ['repayments.list', { plan, limit: 20 }],
      ['photos.list', { subject }], ['reviews.summary', { subject }],
      ['reviews.list', { subject, order: 'newest', limit: 20 }]]).catch(() => { keptPlan = ''; });
  }, 1500);
  page.signal.addEventListener('abort', () => clearTimeout(timer));
}

/** Shows the text to share a plan with, and its read-only links, which expire.
 * @param {Plan} plan */
async function sharePlan(plan) {
  const list = h('ul.rows.dense');
  const made = h('div');
  const who = t(`share.level.${plan.published ? 'everyone' : plan.level}`);
  async function load() {
    const { links } = await read('links.list', { plan: plan.id }).catch(() => ({ links: [] }));
    fill(list, links.map((link) => h('li.row',
      h('span.row-text', h('strong', t('link.until', { time: day(link.expires) })),
        h('small', `@${link.person}`, ' · ', when(link.created), ' · ', t('link.opened', { n: link.opened }))),
      button({ label: t('link.revoke'), kind: 'small', onclick: async () => {
        await call('links.revoke', { plan: plan.id, number: link.number });
        await load();
      } }))));
  }
  const { locations } = await read('locations.list', { plan: plan.id, limit: 100 });
  dialog(t('share.title', { title: plan.title }), h('div.section',
    h('h3', t('link.title')), h('p.field-hint', t('link.note')),
    form({
      fields: [
        {
          name: 'location', label: t('link.what'), type: 'select',
          options: [['', t('link.all')], ...locations.map(({ id, name }) => [id, name])], half: true,
        },
        { name: 'days', label: t('link.days'), type: 'number', value: daysOf(plan), half: true },
      ],
      submit: t('link.make'),
      action: async (values) => {
        const wanted = { plan: plan.id, ...values };
        const { link } = await call('links.create', wanted).catch(async (error) => {
          // The location has a narrower level than the link.
          if (error.data?.reason !== 'level'
            || !await ask(t('link.level', { level: t(`level.${error.data.level}`) }), t('link.make'))) throw error;
          return call('links.create', { ...wanted, confirm: true });
        });
        const address = `${location.origin}/s/${link}`;
        fill(made, h('p', t('link.made')),
          h('div.actions', h('code', address),
            button({ label: t('share.copy'), icon: 'link', kind: 'small', onclick: () => copy(address) })),
          values.location ? null : h('p.field-hint', t('link.calendar'), ' ',
            h('code', `${location.origin}/calendar/${link}.ics`)),
          values.location ? null : h('p.field-hint', t('link.story'), ' ', h('code', `${address}/story`)));
        await load();
      },
    }), made, list, h('h3', t('share.words')), h('p.field-hint', who),
    button({ label: t('share.words'), icon: 'share', onclick: () => shareDialog(`plan/${plan.id}`, who) })));
  await load();
}

/** Returns for how many days a link is of use: until a month after the plan, and a month at least.
 * @param {Plan} plan */
function daysOf(plan) {
  const end = plan.end ?? plan.start;
  const left = end ? Math.ceil((Date.parse(end.time) - Date.now()) / 86_400_000) : 0;
  return Math.min(3650, Math.max(0, left) + 30);
}

/** Shows what everybody will see of a plan, and asks whether to publish it.
 * @param {Plan} plan */
async function mayPublish(plan) {
  const [locations, { days }] = await Promise.all([
    readPages('locations.list', 'locations', { plan: plan.id }), read('plans.itinerary', { plan: plan.id })]);
  const items = days.flatMap((day) => day.items);
  /** @param {{level: Level}[]} list */
  const open = (list) => ({ n: list.filter(({ level }) => level === 'everyone').length, all: list.length });
  const names = plan.members.filter(({ state }) => state === 'member').map(({ name }) => name).join(', ');
  return new Promise((resolve) => {
    let answer = false;
    const element = dialog(t('publish.ask', { title: plan.title }), h('p', t('publish.seen')),
      h('ul.plain',
        h('li', t('publish.head')), h('li', t('publish.locations', open(locations))),
        h('li', t('publish.items', open(items))), h('li', t('publish.photos', { n: plan.photos })),
        h('li', t('publish.members', { names }))),
      h('p', t('publish.hidden')),
      h('div.form-buttons',
        button({
          label: t('plan.publish'), kind: 'primary autofocus',
          onclick: () => { answer = true; element.close(); },
        }),
        button({ label: t('cancel'), onclick: () => element.close() })));
    element.addEventListener('close', () => resolve(answer));
  });
}

/**
 * Returns the locations that have a place, with their numbers in the plan, as the points of one line.
 * @param {any[]} locations
 */
export const placed = (locations) =>
  unwrapped(locations.map((one, n) => ({ ...one, number: n + 1 })).filter(({ lat }) => lat !== undefined));

/**
 * Creates the row of an activity, which opens if `open` is given.
 * @param {Activity & Waiting} item
 * @param {() => any} [open]
 * @param {any} [note] what is worth knowing of it
 */
export const itemRow = (item, open, note) => h('li.row', icon(item.tab),
  h('span.row-text',
    h('strong', open ? h('button', { type: 'button', class: 'plain', onclick: open }, item.title) : item.title),
    h('small', [
      item.mode,
      item.departure && item.arrival ? `${item.departure} → ${item.arrival}` : item.departure ?? item.arrival,
      item.location, item.address,
    ].filter(Boolean).join(' · ')),
    item.recommendation && h('small', item.recommendation), note, waitsMark(item)),
  h('span.row-end', plannedSpan(item).map((time, n) => (n && time ? h('small', time) : time)),
    item.booked ? badge(t('activity.isbooked'), 'good') : null));

