/** Limits of speed in forms, in the unit that the reader has chosen. */
import { t } from './texts.js';
import { units } from './format.js';

const hasMiles = () => units() === 'miles';

/** How many of the reader's units of speed make a metre a second. */
export const speedFactor = () => (hasMiles() ? 2.236936 : 3.6);

/**
 * Returns the field of a limit of speed, which is called `speed_limit`.
 * @param {number | undefined} limit in metres a second
 * @param {string} hint
 * @returns {FieldSpec}
 */
export const limitField = (limit, hint) => ({
  name: 'speed_limit', type: 'number', half: true, label: t(hasMiles() ? 'draw.speed.miles' : 'draw.speed'),
  value: limit === undefined ? '' : String(Number((limit * speedFactor()).toFixed(1))), hint });

/**
 * Returns a limit of speed in metres a second: 0 for none, and a wrong one for what is no number.
 * @param {number | undefined} limit in the reader's units
 */
export const takenLimit = (limit) => (limit === undefined ? 0 : Number.isNaN(limit) ? -1 : limit / speedFactor());
