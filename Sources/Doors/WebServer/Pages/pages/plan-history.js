/** The history of a plan: who changed what and when, with undo; and its last change as a line. */
import { h, fill } from '../dom.js';
import { t, has } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, pages, button, badge, rowText, toast, when } from '../ui.js';
import { path } from '../paths.js';

/** Tells a change. Those of the plan itself have no title of their own.
 * @param {Change} one */
const told = (one) => t(`history.${one.kind === 'plan' ? 'plan' : one.deed}`, {
  who: one.person?.name ?? t('history.somebody'),
  // A repayment without a note has no title but the daemon's, which is in English.
  what: one.kind === 'repayment' && one.title === 'Repayment' ? t('bin.kind.repayment') : one.title,
});
/** @param {string} name */
const field = (name) => (has(`history.field.${name}`) ? t(`history.field.${name}`) : name);

/** Shows the last change of a plan, if somebody else made it.
 * @param {Element} place
 * @param {Plan} plan */
export async function showLatest(place, plan) {
  const { changes: [last] } = await read('plans.history', { plan: plan.id, limit: 1 });
  fill(place, last && last.person?.id !== me.person?.id ? h('p.page-note',
    h('a', { href: path('plans', plan.id, 'history') }, told(last)), ' · ', when(last.time)) : null);
}

/** @param {{page: any, plan: any, body: any}} of */
export async function show({ page, plan, body }) {
  /** @param {Change} one */
  const row = (one) => h('li.row', rowText(told(one), [when(one.time), ' · ', t(`bin.kind.${one.kind}`),
    one.fields.length ? ` · ${one.fields.map(field).join(', ')}` : null,
    one.undone ? [' ', badge(t('history.undone'))] : null]),
  one.may_undo && button({ label: t('undo'), kind: 'small', onclick: async () => {
    await call('plans.undo', { plan: plan.id, change: one.change });
    toast(t('history.done'));
    page.redraw();
  } }));
  const list = pages({
    method: 'plans.history', list: 'changes', params: { plan: plan.id, limit: 30 }, none: t('history.none'), row,
  });
  fill(body, h('p.field-hint', t('plan.history.note')), list);
  await list.ready;
}
