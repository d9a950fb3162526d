/** The stream of the daemon's events. After an interruption it resumes behind the last received event. */

const TYPES = [
  'position', 'geofence.enter', 'geofence.exit', 'geofence.dwell', 'geofence.cross', 'geofence.approach',
  'geofence.speed', 'trip.start', 'trip.end', 'trip.revised', 'stop.start', 'stop.end', 'source.online',
  'source.offline', 'health.changed', 'notification', 'subject.changed', 'subject.removed',
];

/** Dispatches each event of the daemon twice: under its type, and as `any`. `detail` is the event of the protocol.
 *
 * It also dispatches `open` and `lost` when the connection changes, and `reset` when the stream starts over. */
export const events = new EventTarget();

/** @type {EventSource | null} */
let source = null;
let last = '';
let retry = 0;

/** Opens the stream as the person who is signed in now. */
export function listen() {
  clearTimeout(retry);
  source?.close();
  const query = new URLSearchParams({ types: TYPES.join(',') });
  if (last) query.set('after', last);
  source = new EventSource(`/events?${query}`);
  for (const type of TYPES) source.addEventListener(type, heard);
  source.addEventListener('reset', () => {
    last = '';
    events.dispatchEvent(new CustomEvent('reset'));
  });
  source.onopen = () => events.dispatchEvent(new CustomEvent('open'));
  source.onerror = () => {
    events.dispatchEvent(new CustomEvent('lost'));
    if (source?.readyState === EventSource.CLOSED) {
      clearTimeout(retry);
      retry = window.setTimeout(listen, 5000);
    }
  };
}

// A hidden page closes its stream after 5 s: a browser allows six connections per host, and a phone saves power.
let hiding = 0;
window.addEventListener('pagehide', stop);
window.addEventListener('pageshow', (event) => { if (event.persisted) listen(); });
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = window.setTimeout(stop, 5000);
  else if (!source) listen();
});

function stop() {
  clearTimeout(retry);
  source?.close();
  source = null;
}

/** Reopens the stream without resuming, because another person has signed in or out. */
export function listenAnew() {
  last = '';
  listen();
}

/** @param {MessageEvent} message */
function heard(message) {
  if (message.lastEventId) last = message.lastEventId;
  const detail = JSON.parse(message.data);
  events.dispatchEvent(new CustomEvent(message.type, { detail }));
  events.dispatchEvent(new CustomEvent('any', { detail }));
}
