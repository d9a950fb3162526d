/** The card of the sight that a played device is near. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call } from '../rpc.js';
import { photo } from '../ui.js';
import { between, distance } from '../format.js';
import { path } from '../paths.js';
import { sideFrom } from '../now/passing.js';

/** The metres from the edge of a sight within which it is near, and the milliseconds between two looks at what is. */
const [NEAR, SELDOM] = [150, 500];

/**
 * Creates the card on a map; it is empty until a sight is near.
 * @param {any} map
 * @param {AbortSignal} signal
 * @returns {(place: any) => void} takes each place of the device
 */
export function makeSightCard(map, signal) {
  const card = h('div.played-sight');
  const line = h('span');
  const texts = addTexts('near').catch(() => {});
  /** The photos of sights, by their ids.
   * @type {Map<string, string | undefined>} */
  const covers = new Map();
  let timer = 0;
  /** @type {any} */
  let place = null;
  /** @type {any} */
  let shown = null;
  map.element.append(card);
  signal.addEventListener('abort', () => clearTimeout(timer));

  const showWhere = () => {
    const away = between(place.lat, place.lon, shown.lat, shown.lon);
    fill(line, t(`near.${sideFrom(place, place.course, shown)}`, { distance: distance(away) }));
  };

  function draw() {
    showWhere();
    fill(card, h('a.card', { href: path('sights', shown.id) }, photo(covers.get(shown.id), ''),
      h('span.row-text', h('strong', shown.title), line)));
  }

  async function look() {
    const asked = place;
    const lon = ((((place.lon + 180) % 360) + 360) % 360) - 180;
    const { nearest: [one] } = await call('sights.nearest', { lat: place.lat, lon, k: 1 })
      .catch(() => ({ nearest: [] }));
    await texts;
    if (signal.aborted) return;
    // Who moved the slider meanwhile may not move it again, so this place is looked at, too.
    timer = place === asked ? 0 : window.setTimeout(look, SELDOM);
    const isNear = one && one.distance - one.radius <= NEAR;
    if (one?.id === shown?.id && isNear) return;
    shown = isNear ? one : null;
    if (!shown) return void fill(card);
    draw();
    if (covers.has(one.id)) return;
    covers.set(one.id, (await call('sights.get', { id: one.id }).catch(() => null))?.cover);
    if (shown === one && !signal.aborted) draw();
  }

  return (now) => {
    place = now;
    if (shown) showWhere();
    timer ||= window.setTimeout(look, SELDOM);
  };
}
