/** The forms of plans, and their parts: places, times, and the choice between two versions. */
import { h, fill } from './dom.js';
import { t } from './texts.js';
import { call, read } from './rpc.js';
import { formDialog, toast } from './ui.js';
import { saving } from './merge.js';
import { skipped, skippedIn, skippedText, zoneLabel } from './planning/clocks.js';
import { zoneAt } from './zones.js';
import { lengthLabel, shownLength, metresOf } from './lengths.js';
import { makeMap } from './map.js';
import { findPlaces, showPlaces } from './places.js';
import { offerUndoOf } from './planning/undoing.js';

export const levels = () => ['me', 'members', 'friends', 'everyone'].map((level) => [level, t(`level.${level}`)]);
export const TABS = ['itinerary', 'transport', 'lodging', 'food', 'places'];

/**
 * Returns two fields: for a day and for an optional time of day.
 * @param {string} name
 * @param {string} label
 * @param {PlannedTime | undefined} value
 */
export const whenFields = (name, label, value, more = false) => [
  { name, label, type: 'date', value: value?.at.slice(0, 10), half: true, more },
  {
    name: `${name}_time`, label: t('plan.timeof', { what: label }), type: 'time', value: value?.at.slice(11, 16),
    half: true, more,
  },
];

/**
 * Creates a note that says, while somebody types, which of the times of a form clocks skip.
 * @param {string[]} names the names of the times, such as from
 * @param {(name: string) => any} zoneOf returns the zone of a time, or a promise of it
 */
function clockNote(names, zoneOf) {
  const note = h('p.field-hint', { role: 'status' });
  /** @param {HTMLFormElement} form */
  async function update(form) {
    /** @param {string} name */
    const value = (name) => /** @type {any} */ (form.querySelector(`[name=${name}]`))?.value;
    const told = await Promise.all(names.map(async (name) => {
      const at = `${value(name)}T${value(`${name}_time`)}`;
      const zone = at.length > 11 ? value(`${name}_zone`) || await zoneOf(name) : null;
      const shown = zone && skipped(at, zone);
      return shown ? skippedText({ at, shown, zone }) : null;
    }));
    fill(note, told.filter(Boolean).join(' '));
  }
  setTimeout(() => {
    const form = note.closest('form');
    form?.addEventListener('input', () => update(form));
    if (form) update(form);
  });
  return note;
}

/** Says which times of a saved object clocks skip.
 * @param {any} saved */
function tellSkipped(saved) {
  for (const sentence of skippedIn(saved)) toast(sentence);
}

/**
 * Returns a field for the zone of a time, with the names that the browser knows.
 * @param {string} name
 * @param {string} label
 * @param {string | undefined} value
 */
function zoneField(name, label, value) {
  const zones = /** @type {any} */ (Intl).supportedValuesOf?.('timeZone') ?? [];
  const id = `zones-${name}`;
  return [h('datalist', { id }, zones.map((/** @type {string} */ zone) => h('option', { value: zone }))),
    { name, label, value, half: true, attributes: { list: id, spellcheck: 'false' }, hint: value && zoneLabel(value) }];
}

/**
 * Joins the values of day and time fields, in place.
 * @param {any} values
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
 * With a label, the text of the search is itself of use, and the map is behind a button.
 * @param {{lat?: number, lon?: number}} given
 * @param {(name: string) => void} [named] receives the name of a chosen search result
 * @param {{label?: string, text?: string, near?: {lat?: number, lon?: number}}} options `near` is where to search first
 */
export function placeField(
  given, named, { label, text = '', near = {} } = {}) {
  /** @type {{lat: number, lon: number} | null} */
  let point = given.lat === undefined ? null : { lat: given.lat, lon: /** @type {number} */ (given.lon) };
  const found = h('ul.rows.dense', { 'aria-label': t('place.found') });
  const map = h('div');
  const degrees = h('input', {
    type: 'text', dir: 'ltr', placeholder: '52.37, 4.89', value: point ? `${point.lat}, ${point.lon}` : '',
    onchange: () => {
      const parts = degrees.value.split(/[\s,;]+/).map(Number);
      choose(parts.length === 2 && parts.every(Number.isFinite) ? { lat: parts[0], lon: parts[1] } : null);
    },
  });
  let wait = 0;
  const input = h('input', {
    type: 'search', 'aria-label': label ?? t('place.search'), placeholder: label ? null : t('place.search'),
    value: text, autocomplete: 'off',
    oninput: () => {
      clearTimeout(wait);
      wait = window.setTimeout(search, 300);
    },
    onkeydown: (event) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        search();
      }
    },
  });
  /** @param {{lat: number, lon: number} | null} _ */
  let show = (_) => {};
  /** The map, once somebody has moved it to where they look.
   * @type {any} */
  let looked = null;
  async function search() {
    const text = input.value.trim();
    if (!text) return fill(found);
    const answer = await findPlaces(text, point ?? looked?.center() ?? near);
    if (text !== input.value.trim()) return;
    // Where the text is itself of use, it need not be the name of a place.
    if (label && !answer.places.length && !('empty' in answer && answer.empty)) return fill(found);
    showPlaces(found, answer, (place) => {
      choose(place);
      named?.(place.name);
      fill(found);
      input.value = place.name;
    });
  }
  /** @param {{lat: number, lon: number} | null} chosen */
  function choose(chosen) {
    point = chosen && { lat: Number(chosen.lat.toFixed(6)), lon: Number(chosen.lon.toFixed(6)) };
    degrees.value = point ? `${point.lat}, ${point.lon}` : '';
    show(point);
  }
  async function draw() {
    const drawn = await makeMap({ label: t('place.map'), class: 'mini' });
    const marks = drawn.layer();
    show = (point) => {
      marks.clear();
      if (!point) return;
      marks.pin([point.lat, point.lon], { kind: 'point', title: '' });
      drawn.see([point.lat, point.lon], Math.max(11, drawn.zoom()));
    };
    drawn.onPress(choose);
    drawn.onDrag(() => { looked = drawn; });
    fill(map, drawn.element);
    if (point) return show(point);
    const here = await read('position.current').catch(() => null);
    if (here) drawn.see([here.lat, here.lon], 11);
  }
  const exact = [map, h('div', h('label.field', h('small', t('place.degrees')), degrees))];
  const element = h('div.field',
    h('span', h('b', label ?? t('place')), h('span.optional', ` ${t('form.optional')}`)), input, found,
    label ? h('details.more', { open: Boolean(point) }, h('summary', t('place.onmap')), exact) : exact);
  // A map that is not seen has no size.
  setTimeout(() => {
    const closed = /** @type {any} */ (map.closest('details:not([open])'));
    if (closed) closed.addEventListener('toggle', draw, { once: true }); else draw();
  });
  return Object.assign(element, {
    point: () => /** @type {{lat?: number, lon?: number}} */ (point ?? {}), text: () => input.value.trim(),
  });
}

/** Opens the form of a new or an existing plan.
 * @param {Page} page @param {Plan} [plan] */
export function planForm(page, plan) {
  const place = placeField(plan ?? {}, undefined, { label: t('plan.destination'), text: plan?.destination });
  const more = true;
  const [start, startTime] = whenFields('start', t('plan.start'), plan?.start);
  const [end, endTime] = whenFields('end', t('plan.end'), plan?.end);
  const element = formDialog(t(plan ? 'plan.edit' : 'plan.new'), {
    fields: [
      { name: 'title', label: t('plan.title'), required: true, value: plan?.title }, start, end,
      clockNote(['start', 'end'],
        () => element.querySelector('[name=zone]').value || zoneAt(place.point().lat, place.point().lon)),
      place, { ...startTime, more }, { ...endTime, more },
      { name: 'description', label: t('plan.description'), type: 'textarea', value: plan?.description, more },
      { name: 'people', label: t('plan.people'), type: 'number', value: plan?.people, half: true, more },
      {
        name: 'currency', label: t('plan.currency'), value: plan?.currency ?? 'EUR', half: true, more,
        attributes: { maxlength: 3 },
      },
      {
        name: 'postal_codes', label: t('plan.codes'), type: 'list', value: plan?.postal_codes,
        hint: t('plan.codes.hint'), half: true, more,
      },
      { name: 'zone', label: t('plan.zone'), value: plan?.zone, hint: 'Europe/Amsterdam', half: true, more },
      {
        name: 'level', label: t('level'), type: 'select', options: levels(), value: plan?.level ?? 'friends',
        half: true, more,
      },
      { name: 'cover_url', label: t('plan.coverurl'), type: 'url', value: plan?.cover_url, half: true, more },
    ],
    submit: t(plan ? 'keep' : 'plan.make'), keepEmpty: Boolean(plan),
    action: async (values) => {
      withTimes(values, ['start', 'end']);
      Object.assign(values, place.point(), { destination: place.text() });
      if (!values.destination && !plan) delete values.destination;
      if (!values.zone) delete values.zone;
      const saved = plan
        ? await saving('plans.update', { plan: plan.id, ...values, revision: plan.revision }, plan)
        : await call('plans.create', values);
      tellSkipped(saved);
      if (plan) page.refresh(); else page.go(`/plans/${saved.id}`);
    },
  });
}

/**
 * Opens the form of a new or an existing location.
 * @param {Page} page
 * @param {PlanLocation} [location]
 * @param {string} plan
 */
export function locationForm(page, plan, location) {
  const place = placeField(location ?? {}, (name) => {
    for (const field of ['name', 'address']) {
      const input = element.querySelector(`[name=${field}]`);
      if (!input.value) input.value = name;
    }
  });
  const element = formDialog(t(location ? 'location.edit' : 'location.new'), {
    fields: [
      place,
      { name: 'name', label: t('location.name'), required: true, value: location?.name },
      { name: 'address', label: t('location.address'), value: location?.address },
      { name: 'description', label: t('plan.description'), type: 'textarea', value: location?.description },
      ...whenFields('from', t('from'), location?.from), ...whenFields('to', t('until'), location?.to),
      clockNote(['from', 'to'], (name) => location?.[/** @type {'from' | 'to'} */ (name)]?.zone
        ?? zoneAt(place.point().lat, place.point().lon)),
      {
        name: 'radius_m', label: lengthLabel('sight.radius'), type: 'number',
        value: shownLength(location?.radius_m ?? 100), half: true,
      },
      {
        name: 'level', label: t('level'), type: 'select', options: levels(), value: location?.level ?? 'everyone',
        half: true,
      },
    ],
    submit: t(location ? 'keep' : 'location.add'), keepEmpty: Boolean(location), rename: { lat: 'name', lon: 'name' },
    action: async (values) => {
      withTimes(values, ['from', 'to']);
      Object.assign(values, place.point());
      // What shows the same is the same, however it was rounded.
      if (location && values.radius_m === shownLength(location.radius_m)) delete values.radius_m;
      else if (values.radius_m !== undefined) values.radius_m = metresOf(values.radius_m);
      const saved = location
        ? await saving('locations.update', { location: location.id, ...values, revision: location.revision },
          { ...location, plan })
        : await call('locations.add', { plan, ...values });
      tellSkipped(saved);
      if (location) offerUndoOf(saved, { ...location, plan }, 'location', page.refresh);
      page.refresh();
    },
  });
}

/**
 * Opens the form of a new or an existing activity: what, when and where; the rest is behind a button.
 * @param {Page} page
 * @param {Plan} plan
 * @param {string} tab
 * @param {Activity} [activity]
 * @param {Activity[]} [others] those that it can be linked to
 * @param {string} [day] the day of a new one
 */
export function activityForm(page, plan, tab, activity, others = [], day = undefined) {
  /** @type {any} */
  const of = activity ?? (day ? { from: { at: day } } : {});
  const isTransport = tab === 'transport';
  const endsLater = isTransport || tab === 'lodging';
  const place = placeField(of, undefined, { label: t('activity.location'), text: of.location, near: plan });
  const more = true;
  const shared = others.length && tab === 'itinerary';
  const zones = { from_zone: of.from?.zone ?? plan.zone, to_zone: of.to?.zone ?? of.from?.zone ?? plan.zone };
  const element = formDialog(t(activity ? 'activity.edit' : `activity.new.${tab}`), {
    fields: [
      { name: 'title', label: t('plan.title'), required: true, value: of.title },
      ...(isTransport ? [{ name: 'departure', label: t('activity.departure'), value: of.departure, half: true },
        { name: 'arrival', label: t('activity.arrival'), value: of.arrival, half: true }] : []),
      ...whenFields('from', t('from'), of.from),
      ...(isTransport ? zoneField('from_zone', t('activity.zone.from'), zones.from_zone) : []),
      ...(endsLater ? whenFields('to', t('until'), of.to) : []),
      ...(isTransport ? zoneField('to_zone', t('activity.zone.to'), zones.to_zone) : []),
      clockNote(['from', 'to'], (name) => of[name]?.zone ?? plan.zone), place,
      ...(endsLater ? [] : whenFields('to', t('until'), of.to, more)),
      ...(isTransport ? [{ name: 'mode', label: t('activity.mode'), value: of.mode, more }] : []),
      ...(tab === 'food' ? [
        { name: 'rating', label: t('activity.rating'), type: 'number', value: of.rating, half: true, more },
        {
          name: 'recommendation', label: t('activity.recommendation'), value: of.recommendation, half: true, more,
        },
      ] : []),
      { name: 'description', label: t('plan.description'), type: 'textarea', value: of.description, rows: 2, more },
      { name: 'address', label: t('location.address'), value: of.address, half: true, more },
      { name: 'contact', label: t('activity.contact'), value: of.contact, half: true, more },
      { name: 'url', label: t('activity.url'), type: 'url', value: of.url, more },
      { name: 'booked', label: t('activity.booked'), type: 'checkbox', value: of.booked, more },
      { name: 'booking_code', label: t('activity.code'), value: of.booking_code, half: true, more },
      { name: 'booking_url', label: t('activity.bookingurl'), type: 'url', value: of.booking_url, half: true, more },
      { name: 'note', label: t('activity.note'), value: of.note, more },
      { name: 'thumbnail_url', label: t('activity.thumbnail'), type: 'url', value: of.thumbnail_url, more },
      ...(plan.members.length > 1 ? [{
        name: 'people', label: t('activity.people'), type: 'checks', more, value: of.people,
        options: plan.members.filter(({ id }) => id).map(({ id, name }) => [id, name]),
      }] : []),
      ...(shared ? [{ name: 'links', label: t('activity.links'), type: 'checks', more, value: of.links,
        options: others.map(({ id, title }) => [id, title]) }] : []),
      { name: 'level', label: t('level'), type: 'select', options: levels(), value: of.level ?? 'everyone', more },
    ],
    submit: t(activity ? 'keep' : 'add'), keepEmpty: Boolean(activity), rename: { from_zone: 'from', to_zone: 'to' },
    action: async (values) => {
      withTimes(values, ['from', 'to']);
      Object.assign(values, place.point(), { location: place.text() });
      // A zone is sent where somebody has changed it, or with a new time.
      for (const [name, given] of Object.entries(zones)) {
        const time = name.slice(0, -5);
        const had = activity?.[/** @type {'from' | 'to'} */ (time)];
        if (!values[name] || !values[time] || (had && values[name] === given)) delete values[name];
      }
      if (!values.location && !activity) delete values.location;
      const saved = activity
        ? await saving('activities.update', { activity: activity.id, ...values, revision: activity.revision },
          { ...activity, plan: plan.id })
        : await call('activities.add', { plan: plan.id, tab, ...values });
      toast(t('kept'));
      tellSkipped(saved);
      if (activity) offerUndoOf(saved, { ...activity, plan: plan.id }, 'activity', page.refresh);
      page.refresh();
    },
  });
  if (isTransport) {
    for (const [end, name] of [['departure', 'from_zone'], ['arrival', 'to_zone']]) fillZone(element, end, name);
  }
}

/** Fills in the zone of a town that somebody names as the end of a journey.
 * @param {any} element
 * @param {string} end @param {string} name */
function fillZone(element, end, name) {
  const [town, zone] = [end, name].map((each) => element.querySelector(`[name=${each}]`));
  const first = zone.value;
  town.addEventListener('change', async () => {
    const text = town.value.trim();
    if (!text || zone.value !== first) return;
    const { places } = await read('places.search', { text, limit: 20 }).catch(() => ({ places: [] }));
    /** @param {Place} place */
    const is = ({ kind, name }) => kind === 'place' && name.toLocaleLowerCase() === text.toLocaleLowerCase();
    const found = places.find(is);
    const there = found && await zoneAt(found.lat, found.lon);
    if (there && zone.value === first) {
      zone.value = there;
      zone.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
}
