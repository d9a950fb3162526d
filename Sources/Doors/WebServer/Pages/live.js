/** Pages that follow the events: what is on the screen changes, and what people type or look at stays. */
import { fill } from './dom.js';
import { events } from './events.js';

/** What people can focus. */
const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';
/** The milliseconds for which changes are gathered. */
const SHORTLY = 300;

/**
 * Calls `load` shortly after a subject has changed or is gone, once for several events.
 *
 * It waits while people type on the page, so that nothing typed is lost. A page that can draw what has changed around
 * what is typed does so at once with `live`.
 * @param {Page} page
 * @param {(event: Happening) => boolean} concerns whether the page shows what an event is about
 * @param {(event: any) => any} load
 * @param {(event: any) => Promise<boolean>} [live] returns whether it has drawn all that has changed
 */
export function follow(page, concerns, load, live = async () => false) {
  let timer = 0;
  page.signal.addEventListener('abort', () => clearTimeout(timer));
  let drawing = Promise.resolve();
  /** Draws after what is being drawn, so that an older answer never replaces a newer one.
   * @param {() => any} draw */
  const inTurn = (draw) => {
    const drawn = drawing.then(() => (page.signal.aborted ? undefined : draw()));
    drawing = drawn.catch(() => {});
    return drawn;
  };
  /** @param {any} event */
  const run = (event) => {
    timer = 0;
    if (types(page.main)) return wait(event, 1000);
    inTurn(() => load(event)).catch(() => {});
  };
  /** @param {any} event @param {number} span */
  const wait = (event, span) => { timer ||= window.setTimeout(run, span, event); };
  /** @param {Happening} event */
  const heard = async (event) => {
    if (!concerns(event)) return;
    const isDrawn = await inTurn(() => live(event)).catch(() => false);
    if (!isDrawn && !page.signal.aborted) wait(event, SHORTLY);
  };
  for (const type of ['subject.changed', 'subject.removed']) page.on(type, heard);
  // What happened before the stream began again is not told.
  page.on('reset', () => wait({}, SHORTLY));
}

/** Whether an event is about a subject of a kind, or one of them is not told which.
 * @param {string} kind @returns {(event: Happening) => boolean} */
export const isOf = (kind) => ({ subject, kind: any }) => any === kind || Boolean(subject?.startsWith(`${kind}/`));

/** Whether an event is about one subject.
 * @param {string} subject @returns {(event: Happening) => boolean} */
export const isAbout = (subject) => (event) => event.subject === subject;

/** Whether somebody is typing in an element.
 * @param {Element} element */
export function types(element) {
  const field = document.activeElement;
  return Boolean(element.querySelector('form[data-touched]'))
    || [...element.querySelectorAll('.search input')].some((input) => /** @type {any} */ (input).value)
    || Boolean(field?.matches('input:not([type=radio], [type=checkbox]), textarea, select') && element.contains(field));
}

/** The list that is to replace the content of an element next.
 * @type {WeakMap<Element, any>} */
const next = new WeakMap();

/**
 * Replaces a list by a newly loaded one once that is there, so that the page does not jump.
 *
 * Does nothing if the page shows another list by then, such as one that the person has asked for.
 * @param {Element} place
 * @param {any} list as `pages` creates it
 */
export async function swap(place, list) {
  const before = place.firstChild;
  next.set(place, list);
  await list.ready;
  if (next.get(place) === list && place.firstChild === before) replace(place, list);
}

/** What replaces the content of an element once its open menu is closed.
 * @type {WeakMap<Element, any>} */
const waiting = new WeakMap();

/**
 * Replaces the content of an element, and keeps the focus and the part that is on the screen.
 *
 * It waits until an open menu is closed, so that the menu does not vanish under the finger.
 * @param {Element} place
 * @param {any} content
 */
export function replace(place, content) {
  const menu = /** @type {HTMLElement | null} */ (place.querySelector('.menu-items:not([hidden])'));
  if (menu) {
    if (!waiting.has(place)) {
      const timer = setInterval(() => {
        if (menu.isConnected && !menu.hidden) return;
        clearInterval(timer);
        const last = waiting.get(place);
        waiting.delete(place);
        // Else the page is another one by now.
        if (menu.isConnected) replace(place, last);
      }, 100);
    }
    waiting.set(place, content);
    return;
  }
  const { scrollY } = window;
  const focused = [...place.querySelectorAll(FOCUSABLE)].indexOf(/** @type {Element} */ (document.activeElement));
  const label = document.activeElement?.textContent;
  fill(place, content);
  window.scrollTo(0, scrollY);
  content.dispatchEvent?.(new Event('shown'));
  if (focused < 0) return;
  const all = [...place.querySelectorAll(FOCUSABLE)];
  const again = all.find((one) => label && one.textContent === label) ?? all[focused];
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/**
 * Calls `changed` when a subject has changed, as long as an element is on a page.
 * @param {Element} element
 * @param {string} subject
 * @param {() => any} changed
 */
export function whileShown(element, subject, changed) {
  let wasShown = false;
  /** @param {Event} event */
  const heard = (event) => {
    wasShown ||= element.isConnected;
    if (wasShown && !element.isConnected) return events.removeEventListener('subject.changed', heard);
    if (/** @type {CustomEvent} */ (event).detail.subject === subject) Promise.resolve(changed()).catch(() => {});
  };
  events.addEventListener('subject.changed', heard);
}
