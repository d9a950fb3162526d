/** Adding a phone as a device: its name, then the code or the addresses to enter in its app. */
import { h } from '../dom.js';
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { button, copy, dialog, formDialog } from '../ui.js';
import { qr, reachable } from './invitations.js';

/** The apps, and what a person enters in each: the name of the field and the member of `urls`, or the secret. */
const apps = [
  { name: 'OwnTracks (Android, iPhone)', key: 'owntracks', secret: 'phone.password' },
  { name: 'Overland (iPhone)', key: 'overland', secret: 'phone.token' },
  { name: 'Traccar Client 9', key: 'traccar', secret: 'phone.identifier' },
  { name: 'GPSLogger (Android)', key: 'gpslogger' },
  { name: 'OsmAnd', key: 'osmand_app' },
  { key: 'osmand' },
];

/**
 * Asks for the name of the device, and shows how its phone is set up.
 * @param {() => any} done what to do once the device exists
 */
export const addPhone = (done) => formDialog(t('phone.add'), {
  fields: [{ name: 'device', label: t('phone.name'), required: true, hint: t('phone.name.hint'),
    attributes: { maxlength: 256 } }],
  submit: t('phone.make'),
  action: async ({ device }, form) => {
    // The address in this browser reaches the daemon, also from where the configuration's would not.
    const made = await call('devices.secret', { device, code: true, ...reachable() });
    form.addEventListener('close', () => setUp(made), { once: true });
    await done();
  },
});

/**
 * Shows the code and the addresses of a device, which nobody sees again.
 * @param {any} made the answer of devices.secret
 */
function setUp({ device, secret, urls, code }) {
  /** @param {string} label @param {string} text */
  const value = (label, text) => h('div.row', h('span.row-text', h('small', label), h('code', text)),
    button({ label: `${t('share.copy')}: ${label}`, icon: 'link', hidesLabel: true, onclick: () => copy(text) }));
  dialog(t('phone.title', { device }),
    code && qr(code, t('phone.code')),
    h('ol', h('li', t('phone.install')), h('li', t('phone.scan')), h('li', t('phone.allow'))),
    h('p', h('a.button', { href: urls.config }, t('phone.here'))),
    location.protocol === 'https:' ? null : h('p.warning', t('phone.plain')),
    h('details', h('summary', t('phone.byhand')), apps.map(({ name, key, secret: field }) =>
      h('section', h('h3', name ?? t('phone.others')),
        value(t('phone.address'), urls[key]), field && value(t(field), secret)))),
    h('p', h('small', t('phone.once'))));
}
