/** The read-only page of a link: a plan or one of its locations, without signing in. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, Refused } from '../rpc.js';
import { head, section, badge, empty, photo, dialog, buttonLink } from '../ui.js';
import { span, plainDay } from '../format.js';
import { momentIn, plannedIn } from '../zones.js';
import { makeMap } from '../map.js';
import { path } from '../paths.js';
import { itemRow, placed } from './plan.js';

/** What the last link shows: its story does not open, and count, it again. */
const last = { link: '', plan: /** @type {any} */ (null) };

/** Returns what a link shows; null if it shows nothing any more.
 * @param {string} link */
async function open(link) {
  try {
    Object.assign(last, { link, plan: await call('links.open', { link }) });
    return last.plan;
  } catch (error) {
    if (!(error instanceof Refused) || ![1, 4].includes(error.code)) throw error;
    return null;
  }
}

/** Returns what a link shows, as it was last opened here.
 * @param {string} link */
export const openedLink = async (link) => (last.link === link ? last.plan : open(link));

/** Says that a link shows nothing any more.
 * @param {Page} page */
export function goneLink(page) {
  page.title(t('link.gone'));
  fill(page.main, head(t('link.gone')), empty(t('link.gone.note'), buttonLink('/now', 'Waymark')));
}

/** @param {Page} page */
export async function show(page) {
  const plan = await open(page.params.id);
  if (!plan) return goneLink(page);
  page.title(plan.title);
  const marked = placed(plan.locations);
  const line = marked.map(({ lat, lon }) => [lat, lon]);
  let map = null;
  if (line.length) {
    map = await makeMap({ label: t('plan.map'), class: 'tall', signal: page.signal });
    const drawn = map.layer();
    drawn.line('way-plan', line);
    for (const one of marked) {
      drawn.pin([one.lat, one.lon],
        { kind: one.passed ? 'passed' : 'location', title: one.name, text: one.number });
    }
    map.fit(line, 13);
  }
  const zone = plan.start?.zone;
  // The daemon serves these photos only below the address of the link.
  const of = `/s/${encodeURIComponent(page.params.id)}`;
  /** @param {any} one */
  const named = (one) =>
    one.caption ?? plan.locations.find((/** @type {{id: string}} */ { id }) =>
      one.subject === `location/${id}`)?.name ?? plan.title;
  /** @param {any} one */
  const view = (one) =>
    dialog(named(one), photo(one.id, named(one), { whole: true, class: 'photo whole', of })).classList.add('wide');
  fill(page.main,
    head(plan.title, {
      note: [
        [span(plan.start, plan.end), plan.destination].filter(Boolean).join(' · '), ' ', badge(t('link.readonly')),
      ],
    }),
    plan.days.length + plan.locations.length > 1 ? h('div.actions',
      buttonLink(path('s', page.params.id, 'story'), t('story'), 'feed', 'small')) : null,
    plan.description && h('p.prose', plan.description), map?.element,
    plan.locations.length ? section(t('plan.locations'), h('ol.rows',
      plan.locations.map((/** @type {any} */ one, /** @type {number} */ n) => h('li.row',
      photo(one.picture, one.name, { class: 'photo thumb', of }),
      h('span.row-text', h('strong', `${n + 1}. ${one.name}`),
        h('small', [plannedIn(one.from), one.address].filter(Boolean).join(' · ')),
        one.description && h('span', one.description)),
      one.passed ? badge(t('location.passed', { time: momentIn(one.passed, zone) }), 'good') : null)))) : null,
    plan.photos.length ? section(t('plan.photos'), h('ul.gallery', plan.photos.map((/** @type {any} */ one) => h('li',
      h('button', {
        type: 'button', onclick: () => view(one), 'aria-label': t('photo.open', { name: named(one) }),
      }, photo(one.id, '', { of })),
      one.caption && h('small', one.caption))))) : null,
    plan.days.map((/** @type {ItineraryDay} */ day) => section(day.day ? plainDay(day.day) : t('plan.noday'),
      h('ul.rows', day.items.map((/** @type {Activity} */ item) => itemRow(item))))));
}
