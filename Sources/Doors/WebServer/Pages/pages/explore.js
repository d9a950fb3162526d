/** Published plans, with a search by words, postal code, days and number of people. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { readPages } from '../rpc.js';
import { me, buttonLink, empty, head, pages, choice, form } from '../ui.js';
import { planTile, planMap } from './plans.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.explore'));
  const list = h('div');
  let filter = {};
  let order = 'newest';
  let asMap = false;
  async function load() {
    const params = /** @type {any} */ ({ ...filter, order });
    if (asMap) fill(list, await planMap(page, await readPages('plans.explore', 'plans', params, 200)));
    else {
      fill(list, pages({
        method: 'plans.explore', list: 'plans', params: { ...params, limit: 30 },
        none: Object.keys(filter).length ? t('explore.none')
          : empty(t('explore.nothing'), me.person && buttonLink('/plans', t('nav.plans'), 'plans', 'primary')),
        class: 'tiles',
        row: (plan) => planTile(plan),
      }));
    }
  }
  load();
  fill(page.main, head(t('nav.explore'), { note: t('explore.note') }),
    h('div.card.filter', form({
      fields: [
        { name: 'text', label: t('explore.text') },
        { name: 'postal_code', label: t('explore.code'), half: true, more: true },
        { name: 'people', label: t('plan.people'), type: 'number', half: true, more: true },
        { name: 'from', label: t('from'), type: 'date', half: true, more: true },
        { name: 'to', label: t('until'), type: 'date', half: true, more: true },
      ], submit: t('search'),
      action: async ({ from, to, ...values }) => {
        filter = {
          ...values, ...(from ? { from: `${from}T00:00:00Z` } : {}), ...(to ? { to: `${to}T23:59:59Z` } : {}),
        };
        await load();
      },
    })),
    h('div.toolbar',
      choice(['newest', 'likes', 'start'].map((one) => [one, t(`order.${one}`)]), order, t('order'),
        (chosen) => { order = chosen; load(); }),
      choice([['', t('list')], ['map', t('map')]], '', t('plans.how'),
        (chosen) => { asMap = Boolean(chosen); load(); })), list);
}
