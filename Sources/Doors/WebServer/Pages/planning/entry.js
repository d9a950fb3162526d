/** A line in which one thing after another is entered: Enter sends it, and the field stays ready for the next. */
import { h, icon } from '../dom.js';
import { t } from '../texts.js';
import { attempt } from '../ui.js';

/**
 * Creates a line. What is typed survives a reload, and comes back if it cannot be sent.
 * @param {{label: string, key: string, send: (text: string) => Promise<any>}} of `key` is where the draft is kept
 */
export function lineOf({ label, key, send }) {
  const input = h('input', { type: 'text', 'aria-label': label, placeholder: label, autocomplete: 'off', maxlength: 200,
    enterkeyhint: 'done', value: localStorage.getItem(key) ?? '', oninput: keep });
  let sending = Promise.resolve();
  const element = h('form.quick', { novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const text = input.value.trim();
    input.value = '';
    keep();
    input.focus();
    // One after the other, so that they stand in the order in which they were typed.
    if (text) sending = sending.then(() => enter(text));
  } }, h('div.quick-line', input, h('button.button', { type: 'submit' }, icon('add'), h('span', t('add')))));
  function keep() {
    // A page that is drawn again waits for a form that has something in it.
    if (input.value.trim()) {
      element.dataset.touched = 'yes';
      try { localStorage.setItem(key, input.value); } catch { /* The storage is full. */ }
    } else {
      delete element.dataset.touched;
      localStorage.removeItem(key);
    }
  }
  /** @param {string} text */
  async function enter(text) {
    if (await attempt(async () => { await send(text); return true; })) return;
    input.value = [text, input.value].filter(Boolean).join(' ');
    keep();
  }
  keep();
  return element;
}
