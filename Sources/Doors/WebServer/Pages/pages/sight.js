/** A sight: its photos, description, score, reviews and visits. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import { me, head, section, button, menu, badge, stars, figure, figures, pages, when, rowText, removal } from '../ui.js';
import { height, moment, place, duration, between } from '../format.js';
import { makeMap } from '../map.js';
import { gallery, reviews, shareDialog, suggestDialog } from '../social.js';
import { changeSight } from '../sight-form.js';
import { path } from '../paths.js';
import { explainDialog } from '../explain.js';

export async function show(page) {
  const { id } = page.params;
  const sight = await read('sights.get', { id });
  page.title(sight.title);
  const subject = `sight/${id}`;
  const isOwn = me.person && sight.added_by === me.person.id;
  const mayChange = isOwn || me.admin;
  const map = await makeMap({ label: t('map.of', { name: sight.title }), signal: page.signal });
  const drawn = map.layer();
  drawn.circle('fence', [sight.lat, sight.lon], sight.radius);
  drawn.pin([sight.lat, sight.lon], { kind: 'sight', title: sight.title });
  map.see([sight.lat, sight.lon], 14);
  const pictures = gallery({ subject, name: sight.title, mayAdd: mayChange });
  fill(page.main,
    head(sight.title, {
      back: ['/sights', t('nav.sight')],
      actions: [
        me.person && button({ label: t('suggest'), icon: 'people', onclick: () => suggestDialog(subject, sight.title) }),
        button({ label: t('share'), icon: 'share', onclick: () => shareDialog(subject) }),
        mayChange && menu(t('more.actions'), [
          { label: t('edit'), icon: 'edit', onclick: () => changeSight(page, sight) },
          removal('sight.remove', async () => { await call('sights.remove', { id }); page.go('/sights'); }),
        ]),
      ],
      note: [sight.category && badge(sight.category), ' ', stars(sight.rating.score, sight.rating.count)],
    }),
    h('div.columns',
      h('div', pictures, sight.description && h('p.prose', sight.description), reviews({ subject, own: isOwn, page })),
      h('div', map.element,
        figures(figure(height(sight.radius), t('sight.radius.short')), figure(place(sight.lat, sight.lon), t('place'))),
        sight.added_by && h('p.page-note', t('sight.by'), ' ', h('a', { href: path('people', sight.added_by) }, `@${sight.added_by}`), sight.added ? [', ', when(sight.added)] : null),
        section(t('sight.visits'), pages({
          method: 'sights.visits', list: 'visits', params: { id, limit: 10 }, none: t('sight.novisits'), class: 'rows dense',
          row: (visit) => h('li.row', h('span.row-text', h('strong', moment(visit.entered)),
            h('small', visit.device, visit.left ? ` · ${duration((Date.parse(visit.left) - Date.parse(visit.entered)) / 1000)}` : '')),
          visit.trip && h('a', { href: path('trips', visit.trip) }, t('trip'))),
        }), button({ label: t('explain'), icon: 'time', kind: 'small', onclick: () => explainDialog(subject, sight.title) })), me.person ? plansNear(page, sight) : null)));
}

/** Lists the person's plans that have a location at the sight. */
function plansNear(page, sight) {
  const list = h('ul.rows.dense');
  const element = section(t('sight.plans'), list);
  element.hidden = true;
  (async () => {
    for (const plan of await readPages('plans.list', 'plans', { limit: 100 }, 500)) {
      const locations = await readPages('locations.list', 'locations', { plan: plan.id, limit: 100 });
      if (page.signal.aborted) return;
      const near = locations.find(({ lat, lon, radius_m }) => lat !== undefined && between(lat, lon, sight.lat, sight.lon) <= Math.max(radius_m, sight.radius));
      if (!near) continue;
      element.hidden = false;
      list.append(h('li.row', h('a.row-link', { href: path('locations', near.id) }, rowText(plan.title, near.name))));
    }
  })().catch(() => {});
  return element;
}
