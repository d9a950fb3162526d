/** What the page Now tells beside the map: the votes around here, and what happened. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, section, when, badge, told } from '../ui.js';
import { distance } from '../format.js';
import { path, pathOf } from '../paths.js';

/** The number of events that are told. */
const MOST = 12;

/**
 * Fills the votes and the events of the page.
 * @param {Element} votes
 * @param {Element} happened
 */
export function makeNews(votes, happened) {
  async function loadVotes() {
    if (!me.person) return;
    const answer = await read('votes.here').catch(() => null);
    fill(votes, answer?.votes.length ? section(t('now.votes'), h('ul.rows.dense', answer.votes.map(voteRow))) : null);
  }
  async function loadEvents() {
    const last = (await call('events.list', { limit: 1 }).catch(() => null))?.last ?? 0;
    const answer = await read('events.list', { after: Math.max(0, last - 40), limit: 60 }).catch(() => null);
    const events = (answer?.events ?? []).reverse().filter(tellingOf).slice(0, MOST);
    const rows = events.map(eventRow);
    fill(happened, rows.length ? rows : h('li.row', t('now.nothing')));
    await nameAll(events, rows);
  }
  return {
    loadVotes, loadEvents,
    /** Tells an event of the stream.
     * @param {any} event */
    hear(event) {
      if (tellingOf(event)) {
        const row = eventRow(event);
        happened.prepend(row);
        nameAll([event], [row]).catch(() => {});
        while (happened.children.length > MOST) happened.lastElementChild?.remove();
      }
      if ((event.geofence ?? event.notification ?? event).kind === 'vote') loadVotes();
    },
  };
}

/** @param {ListedVote} vote */
function voteRow(vote) {
  const dot = h('span.swatch');
  dot.dataset.colour = vote.colour;
  return h('li.row', h('a', { class: 'row-link', href: path('votes', vote.id) }, dot, h('span.row-text',
    h('strong', vote.subject), h('small', t('vote.voted', { n: vote.voted, all: vote.participants })))));
}

/** The subjects whose names a row needs: a plan or a vote of which a notification does not tell the name. */
const NAMED = /^(?:waymark:\/\/)?((?:activity|location|plan|post|sight|vote)\/.+)$/;

/** Returns the subject that an event is about and may not name as a whole, such as location/ID; or undefined.
 * @param {Happening} happening */
const subjectOf = ({ geofence, notification }) => (geofence
  ? /^(location|vote)$/.test(geofence.kind) ? `${geofence.kind}/${geofence.id}` : undefined
  : NAMED.exec(notification?.destination)?.[1]);

/** What subjects are called, and the plans of locations.
 * @type {Map<string, Promise<{title?: string, plan?: any}>>} */
const names = new Map();

/** Returns what a subject is called.
 * @param {string} subject */
async function nameOf(subject) {
  const [kind, id] = subject.split('/');
  if (kind === 'plan') return { title: (await call('plans.get', { plan: id })).title };
  if (kind === 'location') {
    const { name, plan } = await call('locations.get', { location: id });
    return { title: name, plan: { id: plan, title: (await call('plans.get', { plan })).title } };
  }
  if (kind === 'vote') return { title: (await call('votes.find', { vote: id })).subject };
  return { title: (await call('subjects.share', { subject })).title };
}

/** Adds to rows what their events belong to.
 * @param {any[]} events @param {any[]} rows */
async function nameAll(events, rows) {
  await Promise.all(events.map(async (event, n) => {
    const subject = subjectOf(event);
    if (!subject) return;
    if (!names.has(subject)) {
      // It may be asked again once there is a connection.
      names.set(subject, nameOf(subject).catch(() => (names.delete(subject), {})));
    }
    const { title, plan } = await names.get(subject) ?? {};
    const text = rows[n].querySelector('.row-text');
    /** @param {string | undefined} one */
    const isTold = (one) => !one || text.textContent.includes(one);
    const more = [!isTold(title) && h('span', title),
      !isTold(plan?.title) && h('a', { href: path('plans', plan.id) }, plan.title)].filter(Boolean);
    if (more.length) rows[n].append(h('small.belongs', more.length > 1 ? [more[0], ' · ', more[1]] : more));
  }));
}

/** @param {any} event */
function eventRow(event) {
  const telling = /** @type {any} */ (tellingOf(event));
  const text = h('span.row-text', h('span', telling.text));
  return h('li.row', telling.path ? h('a', { class: 'row-link', href: telling.path }, text) : text,
    h('small', when(event.time)));
}

/** Returns the text of an event and the address that it leads to; null for other events.
 * @param {any} event */
export function tellingOf(event) {
  const { type, geofence, trip, stop, notification } = event;
  const machine = me.admin ? '/machine' : null;
  if (notification) return { text: told(notification), path: pathOf(notification.destination) };
  if (geofence) {
    return { text: [t(`event.${type}`), ' ', h('b', geofence.title)],
      path: pathOf(`${geofence.kind}/${geofence.id}`) };
  }
  if (type === 'geofence.speed') {
    const text = t(event.max_speed === undefined ? 'event.speed' : 'event.speed.end');
    return { text: [badge(event.device), ' ', text], path: null };
  }
  if (trip) {
    const length = trip.distance && type === 'trip.end' ? ` (${distance(trip.distance)})` : '';
    return { text: [t(`event.${type}`), length], path: path('trips', trip.id) };
  }
  if (stop) return { text: t(`event.${type}`), path: null };
  if (type === 'health.changed') {
    const found = event.findings.map((/** @type {{text: string}} */ { text }) => text).join('; ');
    return { text: found || t('event.health.well'), path: machine };
  }
  if (type.startsWith('source.')) return { text: [badge(event.device), ' ', t(`event.${type}`)], path: machine };
  return null;
}
