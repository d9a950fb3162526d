/** The shell: finds out who is signed in, shows the page for the current address, and listens to events. */
import { h, fill, icon } from './dom.js';
import { t, loadTexts, addTexts } from './texts.js';
import { call, connection, keepFor, forget, outbox, staleSince, Offline, Refused } from './rpc.js';
import { events, listen, listenAnew } from './events.js';
import { me, empty, button, tell, avatar, head, buttonLink } from './ui.js';
import { unescapePart } from './paths.js';
import { clock } from './format.js';

/** Address patterns and the modules that show them; `true` if the page is only for signed-in people. */
const routes = [
  ['/now', () => import('./pages/now.js')],
  ['/sights', () => import('./pages/sights.js')],
  ['/sights/:id', () => import('./pages/sight.js')],
  ['/trips', () => import('./pages/trips.js')],
  ['/trips/:id', () => import('./pages/trip.js')],
  ['/history', () => import('./pages/history.js')],
  ['/history/year/:year', () => import('./pages/year.js')],
  ['/history/:day', () => import('./pages/history-day.js')],
  ['/reports', () => import('./pages/reports.js')],
  ['/plans', () => import('./pages/plans.js'), true],
  ['/plans/:id', () => import('./pages/plan.js')],
  ['/plans/:id/story', () => import('./pages/story.js')],
  ['/plans/:id/:part', () => import('./pages/plan.js')],
  ['/locations/:id', () => import('./pages/location.js')],
  ['/activities/:id', () => import('./pages/location.js')],
  ['/explore', () => import('./pages/explore.js')],
  ['/votes', () => import('./pages/votes.js'), true],
  ['/votes/:id', () => import('./pages/vote.js'), true],
  ['/feed', () => import('./pages/feed.js')],
  ['/posts/:id', () => import('./pages/post.js')],
  ['/products/:id', () => import('./pages/product.js')],
  ['/pictures/:id', () => import('./pages/picture.js')],
  ['/shopping', () => import('./pages/shopping.js'), true],
  ['/ranking', () => import('./pages/ranking.js')],
  ['/people', () => import('./pages/people.js'), true],
  ['/people/:id', () => import('./pages/person.js')],
  ['/notifications', () => import('./pages/notifications.js'), true],
  ['/profile', () => import('./pages/profile.js'), true],
  ['/machine', () => import('./pages/machine.js'), true],
  ['/sign-in', () => import('./pages/sign-in.js')],
  ['/sign-up', () => import('./pages/sign-up.js')],
  ['/welcome', () => import('./pages/welcome.js')],
  ['/join/:id', () => import('./pages/sign-up.js')],
  ['/s/:id', () => import('./pages/link.js')],
  ['/s/:link/story', () => import('./pages/story.js')],
  ['/f/:id', () => import('./pages/follow.js')],
];

const menu = () => [
  ['/now', 'now'], ['/trips', 'trips'], ['/plans', 'plans'], ['/feed', 'feed'], ['/votes', 'votes'],
  ['/sights', 'sight'], ['/history', 'history'], ['/reports', 'reports'], ['/explore', 'explore'],
  ['/ranking', 'ranking'], ['/people', 'people'],
  ...(me.admin ? [['/machine', 'machine']] : []),
];

const main = h('main', { id: 'main' });
const side = h('nav.side');
const foot = h('nav.foot');
const bell = h('a', { href: '/notifications', class: 'icon-button bell' });
const account = h('div.account');
const line = h('p.line', { role: 'status', hidden: true });
/** Aborts the work of the current page when another page is shown. */
let leaving = new AbortController();

async function start() {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'auto';
  // Load everything that the first view needs in parallel.
  const asked = call('people.whoami');
  asked.catch(() => {});
  if (/^\/(now)?$/.test(location.pathname)) {
    Promise.all([import('./pages/now.js'), import('./map.js')]).then(([, map]) => map.prepareMap()).catch(() => {});
  }
  await loadTexts();
  side.setAttribute('aria-label', t('nav'));
  foot.setAttribute('aria-label', t('nav'));
  document.body.append(
    h('a.skip', { href: '#main' }, t('skip')),
    h('header.top',
      h('a', { href: '/now', class: 'brand' }, icon('sight'), h('span', 'Waymark')), line,
      h('div.top-end', bell, account)),
    h('div.frame', side, main), foot, h('div', { id: 'toast', role: 'status', 'aria-live': 'polite' }));
  document.addEventListener('click', clicked);
  window.addEventListener('popstate', () => show());
  connection.addEventListener('offline', connectionLine);
  // Reload the page, unless a form contains input that would be lost.
  connection.addEventListener('online', () => { connectionLine(); if (!main.querySelector('[data-touched]')) show(); });
  // Changes that waited have gone in.
  connection.addEventListener('sent', () => {
    if (!document.querySelector('dialog[open], main [data-touched]')) show(true);
  });
  events.addEventListener('lost', () => { line.dataset.lost = 'yes'; connectionLine(); });
  events.addEventListener('open', () => {
    const was = line.dataset.lost;
    delete line.dataset.lost;
    connectionLine();
    if (was) countNews();
  });
  events.addEventListener('notification', () => countNews());
  await whoami(asked);
  if (localStorage.getItem('waits')) await outbox(); else setTimeout(outbox, 3000);
  listen();
  if ('serviceWorker' in navigator) {
    const version = new URL(import.meta.url).pathname.split('/')[2];
    // Register the service worker later, so that it does not compete with the first page.
    setTimeout(() => navigator.serviceWorker.register(`/service-worker.js?${version}`).catch(() => {}), 3000);
    navigator.serviceWorker.addEventListener('message', ({ data }) => { if (data?.open) go(data.open); });
  }
  show();
}

/** Finds out who is signed in, and shows the menu for that person.
 *
 * Without a connection, the last known person is assumed.
 * @param {Promise<any>} [asked] the call of `people.whoami`, if it has already started */
async function whoami(asked = call('people.whoami')) {
  try {
    const answer = await asked;
    const person = answer.person ?? null;
    keepFor(person?.id ?? '');
    localStorage.setItem('whoami', JSON.stringify(answer));
    Object.assign(me, { person, admin: Boolean(answer.admin && person) });
  } catch (error) {
    if (!(error instanceof Offline)) console.error(error);
    const kept = JSON.parse(localStorage.getItem('whoami') ?? '{}');
    Object.assign(me, { person: kept.person ?? null, admin: Boolean(kept.admin && kept.person) });
    keepFor(me.person?.id ?? '');
  }
  fill(account, me.person
    ? h('a', { href: '/profile', class: 'account-link', 'aria-label': t('nav.profile') }, avatar(me.person, 'small'))
    : [buttonLink('/sign-up', t('sign.up'), undefined, 'small'),
      buttonLink('/sign-in', t('sign.in'), undefined, 'small primary')]);
  bell.hidden = !me.person;
  const entries = menu();
  const entry = (/** @type {string[]} */ [href, name]) => h('a', { href }, icon(name), h('span', t(`nav.${name}`)));
  fill(side, entries.map(entry));
  const all = h('details.foot-more',
    h('summary', icon('more'), h('span', t('nav.more'))), h('div', entries.slice(4).map(entry)));
  fill(foot, entries.slice(0, 4).map(entry), all);
  countNews();
}

async function countNews() {
  if (!me.person) return;
  try {
    showNews((await call('notifications.badge')).count);
  } catch {
    // The status line already reports a lost connection.
  }
}

/** Shows the number of unread notifications at the bell.
 * @param {number} count */
function showNews(count) {
  fill(bell, icon('bell'), count ? h('span.count', count > 99 ? '99+' : count) : null);
  bell.setAttribute('aria-label', count ? t('nav.news', { n: count }) : t('nav.bell'));
}

function connectionLine() {
  const since = staleSince ? clock(new Date(staleSince).toISOString()) : null;
  const lost = line.dataset.lost || since;
  line.hidden = !lost;
  fill(line, lost && (since ? t('offline.since', { time: since }) : t('offline')));
}

/** Shows another page of this site.
 * @param {string} address
 * @param {boolean} [replaces] whether the page replaces the current one in the history */
export function go(address, replaces = false) {
  history[replaces ? 'replaceState' : 'pushState'](null, '', address);
  show();
}

/** Opens links to pages of this site without loading a document.
 * @param {MouseEvent} event */
function clicked(event) {
  const link = event.target instanceof Element && event.target.closest('a');
  for (const open of document.querySelectorAll('.foot-more[open]')) {
    if (!open.contains(/** @type {Node} */ (event.target)) || link) open.removeAttribute('open');
  }
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey
    || link.target || link.hasAttribute('download')) return;
  const address = new URL(link.href);
  if (address.origin !== location.origin || /^\/(photos|export|calendar|tiles)\//.test(address.pathname)) return;
  if (link.classList.contains('skip')) {
    event.preventDefault();
    main.querySelector('h1')?.focus();
    return;
  }
  event.preventDefault();
  go(address.pathname + address.search);
}

/** Whether the page is to be drawn anew as soon as nobody types any more in the one on the screen. */
let isDue = false;

/** Shows the page for the current address.
 *
 * Who begins to type while a quiet page is read goes on typing, and the page is drawn afterwards.
 * @param {boolean} [isQuiet] whether it is the same page with what is new, which stays where people look */
async function show(isQuiet) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  if (location.pathname === '/') history.replaceState(null, '', '/now');
  const parts = location.pathname.split('/').slice(1);
  /** @type {Record<string, string>} */
  let params = {};
  const route = routes.find(([pattern]) => {
    const wanted = String(pattern).split('/').slice(1);
    params = {};
    return wanted.length === parts.length && wanted.every((part, n) =>
      part[0] === ':' ? (params[part.slice(1)] = unescapePart(parts[n])) : part === parts[n]);
  });
  for (const link of document.querySelectorAll('.side a, .foot a')) {
    const is = link.getAttribute('href') === `/${parts[0]}`;
    if (is) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  document.body.dataset.page = parts[0];
  const page = h('div.page');
  /** @type {Page} */
  const context = {
    main: page, params, query: new URLSearchParams(location.search), signal, go, whoami: () => whoami(),
    showNews, forget, listenAnew, refresh: () => show(),
    redraw: () => show(true),
    title: (name) => { document.title = `${name} · Waymark`; },
    on: (type, heard) => events.addEventListener(
      type, (event) => heard(/** @type {CustomEvent} */ (event).detail), { signal }),
  };
  isDue &&= Boolean(isQuiet);
  let typed = isDue;
  /** @param {Event} event */
  const heard = ({ type }) => {
    typed = type === 'input';
    isDue &&= typed;
  };
  for (const type of ['input', 'submit']) main.addEventListener(type, heard, { signal });
  if (!isQuiet) main.setAttribute('aria-busy', 'true');
  try {
    if (!route) {
      fill(page, head(t('nothing.title')), empty(t('nothing'), buttonLink('/now', t('nothing.map'))));
    } else if (route[2] && !me.person) {
      fill(page, head(t(`nav.${parts[0].replace('notifications', 'bell')}`)), empty(t('sign.first'),
        buttonLink(`/sign-in?to=${encodeURIComponent(location.pathname)}`, t('sign.in'), undefined, 'primary'),
        buttonLink('/sign-up', t('sign.up'))));
    } else {
      const load = /** @type {() => Promise<any>} */ (route[1]);
      const [module] = await Promise.all([load(), parts[0] === 'now' ? null : addTexts('pages')]);
      if (signal.aborted) return;
      await module.show(context);
    }
  } catch (error) {
    if (signal.aborted) return;
    const missing = error instanceof Refused && error.code === 1;
    const words = h('p', t('nothing.seen'));
    if (!missing) tell(words, error);
    fill(page, head(missing ? t('nothing.title') : t('error.title')),
      h('div.empty', words, button({ label: t('again'), onclick: () => show() })));
  }
  if (signal.aborted) return;
  const first = !main.firstChild;
  if (isQuiet) {
    const { replace, types } = await import('./live.js');
    isDue = typed && types(main);
    if (!isDue) return replace(main, page);
    // What is new is read again then.
    const timer = setInterval(() => { if (!types(main)) show(true); }, 1000);
    return signal.addEventListener('abort', () => clearInterval(timer));
  }
  fill(main, page);
  main.removeAttribute('aria-busy');
  page.dispatchEvent(new Event('shown'));
  // What people open from the first view may need the other texts.
  if (parts[0] === 'now') addTexts('pages').catch(() => {});
  main.querySelector('.tabs [aria-current]')?.scrollIntoView({ inline: 'center' });
  window.scrollTo(0, 0);
  if (!first) main.querySelector('h1')?.focus({ preventScroll: true });
}

start();
