/** The locations of a plan: a map, and rows that you reorder by dragging or with keys. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, readPages } from '../rpc.js';
import { button, searchField, photo, badge, empty, rowText } from '../ui.js';
import { momentIn, plannedIn } from '../zones.js';
import { makeMap } from '../map.js';
import { path } from '../paths.js';
import { placed } from './plan.js';
import { locationForm } from '../plan-forms.js';
import { orderable } from '../order.js';
import { importLocations } from '../gpx.js';
import { waitsMark } from '../outbox/mark.js';
import { offerUndo } from '../planning/undoing.js';

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  let locations = await readPages('locations.list', 'locations', { plan: plan.id });
  const map = await makeMap({ label: t('plan.map'), signal: page.signal });
  const marks = map.layer();
  const said = h('p.hidden', { role: 'status' });
  const list = h('ol.rows');
  let text = '';
  const load = async () => {
    locations = await readPages('locations.list', 'locations', { plan: plan.id });
    // The page may have been drawn anew meanwhile, with another map.
    if (!page.signal.aborted) draw();
  };
  const handle = orderable(list, said, async (from, to) => {
    const [one] = locations.splice(from, 1);
    locations.splice(to, 0, one);
    draw();
    try {
      const beside = to ? { after: locations[to - 1].id } : { before: locations[1].id };
      const answer = await call('locations.move', { location: one.id, ...beside }, { title: one.name });
      const moved = { plan: plan.id, subject: `location/${one.id}` };
      if (!answer.waits) offerUndo(t('order.moved', { name: one.name, n: to + 1 }), moved, load);
    } catch (error) {
      await load();
      throw error;
    }
  });

  function draw() {
    marks.clear();
    const marked = placed(locations);
    marks.line('way-plan', marked.map(({ lat, lon }) => [lat, lon]));
    for (const one of marked) {
      marks.circle('fence-location', [one.lat, one.lon], one.radius_m);
      marks.pin([one.lat, one.lon], {
        kind: one.passed ? 'passed' : 'location', title: one.name, text: one.number,
        open: () => page.go(path('locations', one.id)),
      });
    }
    fill(list, locations.map((one, n) => row(one, n)).filter((_, n) => !text
      || `${locations[n].name} ${locations[n].address ?? ''}`.toLocaleLowerCase().includes(text)));
    list.hidden = !locations.length;
  }

  /**
   * @param {ListedLocation} one
   * @param {number} n
   */
  function row(one, n) {
    return h('li.row', plan.may_edit && !text && handle(one.name, n),
      h('a.row-link', { href: path('locations', one.id) },
        photo(one.picture, '', { class: 'photo thumb' }),
        rowText(`${n + 1}. ${one.name}`, [plannedIn(one.from), one.address].filter(Boolean).join(' · '),
          one.passed && badge(t('location.passed', { time: momentIn(one.passed, plan.zone) }), 'good'),
          waitsMark(one))),
      one.level !== 'everyone' ? badge(t(`level.${one.level}`)) : null);
  }

  draw();
  map.fit(placed(locations).map(({ lat, lon }) => [lat, lon]), 14);
  fill(body,
    h('div.toolbar',
      plan.may_edit && h('div.actions',
        button({
          label: t('location.new'), icon: 'add', kind: 'primary', onclick: () => locationForm(page, plan.id),
        }),
        button({
          label: t('gpx.title'), icon: 'plans', onclick: () => importLocations(plan.id, page.refresh),
        })),
      locations.length > 3 ? searchField(t('location.search'), (words) => {
        text = words.toLocaleLowerCase();
        draw();
      }) : null), said,
    locations.length ? [map.element, list] : empty(t('location.none')));
  page.on('any', async (/** @type {any} */ event) => {
    // A location is stamped shortly after the event, and then its travellers are notified.
    if (event.geofence?.kind === 'location'
      || event.notification?.destination.startsWith('waymark://location/')) await load();
  });
}
