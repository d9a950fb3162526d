/** Making invitations: a link and its QR code, with which people sign up, become friends, and come along. */
import { h, svg, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, button, copy, dialog } from '../ui.js';
import { form } from '../form.js';
import { moment } from '../format.js';
import { path } from '../paths.js';

/**
 * Returns the buttons that send a text.
 * @param {string} text
 * @param {{subject?: string, mail?: string, copied?: string}} other what differs in a mail, and on the clipboard
 */
export const ways = (text, { subject = '', mail = text, copied = text }) => h('div.actions',
  h('a.button.small', { href: `sms:?body=${encodeURIComponent(text)}` }, t('share.sms')),
  h('a.button.small', { href: `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(mail)}` },
    t('share.mail')),
  button({ label: t('share.copy'), kind: 'small', onclick: () => copy(copied) }));

/** Draws a QR code.
 * @param {{size: number, path: string}} code @param {string} label */
export const qr = ({ size, path: dark }, label) => h('figure.qr',
  svg('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label },
    svg('path', { class: 'light', d: `M0 0h${size}v${size}H0z` }), svg('path', { class: 'dark', d: dark })));

/** Returns whether only this machine reaches a host.
 * @param {string} host */
const isLocal = (host) => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** Returns the parameter with the address in this browser if others reach the daemon by it, too. */
export const reachable = () => (isLocal(location.hostname) ? {} : { server: location.origin });

/**
 * Returns a form that makes an invitation, what it made, and the open invitations below.
 * @param {object} what
 * @param {'people.invite' | 'members.invite'} what.method the method that makes it
 * @param {any} [what.params] what to call it with besides the fields
 * @param {any[]} [what.fields] fields before those of all invitations
 * @param {string} what.submit the text of the button
 * @param {(link: string) => string} what.text the text to send with a link
 * @param {string} [what.subject] the subject of a mail with it, and what the listed invitations are to
 * @param {string} [what.to] lists only the invitations to this, as KIND/ID
 */
export function making({ method, params = {}, fields = [], submit, text, subject = 'Waymark', to }) {
  const made = h('div.section');
  const held = h('ul.rows.dense');
  async function load() {
    const { invitations } = await read('people.invitations');
    fill(held, invitations.filter((one) => !to || one.subject === to).map((one) => h('li.row',
      h('span.row-text', t('invite.held', { number: one.number, used: one.used, uses: one.uses }),
        h('small', t('link.until', { time: moment(one.expires) }), one.device ? ` · ${one.device}` : '',
          one.subject && !to ? [' · ', h('a', { href: path(...one.subject.replace('plan/', 'plans/').split('/')) },
            t('invite.toplan'))] : null)),
      button({ label: t('link.revoke'), kind: 'small', onclick: async () => {
        await call('people.revokeInvitation', { number: one.number });
        await load();
      } }))));
  }
  load();
  return [form({
    fields: [...fields,
      { name: 'days', label: t('link.days'), type: 'number', value: 7, half: true },
      { name: 'uses', label: t('invite.uses'), type: 'number', value: 10, half: true },
    ], submit,
    action: async (values) => {
      const answer = await call(method, { ...params, ...values, ...reachable(), image: true });
      const link = answer.link ?? `${location.origin}/join/${answer.code}`;
      fill(made, answer.image ? qr(answer.image, t('invite.qr')) : null, h('p', h('code', link)),
        isLocal(new URL(link).hostname) ? h('p.field-hint', t('invite.local')) : null,
        ways(text(link), { subject, copied: link }));
      made.scrollIntoView({ block: 'nearest' });
      await load();
    },
  }), made, held];
}

/**
 * Opens a dialog that invites people to a plan by a link.
 * @param {any} plan
 * @param {boolean} isOwner whether the person may let others change it
 */
export function inviteToPlan(plan, isOwner) {
  return dialog(t('member.link'), h('p.field-hint', t('member.link.note')), making({
    method: 'members.invite', params: { plan: plan.id }, to: `plan/${plan.id}`, subject: plan.title,
    fields: isOwner ? [{ name: 'edits', label: t('member.edits'), type: 'checkbox' }] : [], submit: t('invite.make'),
    text: (link) => t('member.link.text', { name: me.person?.name, title: plan.title, link }),
  }));
}
