/** What was removed from plans, which comes back for 30 days. */
import { h, fill } from './dom.js';
import { t } from './texts.js';
import { call, outbox, read } from './rpc.js';
import { button, dialog, empty, rowText, toast, when } from './ui.js';

/**
 * Says that something was removed, with a button that puts it back.
 * @param {string} removed the kind and the id
 * @param {string} title
 * @param {() => any} done runs once it is back
 */
export function offerUndo(removed, title, done) {
  // Nothing is left of what only this phone knew.
  if (removed.includes('/waits-')) return;
  const note = toast(t('bin.removed', { title }), button({ label: t('undo'), kind: 'small', onclick: async () => {
    const isBack = await (await outbox())?.takeBack(removed);
    if (!isBack) await call('plans.restore', { removed });
    note.remove();
    await done();
  } }));
}

/**
 * Shows what can be put back into a plan; or the removed plans, if there is no plan.
 * @param {string | undefined} plan
 * @param {() => any} done runs once something is back
 */
export async function binDialog(plan, done) {
  const list = h('ul.rows.dense');
  async function load() {
    const { removed } = await read('plans.bin', plan ? { plan } : {});
    fill(list, removed.length ? removed.map((one) => h('li.row',
      rowText(one.title, [t(`bin.kind.${one.kind}`), ' · ', when(one.time), one.person ? ` · @${one.person}` : '']),
      button({ label: t('bin.restore'), kind: 'small', onclick: async () => {
        await call('plans.restore', { removed: one.removed });
        await load();
        await done();
      } }))) : h('li', empty(t('bin.none'))));
  }
  await load();
  dialog(t('bin.title'), h('p.field-hint', t('bin.note')), list);
}
