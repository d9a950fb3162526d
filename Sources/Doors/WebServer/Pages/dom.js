/** Functions that build elements. Strings always become text, never markup. */

/** Creates an element.
 *
 * Attributes whose names begin with `on` are event listeners; `value`, `checked` and `selected` are set as properties.
 * `true` sets an empty attribute; `false`, null and undefined set none.
 * @template {string} T
 * @param {T} tag the name of the element, followed by classes, such as `li.row`
 * @param {Attributes | Child} [attributes] an object; any other value is the first child
 * @param {...Child} children strings, elements, or arrays of these; null, undefined and false are skipped
 * @returns {Made<T>} */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = /** @type {any} */ (document.createElement(name));
  if (classes.length) element.className = classes.join(' ');
  if (attributes?.constructor !== Object) return add(element, /** @type {Child} */ (attributes), children);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  return add(element, children);
}

/** Appends children to an element, as in `h`.
 * @template {Element} E @param {E} parent @param {...Child} children */
export function add(parent, ...children) {
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
  return parent;
}

/** Replaces all children of an element.
 * @template {Element} E @param {E} parent @param {...Child} children */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return add(parent, children);
}

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an SVG element.
 * @param {string} tag @param {Record<string, any>} attributes
 * @param {...(Node | string | (Node | string)[])} children */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.flat());
  return element;
}

/** @type {Record<string, string>} */
export const icons = {
  now: 'M12 3l7 17-7-4-7 4z',
  trips: 'M6 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z'
    + 'M8 17h7a3.5 3.5 0 0 0 0-7H9a3.5 3.5 0 0 1 0-7h7',
  plans: 'M4 6l5-2 6 2 5-2v14l-5 2-6-2-5 2zM9 4v14M15 6v14',
  votes: 'M4 5h16v14H4zM8 12l3 3 5-6',
  feed: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01',
  ranking: 'M5 20v-7M12 20V4M19 20v-10',
  people: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0'
    + 'M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14a6.5 6.5 0 0 1 3.5 6',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4',
  machine: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  sight: 'M12 21s7-6.5 7-11.5a7 7 0 0 0-14 0C5 14.5 12 21 12 21zM12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  explore: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM15.5 8.5l-2 5-5 2 2-5z',
  more: 'M5 7h14M5 12h14M5 17h14',
  actions: 'M4.5 12h1M11.5 12h1M18.5 12h1',
  add: 'M12 5v14M5 12h14',
  heart: 'M12 20s-8-5-8-11a4.5 4.5 0 0 1 8-2.8A4.5 4.5 0 0 1 20 9c0 6-8 11-8 11z',
  save: 'M6 4h12v16l-6-4-6 4z',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9L3.5 9.7l5.9-.8z',
  share: 'M12 15V4M8 7.5L12 3.5l4 4M6 12H5v8h14v-8h-1',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  remove: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  close: 'M6 6l12 12M18 6L6 18',
  play: 'M7 4l13 8-13 8z',
  pause: 'M8 5v14M16 5v14',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  flag: 'M6 21V4h11l-2 4 2 4H6',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  download: 'M12 4v11M8 11.5l4 4 4-4M5 20h14',
  photo: 'M4 7h4l2-2h4l2 2h4v12H4zM12 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  check: 'M5 12.5l4.5 4.5L19 7',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  follow: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 1v4M12 19v4M1 12h4M19 12h4',
  time: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  money: 'M4 6h16v12H4zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7 12h.01M17 12h.01',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  bag: 'M6 8h12l1 12H5zM9 8V7a3 3 0 0 1 6 0v1',
  swap: 'M4 8h14l-4-4M20 16H6l4 4',
  transport: 'M5 16V7a3 3 0 0 1 3-3h8a3 3 0 0 1 3 3v9zM5 11h14M8 20v-4M16 20v-4M8.5 13.5h.01M15.5 13.5h.01',
  lodging: 'M3 19V6M3 16h18v3M21 16v-3a3 3 0 0 0-3-3h-8v6M6.5 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  food: 'M7 3v7M4.5 3v4a2.5 2.5 0 0 0 5 0V3M7 10v11M17 3c-2 1-3 4-3 8h3zM17 11v10',
  itinerary: 'M5 6h14v14H5zM5 10h14M9 3v5M15 3v5',
};
Object.assign(icons, { places: icons.sight, history: icons.itinerary, reports: icons.ranking });

/** Creates an icon, which is hidden from screen readers.
 * @param {string} name @param {string} [className] */
export function icon(name, className = '') {
  return svg('svg', { viewBox: '0 0 24 24', class: `icon ${className}`, 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: icons[name] ?? icons.more }));
}
