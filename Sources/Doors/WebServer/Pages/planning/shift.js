/** Moving a whole plan by days. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { button, formDialog, toast, Wrong } from '../ui.js';
import { plainDay } from '../format.js';
import { dayAfter } from './oneline.js';
import { skippedIn } from './clocks.js';

/** Asks for the new first day of a plan, and moves its days, locations and items there.
 * @param {Page} page @param {Plan} plan */
export function shiftDialog(page, plan) {
  const start = /** @type {PlannedTime} */ (plan.start);
  const first = start.at.slice(0, 10);
  const last = (plan.end ?? start).at.slice(0, 10);
  /** @param {string} day */
  const by = (day) => Math.round((Date.parse(day) - Date.parse(first)) / 86_400_000);
  const shown = h('p', { role: 'status' });
  const element = formDialog(t('shift.title', { title: plan.title }), {
    fields: [{ name: 'start', label: t('shift.start'), type: 'date', required: true, value: first }, shown],
    submit: t('shift'), rename: { days: 'start' },
    action: async ({ start }) => {
      const days = by(start);
      if (!days) throw new Wrong('start', t('shift.same'));
      const moved = await call('plans.shift', { plan: plan.id, days }, { base: plan });
      page.refresh();
      const undo = button({ label: t('undo'), kind: 'small', onclick: async () => {
        await call('plans.shift', { plan: plan.id, days: -days }, { base: { ...plan, start: { at: start } } });
        note.remove();
        page.refresh();
      } });
      const note = toast(t('shift.done', { n: Math.abs(days) }), undo);
      for (const sentence of skippedIn(moved)) toast(sentence);
    },
  }, h('p', t('shift.note')));
  const field = element.querySelector('[name=start]');
  field.addEventListener('input', () => fill(shown, field.value && by(field.value)
    ? t('shift.to', { from: plainDay(field.value), to: plainDay(dayAfter(last, by(field.value))) }) : null));
}
