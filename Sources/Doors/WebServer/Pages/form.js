/** Forms and dialogs. An error is shown at its field, and a failed form keeps its input. */
import { h, add, fill, icon } from './dom.js';
import { t, has } from './texts.js';
import { Refused, Offline } from './rpc.js';
import { decimal } from './decimal.js';

/** An invalid value that the page itself detects. `data` names the field, as in an error of the daemon. */
export class Wrong extends Error {
  /** @param {string} field @param {string} reason */
  constructor(field, reason) {
    super(reason);
    this.data = { field };
  }
}

let ids = 0;

/** Returns the field that an error names, without a member or index: `options` for `options[1]`.
 * @param {any} error */
const fieldOf = (error) => error.data?.field?.replace(/[[.].*/, '');

/** The name of a method, which stands in the daemon's sentences for programs. */
const METHOD = new RegExp(
  '\\b(?:activities|anchors|backup|checklists|devices|events|expenses|follow|friends|geofences|groups|history|links|'
  + 'locations|logbook|mail|maps|members|notifications|people|photos|places|plans|position|posts|products|push|'
  + 'reactions|'
  + 'repayments|reports|reviews|rpc|server|shopping|sights|stops|subjects|suggestions|tasks|trips|uploads|votes)'
  + '\\.[a-z][A-Za-z]+', 'i');

/** Returns the part of the daemon's words that is for people: without the sentences, or else the clauses, that name a
 * method. `waysOn` makes links of those.
 * @param {string} words */
function forPeople(words) {
  if (!METHOD.test(words)) return words;
  const kept = words.split(/(?<=[.!?;])\s+/).filter((sentence) => !METHOD.test(sentence)).join(' ').replace(/;$/, '.');
  return kept || words.split(/,\s+/).filter((clause) => !METHOD.test(clause)).join(', ');
}

/** Returns a message about an error, in the reader's language if the catalogue has one.
 * @param {any} error */
export function said(error) {
  if (error instanceof Wrong) return error.message;
  if (error instanceof Offline) return t('offline');
  if (error instanceof Refused) {
    const wait = error.data.retry_after;
    if (wait > 90) return t('error.waitlong', { n: Math.ceil(wait / 60) });
    if (wait) return t('error.wait', { n: Math.ceil(wait) });
    const { method, code } = error;
    const field = fieldOf(error);
    const own = [
      `reason.${method}.${code}`, field && `reason.${method}.${field}`, field && `reason.${field}`,
    ].find((key) => key && has(key));
    if (own) return t(own);
    // The daemon's own messages are in English.
    const all = (field && error.data.reason) || error.message;
    const words = forPeople(all ?? '');
    if (!words) return t(/people\.signIn/.test(all) ? 'sign.first' : code === 2 ? 'error.right' : 'error.unknown');
    const sentence = words[0].toUpperCase() + words.slice(1).replace(/([^.!?])$/, '$1.');
    return has(`reason.${code}`) ? t(`reason.${code}`, { words: sentence }) : sentence;
  }
  console.error(error);
  return t('error.unknown');
}

/** Shows a message about an error in an element, with the links that lead on.
 * @param {any} place @param {any} error */
export function tell(place, error) {
  fill(place, said(error));
  if (error instanceof Refused) {
    import('./ways.js').then(({ waysOn }) => add(place, waysOn(error).map((way) => [' ', way]))).catch(() => {});
  }
}

/** Creates a form.
 *
 * `action` receives the values by name: trimmed texts, and numbers as numbers. Empty optional values are omitted unless
 * `keepEmpty` is set. If `action` throws, the message appears at the field that the error names, which `rename` maps to
 * a field of the form. Otherwise it appears below the fields. The fields with `more` are behind a button.
 * @param {FormSpec} options */
export function form({ fields, submit, action, keepEmpty, secondary = [], danger, rename = {} }) {
  /** @type {Map<string, {input: any, error: any, spec: FieldSpec}>} */
  const inputs = new Map();
  const general = h('p.form-error', { role: 'alert' });
  const button = h('button', { class: `button ${danger ? 'danger' : 'primary'}`, type: 'submit' }, submit);
  /** @type {Element[][]} */
  const [first, rest] = [[], []];
  for (const spec of fields) {
    if (spec instanceof Element) (/** @type {any} */ (spec).more ? rest : first).push(spec);
    else (spec.more ? rest : first).push(field(spec, inputs));
  }
  const element = h('form', { novalidate: true, class: 'form', onsubmit: sent, oninput: (event) => {
    element.dataset.touched = 'yes';
    const more = event.target.closest('details');
    if (more) more.open = true;
  } },
    first, rest.length ? h('details.more', h('summary', t('more')), h('div.form', rest)) : null, general,
    h('div.form-buttons', button, secondary));

  /** @param {SubmitEvent} event */
  async function sent(event) {
    event.preventDefault();
    if (button.disabled) return;
    clear();
    /** @type {Record<string, any>} */
    const values = {};
    let first = null;
    for (const [name, { input, spec }] of inputs) {
      const value = valueOf(input, spec);
      if (spec.required && (value === '' || value === false || value === undefined)) {
        mark(name, spec.type === 'checkbox' ? t('error.tick') : t('error.required'));
        first ??= input;
      }
      if (value !== undefined && (value !== '' || keepEmpty || spec.required)) values[name] = value;
    }
    if (first) return focus(first);
    button.disabled = true;
    element.setAttribute('aria-busy', 'true');
    try {
      if (await action(values) === false) return;
      delete element.dataset.touched;
      element.dispatchEvent(new Event('sent', { bubbles: true }));
    } catch (error) {
      const field = fieldOf(error);
      const name = rename[field] ?? field;
      const wrong = inputs.get(name);
      if (wrong) {
        mark(name, '');
        tell(wrong.error, error);
        focus(wrong.input);
      } else {
        if (error instanceof Offline) fill(general, t('error.offline')); else tell(general, error);
      }
    } finally {
      button.disabled = false;
      element.removeAttribute('aria-busy');
    }
  }

  function clear() {
    fill(general);
    for (const { input, error } of inputs.values()) {
      input.removeAttribute('aria-invalid');
      fill(error);
    }
  }

  /** Shows an error at a field.
   * @param {string} name @param {string} text */
  function mark(name, text) {
    const { input, error } = /** @type {any} */ (inputs.get(name));
    input.setAttribute('aria-invalid', 'true');
    fill(error, text);
  }

  return Object.assign(element, {
    /** @param {string} name */ input: (name) => inputs.get(name)?.input,
  });
}

/** @param {any} input */
function focus(input) {
  const more = input.closest('details');
  if (more) more.open = true;
  (input.matches('fieldset') ? input.querySelector('input') : input).focus();
}

/** Returns the value of a field, whose JavaScript type depends on the type of the field.
 * @param {any} input @param {FieldSpec} spec */
function valueOf(input, spec) {
  switch (spec.type) {
    case 'checkbox': return input.checked;
    case 'number': return input.value.trim() === '' ? undefined : Number(decimal(input.value));
    case 'password': case 'textarea-raw': return input.value;
    case 'stars': {
      const chosen = input.querySelector('input:checked');
      return chosen ? Number(chosen.value) : undefined;
    }
    case 'checks': return [...input.querySelectorAll('input:checked')].map((box) => box.value);
    case 'list': return input.value.split(',').map((/** @type {string} */ part) => part.trim()).filter(Boolean);
    case 'file': return input.files.length ? [...input.files] : undefined;
    default: return input.value.trim();
  }
}

/** Creates a field with its label, its hint and the place for its error, and adds it to `inputs`.
 * @param {FieldSpec} spec @param {Map<string, any>} inputs */
function field(spec, inputs) {
  const id = `field-${++ids}`;
  const type = spec.type ?? 'text';
  const error = h('p.field-error', { id: `${id}-error`, 'aria-live': 'polite' });
  const hint = spec.hint && h('p.field-hint', { id: `${id}-hint` }, spec.hint);
  const common = {
    id, name: spec.name, 'aria-describedby': `${hint ? `${id}-hint ` : ''}${id}-error`,
    'aria-required': spec.required ? 'true' : null, autocomplete: spec.autocomplete ?? 'off', ...spec.attributes,
  };
  let input;
  if (type === 'textarea') input = h('textarea', { rows: spec.rows ?? 3, ...common, value: spec.value ?? '' });
  else if (type === 'select') {
    input = h('select', common, (spec.options ?? []).map(([value, label]) =>
      h('option', { value, selected: value === spec.value }, label)));
  } else if (type === 'stars' || type === 'checks') {
    input = h('fieldset', { class: type, name: spec.name, 'aria-describedby': common['aria-describedby'] },
      h('legend', spec.label),
      type === 'stars' ? stars(spec, id) : (spec.options ?? []).map(([value, label]) => h('label.check',
        h('input', { type: 'checkbox', value, checked: (spec.value ?? []).includes(value) }), h('span', label))));
  } else {
    const kind = { list: 'text', datetime: 'datetime-local' }[type] ?? type;
    input = h('input', {
      type: kind === 'number' ? 'text' : kind, inputmode: kind === 'number' ? 'decimal' : null, ...common,
    });
    if (type === 'checkbox') input.checked = Boolean(spec.value);
    else if (type === 'list') input.value = (spec.value ?? []).join(', ');
    else if (type !== 'file') input.value = spec.value ?? '';
  }
  inputs.set(spec.name, { input, error, spec });
  const mark = spec.required || /checkbox|select/.test(type) ? null : h('span.optional', ` ${t('form.optional')}`);
  if (type === 'stars' || type === 'checks') return h('div.field', input, hint, error);
  if (type === 'checkbox') {
    return h('div.field', h('label.check', input, h('span', spec.label)), hint, error);
  }
  return h('div', { class: `field ${spec.half ? 'half' : ''}` },
    h('label', { for: id }, spec.label, mark), input, hint, error);
}

/** Creates five radio buttons for a rating.
 * @param {FieldSpec} spec @param {string} id */
function stars(spec, id) {
  return h('div.star-input', [1, 2, 3, 4, 5].map((n) =>
    h('label', { title: t('stars', { n }) },
      h('input', {
        type: 'radio', name: id, value: String(n), checked: spec.value === n, 'aria-label': t('stars', { n }),
      }), icon('star'))));
}

/** Returns the fields of the forms in an element whose values may be kept.
 * @param {any} element */
export const fieldsOf = (element) => [...element.querySelectorAll('form input, form textarea, form select')]
  .filter(({ type }) => !['password', 'file', 'hidden'].includes(type));

/** Returns the values of these fields.
 * @param {any} element */
export const valuesOf = (element) => fieldsOf(element).map((field) =>
  (['checkbox', 'radio'].includes(field.type) ? field.checked : field.value));

/** Opens a modal dialog. Escape, the close button and `close()` close it; the focus then returns to where it was.
 * @param {string} title @param {...any} content
 * @returns {any} */
export function dialog(title, ...content) {
  const before = document.activeElement;
  const id = `dialog-title-${ids += 1}`;
  const element = h('dialog.dialog', { 'aria-labelledby': id },
    h('div.dialog-head', h('h2', { id }, title),
      h('button.icon-button', { type: 'button', 'aria-label': t('close'), onclick: leave }, icon('close'))));
  add(element, content);
  /** @param {Event} event */
  async function leave(event) {
    if (!element.querySelector('form[data-touched]') && !element.dataset.unsaved) return element.close();
    event.preventDefault();
    (await import('./drafts.js')).leave(element);
  }
  element.addEventListener('cancel', (event) => { if (event.target === element) leave(event); });
  element.addEventListener('close', () => {
    element.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  document.body.append(element);
  element.showModal();
  /** @type {HTMLElement | null} */
  const first = element.querySelector('form input:not([type=hidden]), form textarea, form select, .autofocus');
  first?.focus();
  if (element.querySelector('form') || content.length > 1) {
    const first = valuesOf(element);
    import('./drafts.js').then(({ keepDraft }) => keepDraft(element, title, first)).catch(() => {});
  }
  return element;
}

/** Opens a form in a dialog, which closes when the action succeeds, unless the action returns false.
 * @param {string} title @param {FormSpec} options @param {...Child} above */
export function formDialog(title, options, ...above) {
  const element = dialog(title, above, form({
    ...options,
    action: async (values) => {
      const answer = await options.action(values, element);
      if (answer !== false) element.close();
      return answer;
    },
  }));
  return element;
}

/** Asks for confirmation; resolves to false if the dialog is closed in any other way.
 * @param {string} question
 * @param {string} yes the label of the button that confirms
 * @param {boolean} [danger] whether that button looks dangerous
 * @returns {Promise<boolean>} */
export function ask(question, yes, danger = true) {
  return new Promise((resolve) => {
    let answer = false;
    const element = dialog(question, h('div.form-buttons',
      h('button', {
        class: `button autofocus ${danger ? 'danger' : 'primary'}`, type: 'button',
        onclick: () => { answer = true; element.close(); },
      }, yes),
      h('button.button', { type: 'button', onclick: () => element.close() }, t('cancel'))));
    element.classList.add('question');
    element.addEventListener('close', () => resolve(answer));
  });
}
