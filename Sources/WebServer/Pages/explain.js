/** Why something was told of a place or not: what each fix about a moment did. */
import { h, fill } from './dom.js';
import { t } from './texts.js';
import { call, read } from './rpc.js';
import { dialog, form, badge, empty } from './ui.js';
import { moment, height, clock } from './format.js';

/**
 * Asks for a moment and a device, and shows what happened then.
 * @param {string} geofence KIND/ID
 * @param {string} title
 */
export async function explainDialog(geofence, title) {
  const { devices } = await read('devices.list');
  const device = devices.find(({ primary }) => primary) ?? devices[0];
  const answer = h('div', { class: 'section', role: 'status' });
  const local = (time) => { const date = new Date(time); return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19); };
  dialog(t('explain.title', { title }), form({
    fields: [
      { name: 'time', label: t('explain.when'), type: 'datetime', required: true, value: local(device?.last?.time ?? Date.now()), half: true, attributes: { step: '1' } },
      { name: 'window', label: t('explain.window'), type: 'select', options: [['1', 60], ['5', 300], ['30', 1800]].map(([n, seconds]) => [String(seconds), t('time.min', { n })]), value: '60', half: true },
      { name: 'device', label: t('trips.device'), type: 'select', options: devices.map((one) => [one.name, one.title ?? one.name]), value: device?.name },
    ], submit: t('explain.ask'),
    action: async ({ time, window, ...values }) => show(await call('geofences.explain', { geofence, ...values, time: new Date(time).toISOString(), window: Number(window) })),
  }), answer).classList.add('wide');

  function show({ fixes, closest, geofence: watched, cut }) {
    const rows = fixes.length ? fixes : closest ?? [];
    const events = fixes.flatMap((fix) => fix.events);
    const nearest = Math.min(...rows.map(({ distance }) => distance));
    fill(answer, h('p', null, !fixes.length ? t('explain.nofix') : events.length
      ? [t('explain.told'), ' ', events.map((event) => [badge(t(`event.${event.type}`), 'good'), ' ', clock(event.time), ' '])]
      : t('explain.nothing', { distance: height(nearest), radius: height(watched.radius) })), cut && h('p', { class: 'field-hint' }, t('explain.cut')),
    rows.length ? h('div', { class: 'table', tabindex: '0' }, h('table', null,
      h('thead', null, h('tr', null, ['explain.fix', 'explain.distance', 'explain.state', 'explain.why'].map((key) => h('th', { scope: 'col' }, t(key))))),
      h('tbody', null, rows.map((fix) => h('tr', null, h('th', { scope: 'row' }, fix.time ? moment(fix.time) : '–'), h('td', { class: 'number' }, height(fix.distance)),
        h('td', null, fix.rejected ? badge(t('explain.rejected'), 'warm') : t(`explain.${fix.after}`)), h('td', null, fix.reason)))))) : empty(t('explain.nofix')));
  }
}
