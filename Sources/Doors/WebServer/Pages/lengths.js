/** Lengths that people enter in metres, or in feet where they have chosen miles. */
import { t } from './texts.js';
import { units } from './format.js';

const FOOT = 0.3048;
const inFeet = () => units() === 'miles';

/** Returns the label of a field: the text with a key, or the one for feet.
 * @param {string} key */
export const lengthLabel = (key) => t(inFeet() ? `${key}.feet` : key);

/**
 * Returns a length as the field shows it: in whole feet, because the daemon keeps tenths of a metre.
 * @param {number} metres
 */
export const shownLength = (metres) => Number(inFeet() ? (metres / FOOT).toFixed(0) : metres.toFixed(1));

/** Returns the metres of what a field contains.
 * @param {number} value */
export const metresOf = (value) => (inFeet() ? Number((value * FOOT).toFixed(2)) : value);
