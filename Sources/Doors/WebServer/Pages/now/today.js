/** The card of the day: what the plan that runs today has next; in the evening, what the day was like. */
import { h, fill, icon } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { readAll, readPages } from '../rpc.js';
import { me, button, buttonLink, photo, copy, dialog } from '../ui.js';
import { between, distance, duration, money, plainDay, clock } from '../format.js';
import { plannedIn } from '../zones.js';
import { path, pathOf } from '../paths.js';
import { todayIn, ends } from '../planning/days.js';

/** The hour from which the card tells what the day was like. */
const EVENING = 18;
/** How long an item without an end is the next one after it has begun, in milliseconds. */
const BEGUN = 30 * 60_000;
/** The most plans among which the one of today is looked for, and the most photos. */
const [PLANS, PHOTOS] = [500, 300];

/** Returns the plan that runs today and began last; undefined if there is none.
 * @param {ListedPlan[]} plans */
export const planOfToday = (plans) => plans
  .filter((plan) => {
    const [first, last] = ends(plan);
    const today = todayIn(plan.zone);
    return first && last && first <= today && today <= last;
  }).sort((one, other) => ((one.start?.time ?? '') < (other.start?.time ?? '') ? 1 : -1))[0];

/** @param {PlannedTime | undefined} time */
const hasClock = (time) => Boolean(time?.at.includes('T'));
/** Until when something is the next: until it is over, or until one has arrived where one stays.
 * @param {any} item */
const until = ({ tab, from, to }) =>
  (hasClock(to) && tab !== 'lodging' ? Date.parse(to.time) : Date.parse(from.time) + BEGUN);

/**
 * Returns what is next: what has a time of day and is not over at a moment, the earliest first.
 * @param {any[]} items
 * @param {number} now
 */
export const nextOf = (items, now) => items.filter((item) => hasClock(item.from) && until(item) > now)
  .sort((one, other) => Date.parse(one.from.time) - Date.parse(other.from.time));

/**
 * Makes the card, which is empty while no plan runs.
 * @param {Element} place
 * @param {() => any} fix returns where the person is, or nothing
 */
export async function makeToday(place, fix) {
  await addTexts('today');
  const far = h('strong');
  /** What the distance is of.
   * @type {any} */
  let goal = null;
  function moved() {
    const at = fix();
    fill(far, at && goal ? t('today.far', { distance: distance(between(at.lat, at.lon, goal.lat, goal.lon)) }) : null);
  }

  async function load() {
    const plan = planOfToday(await readPages('plans.list', 'plans', { of: 'own', limit: 100 }, PLANS));
    if (!plan) return fill(place);
    const today = todayIn(plan.zone);
    const [itinerary, places, owed] = await readAll([['plans.itinerary', { plan: plan.id }],
      ['locations.list', { plan: plan.id, limit: 100 }], ['expenses.balances', { plan: plan.id }]]);
    const items = (itinerary?.days ?? []).filter(({ day }) => day === today).flatMap((one) => one.items);
    const locations = places?.locations ?? [];
    const stops = locations.filter(({ from, passed }) => from?.at.startsWith(today) && !passed)
      .map((one) => ({ ...one, tab: 'places', title: one.name, isLocation: true }));
    const [next, ...later] = nextOf([...items, ...stops], Date.now());
    const named = next && locations.find(({ name }) => name === next.location || name === next.title);
    goal = next && (next.lat === undefined ? named?.lat === undefined ? null : named : next);
    const hour = Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: plan.zone })
      .format());
    const allDay = items.filter(({ from }) => !hasClock(from));
    fill(place, h('section.card', { 'aria-label': t('today.title') },
      h('div.toolbar', h('h2', t('today.title')), h('a', { href: path('plans', plan.id) }, plan.title)),
      allDay.length ? h('p', allDay.map(({ title }) => title).join(' · ')) : null,
      next ? shownNext(plan, next) : h('p', t(items.length ? 'today.over' : 'today.free')),
      later.length ? h('p.page-note', t('today.then', { what: later.slice(0, 3)
        .map((item) => `${plannedIn(item.from, true)} ${item.title}`).join(' · ') })) : null,
      payer(owed),
      h('div.actions', buttonLink(path('plans', plan.id), t('today.plan'), 'plans', 'small'),
        buttonLink(path('plans', plan.id, 'money'), t('today.spend'), 'money', 'small')),
      hour >= EVENING || !next ? await evening(plan, today) : null));
    moved();
  }

  /** What is next: when, where, how far, and the code of its booking.
   * @param {ListedPlan} plan @param {any} next an activity or a location */
  function shownNext(plan, next) {
    const wait = (Date.parse(next.from.time) - Date.now()) / 1000;
    const href = next.isLocation ? path('locations', next.id)
      : `${path('plans', plan.id)}?open=${encodeURIComponent(next.id)}`;
    const ends = [next.departure, next.arrival].filter(Boolean).join(' → ');
    return h('div.section', h('a.row-link', { href }, icon(next.tab), h('span.row-text', h('strong', next.title),
      h('small', [ends, next.location, next.address].filter(Boolean).join(' · '))),
    h('span.row-end', plannedIn(next.from, true),
      h('small', wait > 0 ? t('today.in', { time: duration(wait) }) : t('now.word')))),
    far, next.booking_code && h('div.actions', h('span', t('today.code'), ' ', h('code', next.booking_code)),
      button({ label: t('share.copy'), icon: 'link', kind: 'small', onclick: () => copy(next.booking_code) })));
  }

  /** Who pays next: whoever has paid the least of what they owe.
   * @param {{balances: Balance[], currency: string} | null} owed */
  function payer(owed) {
    const [least] = [...owed?.balances ?? []].filter(({ person }) => person)
      .sort((one, other) => Number(one.balance) - Number(other.balance));
    if (!least || Number(least.balance) >= 0) return null;
    const amount = money(String(-Number(least.balance)), owed?.currency ?? '');
    return h('p', icon('money', 'inline'), ' ', least.person === me.person?.id ? t('today.youpay', { amount })
      : t('today.pays', { name: least.name, amount }));
  }

  /** What the day was like: how far, which sights, votes and photos; and how to tell others.
   * @param {ListedPlan} plan @param {string} day */
  async function evening(plan, day) {
    const [history, votes] = await readAll([['history.day', { day }],
      ['votes.list', { part: 'attended', limit: 20 }]]);
    const photos = await readPages('photos.list', 'photos', { person: me.person?.id, limit: 100 }, PHOTOS)
      .catch(() => []);
    const { begin = '', end = '', zone, trips = [], visits = [] } = /** @type {Partial<HistoryDay>} */ (history ?? {});
    const taken = photos.map((one) => ({ ...one, at: one.taken ?? one.added }))
      .filter(({ at }) => at >= begin && at < end);
    const sights = [...new Map(visits.map((visit) => [visit.sight, visit])).values()];
    const voted = (votes?.votes ?? []).filter(({ opened }) => opened >= begin && opened < end);
    const way = trips.reduce((sum, trip) => sum + (trip.distance ?? 0), 0);
    const lines = [
      way ? t('today.way', { distance: distance(way), n: trips.length }) : null,
      sights.length ? t('today.sights', { names: sights.map(({ title }) => title).join(', ') }) : null,
      voted.length ? t('today.votes', { names: voted.map(({ subject }) => subject).join(', ') }) : null,
    ].filter(Boolean);
    if (!lines.length && !taken.length) return null;
    const text = [`${plan.title}, ${plainDay(day)}`, ...lines].join('\n');
    /** @param {{subject: string}} one */
    const href = (one) => pathOf(one.subject) ?? '/profile';
    return h('div.section', h('h3', t('today.was')),
      lines.length ? h('ul.plain', lines.map((line) => h('li', line))) : null,
      taken.length ? h('ul.gallery', taken.slice(0, 6).map((one) => h('li', h('a', { href: href(one) },
        photo(one.id, one.caption ?? t('photo'))), h('small', clock(one.at, zone))))) : null,
      h('div.actions', buttonLink(`/history/${day}`, t('today.whole'), 'history', 'small'),
        button({ label: t('today.share'), icon: 'share', kind: 'small',
          onclick: () => shareText(plan.title, text) })));
  }

  await load();
  return { load, moved };
}

/** Offers a text to send.
 * @param {string} title @param {string} text */
function shareText(title, text) {
  const field = h('textarea.autofocus', { rows: 6, 'aria-label': t('share.text'), value: text });
  const mail = `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(text)}`;
  dialog(t('today.share'), field, h('div.form-buttons',
    button({ label: t('share.copy'), kind: 'primary', onclick: () => copy(field.value) }),
    h('a.button', { href: mail }, t('share.mail')),
    'share' in navigator ? button({ label: t('share.other'),
      onclick: () => navigator.share({ title, text: field.value }).catch(() => {}) }) : null));
}
