/** The card of the page Now that says to somebody without an account what Waymark is. */
import { h } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { buttonLink } from '../ui.js';

/** Makes the card.
 * @param {string | undefined} device the name of the device that the page is about */
export async function makeVisitor(device) {
  await addTexts('visitor');
  return h('section.card.visitor', { 'aria-label': t('visitor.title') },
    h('h2', t('visitor.title')), h('p', device ? t('visitor.of', { device }) : t('visitor.ofnone')),
    h('p', t('visitor.with')),
    h('div.actions', buttonLink('/sign-up', t('sign.up'), undefined, 'primary'),
      buttonLink('/sign-in', t('sign.in'))));
}
