/** The locations of a plan: a map, and rows that can be put in another order by dragging and by keys. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, readPages } from '../rpc.js';
import { button, searchField, photo, badge, empty, attempt } from '../ui.js';
import { planned, moment } from '../format.js';
import { makeMap, pin } from '../map.js';
import { path } from '../paths.js';
import { locationForm } from '../plan-forms.js';

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  let locations = await readPages('locations.list', 'locations', { plan: plan.id });
  const { element, map, L, fit } = await makeMap({ label: t('plan.map'), signal: page.signal });
  const marks = L.layerGroup().addTo(map);
  const said = h('p', { class: 'hidden', role: 'status' });
  const list = h('ol', { class: 'rows' });
  let text = '';

  function draw() {
    marks.clearLayers();
    const placed = locations.filter(({ lat }) => lat !== undefined);
    L.polyline(placed.map(({ lat, lon }) => [lat, lon]), { className: 'way-plan', interactive: false }).addTo(marks);
    locations.forEach((one, n) => {
      if (one.lat === undefined) return;
      L.circle([one.lat, one.lon], { radius: one.radius_m, className: 'fence-location', interactive: false }).addTo(marks);
      pin(L, [one.lat, one.lon], { kind: one.passed ? 'passed' : 'location', title: one.name, text: n + 1, open: () => page.go(path('locations', one.id)) }).addTo(marks);
    });
    fill(list, locations.map((one, n) => row(one, n)).filter((_, n) => !text || `${locations[n].name} ${locations[n].address ?? ''}`.toLocaleLowerCase().includes(text)));
    list.hidden = !locations.length;
  }

  /**
   * @param {any} one
   * @param {number} n
   */
  function row(one, n) {
    const handle = plan.may_edit && !text && h('button', { type: 'button', class: 'icon-button drag', 'aria-label': t('location.move', { name: one.name }), title: t('location.move.hint'), onkeydown: (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      move(n, n + by);
    }, onpointerdown: (event) => drag(event, n) }, icon('grip'));
    return h('li', { class: 'row' }, handle, h('a', { class: 'row-link', href: path('locations', one.id) }, photo(one.picture, '', { class: 'photo thumb' }),
      h('span', { class: 'row-text' }, h('strong', null, `${n + 1}. ${one.name}`), h('small', null, [planned(one.from), one.address].filter(Boolean).join(' · ')))),
    one.passed ? badge(t('location.passed', { time: moment(one.passed, plan.zone) }), 'good') : null, one.level !== 'everyone' ? badge(t(`level.${one.level}`)) : null);
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  async function move(from, to) {
    if (to < 0 || to >= locations.length || from === to) return;
    const [one] = locations.splice(from, 1);
    locations.splice(to, 0, one);
    draw();
    list.querySelectorAll('.drag')[to]?.focus();
    fill(said, t('location.moved', { name: one.name, n: to + 1 }));
    const other = to ? { after: locations[to - 1].id } : { before: locations[1].id };
    if (await attempt(() => call('locations.move', { location: one.id, ...other })) === undefined) {
      locations = await readPages('locations.list', 'locations', { plan: plan.id });
      draw();
    }
  }

  /**
   * @param {PointerEvent} event
   * @param {number} n
   */
  function drag(event, n) {
    const rows = [...list.children];
    const moving = rows[n];
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    const middles = rows.map((one) => { const box = one.getBoundingClientRect(); return box.top + box.height / 2; });
    let to = n;
    handle.setPointerCapture(event.pointerId);
    moving.classList.add('dragging');
    const follow = (event) => {
      const y = event.clientY - middles[n];
      moving.style.translate = `0 ${y}px`;
      to = middles.filter((middle, other) => other !== n && middle < event.clientY).length;
    };
    const end = () => {
      moving.classList.remove('dragging');
      moving.style.translate = '';
      handle.removeEventListener('pointermove', follow);
      if (to !== n) move(n, to);
    };
    handle.addEventListener('pointermove', follow);
    handle.addEventListener('lostpointercapture', end, { once: true });
  }

  draw();
  fit(locations.filter(({ lat }) => lat !== undefined).map(({ lat, lon }) => [lat, lon]), 15);
  fill(body, h('div', { class: 'toolbar' }, plan.may_edit ? button({ label: t('location.new'), icon: 'add', kind: 'primary', onclick: () => locationForm(page, plan.id) }) : null,
    locations.length > 3 ? searchField(t('location.search'), (words) => { text = words.toLocaleLowerCase(); draw(); }) : null), said,
  locations.length ? [element, list] : empty(t('location.none')));
  page.on('any', async (event) => {
    if (event.geofence?.kind !== 'location') return;
    locations = await readPages('locations.list', 'locations', { plan: plan.id });
    draw();
  });
}
