/** Plans: own, invited and saved ones, as a list or on a map. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import {
  head, pages, choice, searchField, button, buttonLink, avatar, photo, badge, section, toast, empty, rowText,
} from '../ui.js';
import { makeMap } from '../map.js';
import { span } from '../format.js';
import { path } from '../paths.js';
import { planForm } from '../plan-forms.js';
import { binDialog } from '../bin.js';
import { follow, isOf, swap } from '../live.js';
import { waitsMark } from '../outbox/mark.js';

/** Creates the tile of a plan in a list.
 * @param {ListedPlan} plan @param {...Child} extra */
export const planTile = (plan, ...extra) => h('li.tile',
  h('a', { href: path('plans', plan.id) }, photo(plan.picture, ''),
    h('span.tile-text', h('strong', plan.title),
      h('small',
        [span(plan.start, plan.end), plan.first_location ?? plan.destination].filter(Boolean).join(' · ')),
      plan.description && h('span.clamp', plan.description),
      h('small', plan.owner.name, plan.likes ? [' · ', icon('heart', 'inline'), ' ', plan.likes] : null,
        plan.published ? [' ', badge(t('plan.public'), 'good')] : null, ' ', waitsMark(plan)))),
  extra);

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.plans'));
  let of = page.query.get('of') ?? 'own';
  let text = '';
  let asMap = false;
  const list = h('div');
  const asked = h('div');
  async function load(isQuiet = false) {
    if (!isQuiet) fill(list);
    const params = /** @type {any} */ ({ of, limit: 30, ...(text ? { text } : {}) });
    const none = empty(text ? t('plans.notext', { text }) : t(`plans.none.${of}`), of === 'own' && !text
      ? button({ label: t('plan.new'), icon: 'add', kind: 'primary', onclick: () => planForm(page) })
      : text ? null : of === 'saved' ? buttonLink('/explore', t('nav.explore'), 'explore', 'primary')
        : buttonLink('/people', t('nav.people'), 'people', 'primary'));
    if (!asMap) {
      return void (isQuiet ? swap : fill)(list, pages({
        method: 'plans.list', list: 'plans', params, none, class: 'tiles',
        row: (plan) => (of === 'asked' ? askedTile(plan, load) : planTile(plan)),
      }));
    }
    fill(list, await planMap(page, await readPages('plans.list', 'plans', params, 200)));
  }
  async function loadAsked() {
    const { plans } = await read('plans.list', { of: 'asked' }).catch(() => ({ plans: [] }));
    fill(asked, plans.length && of === 'own' ? section(t('plans.asked'), h('ul.tiles', plans.map((plan) =>
      askedTile(plan, async () => { await loadAsked(); await load(); })))) : null);
  }
  load();
  loadAsked();
  follow(page, isOf('plan'), () => { if (!asMap) load(true); return loadAsked(); });
  fill(page.main, head(t('nav.plans'), {
    actions: [
      button({ label: t('plan.new'), icon: 'add', kind: 'primary', onclick: () => planForm(page) }),
      button({ label: t('bin.title'), icon: 'remove', onclick: () => binDialog(undefined, load) }),
    ],
  }), h('div.toolbar',
    choice(['own', 'asked', 'saved'].map((one) => [one, t(`plans.of.${one}`)]), of, t('plans.which'),
      (chosen) => { of = chosen; load(); loadAsked(); }),
    searchField(t('plans.search'), (words) => { text = words; load(); }),
    choice([['', t('list')], ['map', t('map')]], '', t('plans.how'),
      (chosen) => { asMap = Boolean(chosen); load(); })), asked, list);
}

/**
 * Creates the tile of a plan that the person is invited to.
 * @param {ListedPlan} plan
 * @param {() => any} done
 */
const askedTile = (plan, done) => planTile(plan, h('div.tile-text', h('div.actions',
  button({ label: t('confirm'), kind: 'small primary', onclick: async () => {
    await call('members.confirm', { plan: plan.id });
    toast(t('plan.joined'));
    await done();
  } }),
  button({ label: t('decline'), kind: 'small', onclick: async () => {
    await call('members.decline', { plan: plan.id });
    await done();
  } }))));

/**
 * Returns points in the same order, with longitudes as close together as possible around the world: the points begin
 * east of the widest gap between them.
 * @param {any[]} points
 */
function gathered(points) {
  const lons = points.map(({ lon }) => lon).sort((one, other) => one - other);
  let start = lons[0];
  let widest = lons[0] + 360 - lons[lons.length - 1];
  lons.forEach((lon, n) => {
    if (n && lon - lons[n - 1] > widest) [start, widest] = [lon, lon - lons[n - 1]];
  });
  return points.map((point) => ({ ...point, lon: point.lon < start ? point.lon + 360 : point.lon }));
}

/** Creates a map of plans, with the same plans as rows below it.
 * @param {Page} page @param {ListedPlan[]} plans */
export async function planMap(page, plans) {
  const placed = gathered(plans.filter(({ lat }) => lat !== undefined));
  if (!placed.length) return empty(t('plans.unplaced'));
  const map = await makeMap({ label: t('plans.map'), class: 'tall', signal: page.signal });
  map.clusters().set(placed.map((plan) => ({
    point: [plan.lat, plan.lon], kind: 'plan', title: plan.title, open: () => page.go(path('plans', plan.id)),
  })));
  map.fit(placed.map(({ lat, lon }) => [lat, lon]), 11);
  return h('div.section', map.element, h('ul.rows.dense', placed.map((plan) => h('li.row',
    h('a.row-link', { href: path('plans', plan.id) },
      avatar(plan.owner, 'small'), rowText(plan.title, span(plan.start, plan.end)))))));
}
