/** Undo for what somebody has just changed in a plan. */
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { me, button, toast } from '../ui.js';

/**
 * Says what was changed, with a button that undoes it.
 * @param {string} text
 * @param {{plan: string, subject: string}} of the plan, and what was changed in it as KIND/ID
 * @param {() => any} done runs once it is undone
 */
export function offerUndo(text, { plan, subject }, done) {
  const note = toast(text, button({ label: t('undo'), kind: 'small', onclick: async () => {
    const { changes } = await call('plans.history', { plan, limit: 20 });
    // It is the person's last change of it.
    const last = changes.find((one) => one.subject === subject && one.person?.id === me.person?.id);
    note.remove();
    if (!last?.may_undo) return void toast(t('undo.late'));
    await call('plans.undo', { plan, change: last.change });
    toast(t('history.done'));
    await done();
  } }));
}

/**
 * Offers to undo a change that was saved, if it has changed something.
 * @param {any} saved as the daemon answers, or as it waits on this phone
 * @param {any} before what it was
 * @param {string} kind the kind of the subject
 * @param {() => any} done runs once it is undone
 */
export function offerUndoOf(saved, before, kind, done) {
  if (!saved || saved.waits || saved.revision === before.revision) return;
  const name = saved.name ?? saved.title;
  const isMoved = saved.lat !== before.lat || saved.lon !== before.lon;
  offerUndo(t(isMoved ? 'undo.place' : 'undo.changed', { name }),
    { plan: before.plan ?? saved.plan, subject: `${kind}/${before.id}` }, done);
}
