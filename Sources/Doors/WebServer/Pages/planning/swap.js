/** Exchanging two days of a plan. */
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { button, formDialog, toast } from '../ui.js';
import { plainDay } from '../format.js';

/**
 * Asks for the day with which a day changes places.
 * @param {any} plan
 * @param {string} day such as 2026-05-01
 * @param {string[]} days the days of the plan
 * @param {() => any} done what to do once they are exchanged
 */
export function swapDays(plan, day, days, done) {
  const others = days.filter((one) => one !== day);
  formDialog(t('swap.title', { day: plainDay(day) }), {
    fields: [{ name: 'other', label: t('swap.with'), type: 'select', options: others.map((one) => [one, plainDay(one)]),
      value: others.find((one) => one > day) ?? others.at(-1), hint: t('swap.note') }],
    submit: t('swap'),
    action: async ({ other }) => {
      const swap = () => call('plans.swapDays', { plan: plan.id, day, other });
      await swap();
      await done();
      const note = toast(t('swap.done', { day: plainDay(day), other: plainDay(other) }), button({
        label: t('undo'), kind: 'small', onclick: async () => { await swap(); note.remove(); await done(); },
      }));
    },
  });
}
