/** The faces of the people who look at a plan now. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call } from '../rpc.js';
import { avatar } from '../ui.js';

/** The milliseconds after which a page says again that it is looked at; the daemon forgets it after 40 s. */
const AGAIN = 10_000;
/** The most faces that are shown. */
const MOST = 6;
/** The plan that is looked at.
 * @type {string | null} */
let looked = null;

/**
 * Shows who else looks at a plan, and tells them that this person does, as long as the page is seen.
 * @param {Page} page
 * @param {any} plan
 * @param {Element} place
 */
export async function showFaces(page, plan, place) {
  await addTexts('together');
  if (page.signal.aborted) return;
  looked = plan.id;
  let drawn = '';
  /** @param {Person[]} people */
  const draw = (people) => {
    if (drawn === JSON.stringify(people)) return;
    drawn = JSON.stringify(people);
    const first = people.slice(0, MOST);
    const names = first.map(({ name }) => name).join(', ');
    fill(place, people.length ? [first.map((person) => h('span', { title: person.name }, avatar(person, 'small'))),
      h('small', t('faces', { n: people.length, names }))] : null);
  };
  const look = async () => {
    if (document.hidden) return;
    const answer = await call('plans.look', { plan: plan.id }).catch(() => ({ people: [] }));
    if (!page.signal.aborted) draw(answer.people);
  };
  const leave = () => call('plans.look', { plan: plan.id, leaving: true }).catch(() => {});
  const timer = setInterval(look, AGAIN);
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : look()), { signal: page.signal });
  page.signal.addEventListener('abort', () => {
    clearInterval(timer);
    looked = null;
    // A page that is drawn again is still looked at.
    setTimeout(() => { if (looked !== plan.id) leave(); }, 1000);
  });
  await look();
}
