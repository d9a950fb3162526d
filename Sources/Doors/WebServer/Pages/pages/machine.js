/** The machine: receivers and statistics for signed-in people, and decisions for administrators. */
import { h, fill } from '../dom.js';
import { t, has, number, addTexts } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import { me, head, section, figures, figure, button, badge, empty, formDialog, pages, toast, when, said,
  tally } from '../ui.js';
import { duration, size, speed, height, moment } from '../format.js';
import { limitField, takenLimit } from '../speeds.js';
import { pathOf } from '../paths.js';
import { tellingOf } from '../now/news.js';
import { addPhone } from './add-phone.js';
import { boards } from './machine-boards.js';
import { groups } from './machine-groups.js';
import { maps } from './machine-maps.js';
import { follow } from '../live.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.machine'));
  const top = h('div.section');
  const findings = h('div');
  const log = h('ul.rows.dense');
  const flags = h('div.section');

  let most = 100;

  async function load() {
    const [stats, info, health, devices] = await Promise.all([
      read('server.stats', { limit: 100 }), read('server.info'), read('server.health'),
      readPages('devices.list', 'devices', {}, 20_000)]);
    while (stats.next !== undefined && stats.devices.length < most) {
      const more = await read('server.stats', { limit: 100, after: stats.next });
      stats.devices.push(...more.devices);
      stats.next = more.next;
    }
    const known = new Map(devices.map((device) => [device.name, device]));
    const fixes = Object.fromEntries(await Promise.all(stats.devices.map(async ({ device }) =>
      [device, await read('position.current', { device }).catch(() => null)])));
    if (page.signal.aborted) return;
    // Whoever is no administrator gets the receivers only.
    const { store = {}, latency = {}, process = {}, subscribers = {}, events,
      malformed = {} } = /** @type {any} */ (stats);
    /** @param {number | undefined} value */
    const ms = (value) => (value === undefined ? '–' : `${number(value * 1000, 1)} ms`);
    fill(top,
      section(t('machine.receivers'),
        stats.devices.length ? h('div', { class: 'table', tabindex: '0' },
          h('table', h('thead', h('tr',
            ['machine.device', 'machine.state', 'machine.last', 'machine.fixes', 'machine.accuracy'].map((key) =>
              h('th', { scope: 'col' }, t(key))),
            h('th', { scope: 'col' }, h('span.hidden', t('edit'))))),
        h('tbody', stats.devices.map((one) => {
          const fix = fixes[one.device];
          const device = known.get(one.device);
          return h('tr', h('th', { scope: 'row' }, device?.title ?? one.device,
            device?.primary ? [' ', badge(t('machine.primary'))] : null),
            h('td', badge(t(one.online ? (one.old ? 'machine.nofix' : 'machine.online') : one.waiting
              ? 'machine.waiting' : 'machine.offline'), one.online && !one.old ? 'good' : 'warm'),
              one.reason ? h('div', h('small', one.reason)) : null),
            h('td', one.last ? since(one) : '–', fix && !fix.old ? h('div', h('small', speed(fix.speed))) : null),
              h('td', `${number(one.accepted)} / ${number(one.read)}`, h('div', h('small', tally(one.rejected)))),
            h('td', fix?.accuracy === undefined ? '–' : height(fix.accuracy),
              fix ? h('div', h('small', fix.mode === 3 ? '3D' : '2D')) : null),
            h('td', me.admin && device && button({ label: `${t('edit')}: ${one.device}`, icon: 'edit', hidesLabel: true,
              onclick: () => deviceForm(device, load) })));
        })))) : empty(t('machine.noreceivers')),
        stats.next === undefined ? null : button({ label: t('more'), onclick: () => { most += 100; return load(); } })),
      stats.store ? section(t('machine.numbers'),
        h('div.card', figures(figure(duration(stats.uptime), t('machine.uptime')),
          figure(number(stats.geofences ?? 0), t('machine.geofences')), figure(number(events.told), t('machine.told')),
        figure(size(store.bytes), t('machine.store')),
          store.written !== undefined && figure(size(store.written), t('machine.written')),
          store.written_per_hour !== undefined && figure(size(store.written_per_hour), t('machine.perhour')),
          figure(number(store.commits), t('machine.commits')),
        figure(ms(latency.event_p99), t('machine.latency')),
          process.resident !== undefined && figure(size(process.resident), t('machine.memory')),
          process.cpu !== undefined && figure(duration(process.cpu), t('machine.cpu')),
        figure(`${number(subscribers.connections)} / ${number(subscribers.subscriptions)}`, t('machine.subscribers')),
          figure(number(subscribers.catching_up), t('machine.slow'))),
        h('small',
          [`${info.name} ${stats.version}`, info.store,
            t('since', { time: moment(/** @type {string} */ (stats.started)) })]
            .filter(Boolean).join(' · '))))
        : h('small', `${info.name} ${stats.version}`));
    const found = [
      // The daemon judges. Its words are English, so the heading names the finding in the reader's language.
      ...health.findings.map(({ id, text, remedy }) =>
        [titleOf(id) ?? text ?? id, titleOf(id) && text, remedy && `→ ${remedy}`]),
      ...(stats.cut_off ? [[t('finding.cutoff'), t('finding.cutoff.mend')]] : []),
      ...(subscribers.catching_up ? [[t('finding.slow', { n: subscribers.catching_up }), t('finding.slow.mend')]] : []),
      ...(Object.keys(malformed).length
        ? [[t('finding.malformed', { what: tally(malformed) }), t('finding.malformed.mend')]] : []),
    ];
    fill(findings, found.length
      ? h('ul.rows', found.map(([what, ...notes]) =>
        h('li.row', h('span.row-text', h('strong', what), notes.map((note) => note && h('small', note))))))
      : empty(t('machine.well')));
  }
  async function loadLog() {
    const { last } = await call('events.list', { limit: 1 });
    const { events } = await call('events.list', { after: Math.max(0, last - 25), limit: 30 });
    fill(log, events.reverse().map(logRow));
  }
  /** @param {any} event */
  const logRow = (event) => h('li.row',
    h('span.row-text', h('span', tellingOf(event)?.text ?? event.type),
      h('small', [event.seq, event.device, event.type].filter(Boolean).join(' · '))), h('small', when(event.time)));
  function loadFlags() {
    /** @param {Method} method @param {any} params @param {() => HTMLLIElement} row */
    const decide = (method, params, row) => async () => {
      await call(method, params);
      toast(t('kept'));
      row().remove();
    };
    /**
     * @param {Child} title
     * @param {string} text
     * @param {number} count
     * @param {Method} clear
     * @param {Method} hide
     * @param {any} params
     */
    const decision = (title, text, count, clear, hide, params) => {
      /** @type {HTMLLIElement} */
      const row = h('li.row', h('span.row-text', h('strong', title), h('span', text),
        h('small', t('machine.flags', { n: count }))),
        button({ label: t('machine.clear'), kind: 'small', onclick: decide(clear, params, () => row) }),
          button({ label: t('machine.hide'), kind: 'small danger', onclick: decide(hide, params, () => row) }));
      return row;
    };
    const lists = [pages({ method: 'reviews.flagged', list: 'reviews', none: t('machine.noreviews'),
      row: (one) => decision(h('a', { href: pathOf(one.subject) ?? '/machine' }, one.author.name), one.text ?? '',
        one.flags ?? 0, 'reviews.clear', 'reviews.hide', { review: one.id }) }),
      pages({ method: 'subjects.flagged', list: 'subjects', none: t('machine.nosubjects'),
        row: (one) => decision(h('a', { href: pathOf(one.subject) ?? '/machine' }, one.title), one.information ?? '',
          one.flags, 'subjects.clear', 'subjects.hide', { subject: one.subject }) })];
    Promise.all(lists.map(({ ready }) => ready)).then(() => fill(flags, lists));
  }
  const mails = me.admin && pages({ method: 'mail.list', list: 'mails', params: { limit: 10 },
    none: t('machine.nomail'), class: 'rows dense',
    row: (mail) => h('li.row', h('span.row-text', h('span', mail.subject),
      h('small', mail.to, mail.error ? ` · ${mail.error}` : '')),
      badge(t(`mail.${mail.state}`), mail.state === 'sent' ? 'good' : mail.state === 'given-up' ? 'warm' : ''),
      h('small', when(mail.made))) });
  await load();
  if (me.admin) {
    loadFlags();
    follow(page, ({ to }) => to === me.person?.id, loadFlags);
  }
  loadLog().catch((error) => fill(log, h('li.row', said(error))));
  page.on('any', (event) => {
    if (event.type !== 'position') {
      log.prepend(logRow(event));
      while (log.children.length > 25) log.lastElementChild?.remove();
    }
  });
  const every = setInterval(() => load().catch(() => {}), 10_000);
  page.signal.addEventListener('abort', () => clearInterval(every));
  fill(page.main, head(t('nav.machine'), { actions: !me.admin ? [] : [
    button({ label: t('phone.add'), icon: 'add', onclick: () => addPhone(load) }),
    button({ label: t('machine.reload'), onclick: async () => {
      const { waiting } = await call('server.reload');
      toast(waiting.length ? t('machine.waits', { keys: waiting.join(', ') }) : t('machine.reloaded'));
    } }),
    button({ label: t('machine.trial'), onclick: async () => {
      const { trials } = await call('server.trial');
      for (const one of trials) toast(`${one.part ?? ''}: ${one.problem ?? one.done}`);
    } })] }),
  top, section(t('machine.findings'), findings), me.admin ? section(t('machine.todecide'), flags) : null,
  groups(page.signal),
  maps(page.signal),
  me.admin ? boards(page.signal) : null,
  h('div', { class: me.admin ? 'columns' : '' }, h('div.section', section(t('machine.log'), log)),
    mails && h('div', section(t('machine.mail'), mails))));
}

/** Returns a finding's heading; null if the catalogue has none.
 * @param {string} id such as no-fix/van */
function titleOf(id) {
  const [kind, ...device] = id.split('/');
  return has(`finding.${kind}`) ? t(`finding.${kind}`, { device: device.join('/') }) : null;
}

/** Shows how long ago the last fix of a device came.
 * @param {any} device */
const since = ({ last, age }) =>
  (age === undefined ? when(last)
    : h('time', { datetime: last, title: moment(last) },
      age < 45 ? t('time.now') : t('time.ago', { time: duration(age) })));

/**
 * Opens the form of a device.
 * @param {any} device
 * @param {() => any} done
 */
async function deviceForm(device, done) {
  // The words for a limit of speed are those of the form of a sight.
  await addTexts('drawing');
  formDialog(device.name, {
    fields: [
      { name: 'title', label: t('machine.title'), value: device.title },
      { ...limitField(device.speed_limit, t('draw.speed.device.hint')), half: false },
      ...(device.primary ? [] : [{ name: 'primary', label: t('machine.makeprimary'), type: 'checkbox' }]),
    ],
    submit: t('keep'), keepEmpty: true,
    action: async ({ title, primary, speed_limit: limit }) => {
      await call('devices.update', {
        device: device.name, title, speed_limit: takenLimit(limit), ...(primary ? { primary } : {}) });
      await done();
    },
  });
}
