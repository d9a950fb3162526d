/** Caches the files of the pages, so that they open without a connection. The pages themselves keep answers. */

const NAME = `waymark-${self.location.search.slice(1)}`;
const VERSION = self.location.search.slice(1);
const SHELL = [
  'bookings/bytes.js', 'bookings/calendar.js', 'bookings/drop.js', 'bookings/files.js', 'bookings/mail.js',
  'bookings/preview.js', 'bookings/reservations.js', 'bookings/times.js', 'now/passing.js', 'now/sounds.js',
  'places.js', 'texts/boards.de.js', 'texts/boards.en.js',
  'texts/bookings.de.js', 'texts/bookings.en.js', 'texts/near.de.js', 'texts/near.en.js', 'bookings/bookings.css',
  'now/passing.css',
  'anchor.js', 'app.js', 'bin.js', 'csv.js', 'decimal.js', 'dom.js', 'drafts.js', 'drawing/editor.js',
  'drawing/figure.js', 'drawing/handles.js', 'drawing/positions.js', 'drawing/rules.js', 'events.js', 'explain.js',
  'first.js', 'follow-me.js', 'form.js', 'format.js', 'gpx.js', 'growing.js', 'histories.js', 'lengths.js', 'live.js',
  'map.js', 'map/keep.js', 'map/letters.js', 'map/marks.js', 'map/names.js', 'map/openmaptiles.js', 'map/palette.js',
  'map/pictures.js', 'map/pins.js', 'map/protomaps.js', 'map/schemas.js', 'map/shapes.js', 'map/shortbread.js',
  'map/snapshot.js',
  'map/speeds.js', 'map/style.js', 'map/surfaces.js', 'map/tiles.js', 'map/view.js', 'map/ways.js', 'map/words.js',
  'map/world.js', 'speeds.js', 'merge.js', 'now/around.js', 'now/closest.js', 'now/devices.js',
  'now/fleet.js', 'now/news.js',
  'now/today.js', 'now/visitor.js', 'order.js', 'pages/add-phone.js', 'pages/explore.js', 'pages/feed.js',
  'pages/follow.js', 'pages/heat.js', 'pages/history-day.js', 'pages/history.js', 'pages/invitations.js',
  'pages/link.js', 'pages/location.js',
  'pages/machine-boards.js', 'pages/machine-groups.js', 'pages/machine-maps.js',
  'pages/machine.js', 'pages/notifications.js', 'pages/now.js',
  'pages/people.js', 'pages/person.js', 'pages/picture.js', 'pages/plan-days.js', 'pages/plan-history.js',
  'pages/plan-journey.js', 'pages/plan-lists.js', 'pages/plan-locations.js', 'pages/plan-money.js',
  'pages/plan-people.js',
  'pages/plan-photos.js', 'pages/plan.js', 'pages/plans.js', 'pages/post.js', 'pages/product.js', 'pages/profile.js',
  'pages/ranking.js', 'pages/reports.js', 'pages/shopping.js', 'pages/sight.js', 'pages/sights.js',
  'pages/sign-in.js', 'pages/sign-up.js', 'pages/story.js', 'pages/trip.js', 'pages/trips.js', 'pages/vote.js',
  'pages/votes.js', 'pages/welcome.js', 'pages/year.js', 'paths.js', 'plan-forms.js', 'planning/chapters.js',
  'planning/answers.js', 'planning/choices.js', 'planning/clocks.js', 'planning/days.js', 'planning/entry.js',
  'planning/faces.js', 'planning/legs.js', 'planning/oneline.js', 'planning/overlaps.js', 'planning/polls.js',
  'planning/quick.js', 'planning/shift.js', 'planning/swap.js', 'planning/undoing.js', 'push/push.js', 'push/words.js',
  'player/camera.js', 'player/list.js', 'player/passing.js', 'player/player.js',
  'player/timeline.js', 'player/zones.js', 'rpc.js', 'sheets.js', 'sight-form.js', 'social.js', 'texts.js',
  'texts/de.js', 'texts/drawing.de.js', 'texts/drawing.en.js', 'texts/en.js', 'texts/fleet.de.js',
  'texts/fleet.en.js', 'texts/groups.de.js', 'texts/groups.en.js', 'texts/keep.de.js', 'texts/keep.en.js',
  'texts/kinds.de.js', 'texts/kinds.en.js', 'texts/pages.de.js', 'texts/pages.en.js', 'texts/player.de.js',
  'texts/player.en.js', 'texts/push.de.js', 'texts/push.en.js', 'texts/story.de.js', 'texts/story.en.js',
  'texts/today.de.js', 'texts/today.en.js', 'texts/visitor.de.js', 'texts/visitor.en.js',
  'texts/together.de.js', 'texts/together.en.js',
  'texts/welcome.de.js', 'texts/welcome.en.js', 'texts/year.de.js', 'texts/year.en.js', 'ui.js', 'waiting.js',
  'outbox/mark.js', 'outbox/objects.js', 'outbox/outbox.js', 'outbox/sending.js',
  'outbox/settlement.js', 'outbox/sheet.js', 'outbox/shifts.js', 'outbox/shown.js', 'outbox/store.js',
  'outbox/sums.js', 'texts/outbox.de.js', 'texts/outbox.en.js', 'upload.js',
  'ways.js', 'year/world.js', 'zones.js', 'style.css', 'map.css', 'drawing/drawing.css', 'now/fleet.css',
  'planning/together.css',
  'player/player.css', 'print.css', 'story/story.css', 'year/year.css',
];
const FIXED = ['/', '/world.json', '/tiles.json', '/favicon.svg'];
/** The map library, which is missing where nobody has installed it. */
const LIBRARY = ['maplibre-gl.js', 'maplibre-gl.css', 'maplibre-gl-worker.js'];

self.addEventListener('install', (event) => event.waitUntil((async () => {
  const cache = await caches.open(NAME);
  await Promise.allSettled([
    ...FIXED, ...SHELL.map((file) => `/assets/${VERSION}/${file}`),
    ...LIBRARY.map((file) => `/assets/${VERSION}/lib/maplibre/${file}`),
  ].map((url) => cache.add(url)));
  await self.skipWaiting();
})()));

self.addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== NAME && name.startsWith('waymark-')) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (/^\/assets\//.test(url.pathname)) event.respondWith(keptFirst(request));
  else if (/^\/tiles\//.test(url.pathname)) event.respondWith(tile(request));
  else if (/^\/lib\//.test(url.pathname) || FIXED.includes(url.pathname)) event.respondWith(newestFirst(request));
});

/** Fetches a page, or returns the cached shell if the server cannot be reached. */
async function page(request) {
  const cache = await caches.open(NAME);
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await cache.match('/');
    if (kept && !/^\/(export|photos|calendar)\//.test(new URL(request.url).pathname)) return kept;
    throw error;
  }
}

/** The time in milliseconds after which a kept tile is shown, although the server may still answer. */
const PATIENCE = 3000;

/** Fetches a tile of the map, or returns that of an area that is kept. */
async function tile(request) {
  const kept = await caches.match(request);
  if (!kept) return fetch(request);
  const late = new Promise((resolve) => { setTimeout(() => resolve(kept), PATIENCE); });
  const fresh = fetch(request).then((answer) => (answer.status < 500 ? answer : kept), () => kept);
  return Promise.race([fresh, late]);
}

async function keptFirst(request) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) cache.put(request, answer.clone());
  return answer;
}

async function newestFirst(request) {
  const cache = await caches.open(NAME);
  try {
    const answer = await fetch(request);
    if (answer.ok) cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

// Notifications that come by web push.

self.addEventListener('push', (event) => event.waitUntil(tell(event.data)));

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data?.id));
});

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));

/** Shows a notification; browsers take the right away from those that show none.
 * @param {any} data */
async function tell(data) {
  let one = {};
  try {
    one = data?.json() ?? {};
  } catch {
    // It is not from this version: the notification centre has it.
  }
  const words = await keptWords();
  await self.registration.showNotification(words.texts[`news.kind.${one.kind}`] ?? 'Waymark', {
    body: plain(one.kind === 'test' ? words.texts['push.arrived'] ?? '' : written(one, words)), lang: words.language,
    icon: '/favicon.svg', tag: one.tag ?? one.id ?? 'waymark', renotify: true, data: { id: one.id },
    timestamp: Date.parse(one.time) || Date.now(),
  });
}

/** Returns the words that the pages keep; see `push/words.js`. */
async function keptWords() {
  const kept = await (await caches.open('words')).match('/words');
  return kept ? kept.json() : { language: 'en', texts: {}, phrases: [] };
}

/** Returns the text of a notification in the reader's language, as the notification centre writes it. */
function written({ kind, text = '', count: n, people = [], about }, words) {
  const has = (key) => key in words.texts;
  if (n === undefined || !has(`told.${kind}`)) return withDays(translated(text, words), words);
  const [first, second] = people.map(({ name }) => escaped(name));
  const who = !first ? filled('told.some', { n }, words)
    : n === 1 ? first
      : n === 2 && second ? filled('told.two', { first, second }, words)
        : filled('told.more', { first, n: n - 1 }, words);
  const what = about ? escaped(about) : has(`told.${kind}.other`) ? words.texts[`told.${kind}.other`] : '';
  return filled(`told.${kind}`, { who, n, what }, words);
}

/** Returns a sentence of the daemon in the reader's language. */
function translated(sentence, { phrases }) {
  for (const [source, own] of phrases) {
    const match = new RegExp(source, 's').exec(sentence);
    if (match) return own.replace(/\{(\d)\}/g, (_, n) => match[Number(n) + 1]);
  }
  return sentence;
}

/** Returns a text in which days read as people write them, as `withDays` of `format.js` does. */
function withDays(text, { language }) {
  const format = new Intl.DateTimeFormat(language,
    { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  const day = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
  return text.replace(new RegExp(`\\b(${day})(?:/(${day}))?\\b`, 'g'), (_, ...days) =>
    days.slice(0, 2).filter(Boolean).map((one) => format.format(new Date(`${one}T12:00Z`))).join(' – '));
}

/** Returns a text with its values, as `t` of `texts.js` does. */
const filled = (key, values, { texts, language }) => texts[key]
  .replace(/\{(\w+)#([^#]*)#((?:[^{}]|\{\w+\})*)\}/g, (_, name, one, other) =>
    (new Intl.PluralRules(language).select(values[name]) === 'one' ? one : other))
  .replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Returns a text without its emphasis. */
const plain = (text) =>
  text.replace(/<\/?b>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

/** Opens the page of a notification, in the window of the pages if there is one.
 * @param {string} [id] */
async function show(id) {
  const address = id ? `/notifications?open=${encodeURIComponent(id)}` : '/notifications';
  const windows = await self.clients.matchAll({ type: 'window' });
  const shown = windows.find((one) => one.focused) ?? windows.find((one) => one.visibilityState === 'visible')
    ?? windows[0];
  if (!shown) return self.clients.openWindow(address);
  // The window is not loaded anew, so that nothing typed is lost.
  shown.postMessage({ open: address });
  return shown.focus();
}

/** Tells the daemon that the browser has another address now. */
async function subscribeAgain(event) {
  const key = event.oldSubscription?.options?.applicationServerKey;
  const now = event.newSubscription
    ?? (key && await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  if (!now) return;
  const { endpoint, keys } = now.toJSON();
  await fetch('/rpc', {
    method: 'POST', credentials: 'same-origin', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'push.subscribe', params: { endpoint, p256dh: keys.p256dh, auth: keys.auth },
    }),
  });
}
