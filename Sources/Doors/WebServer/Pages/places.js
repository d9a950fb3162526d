/** Finding places by name, for the fields in which people search for one. */
import { h, fill } from './dom.js';
import { t } from './texts.js';
import { read } from './rpc.js';
import { me } from './ui.js';
import { distance } from './format.js';

/** How long a position is where the person still is, in milliseconds; and the number of places that are shown. */
const [RECENT, MOST] = [60_000, 6];

/** The last position of the device that carries the person, and when it was asked for. */
let known = { at: -RECENT, place: Promise.resolve(/** @type {any} */ (null)) };

/** Returns where the person is, as far as it is known.
 * @returns {Promise<{lat: number, lon: number} | null>} */
function here() {
  const now = performance.now();
  if (now - known.at >= RECENT) {
    known = { at: now, place: read('position.current').then(({ lat, lon }) => ({ lat, lon }), () => null) };
  }
  return known.place;
}

/**
 * Finds places by name, those near a place first.
 * @param {string} text
 * @param {{lat?: number, lon?: number} | null} [near] where; otherwise where the person is
 */
export async function findPlaces(text, near) {
  const { lat, lon } = (near?.lat === undefined ? await here() : near) ?? {};
  const place = lat === undefined ? {} : { lat, lon };
  return read('places.search', { text, limit: MOST, ...place }).catch(() => ({ places: [] }));
}

/** Returns what a place is, in a word; nothing for what has only a name.
 * @param {{kind: string, country?: string}} place */
const kindOf = ({ kind, country }) =>
  country ?? (['sight', 'location', 'street'].includes(kind) ? t(`place.${kind}`) : undefined);

/**
 * Shows the places of an answer, each of which can be chosen; without any, says so, and how to get more.
 * @param {Element} list
 * @param {{places: any[], empty?: boolean}} answer
 * @param {(place: any) => void} chosen
 */
export function showPlaces(list, answer, chosen) {
  const rows = answer.places.map((place) => h('li.row', h('button', {
    type: 'button', class: 'plain', onclick: () => chosen(place),
  }, [place.name, kindOf(place)].filter(Boolean).join(', '),
  place.distance === undefined ? '' : ` (${distance(place.distance)})`)));
  const none = rows.length ? null : h('li.row', t('place.none'));
  fill(list, rows, none, answer.empty ? h('li.row', h('small', t(me.admin ? 'place.fill' : 'place.empty'))) : null);
}
