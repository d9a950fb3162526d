/** Lines to write what one plans or has paid, which are read as they are typed. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { attempt, button, toast } from '../ui.js';
import { planned, money } from '../format.js';
import { readItem, readExpense } from './oneline.js';
import { usualDay } from './days.js';
import { skippedIn } from './clocks.js';

/**
 * Creates a line with a button. While somebody types, it shows how the line is understood.
 * @param {{label: string, hint: string, read: (text: string) => any, shown: (found: any) => any,
 *   send: (found: any) => Promise<any>}} of
 */
function quickLine({ label, hint, read, shown, send }) {
  const understood = h('p.field-hint', { 'aria-live': 'polite' }, hint);
  const input = h('input', { type: 'text', 'aria-label': label, placeholder: label, autocomplete: 'off', maxlength: 200,
    oninput: show });
  function show() {
    const found = input.value.trim() ? read(input.value) : null;
    fill(understood, found ? shown(found) : hint);
  }
  const element = h('form.quick', { novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const found = read(input.value);
    if (!found || element.hasAttribute('aria-busy')) return void input.focus();
    element.setAttribute('aria-busy', 'true');
    // What was typed stays until it is kept.
    if (await attempt(async () => { await send(found); return true; })) { input.value = ''; show(); }
    element.removeAttribute('aria-busy');
    input.focus();
  } }, h('div.quick-line', input, h('button.button.primary', { type: 'submit' }, icon('add'), h('span', t('add')))),
  understood);
  return element;
}

/**
 * Creates the line that adds an item, such as “Dinner 8pm Taberna”.
 * @param {Plan} plan
 * @param {string} today
 * @param {() => any} done
 */
export function quickItem(plan, today, done) {
  const context = { today, day: usualDay(plan, today), start: plan.start?.at.slice(0, 10) };
  return quickLine({
    label: t('quick.item'), hint: t('quick.item.hint'), read: (text) => readItem(text, context),
    shown: ({ title, tab, location, arrival, from, to }) => [icon(tab, 'inline'), ' ',
      [
        title, from && planned({ at: from }), to && `– ${planned({ at: to }, true)}`, arrival && `→ ${arrival}`,
        location,
      ].filter(Boolean).join(' · ')],
    send: async (found) => {
      const saved = await call('activities.add', { plan: plan.id, ...found });
      await done();
      const undo = button({ label: t('undo'), kind: 'small', onclick: async () => {
        await call('activities.remove', { activity: saved.id }, { title: saved.title });
        note.remove();
        await done();
      } });
      const note = toast(t('quick.added', { title: saved.title }), undo);
      for (const sentence of skippedIn(saved)) toast(sentence);
    },
  });
}

/**
 * Creates the line that enters an expense, such as “Taxi 25.40 for Ann and Bob”.
 * @param {any} plan
 * @param {{people: {id: string, name: string, travels?: boolean}[], me: string, today: string}} of
 * @param {() => any} done
 */
export function quickExpense(plan, { people, me, today }, done) {
  /** @param {string} id */
  const name = (id) => people.find((one) => one.id === id)?.name ?? id;
  const day = [usualDay(plan, today), today].find((one) => one === today);
  return quickLine({
    label: t('quick.expense'), hint: t('quick.expense.hint'), read: (text) => readExpense(text, { people, me }),
    shown: ({ title, amount, currency, payer, sharers }) => [title, money(amount, currency ?? plan.currency),
      t('money.by', { names: name(payer ?? me) }), sharers && t('quick.for', { names: sharers.map(name).join(', ') })]
      .filter(Boolean).join(' · '),
    send: async ({ title, amount, currency, payer, sharers }) => {
      const shares = sharers ?? people.filter(({ travels }) => travels).map(({ id }) => id);
      const saved = await call('expenses.add', { plan: plan.id, title, amount, currency: currency ?? plan.currency,
        payers: [{ person: payer ?? me, amount }], split: 'evenly',
          shares: shares.map((/** @type {string} */ person) => ({ person })),
        ...(day ? { day } : {}) });
      await done();
      const undo = button({ label: t('undo'), kind: 'small', onclick: async () => {
        await call('expenses.remove', { expense: saved.id }, { base: { ...saved, plan: plan.id } });
        note.remove();
        await done();
      } });
      const note = toast(t('quick.added', { title: saved.title }), undo);
    },
  });
}
