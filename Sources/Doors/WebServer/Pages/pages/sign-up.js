/** Signing up, with a form and then a mailed code; or joining with an invitation. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { head, form, formDialog, button, toast, me } from '../ui.js';
import { waitFor, waitingTicket, waitNoMore } from '../waiting.js';

/** Returns the name of a friend. @param {string} friend */
const nameOf = async (friend) => (await read('friends.list').catch(() => ({ people: [] })))
  .people.find(({ id }) => id === friend)?.name ?? friend;

export async function show(page) {
  const invitation = page.params.id;
  page.title(t(invitation ? 'join.title' : 'sign.up'));
  const card = h('div.card');
  const welcome = async () => {
    await page.whoami();
    page.listenAnew();
  };
  if (invitation && me.person) {
    fill(card, form({ fields: [h('p', t('join.as', { name: me.person.name }))], submit: t('join'), action: async () => {
      const answer = await call('people.join', { code: invitation });
      toast(t('join.done', { name: await nameOf(answer.friend) }));
      page.go('/now', true);
    } }));
  } else {
    fill(card, form({
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
          toast(t('join.done', { name: await nameOf(answer.friend) }));
          return page.go('/welcome', true);
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
    h('p', t('sign.known'), ' ', h('a', {
      href: `/sign-in${invitation ? `?to=${encodeURIComponent(location.pathname)}` : ''}`,
    }, t('sign.in')))));
}
