/** The days of a plan: five tabs of activities. The itinerary shows the activities of all tabs. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import { button, choice, section, empty, ask, badge, dialog, outLink, stars } from '../ui.js';
import { plainDay, money } from '../format.js';
import { offerUndo } from '../bin.js';
import { TABS, activityForm } from '../plan-forms.js';
import { itemRow } from './plan.js';
import { plannedIn } from '../zones.js';
import { overlaps } from '../planning/overlaps.js';
import { skippedIn } from '../planning/clocks.js';
import { daysOf, todayIn } from '../planning/days.js';
import { quickItem } from '../planning/quick.js';

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  let tab = page.query.get('tab') ?? 'itinerary';
  const list = h('div.section');
  /** @type {Activity[]} */
  let all = [];
  const today = todayIn(plan.zone);
  /** Returns the days that have a date.
   * @param {{day?: string}[]} days */
  const named = (days) => /** @type {string[]} */ (days.map(({ day }) => day).filter(Boolean));
  const linkable = () => all.filter((item) => item.tab !== 'itinerary');
  /** Opens the form of a new item, on a day if one is given.
   * @param {string} [day] */
  const add = (day) => activityForm(page, plan, tab, undefined, linkable(), day);
  async function load() {
    history.replaceState(null, '', tab === 'itinerary' ? location.pathname : `?tab=${tab}`);
    const days = (await read('plans.itinerary', { plan: plan.id })).days;
    all = days.flatMap(({ items }) => items);
    const meeting = overlaps(all);
    /** @param {Activity[]} items */
    const rows = (items) => h('ul.rows', items.map((item) => itemRow(item, () => open(item), note(item, meeting))));
    const adding = plan.may_edit ? h('div.actions',
      button({ label: t(`activity.new.${tab}`), icon: 'add', onclick: () => add() }),
      button({ label: t('plan.files'), icon: 'download',
        onclick: async () => (await import('../bookings/drop.js')).chooseBookings(page, plan) })) : null;
    if (tab !== 'itinerary') {
      const items = await readPages('activities.list', 'activities', { plan: plan.id, tab });
      return void fill(list, adding, items.length ? rows(items) : empty(t('plan.noitems')));
    }
    const shown = daysOf(plan, days);
    fill(list, adding, shown.length ? shown.map((day) => section(day.day ? plainDay(day.day) : t('plan.noday'),
      day.items.length ? rows(day.items) : null,
      plan.may_edit && day.day ? button({
        label: t('plan.addon', { day: plainDay(day.day) }), icon: 'add', kind: 'small', hidesLabel: true,
        onclick: () => add(day.day),
      }) : null,
      plan.may_edit && day.day && day.items.length && named(shown).length > 1 ? button({
        label: t('swap.title', { day: plainDay(day.day) }), icon: 'swap', kind: 'small', hidesLabel: true,
        onclick: async () => (await import('../planning/swap.js'))
          .swapDays(plan, /** @type {string} */ (day.day), named(shown), load),
      }) : null)) : empty(t('plan.noitems')));
  }
  /** Says with what an item overlaps, and which of its times clocks skip.
   * @param {Activity} item @param {Map<string, string[]>} meeting */
  const note = (item, meeting) => [
    meeting.has(item.id) && h('span', badge(t('plan.overlaps', { titles: meeting.get(item.id)?.join(', ') }), 'warm')),
    skippedIn(item).map((sentence) => h('small', sentence))];
  /** @param {Activity} item */
  function open(item) {
    /** @param {string} label @param {Child} value */
    const fact = (label, value) => value !== undefined && value !== '' && [h('dt', label), h('dd', value)];
    const linked = all.filter(({ id }) => item.links.includes(id));
    const element = dialog(item.title, h('div.section', item.description && h('p.prose', item.description),
      h('dl.facts',
        fact(t('from'), plannedIn(item.from)), fact(t('until'), plannedIn(item.to)),
        fact(t('activity.mode'), item.mode),
        fact(t('activity.departure'), item.departure), fact(t('activity.arrival'), item.arrival),
        fact(t('activity.location'), item.location), fact(t('location.address'), item.address),
        fact(t('activity.contact'), item.contact),
        fact(t('review.rating'), item.rating && stars(item.rating)),
        fact(t('activity.recommendation'), item.recommendation),
        item.url && fact(t('activity.url'), outLink(item.url)),
        item.booked && fact(t('activity.booked'),
          [item.booking_code ?? '✓', item.booking_url ? [' ', outLink(item.booking_url)] : null]),
        fact(t('activity.note'), item.note),
        item.people && item.people.length > 0
          && fact(t('activity.people'), item.people.map((name) => `@${name}`).join(', ')),
        fact(t('level'), t(`level.${item.level}`))),
      skippedIn(item).map((sentence) => h('p.page-note', sentence)),
      linked.length ? h('ul.rows.dense', linked.map((other) =>
        itemRow(other, () => { element.close(); open(other); }))) : null,
      plan.may_edit && h('div.actions',
        button({ label: t('edit'), icon: 'edit', onclick: () => {
          element.close();
          activityForm(page, plan, item.tab, item, linkable().filter((other) => other.id !== item.id));
        } }),
        button({ label: t('remove'), icon: 'remove', kind: 'danger', onclick: async () => {
          if (await mayRemove(item)) {
            await call('activities.remove', { activity: item.id }, { title: item.title });
            element.close();
            await load();
            offerUndo(`activity/${item.id}`, item.title, load);
          }
        } }))));
  }
  /** Asks whether to remove an item, and names the expenses that go with it.
   * @param {Activity} item */
  async function mayRemove(item) {
    // Without a connection, nobody may know.
    const all = plan.member ? await readPages('expenses.list', 'expenses', { plan: plan.id }).catch(() => []) : [];
    const expenses = all.filter(({ activity }) => activity === item.id);
    const names = expenses.map(({ title, amount, currency }) => `${title} (${money(amount, currency)})`).join(', ');
    return ask(t(names ? 'activity.removewith' : 'activity.remove', { title: item.title, names }), t('remove'));
  }
  const kinds = choice(TABS.map((name) => [name, t(`tab.${name}`)]), tab, t('plan.tabs'),
    (chosen) => { tab = chosen; load(); });
  kinds.classList.add('one-line');
  fill(body, kinds,
    plan.may_edit && quickItem(plan, today, load), list);
  await load();
  const wanted = all.find(({ id }) => id === page.query.get('open'));
  if (wanted) page.main.addEventListener('shown', () => open(wanted), { once: true });
}
