/** The daemon's events as they come; the browser goes on where it fell asleep. */

const TYPES = [
  'position', 'geofence.enter', 'geofence.exit', 'geofence.dwell', 'geofence.cross', 'geofence.approach', 'trip.start', 'trip.end',
  'trip.revised', 'stop.start', 'stop.end', 'source.online', 'source.offline', 'notification',
];

/** Dispatches each event under its type and as `any`; `detail` is the event of the protocol. */
export const events = new EventTarget();

/** @type {EventSource | null} */
let source = null;
let last = '';
let retry = 0;

/** Listens from now on, as the person who is signed in now. */
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

// A page that nobody sees gives its connection back: a browser has but six, and a phone sleeps better.
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

/** Begins anew without what came before, since another person reads. */
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
