/** Style sheets of parts of the pages that the first view does without. */
import { h } from './dom.js';

/** @type {Map<string, Promise<any>>} */
const loaded = new Map();

/** Loads a style sheet, once.
 * @param {URL} url */
export function loadSheet({ pathname }) {
  if (!loaded.has(pathname)) {
    loaded.set(pathname, new Promise((resolve) => {
      document.head.append(h('link', { rel: 'stylesheet', href: pathname, onload: resolve, onerror: resolve }));
    }));
  }
  return loaded.get(pathname);
}
