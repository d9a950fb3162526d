/** Drafts: what somebody types into a dialog is kept, until it is sent or thrown away. */
import { h } from './dom.js';
import { t } from './texts.js';
import { ask, fieldsOf, valuesOf } from './form.js';

/** @param {{type: string}} field */
const isBox = ({ type }) => type === 'checkbox' || type === 'radio';

/** @param {HTMLElement} element @param {any[]} values */
function enter(element, values) {
  fieldsOf(element).forEach((field, n) => {
    if (values[n] === undefined) return;
    if (isBox(field) ? field.checked === values[n] : field.value === values[n]) return;
    if (isBox(field)) field.checked = values[n]; else field.value = values[n];
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
  });
}

/** Returns a short name of a text.
 * @param {string} text */
const digest = (text) =>
  [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7).toString(36);

/**
 * Keeps what is typed into the form of a dialog, and enters what was kept of it.
 *
 * A draft belongs to the page, the title and what the form says at first, so that it never gets into another object.
 * Forms with a password are not kept.
 * @param {any} element the dialog
 * @param {string} title
 * @param {any[]} given the values when the dialog was opened
 */
export function keepDraft(element, title, given) {
  if (element.dataset.draft || !element.querySelector('form') || element.querySelector('[type=password]')) return;
  const now = valuesOf(element);
  // Some forms are drawn after their dialog is open.
  const first = given.length === now.length ? given : now;
  const isAhead = JSON.stringify(now) !== JSON.stringify(first);
  const key = `draft:${location.pathname}:${digest(title + JSON.stringify(first))}`;
  element.dataset.draft = key;
  const kept = JSON.parse(localStorage.getItem(key) ?? 'null');
  if (kept && !isAhead && kept.length === first.length && JSON.stringify(kept) !== JSON.stringify(first)) {
    enter(element, kept);
    const note = h('p.page-note', { role: 'status' }, t('draft.back'), ' ',
      h('button.button.small', { type: 'button', onclick: () => {
        enter(element, first);
        localStorage.removeItem(key);
        for (const form of element.querySelectorAll('form')) delete form.dataset.touched;
        note.remove();
      } }, t('draft.discard')));
    element.querySelector('.dialog-head').after(note);
  }
  element.addEventListener('sent', () => forgetDraft(element));
  const keep = () => {
    try { localStorage.setItem(key, JSON.stringify(valuesOf(element))); } catch { /* The storage is full. */ }
  };
  if (isAhead) keep();
  element.addEventListener('input', keep);
}

/**
 * Closes a dialog; asks first if something was typed that has not been sent. The draft stays unless it is thrown away.
 * @param {any} element
 */
export async function leave(element) {
  const isTouched = element.querySelector('form[data-touched]') || element.dataset.unsaved;
  if (isTouched && !await ask(t('draft.leave'), t('draft.discard'))) return;
  if (isTouched) forgetDraft(element);
  element.close();
}

/** Deletes the draft of a dialog.
 * @param {any} element */
export const forgetDraft = (element) => { if (element.dataset.draft) localStorage.removeItem(element.dataset.draft); };
