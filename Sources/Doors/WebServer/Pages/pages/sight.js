/** A sight: its photos, description, score, reviews and visits. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, read, readPages, Refused } from '../rpc.js';
import {
  me, head, section, button, menu, badge, stars, figure, figures, pages, when, rowText, removal, formDialog, toast,
} from '../ui.js';
import { height, place, duration, between } from '../format.js';
import { makeMap } from '../map.js';
import { unrolled } from '../map/shapes.js';
import { gallery, reviews, shareDialog, suggestDialog } from '../social.js';
import { path } from '../paths.js';
import { zoneAt, momentIn } from '../zones.js';
import { explainDialog } from '../explain.js';
import { follow, isAbout, replace } from '../live.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  const subject = `sight/${id}`;
  let sight = await read('sights.get', { id });
  const zone = await zoneAt(sight.lat, sight.lon);
  const isOwn = Boolean(me.person && sight.added_by === me.person.id);
  const mayChange = isOwn || me.admin;
  const map = await makeMap({ label: t('map.of', { name: sight.title }), signal: page.signal });
  const drawn = map.layer();
  const [top, words, facts] = Array.from({ length: 3 }, () => h('div'));
  const pictures = h('div', gallery({ subject, name: sight.title, mayAdd: mayChange }));
  /** What the map was last moved to. */
  let seen = '';

  const header = () => head(sight.title, {
    back: ['/sights', t('nav.sight')],
    actions: [
      me.person && button({ label: t('suggest'), icon: 'people', onclick: () => suggestDialog(subject, sight.title) }),
      button({ label: t('share'), icon: 'share', onclick: () => shareDialog(subject) }),
      mayChange && menu(t('more.actions'), [
        {
          label: t('edit'), icon: 'edit',
          onclick: () => import('../sight-form.js').then((form) => form.changeSight(page, sight)),
        },
        me.admin && { label: t('logbook.role'), icon: 'trips', onclick: () => roleDialog(id) },
        removal('sight.remove', async () => { await call('sights.remove', { id }); page.go('/sights'); }),
      ]),
    ],
    note: [sight.category && badge(sight.category), ' ', stars(sight.rating.score, sight.rating.count)],
  });

  function drawMap() {
    drawn.clear();
    drawn.sight(sight, [sight.lat, sight.lon]);
    drawn.pin([sight.lat, sight.lon], { kind: 'sight', title: sight.title });
    // Who has moved the map looks elsewhere until the place changes.
    const place = JSON.stringify([sight.lat, sight.lon, sight.shape]);
    if (place === seen) return;
    seen = place;
    if (sight.shape) map.fit(points(sight.shape, sight.lon), 16); else map.see([sight.lat, sight.lon], 14);
  }
  function draw() {
    page.title(sight.title);
    replace(top, header());
    fill(words, sight.description && h('p.prose', sight.description));
    fill(facts, figures(extent(sight), figure(place(sight.lat, sight.lon), t('place'))), rules(sight),
      sight.added_by && h('p.page-note', t('sight.by'), ' ',
        h('a', { href: path('people', sight.added_by) }, `@${sight.added_by}`),
        sight.added ? [', ', when(sight.added)] : null));
    drawMap();
  }

  /** Shows what is new, if something is. */
  async function look() {
    try {
      const now = await read('sights.get', { id });
      if (JSON.stringify(now) === JSON.stringify(sight) || page.signal.aborted) return;
      sight = now;
      draw();
    } catch (error) {
      // Somebody has removed it.
      if (error instanceof Refused && error.code === 1) page.redraw(); else throw error;
    }
  }

  draw();
  fill(page.main, top, h('div.columns',
    h('div', pictures, words, reviews({ subject, own: isOwn, page })),
    h('div', map.element, facts,
      section(t('sight.visits'), pages({
        method: 'sights.visits', list: 'visits', params: { id, limit: 10 }, none: t('sight.novisits'),
        class: 'rows dense',
        row: (visit) => h('li.row',
          h('span.row-text', h('strong', momentIn(visit.entered, zone)),
            h('small', visit.device, visit.left
              ? ` · ${duration((Date.parse(visit.left) - Date.parse(visit.entered)) / 1000)}` : '')),
          visit.trip && h('a', { href: path('trips', visit.trip) }, t('trip'))),
      }), me.person && button({
        label: t('explain'), icon: 'time', kind: 'small', onclick: () => explainDialog(subject, sight.title),
      })), me.person ? plansNear(page, sight) : null)));
  follow(page, isAbout(subject), async () => {
    fill(pictures, gallery({ subject, name: sight.title, mayAdd: mayChange }));
    await look();
  });
}

/** Asks what a sight is to the drivers, from which the logbook knows what trips are for.
 * @param {string} id */
async function roleDialog(id) {
  const { places } = await call('logbook.places');
  formDialog(t('logbook.role'), {
    fields: [{
      name: 'role', label: t('logbook.purpose'), type: 'select',
      value: places.find(({ sight }) => sight === id)?.role ?? 'none',
      options: ['none', 'home', 'work', 'business'].map((one) => [one, t(`logbook.${one}`)]),
      hint: t('logbook.role.hint'),
    }],
    submit: t('keep'),
    action: async ({ role }) => {
      await call('logbook.setPlace', { sight: id, role });
      toast(t('logbook.role.kept'));
    },
  });
}

/** The size of the sight: the radius of a circle, the width of a corridor; a polygon is only named.
 * @param {Sight} sight */
function extent({ form, radius }) {
  if (form === 'polygon') return figure(t('sight.polygon'), t('sight.shape'));
  return form === 'corridor'
    ? figure(height(2 * radius), t('sight.width')) : figure(height(radius), t('sight.radius.short'));
}

/** The rules of the sight: its limit of speed, its hours, its devices.
 * @param {Sight} sight */
function rules(sight) {
  const element = h('div');
  const { speed_limit: limit, active, devices } = sight;
  if (limit === undefined && !active && !devices) return element;
  Promise.all([import('../drawing/rules.js'), addTexts('drawing')]).then(([{ shownLimit, shownHours }]) => fill(element,
    figures(limit === undefined ? null : figure(shownLimit(limit), t('draw.limit.short')),
      active ? figure(shownHours(active), t('draw.hours')) : null,
      devices ? figure(devices.join(', '), t('draw.devices')) : null)));
  return element;
}

/** The positions of a geometry, as points near a longitude.
 * @param {Shape} shape @param {number} lon */
function points({ type, coordinates }, lon) {
  const positions = /** @type {any} */ (coordinates)
    .flat((type.startsWith('Multi') ? 1 : 0) + (type.endsWith('Polygon') ? 1 : 0));
  return unrolled(positions, lon);
}

/** Lists the person's plans that have a location at the sight.
 * @param {Page} page @param {Sight} sight */
function plansNear(page, sight) {
  const list = h('ul.rows.dense');
  const element = section(t('sight.plans'), list);
  element.hidden = true;
  (async () => {
    for (const plan of await readPages('plans.list', 'plans', { limit: 100 }, 500)) {
      const locations = await readPages('locations.list', 'locations', { plan: plan.id, limit: 100 });
      if (page.signal.aborted) return;
      const near = locations.find(({ lat, lon, radius_m }) => lat !== undefined && lon !== undefined
        && between(lat, lon, sight.lat, sight.lon) <= Math.max(radius_m, sight.radius));
      if (!near) continue;
      element.hidden = false;
      list.append(h('li.row', h('a.row-link', { href: path('locations', near.id) }, rowText(plan.title, near.name))));
    }
  })().catch(() => {});
  return element;
}
