/** A map of the pages, drawn by MapLibre GL JS, which is loaded with the first map. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { button, dialog } from '../ui.js';
import { units } from '../format.js';
import { calm, script } from '../map.js';
import { styleOf, WORLD_END } from './style.js';
import { isDark } from './palette.js';
import { describe, covers, fetchTile } from './tiles.js';
import { fetchLetters } from './letters.js';
import { givePictures } from './pictures.js';
import { Shapes } from './shapes.js';
import { makePin, makeCluster, makeDevice, Clusters } from './pins.js';
import { Marks } from './marks.js';
import { worldOf, noWorld } from './world.js';

/** The folder of the library, beside the pages. */
const LIBRARY = new URL('../lib/maplibre/', import.meta.url).pathname;

let loading;
let describing;

/** Loads the library and the description of the tiles, once.
 * @returns {Promise<{library: any, files: any[]}>} */
export function prepare() {
  loading ??= loadLibrary().catch(() => null);
  describing ??= loadFiles();
  return Promise.all([loading, describing]).then(([library, files]) => ({ library, files }));
}

/** Forgets the description of the tiles: the next map has those that there are then. */
export function forgetFiles() { describing = undefined; }

async function loadLibrary() {
  const sheet = new Promise((resolve, reject) => {
    document.head.prepend(h('link', { rel: 'stylesheet', href: `${LIBRARY}maplibre-gl.css`, onload: resolve,
      onerror: reject }));
  });
  await Promise.all([script(`${LIBRARY}maplibre-gl.js`), sheet]);
  const library = window['maplibregl'];
  library.setWorkerUrl(`${LIBRARY}maplibre-gl-worker.js`);
  // The worker starts now, and not when the map has a size.
  library.prewarm();
  library.addProtocol('letters', fetchLetters);
  library.addProtocol('tiles', fetchTile);
  return library;
}

const loadFiles = () => fetch('/tiles.json').then((answer) => (answer.ok ? answer.json() : null)).then(describe)
  .catch(() => []);

/**
 * Creates a map in an element of its own. It begins to draw once the element is on the page and has a size; what a page
 * tells it before is kept.
 * @param {{label: string, class?: string, signal?: AbortSignal}} options
 */
export async function makeView({ label, class: name = '', signal }) {
  const { library, files } = await prepare();
  const view = new View(label, name, files);
  if (!library) {
    fill(view.element, h('p.map-missing', t('map.missing')));
  } else {
    const watcher = new ResizeObserver(() => {
      if (signal?.aborted || !view.element.isConnected || !view.element.clientWidth) return;
      watcher.disconnect();
      try {
        view.start(library);
      } catch (error) {
        if (!/WebGL/.test(`${error}`)) throw error;
        fill(view.element, h('p.map-missing', t('map.nowebgl')));
      }
    });
    watcher.observe(view.element);
    signal?.addEventListener('abort', () => { watcher.disconnect(); view.end(); });
  }
  return view;
}

class View {
  /** The library's map, once there is one.
   * @type {any} */
  gl = null;
  shapes = new Shapes();
  #files;
  #label;
  /** What is above the map: pins, clusters and devices.
   * @type {Set<any>} */
  #above = new Set();
  /** @type {[string, (event: any) => void][]} */
  #listeners = [];
  #camera = { lat: 48, lon: 10, zoom: 2 };
  /** What moves the map once it has a size.
   * @type {(() => void) | null} */
  #pending = null;
  #isReady = false;
  #note = h('div', { class: 'map-note', hidden: true });

  /** @param {string} label @param {string} name @param {any[]} files */
  constructor(label, name, files) {
    this.element = h('div', { class: `map ${name}`, role: 'region', 'aria-label': label });
    Object.assign(this.element, { view: this });
    this.#files = files;
    this.#label = label;
  }

  /** Begins to draw. Throws if the browser lets no page draw.
   * @param {any} library */
  start(library) {
    const still = calm();
    const { lat, lon, zoom } = this.#camera;
    const gl = new library.Map({
      container: this.element, style: styleOf(this.#files, noWorld, isDark(), pens()), center: [lon, lat], zoom,
      minZoom: 0, maxZoom: 20, maxPitch: 70, attributionControl: false, fadeDuration: still ? 0 : 150,
        refreshExpiredTiles: false,
      localIdeographFontFamily: 'system-ui, sans-serif', validateStyle: false, locale: {
        'Map.Title': this.#label, 'NavigationControl.ZoomIn': t('map.in'), 'NavigationControl.ZoomOut': t('map.out'),
        'NavigationControl.ResetBearing': t('map.north'), 'AttributionControl.ToggleAttribution': t('map.sources'),
      },
    });
    this.gl = gl;
    const canvas = gl.getCanvas();
    canvas.setAttribute('role', 'application');
    gl.addControl(new library.AttributionControl({ customAttribution: 'Natural Earth' }), 'bottom-right');
    gl.addControl(new library.NavigationControl({ visualizePitch: true }), 'bottom-right');
    const unit = units() === 'miles' ? 'imperial' : 'metric';
    const scale = new library.ScaleControl({ maxWidth: 90, unit });
    gl.addControl(scale, 'bottom-left');
    // It has no width if it was measured before the map was on the page.
    for (const type of ['resize', 'idle']) gl.on(type, () => scale.setUnit(unit));
    this.#addKeeper();
    this.element.append(this.#note);
    gl.on('error', (/** @type {{error?: Error}} */ { error }) => {
      if (!/^There is no tile/.test(error?.message ?? '')) console.error(error);
    });
    // They hear of the first move, too.
    for (const [type, heard] of this.#listeners) gl.on(type, heard);
    this.#pending?.();
    this.#pending = null;
    gl.on('style.load', () => {
      const pictures = givePictures(gl, isDark);
      this.#isReady = true;
      this.shapes.attach(gl);
      for (const one of this.#above) one.attach(gl);
      this.#followColours(pictures);
    });
    this.#drawWorld();
    gl.on('moveend', () => this.#tell());
    gl.on('idle', () => this.#tell());
    this.#longPress();
    this.#unprint = this.#watchPrinter();
  }

  /** Adds the button that keeps the visible area for times without a connection. */
  #addKeeper() {
    if (this.element.clientHeight < 240 || this.#files.every(({ isProvider }) => isProvider)) return;
    const group = h('div.maplibregl-ctrl.maplibregl-ctrl-group', button({
      label: t('map.keep'), icon: 'download', hidesLabel: true,
      onclick: async () => (await import('./keep.js')).keepArea(this.#files, this.bounds()),
    }));
    this.gl.addControl({ onAdd: () => group, onRemove: () => group.remove() }, 'bottom-right');
  }

  /** Draws the map as a picture of its size for the printer, which does not see what WebGL has drawn. */
  #watchPrinter() {
    const printing = new AbortController();
    /** @type {HTMLImageElement | null} */
    let picture;
    window.addEventListener('beforeprint', () => {
      if (!this.gl || picture) return;
      const { clientWidth: width, clientHeight: height } = this.element;
      this.gl.redraw();
      picture = h('img.map-print', { src: this.gl.getCanvas().toDataURL(), alt: '' });
      this.element.append(picture);
      // Everything above the map has its place by this size.
      const zoom = Math.min(1, 680 / width);
      this.element.style.cssText = `inline-size: ${width}px; block-size: ${height}px; zoom: ${zoom}`;
    }, { signal: printing.signal });
    window.addEventListener('afterprint', () => {
      picture?.remove();
      picture = null;
      this.element.style.cssText = '';
    }, { signal: printing.signal });
    return () => printing.abort();
  }

  /** Removes the map. */
  end() {
    this.#unwatch?.();
    this.#unprint?.();
    this.gl?.remove();
    this.gl = null;
    this.#isReady = false;
  }

  /** Loads the countries when they come into view. */
  #drawWorld() {
    const { gl } = this;
    const look = async () => {
      if (gl.getZoom() > WORLD_END) return;
      gl.off('zoom', look);
      const { countries, names } = await worldOf();
      if (gl !== this.gl) return;
      gl.getSource('world')?.setData(countries);
      gl.getSource('countries')?.setData(names);
    };
    gl.on('zoom', look);
    gl.on('style.load', look);
  }

  /** Says where there is no street map, and how to get one. */
  #tell() {
    const isMissing = this.zoom() > WORLD_END && !covers(this.#files, this.center(), this.zoom());
    if (this.#note.hidden === !isMissing) return;
    this.#note.hidden = !isMissing;
    fill(this.#note, isMissing && [h('span', t('map.none')), ' ', h('button', {
      type: 'button', class: 'plain', onclick: () => dialog(t('map.how.title'), h('p.prose', t('map.how.text'))),
    }, t('map.how'))]);
  }

  /** @type {(() => void) | undefined} */
  #unwatch;
  /** @type {(() => void) | undefined} */
  #unprint;

  /** Changes the colours when the pages change theirs.
   * @param {{draw: () => void}} pictures */
  #followColours(pictures) {
    const { gl } = this;
    let drawn = isDark();
    this.element.classList.toggle('is-dark', drawn);
    const change = () => {
      if (isDark() === drawn) return;
      drawn = isDark();
      this.element.classList.toggle('is-dark', drawn);
      for (const { id, paint } of styleOf(this.#files, noWorld, drawn, pens()).layers) {
        for (const [name, value] of Object.entries(paint ?? {})) gl.setPaintProperty(id, name, value,
          { validate: false });
      }
      pictures.draw();
    };
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(change);
    media.addEventListener('change', change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    this.#unwatch = () => { media.removeEventListener('change', change); observer.disconnect(); };
  }

  /** A long press does what the right button does, also where the browser does not say so. */
  #longPress() {
    const { gl } = this;
    let timer = 0;
    const stop = () => clearTimeout(timer);
    gl.on('touchstart', (/** @type {any} */ event) => {
      stop();
      if (event.points.length === 1) timer = window.setTimeout(() => gl.fire('contextmenu',
        { lngLat: event.lngLat, point: event.point }), 650);
    });
    for (const type of ['touchmove', 'touchend', 'touchcancel', 'contextmenu', 'movestart']) gl.on(type, stop);
  }

  /** Listens to the map.
   * @param {string} type @param {(event: any) => void} heard */
  #on(type, heard) {
    this.#listeners.push([type, heard]);
    this.gl?.on(type, heard);
  }

  /** @param {() => void} heard is called when the person moves the map */
  onDrag(heard) { this.#on('dragstart', heard); }

  /** @param {() => void} heard is called when the person begins to change the zoom */
  onZoom(heard) { this.#on('zoomstart', (event) => event.originalEvent && heard()); }

  /** @param {() => void} heard is called when the map has a size and begins to draw */
  onStart(heard) { this.#on('style.load', heard); }

  /** @param {() => void} heard is called when all that is in view is drawn */
  onDrawn(heard) { this.#on('idle', heard); }

  /** @param {() => void} heard is called when the map has moved */
  onMove(heard) { this.#on('moveend', heard); }

  /** @param {(place: {lat: number, lon: number}) => void} heard is called with the place of a press on the map */
  onPress(heard) { this.#on('click', ({ lngLat }) => heard(placeOf(lngLat))); }

  /**
   * @param {(place: {lat: number, lon: number}) => void} heard is called with the place of a long press, or of the
   * right button
   */
  onLongPress(heard) { this.#on('contextmenu', ({ lngLat }) => heard(placeOf(lngLat))); }

  center() { return this.gl ? placeOf(this.gl.getCenter()) : { lat: this.#camera.lat, lon: this.#camera.lon }; }

  zoom() { return this.gl?.getZoom() ?? this.#camera.zoom; }

  /**
   * The visible area in degrees; null before the map is drawn. East is larger than west, also across the 180th
   * meridian.
   */
  bounds() {
    if (!this.gl) return null;
    const bounds = this.gl.getBounds();
    return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
  }

  /** Moves the map, now or once it has a size.
   * @param {() => void} act */
  #move(act) {
    if (this.gl) act(); else this.#pending = act;
  }

  /**
   * Shows a place.
   * @param {[number, number]} point degrees north and east
   * @param {number} [zoom]
   */
  see([lat, lon], zoom = this.zoom()) {
    Object.assign(this.#camera, { lat, lon, zoom });
    this.#move(() => this.gl.jumpTo({ center: [lon, lat], zoom }));
  }

  /**
   * Moves the camera, once the map is drawn.
   * @param {{center?: [number, number], zoom?: number, bearing?: number, pitch?: number}} to the centre in degrees
   * north and east
   * @param {boolean} [glides] whether the map moves there visibly, where the person wants motion
   */
  move({ center, ...rest }, glides = false) {
    const to = center ? { ...rest, center: [center[1], center[0]] } : rest;
    if (glides && !calm()) this.gl?.easeTo({ ...to, duration: 400 }); else this.gl?.jumpTo(to);
  }

  /** The course that is up, in degrees. */
  bearing() { return this.gl?.getBearing() ?? 0; }

  /** How far the map is tilted, in degrees. */
  pitch() { return this.gl?.getPitch() ?? 0; }

  /**
   * Returns where a place lies within the map: parts of its width and height, which are outside of 0 to 1 if it is not
   * in view; null before the map is drawn.
   * @param {[number, number]} point degrees north and east
   */
  partOf([lat, lon]) {
    if (!this.gl) return null;
    const { x, y } = this.gl.project([lon, lat]);
    return { x: x / this.element.clientWidth, y: y / this.element.clientHeight };
  }

  /**
   * Shows all of some points.
   * @param {any[]} points degrees north and east
   * @param {number} [maxZoom]
   * @param {boolean} [glides] whether the map moves there visibly
   */
  fit(points, maxZoom = 15, glides = false) {
    if (!points.length) return;
    const [lats, lons] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const [south, north, west, east] = [least(lats), most(lats), least(lons), most(lons)];
    Object.assign(this.#camera, { lat: (south + north) / 2, lon: (west + east) / 2 });
    this.#move(() => {
      const { clientWidth, clientHeight } = this.element;
      const padding = Math.min(48, 0.12 * Math.min(clientWidth, clientHeight));
      this.gl.fitBounds([[west, south], [east, north]], { padding, maxZoom, animate: glides });
    });
  }

  /** @param {any} one */
  #put(one) {
    this.#above.add(one);
    if (this.#isReady) one.attach(this.gl);
    return one;
  }

  /** Creates a group of shapes and pins that can be cleared together. */
  layer() {
    /** @type {{remove: () => void}[]} */
    let all = [];
    /** @param {any} one */
    const keep = (one) => { all.push(one); return one; };
    return {
      line: (/** @type {string} */ kind, /** @type {Point[][]} */ parts) => keep(this.shapes.line(kind, parts)),
      circle: (/** @type {string} */ kind, /** @type {Point} */ center, /** @type {number} */ radius) =>
        keep(this.shapes.circle(kind, center, radius)),
      speeds: (/** @type {{step: number, line: Point[]}[]} */ runs) => keep(this.shapes.speeds(runs)),
      corridor: (/** @type {Point[][]} */ parts, /** @type {number} */ radius) =>
        keep(this.shapes.corridor(parts, radius)),
      polygon: (/** @type {Point[][]} */ rings) => keep(this.shapes.polygon(rings)),
      sight: (/** @type {Sight} */ sight, /** @type {Point} */ center) => keep(this.shapes.sight(sight, center)),
      pin: (/** @type {Point} */ point, /** @type {Parameters<typeof makePin>[1]} */ options) =>
        keep(this.#removable(makePin(point, options))),
      cluster: (/** @type {Point} */ point, /** @type {number} */ count, /** @type {() => void} */ open) =>
        keep(this.#removable(makeCluster(point, count, open))),
      clear: () => { for (const one of all) one.remove(); all = []; },
    };
  }

  /** Puts something above the map, which has `attach(map)` and `remove()`.
   * @param {any} one */
  put(one) { return this.#removable(one); }

  /** @param {any} one */
  #removable(one) {
    this.#put(one);
    return { remove: () => { this.#above.delete(one); one.remove(); } };
  }

  /** Creates a group of pins that become clusters where they are close. */
  clusters() { return this.#put(new Clusters()); }

  /**
   * Creates a group of marks of devices.
   * @param {(name: string) => void} open is called with the name of the device whose mark is pressed
   */
  marks(open) { return this.#put(new Marks(open, (points) => this.fit(points, 17, true))); }

  /** Creates the mark of a device: its position, its course as an arrow, and its accuracy as a circle. */
  device() {
    /** @type {any} */
    let mark;
    /** @type {any} */
    let circle;
    return {
      /** @param {any} fix with lat, lon, and optionally track, speed, accuracy and old */
      move: (fix) => {
        mark ??= this.#put(makeDevice());
        mark.move(fix);
        circle ??= this.shapes.circle('accuracy', [fix.lat, fix.lon], 0);
        circle.set([fix.lat, fix.lon], fix.accuracy ?? 0);
      },
      /** Removes the mark until the device moves again. */
      clear: () => {
        if (mark) { this.#above.delete(mark); mark.remove(); }
        circle?.remove();
        mark = circle = undefined;
      },
    };
  }
}

/** @param {any} lngLat */
const placeOf = (lngLat) => {
  const { lng, lat } = lngLat.wrap();
  return { lat, lon: lng };
};

// A trace has more points than a call may have arguments.
/** @param {number[]} values */
const least = (values) => values.reduce((one, other) => Math.min(one, other));
/** @param {number[]} values */
const most = (values) => values.reduce((one, other) => Math.max(one, other));

/** Returns the colours of what the pages draw, as the style sheet has them now. */
function pens() {
  const probe = h('span');
  document.body.append(probe);
  const colours = Object.fromEntries(['accent', 'warm', 'card'].map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return colours;
}
