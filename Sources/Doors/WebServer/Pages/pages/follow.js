/** The page of a link that shows where a device is until the link ends, without signing in. */
import { h, fill } from '../dom.js';
import { addTexts, t } from '../texts.js';
import { call, Refused } from '../rpc.js';
import { head, empty, buttonLink } from '../ui.js';
import { duration, moment, speed } from '../format.js';
import { makeMap, lines } from '../map.js';

/** How often the page asks where the device is, in milliseconds. */
const EVERY = 5_000;

/** @param {Page} page */
export async function show(page) {
  await addTexts('groups');
  let isAgain = false;
  /**
   * What the page shows of the going trip: its beginning and its points.
   * @type {{begin?: string, points: any[]}}
   */
  let way = { points: [] };
  /** @returns {Promise<OpenedFollowing>} */
  const ask = async () => {
    const after = way.points.at(-1)?.time;
    const answer = await call('follow.open', { link: page.params.id, again: isAgain, ...(after ? { after } : {}) });
    isAgain = true;
    // What comes is the rest of the way, unless another trip is going now.
    if (answer.way_begin !== way.begin) {
      way = { begin: answer.way_begin, points: [] };
      if (after && way.begin) return ask();
    }
    way.points.push(...answer.way);
    return answer;
  };
  const gone = () => {
    page.title(t('link.gone'));
    fill(page.main, head(t('link.gone')), empty(t('follow.gone'), buttonLink('/now', 'Waymark')));
  };
  /** @param {any} error */
  const isGone = (error) => error instanceof Refused && [1, 4].includes(error.code);
  /** @type {OpenedFollowing} */
  let found;
  try {
    found = await ask();
  } catch (error) {
    if (!isGone(error)) throw error;
    return void gone();
  }
  page.title(found.title);
  const map = await makeMap({ label: t('follow.map', { name: found.title }), class: 'tall', signal: page.signal });
  if (page.signal.aborted) return;
  const mark = map.device();
  const layer = map.layer();
  const left = h('p', { role: 'status' });
  const facts = h('p.page-note');
  let hasPlace = false;

  function draw() {
    fill(left, t('follow.left', { time: duration(found.left), end: moment(found.ends) }));
    if (found.lat === undefined) return void fill(facts, t('follow.nofix'));
    mark.move(found);
    layer.clear();
    const drawn = lines([...way.points, ...(way.points.length ? [found] : [])]);
    if (drawn.length) layer.line('way', drawn);
    if (!hasPlace) map.see([found.lat, /** @type {number} */ (found.lon)]);
    hasPlace = true;
    const words = [found.time && moment(found.time), !found.old && found.speed !== undefined && speed(found.speed),
      found.old && t('follow.old')];
    fill(facts, words.filter(Boolean).join(' · '));
  }

  draw();
  fill(page.main, head(found.title), left, map.element, facts);
  const timer = setInterval(async () => {
    try {
      found = await ask();
      if (!page.signal.aborted) draw();
    } catch (error) {
      // While there is no network, the page shows what it knows.
      if (!isGone(error)) return;
      clearInterval(timer);
      if (!page.signal.aborted) gone();
    }
  }, EVERY);
  page.signal.addEventListener('abort', () => clearInterval(timer));
}
