/** Signing in, with a password or a mailed code. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { head, form, button, buttonLink, toast, me } from '../ui.js';
import { waitingTicket } from '../waiting.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('sign.in'));
  if (me.person) return page.go('/now', true);
  const to = page.query.get('to');
  const support = (await read('people.help').catch(() => null))?.support;
  /** @param {any} values */
  const entered = async (values) => {
    const answer = await call('people.signIn', values);
    await page.whoami();
    page.listenAnew();
    if (!answer.complete) toast(t('profile.incomplete'));
    page.go(to?.startsWith('/') && !to.startsWith('//') ? to : '/now', true);
  };
  const account = {
    name: 'account', label: t('sign.account'), required: true, autocomplete: 'username',
    attributes: { autocapitalize: 'none', spellcheck: 'false' },
  };
  const ways = h('div.card');
  function byPassword(value = '') {
    const sheet = form({
      fields: [{ ...account, value }, {
        name: 'password', label: t('sign.password'), type: 'password', required: true,
        autocomplete: 'current-password',
      }],
      submit: t('sign.in'), action: entered,
      secondary: [button({ label: t('sign.bycode'), onclick: () => byCode(sheet.input('account').value) })],
    });
    fill(ways, sheet);
  }
  function byCode(value = '') {
    fill(ways, form({
      fields: [{ ...account, value }], submit: t('sign.sendcode'),
      secondary: [button({ label: t('sign.bypassword'), onclick: () => byPassword(value) })],
      action: async (values) => {
        await call('people.sendCode', values);
        fill(ways, h('p', t('sign.codesent')), form({
          fields: [{
            name: 'code', label: t('sign.code'), required: true, autocomplete: 'one-time-code',
            attributes: { inputmode: 'numeric' },
          }],
          submit: t('sign.in'), action: ({ code }) => entered({ ...values, code }),
          secondary: [button({ label: t('back'), onclick: () => byCode(values.account) })],
        }));
      },
    }));
  }
  if (page.query.get('by') === 'code') byCode(); else byPassword();
  // Who has signed up here and not proven the address goes on with that.
  const waiting = waitingTicket();
  const goOn = waiting && h('p.card', t('sign.waiting', { email: waiting.email }), ' ',
    buttonLink('/sign-up', t('sign.entercode'), undefined, 'primary'));
  fill(page.main, h('div.narrow.section', head(t('sign.in')), goOn, ways,
    h('p', t('sign.new'), ' ', h('a', { href: '/sign-up' }, t('sign.up'))),
    support && h('p.page-note', t('help.support'), ' ', support),
    h('p', buttonLink('/now', t('sign.without'), undefined, 'small'))));
}
