/** The forms of plans, and their parts: places, times, and the choice between two versions. */
import { h, fill } from './dom.js';
import { t } from './texts.js';
import { call, read } from './rpc.js';
import { formDialog, toast } from './ui.js';
import { saving } from './merge.js';
import { lengthLabel, shownLength, metresOf } from './lengths.js';
import { makeMap } from './map.js';
import { distance } from './format.js';

export const levels = () => ['me', 'members', 'friends', 'everyone'].map((level) => [level, t(`level.${level}`)]);
export const TABS = ['itinerary', 'transport', 'lodging', 'food', 'places'];

/**
 * Returns two fields: for a day and for an optional time of day.
 * @param {string} name
 * @param {string} label
 */
export const whenFields = (name, label, value) => [
  { name, label, type: 'date', value: value?.at.slice(0, 10), half: true },
  { name: `${name}_time`, label: t('plan.timeof', { what: label }), type: 'time', value: value?.at.slice(11, 16), half: true },
];

/**
 * Joins the values of day and time fields, in place.
 * @param {string[]} names
 */
export function withTimes(values, names) {
  for (const name of names) {
    const time = values[`${name}_time`];
    delete values[`${name}_time`];
    if (values[name] && time) values[name] += `T${time}`;
  }
  return values;
}

/**
 * Creates a field for a place, which you find by its name, choose on the map, or enter in degrees.
 *
 * @param {{lat?: number, lon?: number}} given
 * @param {(name: string) => void} [named] receives the name of a chosen search result
 */
export function placeField(given, named) {
  let point = given.lat === undefined ? null : { lat: given.lat, lon: given.lon };
  const found = h('ul.rows.dense', { 'aria-label': t('place.found') });
  const map = h('div');
  const degrees = h('input', { type: 'text', dir: 'ltr', placeholder: '52.37, 4.89', value: point ? `${point.lat}, ${point.lon}` : '', onchange: () => {
    const parts = degrees.value.split(/[\s,;]+/).map(Number);
    choose(parts.length === 2 && parts.every(Number.isFinite) ? { lat: parts[0], lon: parts[1] } : null);
  } });
  let wait = 0;
  const input = h('input', { type: 'search', 'aria-label': t('place.search'), placeholder: t('place.search'), autocomplete: 'off', oninput: () => {
    clearTimeout(wait);
    wait = window.setTimeout(search, 300);
  }, onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); search(); } } });
  let show = (_) => {};
  async function search() {
    const text = input.value.trim();
    if (!text) return fill(found);
    const { places } = await read('places.search', { text, limit: 6, ...(point ?? {}) }).catch(() => ({ places: [] }));
    fill(found, places.length ? places.map((place) => h('li.row', h('button', { type: 'button', class: 'plain', onclick: () => {
      choose(place);
      named?.(place.name);
      fill(found);
      input.value = place.name;
    } }, place.name, place.country ? `, ${place.country}` : '', place.distance === undefined ? '' : ` (${distance(place.distance)})`))) : h('li.row', t('place.none')));
  }
  function choose(chosen) {
    point = chosen && { lat: Number(chosen.lat.toFixed(6)), lon: Number(chosen.lon.toFixed(6)) };
    degrees.value = point ? `${point.lat}, ${point.lon}` : '';
    show(point);
  }
  (async () => {
    const drawn = await makeMap({ label: t('place.map'), class: 'mini' });
    const marks = drawn.layer();
    show = (point) => {
      marks.clear();
      if (!point) return;
      marks.pin([point.lat, point.lon], { kind: 'point', title: '' });
      drawn.see([point.lat, point.lon], Math.max(11, drawn.zoom()));
    };
    drawn.onPress(choose);
    fill(map, drawn.element);
    if (point) return show(point);
    const here = await read('position.current').catch(() => null);
    if (here) drawn.see([here.lat, here.lon], 11);
  })();
  const element = h('div.field', h('span', h('b', t('place')), h('span.optional', ` ${t('form.optional')}`)), input, found, map, h('div', h('label.field', h('small', t('place.degrees')), degrees)));
  return Object.assign(element, { point: () => point ?? {} });
}

/** Opens the form of a new or an existing plan. */
export function planForm(page, plan) {
  const place = placeField(plan ?? {}, (name) => { const input = element.querySelector('[name=destination]'); if (!input.value) input.value = name; });
  const element = formDialog(t(plan ? 'plan.edit' : 'plan.new'), {
    fields: [
      { name: 'title', label: t('plan.title'), required: true, value: plan?.title },
      { name: 'description', label: t('plan.description'), type: 'textarea', value: plan?.description },
      ...whenFields('start', t('plan.start'), plan?.start), ...whenFields('end', t('plan.end'), plan?.end),
      { name: 'destination', label: t('plan.destination'), value: plan?.destination }, place,
      { name: 'people', label: t('plan.people'), type: 'number', value: plan?.people, half: true },
      { name: 'currency', label: t('plan.currency'), value: plan?.currency ?? 'EUR', half: true, attributes: { maxlength: 3 } },
      { name: 'postal_codes', label: t('plan.codes'), type: 'list', value: plan?.postal_codes, hint: t('plan.codes.hint'), half: true },
      { name: 'zone', label: t('plan.zone'), value: plan?.zone, hint: 'Europe/Amsterdam', half: true },
      { name: 'level', label: t('level'), type: 'select', options: levels(), value: plan?.level ?? 'friends', half: true },
      { name: 'cover_url', label: t('plan.coverurl'), type: 'url', value: plan?.cover_url, half: true },
    ],
    submit: t(plan ? 'keep' : 'plan.make'), keepEmpty: Boolean(plan), rename: { lat: 'destination', lon: 'destination' },
    action: async (values) => {
      withTimes(values, ['start', 'end']);
      Object.assign(values, place.point());
      if (!values.zone) delete values.zone;
      const saved = plan ? await saving('plans.update', { plan: plan.id, ...values, revision: plan.revision }, plan) : await call('plans.create', values);
      if (plan) page.refresh(); else page.go(`/plans/${saved.id}/locations`);
    },
  });
}

/**
 * Opens the form of a new or an existing location.
 * @param {string} plan
 */
export function locationForm(page, plan, location) {
  const place = placeField(location ?? {}, (name) => { for (const field of ['name', 'address']) { const input = element.querySelector(`[name=${field}]`); if (!input.value) input.value = name; } });
  const element = formDialog(t(location ? 'location.edit' : 'location.new'), {
    fields: [
      place,
      { name: 'name', label: t('location.name'), required: true, value: location?.name },
      { name: 'address', label: t('location.address'), value: location?.address },
      { name: 'description', label: t('plan.description'), type: 'textarea', value: location?.description },
      ...whenFields('from', t('from'), location?.from), ...whenFields('to', t('until'), location?.to),
      { name: 'radius_m', label: lengthLabel('sight.radius'), type: 'number', value: shownLength(location?.radius_m ?? 100), half: true },
      { name: 'level', label: t('level'), type: 'select', options: levels(), value: location?.level ?? 'everyone', half: true },
    ],
    submit: t(location ? 'keep' : 'location.add'), keepEmpty: Boolean(location), rename: { lat: 'name', lon: 'name' },
    action: async (values) => {
      withTimes(values, ['from', 'to']);
      Object.assign(values, place.point());
      // What shows the same is the same, however it was rounded.
      if (location && values.radius_m === shownLength(location.radius_m)) delete values.radius_m;
      else if (values.radius_m !== undefined) values.radius_m = metresOf(values.radius_m);
      if (location) await saving('locations.update', { location: location.id, ...values, revision: location.revision }, location);
      else await call('locations.add', { plan, ...values });
      page.refresh();
    },
  });
}

/**
 * Opens the form of a new or an existing activity.
 * @param {string} tab
 */
export function activityForm(page, plan, tab, activity, others = []) {
  const of = activity ?? {};
  const place = placeField(of);
  formDialog(t(activity ? 'activity.edit' : `activity.new.${tab}`), {
    fields: [
      { name: 'title', label: t('plan.title'), required: true, value: of.title },
      ...(tab === 'transport' ? [
        { name: 'mode', label: t('activity.mode'), value: of.mode }, { name: 'departure', label: t('activity.departure'), value: of.departure, half: true },
        { name: 'arrival', label: t('activity.arrival'), value: of.arrival, half: true }] : []),
      ...whenFields('from', t('from'), of.from), ...whenFields('to', t('until'), of.to),
      ...(tab === 'food' ? [
        { name: 'rating', label: t('activity.rating'), type: 'number', value: of.rating, half: true }, { name: 'recommendation', label: t('activity.recommendation'), value: of.recommendation, half: true }] : []),
      { name: 'description', label: t('plan.description'), type: 'textarea', value: of.description, rows: 2 },
      { name: 'location', label: t('activity.location'), value: of.location, half: true }, { name: 'address', label: t('location.address'), value: of.address, half: true },
      { name: 'contact', label: t('activity.contact'), value: of.contact, half: true }, { name: 'url', label: t('activity.url'), type: 'url', value: of.url, half: true },
      { name: 'booked', label: t('activity.booked'), type: 'checkbox', value: of.booked },
      { name: 'booking_code', label: t('activity.code'), value: of.booking_code, half: true }, { name: 'booking_url', label: t('activity.bookingurl'), type: 'url', value: of.booking_url, half: true },
      { name: 'note', label: t('activity.note'), value: of.note }, { name: 'thumbnail_url', label: t('activity.thumbnail'), type: 'url', value: of.thumbnail_url },
      ...(plan.members.length > 1 ? [{ name: 'people', label: t('activity.people'), type: 'checks', options: plan.members.filter(({ id }) => id).map(({ id, name }) => [id, name]), value: of.people }] : []),
      ...(tab === 'itinerary' && others.length ? [{ name: 'links', label: t('activity.links'), type: 'checks', options: others.map(({ id, title }) => [id, title]), value: of.links }] : []),
      { name: 'level', label: t('level'), type: 'select', options: levels(), value: of.level ?? 'everyone' }, place,
    ],
    submit: t(activity ? 'keep' : 'add'), keepEmpty: Boolean(activity),
    action: async (values) => {
      withTimes(values, ['from', 'to']);
      Object.assign(values, place.point());
      if (activity) await saving('activities.update', { activity: activity.id, ...values, revision: activity.revision }, activity);
      else await call('activities.add', { plan: plan.id, tab, ...values });
      toast(t('kept'));
      page.refresh();
    },
  });
}
