/** The sights that are closest to a device, on the page Now. */
import { h, fill, icon } from '../dom.js';
import { t } from '../texts.js';
import { read, Refused } from '../rpc.js';
import { distance } from '../format.js';
import { path } from '../paths.js';

/** Shows the closest sights.
 * @param {HTMLElement} heading @param {HTMLElement} list
 * @param {{fix: any, device?: string, title?: string, isOwn: boolean, middle: {lat: number, lon: number},
 *   signal: AbortSignal}} where the device and its fix; without a fix the middle of the map */
export async function showClosest(heading, list, { fix, device, title, isOwn, middle, signal }) {
  const answer = await read('sights.nearest', fix ? { device: fix.device ?? device } : middle)
    .catch((error) => {
      if (error instanceof Refused) return { nearest: [] };
      throw error;
    });
  if (signal.aborted) return;
  // Without a fix, these are the sights around the middle of the map, so their distances mean nothing.
  fill(heading, t(!fix ? 'nav.sight' : isOwn ? 'now.closest' : 'now.closestto', { device: title ?? '' }));
  fill(list, answer.nearest.map((sight) => {
    const arrow = icon('now');
    arrow.style.transform = `rotate(${sight.bearing}deg)`;
    return h('li.row', h('a', { class: 'row-link', href: path('sights', sight.id) },
      h('span.row-text', h('strong', sight.title), sight.category && h('small', sight.category)),
      fix && h('span.row-end', distance(sight.distance), h('small', arrow, ' ', t(`compass.${sight.compass}`)))));
  }));
  if (!answer.nearest.length) fill(list, h('li.row', t('now.nosights')));
}
