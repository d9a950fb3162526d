/** A location of a plan, with links to the previous and the next. The address of an activity opens its plan. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, read, Refused } from '../rpc.js';
import { me, head, button, menu, badge, figures, figure, toast, removal } from '../ui.js';
import { height, place, duration } from '../format.js';
import { momentIn, plannedIn } from '../zones.js';
import { makeMap } from '../map.js';
import { gallery, shareDialog, suggestDialog } from '../social.js';
import { path } from '../paths.js';
import { locationForm } from '../plan-forms.js';
import { explainDialog } from '../explain.js';
import { offerUndo } from '../bin.js';
import { follow, replace } from '../live.js';
import { waitsMark } from '../outbox/mark.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  if (location.pathname.startsWith('/activities/')) {
    const item = await read('activities.get', { activity: id });
    return page.go(`${path('plans', item.plan)}?open=${encodeURIComponent(id)}`, true);
  }
  const subject = `location/${id}`;
  let one = await read('locations.get', { location: id });
  // A location that this phone has made has another id once it has gone in.
  if (one.id !== id) return page.go(path('locations', one.id), true);
  let plan = await read('plans.get', { plan: one.plan });
  const [top, words, pictures, mapPlace, facts] = Array.from({ length: 5 }, () => h('div'));
  const steps = h('nav.toolbar', { 'aria-label': t('location.order') });
  /** The map and what is drawn on it, once the location has a place.
   * @type {any} */
  let map = null;
  /** @type {any} */
  let drawn = null;
  /** The place that the map was last moved to. */
  let seen = '';

  const remove = removal('location.remove', async () => {
    await call('locations.remove', { location: id }, { title: one.name });
    page.go(path('plans', one.plan, 'locations'));
    offerUndo(subject, one.name, () => page.go(path('locations', id)));
  });
  /** @param {string | undefined} to @param {string} label @param {string} name @param {string} turns */
  const step = (to, label, name, turns) => (to
    ? h('a.button.small', { href: path('locations', to), rel: name },
      name === 'prev' ? icon('back', turns) : null, label, name === 'next' ? icon('next', turns) : null)
    : h('span'));
  const header = () => head(one.name, {
    back: [path('plans', one.plan, 'locations'), plan.title],
    actions: [
      button({ label: t('share'), icon: 'share', onclick: () => shareDialog(subject) }),
      menu(t('more.actions'), [
        plan.may_edit && { label: t('edit'), icon: 'edit', onclick: () => locationForm(page, one.plan, one) },
        me.person && { label: t('suggest'), icon: 'people', onclick: () => suggestDialog(subject, one.name) },
        plan.member && one.lat !== undefined
          && { label: t('explain'), icon: 'time', onclick: () => explainDialog(subject, one.name) },
        plan.may_edit && one.passed && { label: t('location.clear'), icon: 'time', onclick: async () => {
          await call('locations.clear', { location: id });
          toast(t('kept'));
          page.refresh();
        } },
        plan.may_edit && remove,
      ]),
    ],
    note: [
      one.passed ? badge(t('location.passed', { time: momentIn(one.passed, plan.zone) }), 'good') : null, ' ',
      one.level !== 'everyone' ? badge(t(`level.${one.level}`)) : null, ' ', waitsMark(one), ' ', one.address,
    ],
  });

  async function drawMap() {
    if (one.lat === undefined) return fill(mapPlace);
    map ??= await makeMap({ label: t('map.of', { name: one.name }), signal: page.signal });
    drawn ??= map.layer();
    if (!mapPlace.contains(map.element)) fill(mapPlace, map.element);
    drawn.clear();
    drawn.circle('fence-location', [one.lat, one.lon], one.radius_m);
    drawn.pin([one.lat, one.lon], { kind: one.passed ? 'passed' : 'location', title: one.name });
    // Who has moved the map looks elsewhere until the place changes.
    if (seen !== (seen = `${one.lat} ${one.lon}`)) map.see([one.lat, one.lon], 14);
  }
  async function draw() {
    page.title(one.name);
    replace(top, header());
    fill(words, one.description && h('p.prose', one.description));
    fill(facts, figures(one.from && figure(plannedIn(one.from), t('from')),
      one.to && figure(plannedIn(one.to), t('until')),
      one.passed && one.departed
        && figure(duration((Date.parse(one.departed) - Date.parse(one.passed)) / 1000), t('journey.stayed')),
      figure(height(one.radius_m), t('sight.radius.short')),
      one.lat !== undefined && figure(place(one.lat, /** @type {number} */ (one.lon)), t('place'))));
    replace(steps, [step(one.previous, t('previous'), 'prev', 'turns'), step(one.next, t('next'), 'next', 'turns')]);
    await drawMap();
  }
  const drawPictures = () =>
    fill(pictures, gallery({ subject, name: one.name, mayAdd: plan.may_edit, changed: page.refresh }));

  /** Shows what is new, if something is. */
  async function look() {
    try {
      const now = await Promise.all([read('locations.get', { location: id }), read('plans.get', { plan: one.plan })]);
      if (JSON.stringify(now) === JSON.stringify([one, plan]) || page.signal.aborted) return;
      [one, plan] = now;
      await draw();
    } catch (error) {
      // Somebody has removed it.
      if (error instanceof Refused && error.code === 1) page.redraw(); else throw error;
    }
  }

  await draw();
  drawPictures();
  fill(page.main, top, h('div.columns', h('div', words, pictures), h('div', mapPlace, facts)), steps);
  follow(page, (event) => event.subject === subject || event.subject === `plan/${one.plan}`, async (event) => {
    if (event.subject === subject) drawPictures();
    await look();
  });
  page.on('any', async (event) => {
    // A location is stamped shortly after the event, and then its travellers are notified.
    const isHere = event.geofence?.kind === 'location' && event.geofence.id === id;
    if (isHere || event.notification?.destination === `waymark://${subject}`) await look().catch(() => {});
  });
}
