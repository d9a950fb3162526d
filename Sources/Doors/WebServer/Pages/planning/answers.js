/** The answers to the questions in a plan: how they read, and how they become a part of the plan. */
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { button, toast } from '../ui.js';
import { span } from '../format.js';

/** An answer that stands for days: one, or the first and the last. */
const DAYS = /^(\d{4}-\d\d-\d\d)(?:\/(\d{4}-\d\d-\d\d))?$/;

/** Returns the first and the last day for which an answer stands, or null.
 * @param {string} text */
export function daysIn(text) {
  const found = DAYS.exec(text);
  return found && [found[1], found[2] ?? found[1]].sort();
}

/** Returns an answer as people read it.
 * @param {string} text */
export function optionText(text) {
  const days = daysIn(text);
  return days ? span({ at: days[0] }, { at: days[1] }) : text;
}

/** @param {string} date */
const noon = (date) => Date.parse(`${date}T12:00Z`);

/**
 * Moves a plan, with everything in it, to other days; a plan without days gets them.
 * @param {any} plan
 * @param {string[]} days the first and the last day
 * @param {() => any} undone runs once it was undone
 */
export async function takeDays(plan, [first, last], undone) {
  const by = plan.start ? Math.round((noon(first) - noon(plan.start.at.slice(0, 10))) / 86_400_000) : 0;
  // The times of day stay.
  /** @param {string} day @param {{at: string}} [time] */
  const at = (day, time) => day + (time?.at.slice(10) ?? '');
  if (by) await call('plans.shift', { plan: plan.id, days: by }, { base: plan });
  await call('plans.update', { plan: plan.id, start: at(first, plan.start), end: at(last, plan.end) },
    { title: plan.title });
  offerUndo(t('polls.moved'), undone, async () => {
    if (by) {
      await call('plans.shift', { plan: plan.id, days: -by }, { base: { ...plan, start: { at: at(first) } } });
    }
    await call('plans.update', { plan: plan.id, start: plan.start?.at ?? '', end: plan.end?.at ?? '' });
  });
}

/** Adds an answer to a plan as an item.
 * @param {any} plan @param {string} title @param {() => any} undone */
export async function takeItem(plan, title, undone) {
  const { id } = await call('activities.add', { plan: plan.id, title });
  offerUndo(t('quick.added', { title }), undone, () => call('activities.remove', { activity: id }));
}

/**
 * @param {string} text
 * @param {() => any} undone
 * @param {() => Promise<any>} undo
 */
function offerUndo(text, undone, undo) {
  const note = toast(text, button({ label: t('undo'), kind: 'small', onclick: async () => {
    await undo();
    note.remove();
    await undone();
  } }));
}
