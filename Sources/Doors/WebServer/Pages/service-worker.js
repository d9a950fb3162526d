/** Caches the files of the pages, so that they open without a connection. The pages themselves keep answers. */

const NAME = `waymark-${self.location.search.slice(1)}`;
const VERSION = self.location.search.slice(1);
const SHELL = [
  'bookings/bytes.js', 'bookings/calendar.js', 'bookings/drop.js', 'bookings/files.js', 'bookings/mail.js',
  'bookings/preview.js', 'bookings/reservations.js', 'bookings/times.js', 'now/passing.js', 'now/sounds.js',
  'places.js',
  'texts/bookings.de.js', 'texts/bookings.en.js', 'texts/near.de.js', 'texts/near.en.js', 'bookings/bookings.css',
  'now/passing.css',
  'anchor.js', 'app.js', 'bin.js', 'csv.js', 'decimal.js', 'dom.js', 'drafts.js', 'drawing/editor.js',
  'drawing/figure.js', 'drawing/handles.js', 'drawing/positions.js', 'drawing/rules.js', 'events.js', 'explain.js',
  'follow-me.js', 'form.js', 'format.js', 'gpx.js', 'growing.js', 'histories.js', 'lengths.js', 'live.js', 'map.js',
  'map/keep.js', 'map/letters.js', 'map/marks.js', 'map/names.js', 'map/openmaptiles.js', 'map/palette.js',
  'map/pictures.js', 'map/pins.js', 'map/protomaps.js', 'map/schemas.js', 'map/shapes.js', 'map/shortbread.js',
  'map/speeds.js', 'map/style.js', 'map/surfaces.js', 'map/tiles.js', 'map/view.js', 'map/ways.js', 'map/words.js',
  'map/world.js', 'speeds.js', 'merge.js', 'now/around.js', 'now/devices.js', 'now/fleet.js', 'now/news.js',
  'now/today.js', 'order.js', 'pages/add-phone.js', 'pages/explore.js', 'pages/feed.js', 'pages/follow.js',
  'pages/heat.js', 'pages/history-day.js', 'pages/history.js', 'pages/link.js', 'pages/location.js',
  'pages/machine-groups.js', 'pages/machine-maps.js', 'pages/machine.js', 'pages/notifications.js', 'pages/now.js',
  'pages/people.js', 'pages/person.js', 'pages/picture.js', 'pages/plan-days.js', 'pages/plan-history.js',
  'pages/plan-journey.js', 'pages/plan-lists.js', 'pages/plan-locations.js', 'pages/plan-money.js',
  'pages/plan-people.js',
  'pages/plan-photos.js', 'pages/plan.js', 'pages/plans.js', 'pages/post.js', 'pages/product.js', 'pages/profile.js',
  'pages/ranking.js', 'pages/reports.js', 'pages/shopping.js', 'pages/sight.js', 'pages/sights.js',
  'pages/sign-in.js', 'pages/sign-up.js', 'pages/story.js', 'pages/trip.js', 'pages/trips.js', 'pages/vote.js',
  'pages/votes.js', 'pages/welcome.js', 'pages/year.js', 'paths.js', 'plan-forms.js', 'planning/chapters.js',
  'planning/answers.js', 'planning/clocks.js', 'planning/days.js', 'planning/entry.js', 'planning/faces.js',
  'planning/legs.js', 'planning/oneline.js', 'planning/overlaps.js', 'planning/polls.js', 'planning/quick.js',
  'planning/shift.js', 'player/camera.js', 'player/list.js', 'player/player.js',
  'player/timeline.js', 'player/zones.js', 'rpc.js', 'sheets.js', 'sight-form.js', 'social.js', 'texts.js',
  'texts/de.js', 'texts/drawing.de.js', 'texts/drawing.en.js', 'texts/en.js', 'texts/fleet.de.js',
  'texts/fleet.en.js', 'texts/groups.de.js', 'texts/groups.en.js', 'texts/keep.de.js', 'texts/keep.en.js',
  'texts/kinds.de.js', 'texts/kinds.en.js', 'texts/pages.de.js', 'texts/pages.en.js', 'texts/player.de.js',
  'texts/player.en.js', 'texts/story.de.js', 'texts/story.en.js', 'texts/today.de.js', 'texts/today.en.js',
  'texts/together.de.js', 'texts/together.en.js',
  'texts/welcome.de.js', 'texts/welcome.en.js', 'texts/year.de.js', 'texts/year.en.js', 'ui.js', 'waiting.js',
  'outbox/mark.js', 'outbox/objects.js', 'outbox/outbox.js', 'outbox/sending.js', 'outbox/sheet.js', 'outbox/shown.js',
  'outbox/store.js', 'texts/outbox.de.js', 'texts/outbox.en.js', 'upload.js',
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
