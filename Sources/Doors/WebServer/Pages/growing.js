/**
 * Lists that load and draw their entries as one scrolls, so that a long list costs no more than what is on the screen.
 */
import { h, add, fill } from './dom.js';
import { t } from './texts.js';
import { button, empty, said } from './ui.js';

/** The milliseconds after which drawing pauses, so that keys and fingers are answered. */
const SLICE = 10;
/** The entries that a list without pages draws at once. */
const STEP = 20;

const pause = () => new Promise((resolve) => { setTimeout(resolve); });

/**
 * Returns the loader of a list that is at hand as a whole.
 * @param {any[]} entries
 */
export const atHand = (entries) => async (from = 0) => ({
  entries: entries.slice(from, from + STEP), next: from + STEP < entries.length ? from + STEP : undefined,
});

/**
 * Creates a list that grows when its end comes into view, or by the buttons there, of which one shows all for paper.
 *
 * `load` gets the cursor of a page, or none, and returns its entries and the cursor of the next. `rows` receives the
 * elements of `row`; it is in `element` if that is given. `grown` is told how many entries there are.
 * @param {{load: (after?: any) => Promise<{entries: any[], next?: any}>, row: (entry: any) => any, none?: string,
 *   signal: AbortSignal, rows?: any, element?: any, least?: number, grown?: (count: number) => void}} options
 */
export async function growing({ load, row, none, signal, rows = h('ul.rows'), element = rows, least = 1, grown }) {
  const foot = h('div.list-foot');
  const whole = h('div', element, foot);
  let count = 0;
  /** @type {any} */
  let next;
  let isGrowing = false;
  /** The number of entries that somebody asked for, also while the list grows. */
  let wanted = 0;
  const observer = new IntersectionObserver((seen) => {
    if (seen.some(({ isIntersecting }) => isIntersecting) && next !== undefined) grow(count + 1);
  }, { rootMargin: '300px' });
  signal.addEventListener('abort', () => observer.disconnect());

  /** @param {any[]} entries */
  async function draw(entries) {
    let begin = performance.now();
    for (const entry of entries) {
      add(rows, row(entry));
      count++;
      if (performance.now() - begin < SLICE) continue;
      await pause();
      if (signal.aborted) return;
      begin = performance.now();
    }
  }

  /** Loads pages until there are as many entries.
   * @param {number} entries */
  async function grow(entries) {
    wanted = Math.max(wanted, entries);
    if (isGrowing) return;
    isGrowing = true;
    observer.unobserve(foot);
    try {
      do {
        const page = await load(next);
        if (signal.aborted) return;
        await draw(page.entries);
        next = page.next;
        grown?.(count);
        await pause();
      } while (next !== undefined && count < wanted && !signal.aborted);
      show();
    } catch (error) {
      fill(foot, empty(said(error), button({ label: t('again'), onclick: () => grow(wanted) })));
    } finally {
      isGrowing = false;
    }
  }

  function show() {
    if (!count && none) element.replaceWith(empty(none));
    if (next === undefined) {
      // Whoever pressed a button goes on at the last entry.
      const last = foot.contains(document.activeElement) ? rows.lastElementChild : null;
      fill(foot);
      last?.setAttribute('tabindex', '-1');
      last?.focus();
      return;
    }
    if (foot.firstElementChild?.localName !== 'button') {
      fill(foot, button({ label: t('more'), onclick: () => grow(count + 1) }),
        button({ label: t('list.all'), onclick: () => grow(Infinity) }));
    }
    // Observed anew, because the end may still be in view.
    observer.observe(foot);
  }

  await grow(least);
  return whole;
}
