/**
 * Fetches what the map of the page Now needs while the scripts of the page are still on their way. It runs before any
 * module, so that the files come side by side and not each after the one that imports it.
 */
if (/^\/(now)?$/.test(location.pathname)) {
  const base = /** @type {HTMLScriptElement} */ (document.currentScript).src.replace(/[^/]*$/, '');
  const fetchEarly = (/** @type {Record<string, string>} */ attributes) =>
    document.head.append(Object.assign(document.createElement('link'), attributes));
  fetchEarly({ rel: 'preload', as: 'script', href: `${base}lib/maplibre/maplibre-gl.js` });
  for (const name of [
    'pages/now', 'map', 'map/view', 'map/style', 'map/palette', 'map/words', 'map/surfaces', 'map/ways', 'map/names',
    'map/shapes', 'map/speeds', 'map/tiles', 'map/schemas', 'map/openmaptiles', 'map/protomaps', 'map/shortbread',
    'map/letters', 'map/pictures', 'map/snapshot', 'map/pins', 'map/marks', 'map/world', 'now/devices',
  ]) fetchEarly({ rel: 'modulepreload', href: `${base}${name}.js` });
}
