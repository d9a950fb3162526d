/** A location of a plan, with links to the previous and the next. The address of an activity opens its plan. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, head, button, menu, badge, figures, figure, toast, removal } from '../ui.js';
import { height, place, duration } from '../format.js';
import { momentIn, plannedIn } from '../zones.js';
import { makeMap } from '../map.js';
import { gallery, shareDialog, suggestDialog } from '../social.js';
import { path } from '../paths.js';
import { locationForm } from '../plan-forms.js';
import { explainDialog } from '../explain.js';
import { offerUndo } from '../bin.js';
import { waitsMark } from '../outbox/mark.js';

export async function show(page) {
  const { id } = page.params;
  if (location.pathname.startsWith('/activities/')) {
    const item = await read('activities.get', { activity: id });
    return page.go(`${path('plans', item.plan)}?open=${encodeURIComponent(id)}`, true);
  }
  const one = await read('locations.get', { location: id });
  const plan = await read('plans.get', { plan: one.plan });
  page.title(one.name);
  let map = null;
  if (one.lat !== undefined) {
    map = await makeMap({ label: t('map.of', { name: one.name }), signal: page.signal });
    const drawn = map.layer();
    drawn.circle('fence-location', [one.lat, one.lon], one.radius_m);
    drawn.pin([one.lat, one.lon], { kind: one.passed ? 'passed' : 'location', title: one.name });
    map.see([one.lat, one.lon], 14);
  }
  const step = (to, label, name, turns) => (to ? h('a.button.small', { href: path('locations', to), rel: name },
    name === 'prev' ? icon('back', turns) : null, label, name === 'next' ? icon('next', turns) : null) : null);
  fill(page.main,
    head(one.name, {
      back: [path('plans', one.plan, 'locations'), plan.title],
      actions: [
        button({ label: t('share'), icon: 'share', onclick: () => shareDialog(`location/${id}`) }),
        menu(t('more.actions'), [
          plan.may_edit && { label: t('edit'), icon: 'edit', onclick: () => locationForm(page, one.plan, one) },
          me.person && {
            label: t('suggest'), icon: 'people', onclick: () => suggestDialog(`location/${id}`, one.name),
          },
          plan.member && one.lat !== undefined && {
            label: t('explain'), icon: 'time', onclick: () => explainDialog(`location/${id}`, one.name),
          },
          plan.may_edit && one.passed && { label: t('location.clear'), icon: 'time', onclick: async () => {
            await call('locations.clear', { location: id });
            toast(t('kept'));
            page.refresh();
          } },
          plan.may_edit && removal('location.remove', async () => {
            await call('locations.remove', { location: id }, { title: one.name });
            page.go(path('plans', one.plan, 'locations'));
            offerUndo(`location/${id}`, one.name, () => page.go(path('locations', id)));
          }),
        ]),
      ],
      note: [
        one.passed ? badge(t('location.passed', { time: momentIn(one.passed, plan.zone) }), 'good') : null, ' ',
        one.level !== 'everyone' ? badge(t(`level.${one.level}`)) : null, ' ', waitsMark(one), ' ', one.address,
      ],
    }),
    h('div.columns',
      h('div', one.description && h('p.prose', one.description), gallery({
        subject: `location/${id}`, name: one.name, mayAdd: plan.may_edit, changed: page.refresh,
      })),
      h('div', map?.element, figures(
        one.from && figure(plannedIn(one.from), t('from')), one.to && figure(plannedIn(one.to), t('until')),
        one.passed && one.departed
          && figure(duration((Date.parse(one.departed) - Date.parse(one.passed)) / 1000), t('journey.stayed')),
        figure(height(one.radius_m), t('sight.radius.short')),
        one.lat !== undefined && figure(place(one.lat, one.lon), t('place'))))),
    h('nav.toolbar', { 'aria-label': t('location.order') },
      step(one.previous, t('previous'), 'prev', 'turns') ?? h('span'),
      step(one.next, t('next'), 'next', 'turns')));
}
