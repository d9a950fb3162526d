/** Expressions that the schemas and the style share. */

/** @param {string} name */
export const get = (name) => ['get', name];

/** Whether a value is one of some.
 * @param {any} value @param {...any} some */
export const among = (value, ...some) => ['match', value, some, true, false];

/**
 * Translates a value by a table of the style's words, each with the schema's words for it.
 * @param {any} value
 * @param {Record<string, string>} table the schema's words, with spaces between them
 * @param {any} [otherwise]
 */
export const translated = (value, table, otherwise = '') =>
  ['match', value, ...Object.entries(table).flatMap(([word, theirs]) => [theirs.split(' '), word]), otherwise];

/** The first of some properties that there is.
 * @param {...any} names */
export const either = (...names) => ['coalesce', ...names.map((name) => (typeof name === 'string' ? get(name) : name))];

/** All of some conditions, without those that are missing.
 * @param {...any} conditions */
export const all = (...conditions) => ['all', ...conditions.filter(Boolean)];

/** Whether a property says yes: as a truth value or as a number.
 * @param {...string} names */
export const isOn = (...names) => ['to-boolean', either(...names)];

export const isPoint = among(['geometry-type'], 'Point', 'MultiPoint');
export const isLine = among(['geometry-type'], 'LineString', 'MultiLineString');
export const isArea = among(['geometry-type'], 'Polygon', 'MultiPolygon');

/** The language of the pages, which may have a name of its own for a place. */
export const language = () => document.documentElement.lang.slice(0, 2) || 'en';

/** A number or a colour that changes evenly between zooms.
 * @param {...any} stops zooms and values in turn */
export const byZoom = (...stops) => ['interpolate', ['linear'], ['zoom'], ...stops];

/** A width that grows with the zoom as the ground does.
 * @param {...any} stops zooms and values in turn */
export const growing = (...stops) => ['interpolate', ['exponential', 1.6], ['zoom'], ...stops];
