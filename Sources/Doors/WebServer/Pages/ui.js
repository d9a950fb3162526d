/** The common parts of pages. */
import { h, add, fill, icon } from './dom.js';
import { t, has, say, number, locale } from './texts.js';
import { read, local } from './rpc.js';
import { said, tell, ask, dialog } from './form.js';
import { ago, withDays } from './format.js';

export { said, tell, ask, dialog, form, formDialog, Wrong } from './form.js';

/** The signed-in person, or null, and whether they are an administrator.
 * @type {{person: Person | null, admin: boolean}} */
export const me = { person: null, admin: false };

/** Shows a short message at the bottom of the page, for 4.5 s, or 12 s if it has a button to press.
 * @param {string} text @param {Child} [action] */
export function toast(text, action) {
  const note = h('div.toast', text, action && [' ', action]);
  const place = document.getElementById('toast');
  // The same words again take the place of the earlier ones, so that notes do not pile up over the page.
  for (const one of [...place?.children ?? []]) {
    if (one.textContent === note.textContent && !one.querySelector('button')) one.remove();
  }
  place?.append(note);
  setTimeout(() => note.remove(), action ? 12_000 : 4500);
  return note;
}

/** Runs an action. If it fails, shows the error as a toast and returns undefined.
 * @template T
 * @param {() => Promise<T>} what */
export async function attempt(what) {
  try {
    return await what();
  } catch (error) {
    tell(toast(said(error)), error);
    return undefined;
  }
}

/** Creates a button that ignores presses while its action runs.
 * @param {ButtonSpec} options */
export function button({ label, icon: name, kind = '', onclick, hidesLabel, pressed, disabled }) {
  const element = h('button', {
    type: 'button', class: hidesLabel ? `icon-button ${kind}` : `button ${kind}`,
    'aria-label': hidesLabel ? label : null, title: hidesLabel ? label : null,
    'aria-pressed': pressed === undefined ? null : String(pressed), disabled,
    onclick: async (event) => {
      // The button is not disabled meanwhile, because a disabled button loses the focus.
      if (element.hasAttribute('aria-busy')) return;
      element.setAttribute('aria-busy', 'true');
      await attempt(async () => onclick(event));
      element.removeAttribute('aria-busy');
    },
  }, name && icon(name), hidesLabel ? null : h('span', label));
  return element;
}

/** Creates a link that looks like a button.
 * @param {string} href @param {string} label @param {string} [name] @param {string} [kind] */
export const buttonLink = (href, label, name, kind = '') =>
  h('a', { href, class: `button ${kind}` }, name && icon(name), h('span', label));

/** Creates the head of a page.
 * @param {string} title
 * @param {{back?: string[], actions?: Child, note?: Child}} options `back` is the address and the label of a link */
export function head(
  title, { back, actions = [], note } = {}) {
  return h('header.page-head',
    back && h('a', { href: back[0], class: 'back' }, icon('back', 'turns'), back[1]),
    h('div.page-title', h('h1', { tabindex: '-1' }, title), h('div.actions', actions)),
    note && h('div.page-note', note));
}

/** Creates a part of a page with a heading.
 * @param {Child} title @param {...Child} content */
export const section = (title, ...content) => h('section.section', h('h2', title), content);

/** Creates the note that replaces an empty list.
 * @param {Child} text @param {...Child} actions */
export const empty = (text, ...actions) => h('div.empty', h('p', text), actions);

/** Creates a small label.
 * @param {Child} text @param {string} [kind] */
export const badge = (text, kind = '') => h('span', { class: `badge ${kind}` }, text);

/** Creates a value with its label.
 * @param {Child} value @param {string} label */
export const figure = (value, label) => h('div.figure', h('dt', label), h('dd', value));

/** @param {...Child} figures */
export const figures = (...figures) => h('dl.figures', figures);

/** Creates the image of a photo, or a placeholder if there is none or it cannot be loaded.
 * @param {string | undefined} id @param {string} alt
 * @param {{whole?: boolean, class?: string, of?: string}} options `of` is the start of the address, as in /s/LINK */
export function photo(
  id, alt, { whole, class: name = 'photo', of = '' } = {}) {
  if (!id) return h('div', { class: `${name} no-photo`, 'aria-hidden': 'true' }, icon('photo'));
  const image = h('img', {
    class: name, src: local.get(id) ?? `${of}/photos/${encodeURIComponent(id)}${whole ? '' : '/square'}`, alt,
    loading: 'lazy', decoding: 'async',
  });
  image.addEventListener('error', () => image.replaceWith(
    h('div', { class: `${name} no-photo`, role: 'img', 'aria-label': alt }, icon('photo'))), { once: true });
  return image;
}

/** Creates the picture of a person, or their initials if they have none.
 * @param {Partial<Person> | null | undefined} person @param {string} [kind] */
export function avatar(person, kind = '') {
  if (person?.picture) return photo(person.picture, '', { class: `avatar ${kind}` });
  const name = person?.name ?? person?.id ?? '?';
  const hue = [...(person?.id ?? name)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 6;
  return h('span', { class: `avatar hue-${hue} ${kind}`, 'aria-hidden': 'true' },
    name.split(/\s+/).map((part) => part[0]).slice(0, 2).join('').toUpperCase());
}

/** Creates the text of a row: a title, and notes below it.
 * @param {Child} title @param {...Child} notes */
export const rowText = (title, ...notes) =>
  h('span.row-text', h('strong', title), notes.map((note) => note && h('small', note)));

/** Creates a table with a heading for each column. The first cell of a row is the heading of that row.
 * @param {Child[]} headings @param {Child[][]} rows
 * @param {number[]} [numbers] the indices of the columns that contain numbers */
export const table = (headings, rows, numbers = []) => h('div.table', { tabindex: '0' }, h('table',
  h('thead', h('tr', headings.map((heading, n) =>
    h('th', { scope: 'col', class: numbers.includes(n) ? 'number' : '' }, heading)))),
  h('tbody', rows.map((cells) => h('tr', cells.map((cell, n) => (n
    ? h('td', { class: numbers.includes(n) ? 'number' : '' }, cell)
    : h('th', { scope: 'row' }, cell))))))));

/** Shows a score of 0 to 5 as stars.
 * @param {number | undefined} value
 * @param {number} [count] the number of ratings */
export function stars(value, count) {
  const shown = value ?? 0;
  return h('span.stars', h('span.star-row', {
    role: 'img', 'aria-label': count === 0 ? t('stars.none') : t('stars.of', { n: number(shown, 1) }),
  }, [1, 2, 3, 4, 5].map((n) =>
    icon('star', count === 0 ? '' : shown >= n - 0.25 ? 'full' : shown >= n - 0.75 ? 'half' : ''))),
  count === undefined ? null : h('small', count ? `${number(shown, 1)} (${count})` : t('stars.none')));
}

/** Creates a row of links, one of which is the current page.
 * @param {string[][]} links @param {string} current @param {string} label */
export const tabs = (links, current, label) => h('nav.tabs', { 'aria-label': label },
  links.map(([href, text]) => h('a', { href, 'aria-current': href === current ? 'page' : null }, text)));

/** Creates a group of buttons, exactly one of which is pressed.
 * @param {string[][]} choices @param {string} current @param {string} label @param {(value: string) => void} chosen */
export function choice(choices, current, label, chosen) {
  const group = h('div.choice', { role: 'group', 'aria-label': label }, choices.map(([value, text]) =>
    h('button', { type: 'button', 'aria-pressed': String(value === current), onclick: (event) => {
      for (const other of group.children) other.setAttribute('aria-pressed', String(other === event.currentTarget));
      chosen(value);
    } }, text)));
  return group;
}

/** Creates a search field, which searches 250 ms after the last key.
 * @param {string} label @param {(text: string) => void} search @param {string} [value] */
export function searchField(label, search, value = '') {
  let wait = 0;
  const input = h('input', {
    type: 'search', 'aria-label': label, placeholder: label, value, autocomplete: 'off', oninput: () => {
      clearTimeout(wait);
      wait = window.setTimeout(() => search(input.value.trim()), 250);
    },
  });
  return h('div.search', icon('search'), input);
}

/** Creates a list that loads page by page. `row` creates the element of an entry; `none` is shown if the list is empty.
 * @template {Method} M
 * @template {keyof Result<M>} K @param {Listing<M, K>} options */
export function pages({ method, list, params = {}, row, none, class: name = 'rows', loaded, tag = 'ul' }) {
  const rows = h(tag, { class: name });
  const foot = h('div.list-foot');
  const element = h('div', rows, foot);
  /** @param {string} [after] */
  async function load(after) {
    fill(foot, h('p.loading', t('loading')));
    try {
      /** @type {any} */
      const answer = await read(method, after === undefined ? params : { ...params, after });
      const entries = answer[list];
      for (const entry of entries) add(rows, row(entry));
      fill(foot, answer.next !== undefined && button({ label: t('more'), onclick: () => load(answer.next) }));
      if (after === undefined && !entries.length) {
        rows.remove();
        fill(foot, typeof none === 'string' ? empty(none) : none);
      }
      loaded?.(entries, answer);
    } catch (error) {
      fill(foot, empty(said(error), button({ label: t('again'), onclick: () => load(after) })));
    }
  }
  return Object.assign(element, { ready: load(undefined) });
}

/** Creates a button that opens a menu of actions.
 * @param {string} label
 * @param {({label: string, icon?: string, onclick: () => any, danger?: boolean} | any)[]} items */
export function menu(label, items) {
  const list = h('div.menu-items', { role: 'menu' }, items.filter(Boolean).map((item) =>
    h('button', {
      type: 'button', role: 'menuitem', class: item.danger ? 'danger-text' : '',
      onclick: () => { close(); attempt(async () => item.onclick()); },
    }, item.icon && icon(item.icon), h('span', item.label))));
  list.hidden = true;
  const opener = h('button', {
    type: 'button', class: 'icon-button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': label,
    title: label, onclick: () => (list.hidden ? open() : close(true)),
  }, icon('actions'));
  const element = h('div.menu', { onkeydown: (event) => {
    const all = /** @type {HTMLElement[]} */ ([...list.children]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === 'Escape' && !list.hidden) { close(true); event.stopPropagation(); }
    else if (event.key === 'ArrowDown') { all[(at + 1) % all.length]?.focus(); event.preventDefault(); }
    else if (event.key === 'ArrowUp') { all[(at - 1 + all.length) % all.length]?.focus(); event.preventDefault(); }
  } }, opener, list);
  const outside = (/** @type {any} */ event) => { if (!element.contains(event.target)) close(); };
  function open() {
    list.hidden = false;
    // Open to the other side if the menu would leave the window.
    list.style.inset = '';
    const box = list.getBoundingClientRect();
    if (box.left < 4 || box.right > window.innerWidth - 4) {
      list.style.insetInlineEnd = 'auto';
      list.style.insetInlineStart = '0';
    }
    opener.setAttribute('aria-expanded', 'true');
    list.querySelector('button')?.focus();
    document.addEventListener('pointerdown', outside);
  }
  /** @param {boolean} [returns] */
  function close(returns) {
    list.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', outside);
    if (returns) opener.focus();
  }
  return element;
}

/** Returns a menu item that removes something after confirmation.
 * @param {string} question the key of the question's text
 * @param {() => Promise<any>} remove */
export const removal = (question, remove) => ({
  label: t('remove'), icon: 'remove', danger: true,
  onclick: async () => { if (await ask(t(question), t('remove'))) await remove(); },
});

/** Shows how long ago a moment was, with the exact time as a tooltip.
 * @param {string} time */
export const when = (time) => h('time', { datetime: time, title: new Date(time).toLocaleString(locale) }, ago(time));

/** Copies a text to the clipboard, or shows it in a dialog if the browser refuses.
 * @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t('copied'));
  } catch {
    dialog(t('share.copy'),
      h('textarea.autofocus.copy', { readonly: true, rows: 4, 'aria-label': t('share.copy'), value: text }));
  }
}

/** Downloads strings or bytes as a file.
 * @param {string} name @param {BlobPart[]} pieces
 * @param {string} kind the MIME type */
export function download(name, pieces, kind) {
  const link = h('a', { href: URL.createObjectURL(new Blob(pieces, { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Lists rejected entries: the reason in the reader's language, and the number.
 * @param {Record<string, number>} counts */
export const tally = (counts) => Object.entries(counts)
  .map(([reason, n]) => `${has(`rejected.${reason}`) ? t(`rejected.${reason}`) : reason}: ${number(n)}`).join(', ');

/** Returns the text of a notification in the reader's language.
 * @param {{text: string}} notice */
export const told = ({ text }) => emphasised(withDays(say(text)));

/** Converts a text in which only `<b>` is markup to nodes.
 * @param {string} text */
export function emphasised(text) {
  const plain = (/** @type {string} */ part) => part.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'").replace(/&amp;/g, '&');
  return text.split(/(<b>.*?<\/b>)/s).map((part) => {
    const bold = /^<b>(.*)<\/b>$/s.exec(part);
    return bold ? h('b', plain(bold[1])) : plain(part);
  });
}

/** Creates a link to another site. Addresses other than http and https become plain text.
 * @param {string} link @param {string} [text] */
export const outLink = (link, text) => /^https?:\/\//i.test(link)
  ? h('a', { href: link, rel: 'noopener noreferrer', target: '_blank' },
    text ?? link.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, ''))
  : h('span', link);
