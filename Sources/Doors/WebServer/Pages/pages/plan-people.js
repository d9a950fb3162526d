/** The people of a plan: members, their rights, and invitations. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, button, menu, ask, badge, avatar, dialog, formDialog, toast, empty, rowText } from '../ui.js';
import { Wrong } from '../form.js';
import { path } from '../paths.js';

/** @param {{page: any, plan: any, body: any, isOwner: boolean}} of */
export async function show({ page, plan, body, isOwner }) {
  const { members } = await read('members.list', { plan: plan.id });
  /** @param {Method} method @param {any} params @param {string} text */
  const act = async (method, params, text) => {
    await call(method, { plan: plan.id, ...params });
    toast(t(text));
    page.refresh();
  };
  const friends = async () => (await read('friends.list')).people
    .filter(({ id }) => !members.some((member) => member.id === id && member.state !== 'left'));
  /**
   * Opens a form to choose friends; whoever has none to choose is led on to invite somebody.
   * @param {string} title
   * @param {(people: any[]) => any} fields
   * @param {(values: any, dialog: any, people: any[]) => any} done
   */
  const choose = async (title, fields, done) => {
    const people = await friends();
    if (people.length) {
      return formDialog(t(title), { fields: fields(people), submit: t(title),
        action: (values, element) => done(values, element, people) });
    }
    const element = dialog(t(title), h('p', t('member.nofriends')), h('div.form-buttons',
      button({ label: t('member.link'), icon: 'add', kind: 'primary', onclick: async () => {
        element.close();
        (await import('./invitations.js')).inviteToPlan(plan, isOwner);
      } })));
  };
  /** @param {Person[]} people */
  const options = (people) => people.map(({ id, name }) => [id, name]);
  /** Asks the chosen friends one after the other. Who has been asked is no longer ticked if another cannot be.
   * @param {any} options @param {any} element @param {Person[]} people */
  const askFriends = async ({ people: chosen, ...values }, element, people) => {
    if (!chosen.length) throw new Wrong('people', t('error.required'));
    for (const person of chosen) {
      await call('members.ask', { plan: plan.id, person, ...values });
      element.querySelector(`[name=people] [value="${person}"]`).checked = false;
    }
    const names = people.filter(({ id }) => chosen.includes(id)).map(({ name }) => name).join(', ');
    toast(t('member.asked.done', { names }));
    page.refresh();
  };
  /** @param {Member} member */
  const isMine = (member) => member.id === me.person?.id;
  const invites = isOwner || (plan.may_edit && members.some((member) => isMine(member) && member.state === 'member'));
  const byLink = button({ label: t('member.link'), icon: 'add', onclick: async () => {
    (await import('./invitations.js')).inviteToPlan(plan, isOwner);
  } });
  fill(body,
    !isOwner ? (invites ? h('div.actions', byLink) : null) : h('div.actions',
      button({ label: t('member.ask'), icon: 'add', kind: 'primary', onclick: () => choose('member.ask', (people) => [
        { name: 'people', label: t('member.who'), type: 'checks', options: options(people),
          value: people.length === 1 ? [people[0].id] : [], hint: t('member.ask.note') },
        { name: 'edits', label: t('member.edits'), type: 'checkbox' },
        { name: 'travels', label: t('member.travels'), type: 'checkbox', value: true },
      ], askFriends) }),
      byLink,
      button({ label: t('member.allow'), icon: 'edit', onclick: () => choose('member.allow',
        (people) => [{ name: 'person', label: t('member.who'), type: 'select', options: options(people),
          hint: t('member.allow.note') },
        { name: 'edits', label: t('member.edits'), type: 'checkbox', value: true }],
        (values) => act('members.allow', values, values.edits ? 'member.allowed' : 'member.disallowed')) })),
    members.length ? h('ul.rows', members.map((member) => h('li.row',
      h(member.id ? 'a' : 'span', { class: 'row-link', href: member.id ? path('people', member.id) : null },
        avatar(member),
        rowText(member.name ?? t('money.gone'),
          [t(`role.${member.role}`), member.travels ? t('member.istravelling') : null].filter(Boolean).join(' · '))),
      member.state !== 'member' ? badge(t(`member.${member.state}`), 'warm') : null,
      member.id && member.state !== 'left' && (isOwner || isMine(member)) && member.role !== 'owner'
        && menu(`${t('more.actions')}: ${member.name}`, [
          isOwner && member.state === 'member' && {
            label: t(member.role === 'editor' ? 'member.noedits' : 'member.edits'), icon: 'edit',
            onclick: () => act('members.change', { person: member.id, edits: member.role !== 'editor' }, 'kept'),
          },
          isOwner && {
            label: t(member.travels ? 'member.notravels' : 'member.travels'), icon: 'transport',
            onclick: () => act('members.change', { person: member.id, travels: !member.travels }, 'kept'),
          },
          isOwner && member.state === 'member' && {
            label: t('member.handover'), icon: 'next', onclick: async () => {
              if (await ask(t('member.handover.ask', { name: member.name }), t('member.handover'))) {
                await act('members.handOver', { person: member.id }, 'kept');
              }
            },
          },
          {
            label: t(isMine(member) ? 'member.leave' : 'remove'), icon: 'remove', danger: true, onclick: async () => {
              if (await ask(t('member.remove'), t('remove'))) {
                await act('members.remove', { person: member.id }, 'kept');
              }
            },
          },
        ])))) : empty(t('member.none')));
}
