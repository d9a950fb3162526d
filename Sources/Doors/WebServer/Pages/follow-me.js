/** The dialog that makes a link which shows others where a device is. */
import { h, fill } from './dom.js';
import { t } from './texts.js';
import { call, read, readPages } from './rpc.js';
import { button, copy, dialog, form } from './ui.js';
import { moment } from './format.js';

/** Opens the dialog; its texts have been added.
 * @param {string} device the device's name */
export async function followMe(device) {
  const devices = await readPages('devices.list', 'devices', {});
  const name = devices.find((one) => one.name === device)?.title ?? device;
  const made = h('div');
  const list = h('ul.rows.dense');
  async function load() {
    const { links } = await read('follow.list');
    fill(list, links.filter((link) => link.device === device).map((link) => h('li.row',
      h('span.row-text', h('strong', t('follow.until', { time: moment(link.ends) })),
        h('small', t('link.opened', { n: link.opened }))),
      button({
        label: t('link.revoke'), kind: 'small',
        onclick: async () => { await call('follow.end', { number: link.number }); await load(); },
      }))));
  }
  await load();
  dialog(t('follow.title', { name }), h('div.section', h('p.field-hint', t('follow.how')), form({
    fields: [{ name: 'hours', label: t('follow.hours'), type: 'number', required: true, value: 4 }],
    submit: t('link.make'),
    action: async ({ hours }) => {
      const until = new Date(Date.now() + hours * 3_600_000).toISOString();
      const { link } = await call('follow.create', { device, until });
      const address = `${location.origin}/f/${link}`;
      fill(made, h('p', t('link.made')), h('div.actions', h('code', address),
        button({ label: t('share.copy'), icon: 'link', kind: 'small', onclick: () => copy(address) })));
      await load();
    },
    rename: { until: 'hours' },
  }), made, list));
}
