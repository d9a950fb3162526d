/** Explains why a geofence produced an event or none: how each fix around a moment was judged. */
import { h, fill } from './dom.js';
import { t, say, number, language } from './texts.js';
import { call, readPages } from './rpc.js';
import { me, dialog, form, badge, rowText } from './ui.js';
import { height, clock, moment, fieldTime } from './format.js';

/**
 * Asks for a moment and a device, and shows the explanation of each fix.
 * @param {string} geofence the geofence, as KIND/ID
 * @param {string} title
 */
export async function explainDialog(geofence, title) {
  const devices = await readPages('devices.list', 'devices', {});
  // What a person was told depends on where they were, so it is their own device that is asked about.
  const device = devices.find(({ people }) => me.person && people?.includes(me.person.id))
    ?? devices.find(({ primary }) => primary) ?? devices[0];
  const said = h('p', { role: 'status' });
  const list = h('ol.rows.dense', { hidden: true });
  dialog(t('explain.title', { title }), form({
    fields: [
      {
        name: 'time', label: t('explain.when'), type: 'datetime', required: true,
        value: fieldTime(device?.last?.time ?? Date.now()), half: true, attributes: { step: '1' },
      },
      {
        name: 'window', label: t('explain.window'), type: 'select', required: true,
        options: [['1', 60], ['5', 300], ['30', 1800]].map(([n, seconds]) => [String(seconds), t('time.min', { n })]),
        value: '60', half: true,
      },
      {
        name: 'device', label: t('trips.device'), type: 'select', required: true,
        options: devices.map((one) => [one.name, one.title ?? one.name]), value: device?.name,
      },
    ], submit: t('explain.ask'),
    action: async ({ time, window: seconds, ...values }) => show(await call('geofences.explain', {
      geofence, ...values, time: new Date(time).toISOString(), window: Number(seconds),
    })),
  }), h('div.section', said, list)).classList.add('wide');

  /** @param {Result<'geofences.explain'>} answer */
  function show({ fixes, closest, geofence: watched, cut }) {
    const rows = fixes.length ? fixes : closest ?? [];
    const events = fixes.flatMap((fix) => fix.events);
    const nearest = Math.min(...rows.map(({ distance }) => distance));
    fill(said, !fixes.length ? t('explain.nofix') : events.length
      ? [t('explain.told'), ' ', events.map((event) => [told(event), ' ', clock(event.time), ' '])]
      : t('explain.nothing', { distance: height(nearest), radius: height(watched.radius) }),
    cut && [' ', t('explain.cut')]);
    list.hidden = !rows.length;
    fill(list, rows.map((fix) => h('li.row',
      rowText([
        fix.time ? (fixes.length ? new Date(fix.time).toLocaleTimeString(language) : moment(fix.time)) : '–',
        ' · ', height(fix.distance), ' · ', t(`explain.${fix.after}`),
      ], why(fix.reason)),
      fix.rejected && badge(t('explain.rejected'), 'warm'), fix.events.map((event) => told(event)))));
  }
}

/** Returns a badge with the name of an event, without a final colon.
 * @param {{type: string}} event */
const told = ({ type }) => badge(t(`event.${type}`).replace(/:$/, ''), 'good');

/** Translates a reason part by part.
 * @param {string} reason */
const why = (reason) => reason.split(/(; |: |, )/).map((part) => say(part, shown)).join('');

/** Formats a value within a reason.
 * @param {string} value a number, a time, or a name */
function shown(value) {
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return moment(value);
  const digits = /^\d+(?:\.(\d+))?$/.exec(value);
  return digits ? number(Number(value), digits[1]?.length ?? 0) : value;
}
