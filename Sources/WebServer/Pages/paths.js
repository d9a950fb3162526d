/** Addresses of pages. A dot is written as `*`, since a last part with a dot would be a file's. */

/** @param {...string} parts */
export const path = (...parts) =>
  '/' + parts.map((part) => encodeURIComponent(part).replace(/\*/g, '%2A').replace(/\./g, '*').replace(/%40/g, '@').replace(/%3A/g, ':')).join('/');

/** @param {string} part */
export const unescapePart = (part) => decodeURIComponent(part.replace(/\*/g, '.'));

const pages = {
  sight: 'sights', trip: 'trips', plan: 'plans', location: 'locations', activity: 'activities', vote: 'votes', post: 'posts',
  product: 'products', person: 'people', join: 'join', photo: 'pictures', review: 'reviews', notification: 'notifications',
};

/**
 * Where a destination of the protocol leads: waymark://KIND/ID to a page, a link to itself; null where to nothing.
 * @param {string} destination
 */
export function pathOf(destination) {
  const found = /^(?:waymark:\/\/)?([a-z]+)\/(.+)$/.exec(destination);
  if (found && found[1] in pages) return path(pages[found[1]], found[2]);
  return /^https?:\/\//.test(destination) ? destination : null;
}

/** The words to share something by, with addresses of pages in place of the protocol's. @param {string} text */
export const withAddresses = (text) =>
  text.replace(/waymark:\/\/[^\s]+/g, (link) => {
    const page = pathOf(link);
    return page ? location.origin + page : link;
  });
