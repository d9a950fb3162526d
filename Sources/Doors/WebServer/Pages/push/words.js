/** The words in which the service worker shows notifications, because it cannot load the texts of the pages. */
import { keptTexts } from '../texts.js';

/** Keeps the words of the reader's language, where `service-worker.js` finds them. */
export async function keepWords() {
  const cache = await caches.open('words');
  const words = keptTexts(/^(told|news\.kind|push\.arrived)/);
  await cache.put('/words', new Response(JSON.stringify(words), { headers: { 'Content-Type': 'application/json' } }));
}
