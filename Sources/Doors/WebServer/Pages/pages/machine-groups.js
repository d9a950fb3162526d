/** The groups of devices: which people see which devices. Administrators change them. */
import { h, fill } from '../dom.js';
import { addTexts, t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, section, button, empty, ask, formDialog, rowText, said, toast } from '../ui.js';

/**
 * Returns the section with the groups.
 * @param {AbortSignal} signal that the page is left
 */
export function groups(signal) {
  const [element, list] = [h('div'), h('div')];
  const load = () => read('groups.list').then(({ groups: found }) => {
    if (signal.aborted) return;
    fill(list, found.length ? h('ul.rows', found.map((group) => row(group, load))) : empty(t('groups.none')));
  }).catch((error) => fill(list, empty(said(error))));
  addTexts('groups').then(() => {
    fill(element, section(t('groups'), list, me.admin ? h('div.actions',
      button({ label: t('groups.add'), icon: 'add', onclick: () => edit(null, load) })) : null));
    return load();
  }).catch((error) => fill(element, empty(said(error))));
  return element;
}

/** @param {any} group @param {() => Promise<any>} changed */
function row(group, changed) {
  /** @param {string[]} list */
  const names = (list) => list.join(', ') || t('groups.nobody');
  return h('li.row', rowText(group.title, t('groups.devices', { names: names(group.devices) }),
    t('groups.people', { names: names(group.people) })), me.admin ? [
    button({
      label: `${t('edit')}: ${group.title}`, icon: 'edit', hidesLabel: true, onclick: () => edit(group, changed),
    }),
    button({
      label: `${t('remove')}: ${group.title}`, icon: 'remove', hidesLabel: true, kind: 'danger',
      onclick: async () => {
        if (!await ask(t('groups.remove'), t('remove'))) return;
        await call('groups.remove', { id: group.id });
        await changed();
      },
    }),
  ] : null);
}

/**
 * Asks for the title, the devices and the people of a group.
 * @param {any} group the group; nothing for a new one
 * @param {() => Promise<any>} changed
 */
async function edit(group, changed) {
  const { devices } = await read('devices.list');
  const known = [...new Set([...devices.map(({ name }) => name), ...(group?.devices ?? [])])];
  const titles = new Map(devices.map(({ name, title }) => [name, title]));
  formDialog(group ? group.title : t('groups.add'), {
    fields: [
      { name: 'title', label: t('groups.title'), required: true, value: group?.title ?? '' },
      h('p.field-hint', t('groups.which')),
      ...known.map((name, n) => ({
        name: `device${n}`, label: titles.get(name) ?? name, type: 'checkbox',
        value: group?.devices.includes(name) ?? false,
      })),
      { name: 'people', label: t('groups.who'), hint: t('groups.who.hint'), value: group?.people.join(', ') ?? '' },
    ],
    submit: t('keep'),
    keepEmpty: true,
    action: async ({ title, people, ...ticked }) => {
      const wanted = {
        title, devices: known.filter((_, n) => ticked[`device${n}`]),
        people: (people ?? '').split(/[\s,]+/)
          .map((/** @type {string} */ name) => name.replace(/^@/, '')).filter(Boolean),
      };
      await (group ? call('groups.update', { id: group.id, ...wanted }) : call('groups.create', wanted));
      toast(t('kept'));
      await changed();
    },
  }, group ? null : h('p.page-note', t('groups.how')));
}
