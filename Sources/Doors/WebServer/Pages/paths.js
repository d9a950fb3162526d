/** Addresses of pages. They encode a dot as `*`, because an address whose last part contains a dot means a file. */

/** @param {...string} parts */
export const path = (...parts) => '/' + parts.map((part) =>
  encodeURIComponent(part).replace(/\*/g, '%2A').replace(/\./g, '*').replace(/%40/g, '@').replace(/%3A/g, ':'))
  .join('/');

/** Returns a part of an address as text. A part that is not encoded correctly stays as it is.
 * @param {string} part */
export function unescapePart(part) {
  try {
    return decodeURIComponent(part.replace(/\*/g, '.'));
  } catch {
    return part;
  }
}

/** @type {Record<string, string>} */
const pages = {
  sight: 'sights', trip: 'trips', plan: 'plans', location: 'locations', activity: 'activities', vote: 'votes',
  post: 'posts', product: 'products', person: 'people', join: 'join', photo: 'pictures', review: 'reviews',
  notification: 'notifications',
};

/**
 * Returns the address of a destination of the protocol: a page for waymark://KIND/ID or KIND/ID, the destination itself
 * for an http link, otherwise null.
 * @param {string} destination */
export function pathOf(destination) {
  const found = /^(?:waymark:\/\/)?([a-z]+)\/(.+)$/.exec(destination);
  if (found && Object.hasOwn(pages, found[1])) return path(pages[found[1]], found[2]);
  return /^https?:\/\//i.test(destination) ? destination : null;
}
