/** The mark of what waits on this phone, in its place on a page. */
import { t } from '../texts.js';
import { badge } from '../ui.js';

/** Returns the mark of an object that waits, or has been refused; null for any other.
 * @param {{id?: string, waits?: Waiting['waits']}} one */
export const waitsMark = (one) =>
  (one.waits ? badge(t(one.waits === 'refused' ? 'outbox.refused' : 'outbox.waits'), 'warm') : null);
