/** Signing up, with a form and then a mailed code; or joining with an invitation. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, Refused } from '../rpc.js';
import { head, form, formDialog, button, buttonLink, copy, toast, me } from '../ui.js';
import { span } from '../format.js';
import { path } from '../paths.js';
import { waitFor, waitingTicket, waitNoMore } from '../waiting.js';

/**
 * Returns what an invitation says to whoever has opened its link.
 * @param {any} invitation
 */
function offer({ name, title, begins, ends, device, edits }) {
  const days = span(begins && { at: begins }, ends && { at: ends });
  return [
    h('p.lead', title ? t('join.plan', { name, title }) : device ? t('join.device', { name, device })
      : t('join.friend', { name })),
    days ? h('p', days) : null,
    h('p.field-hint', title ? t(edits ? 'join.plan.edits' : 'join.plan.note', { name })
      : device ? t('join.device.note', { name, device }) : t('join.friend.note', { name })),
  ];
}

/** @param {Page} page */
export async function show(page) {
  const invitation = page.params.id;
  const offered = invitation ? await call('people.previewInvitation', { code: invitation }).catch((error) => {
    if (!(error instanceof Refused) || error.code !== 1) throw error;
    return null;
  }) : null;
  page.title(t(invitation ? 'join.title' : 'sign.up'));
  const card = h('div.card');
  const welcome = async () => {
    await page.whoami();
    page.listenAnew();
  };
  /** Goes on after an invitation was accepted.
   * @param {any} answer @param {string} otherwise where without a plan */
  const joined = ({ subject }, otherwise) => {
    const plan = subject?.startsWith('plan/') ? subject.slice('plan/'.length) : null;
    toast(t(plan ? 'join.plan.done' : 'join.done', { name: offered?.name }));
    page.go(plan ? path('plans', plan) : otherwise, true);
  };
  if (invitation && !offered) {
    fill(card, h('p', t('join.gone')), h('div.form-buttons', buttonLink('/now', 'Waymark')));
    return fill(page.main, h('div.narrow.section', head(t('join.title')), card));
  }
  if (invitation && offered?.person === me.person?.id) {
    fill(card, h('p', t('join.own')), h('div.form-buttons',
      button({ label: t('share.copy'), kind: 'primary', onclick: () => copy(location.href) })));
  } else if (invitation && me.person) {
    fill(card, offer(offered), form({
      fields: [h('p', t('join.as', { name: me.person.name }))], submit: t('join'),
      action: async () => joined(await call('people.join', { code: invitation }), '/now'),
    }));
  } else {
    fill(card, invitation ? offer(offered) : null, form({
      fields: [
        { name: 'first_name', label: t('profile.first'), required: true, autocomplete: 'given-name', half: true },
        { name: 'last_name', label: t('profile.last'), required: true, autocomplete: 'family-name', half: true },
        {
          name: 'username', label: t('profile.username'), required: !invitation, autocomplete: 'username',
          hint: t('profile.username.hint'), attributes: { autocapitalize: 'none', spellcheck: 'false' },
        },
        {
          name: 'email', label: t('profile.email'), type: 'email', required: !invitation, autocomplete: 'email',
          half: true,
        },
        ...(invitation ? [] : [{
          name: 'email_again', label: t('sign.emailagain'), type: 'email', required: true, autocomplete: 'off',
          half: true,
        }]),
        {
          name: 'password', label: t('sign.password'), type: 'password', required: true,
          autocomplete: 'new-password', hint: t('sign.password.hint'), half: true,
        },
        {
          name: 'password_again', label: t('sign.passwordagain'), type: 'password', required: true,
          autocomplete: 'new-password', half: true,
        },
        { name: 'terms', label: t('sign.terms'), type: 'checkbox', required: true },
      ], submit: t(invitation ? 'join' : 'sign.up'),
      action: async (values) => {
        if (invitation) {
          const answer = await call('people.join', { code: invitation, ...values });
          await welcome();
          return joined(answer, '/welcome');
        }
        const { ticket } = await call('people.signUp', { form: 'password', ...values });
        proving(ticket, values.email);
      },
    }));
    // Who has signed up here and not proven the address goes on where they were.
    const waiting = invitation ? null : waitingTicket();
    if (waiting) proving(waiting.ticket, waiting.email);
  }

  /**
   * Asks for the mailed code.
   * @param {string} ticket
   * @param {string} email
   */
  function proving(ticket, email) {
    waitFor(ticket, email);
    fill(card, h('p', t('sign.mailed', { email })), form({
      fields: [{
        name: 'code', label: t('sign.code'), required: true, autocomplete: 'one-time-code',
        attributes: { inputmode: 'numeric' },
      }],
      submit: t('sign.prove'),
      secondary: [
        button({ label: t('sign.resend'), onclick: async () => {
          await call('people.resend', { ticket });
          toast(t('sign.resent'));
        } }),
        button({ label: t('sign.correct'), onclick: () => formDialog(t('sign.correct'), {
          fields: [{ name: 'email', label: t('profile.email'), type: 'email', required: true, value: email }],
          submit: t('sign.sendcode'),
          action: async (values) => {
            await call('people.correct', { ticket, ...values });
            proving(ticket, values.email);
          },
        }) }),
        button({ label: t('sign.startagain'), onclick: () => { waitNoMore(); page.refresh(); } }),
      ],
      action: async ({ code }) => {
        await call('people.prove', { ticket, code });
        waitNoMore();
        await welcome();
        page.go('/welcome', true);
      },
    }));
  }
  fill(page.main, h('div.narrow.section', head(t(invitation ? 'join.title' : 'sign.up')), card,
    invitation && me.person ? null : h('p', t('sign.known'), ' ', h('a', {
      href: `/sign-in${invitation ? `?to=${encodeURIComponent(location.pathname)}` : ''}`,
    }, t('sign.in')))));
}
