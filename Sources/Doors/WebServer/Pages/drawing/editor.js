/** The part of the form of a sight in which its shape is drawn: on a map, and as a list of positions. */
import { h, fill, icon, icons } from '../dom.js';
import { t } from '../texts.js';
import { Wrong } from '../form.js';
import { Refused } from '../rpc.js';
import { button, choice } from '../ui.js';
import { decimal } from '../decimal.js';
import { lengthLabel, shownLength, metresOf } from '../lengths.js';
import { makeMap } from '../map.js';
import { Figure, MOST_POSITIONS } from './figure.js';
import { Handles } from './handles.js';
import { positionList } from './positions.js';

Object.assign(icons, { up: 'M5 15l7-7 7 7', down: 'M5 9l7 7 7-7', undo: 'M9 5L4 10l5 5M4 10h10a5 5 0 0 1 0 10h-3' });

/**
 * What the server says about a shape, and the text that says it; numbers are positions, counted from 0.
 * @type {[RegExp, string][]}
 */
const REASONS = [
  [/crosses itself: the edges from positions (\d+) and (\d+) cross/, 'draw.wrong.crosses'],
  [/crosses or retraces itself|too often/, 'draw.wrong.retraces'],
  [/at least four positions|has no positions|has no rings|has no polygons/, 'draw.few.polygon'],
  [/at least two positions|has no lines/, 'draw.few.corridor'],
  [/has no area/, 'draw.wrong.area'],
  [/has no length/, 'draw.wrong.length'],
  [/the hole/, 'draw.wrong.hole'],
  [/exactly 180 degrees/, 'draw.wrong.half'],
  [/round a pole/, 'draw.wrong.pole'],
  [/too long in sum|more than the/, 'draw.wrong.large'],
];

/** The style sheet of the editor, which is loaded with it. */
const sheet = new URL('drawing.css', import.meta.url).pathname;
let loaded;

/** Loads the style sheet, once. */
const style = () => loaded ??= new Promise((resolve) => {
  document.head.append(h('link', { rel: 'stylesheet', href: sheet, onload: resolve, onerror: resolve }));
});

/**
 * Creates the editor of a shape.
 * @param {{sight?: any, start?: [number, number] | null, signal: AbortSignal}} options the sight that is changed, or
 * where a new one begins
 */
export async function shapeEditor({ sight, start, signal }) {
  await style();
  const figure = new Figure();
  if (sight) figure.take(sight);
  else if (start) figure.start(start);
  const map = await makeMap({ label: t('draw.map'), class: 'drawing-map', signal });

  const hint = h('p.field-hint', { id: 'drawing-hint', 'aria-live': 'polite' });
  const error = h('p.field-error', { id: 'drawing-error', role: 'alert' });
  const list = positionList(figure);
  /** @param {string} label @param {string} icon @param {() => void} onclick */
  const tool = (label, icon, onclick) => button({ label, icon, kind: 'small', onclick });
  const remove = tool('', 'remove', () => figure.remove(figure.selected));
  const undo = tool(t('draw.undo'), 'undo', () => figure.undo());
  const adds = tool('', 'add', () => { figure.adds = !figure.adds; figure.tell(); });
  const size = h('input', { type: 'text', inputmode: 'decimal', name: 'radius', id: 'drawing-size', autocomplete: 'off',
    'aria-describedby': 'drawing-error', oninput: resized, onkeydown: entered });
  const sizeLabel = h('label', { for: 'drawing-size' });
  const sizeField = h('div.field.drawing-size', sizeLabel, size);
  const part = h('select', { id: 'drawing-part', onchange: () => {
    [figure.part, figure.selected] = [Number(part.value), -1];
    figure.tell();
  } });
  const partField = h('div.field', h('label', { for: 'drawing-part' }, t('draw.part')), part);
  const tools = h('div.actions', adds, remove, undo);
  // Where no map can be drawn, the list is all there is.
  const hasMap = !map.element.querySelector('.map-missing');
  const details = h('details.drawing-list', { open: !hasMap }, h('summary', t('draw.list')), partField, list);
  const forms = ['circle', 'polygon', 'corridor'].map((form) => [form, t(`draw.form.${form}`)]);
  /** @param {string} form */
  const chosen = (form) => { fill(error); figure.choose(form); };
  const element = h('fieldset.drawing', {
    'aria-describedby': 'drawing-hint drawing-error', tabindex: '-1', onkeydown: pressed,
  }, h('legend', t('sight.shape')), choice(forms, figure.form, t('sight.shape'), chosen),
    hint, map.element, tools, sizeField, error, details);

  /** Undoes a step, and removes the selected corner, by key.
   * @param {any} event */
  function pressed(event) {
    const isTyping = event.target.matches('input, select');
    if (isTyping) return;
    if (event.key === 'z' && (event.ctrlKey || event.metaKey)) { figure.undo(); event.preventDefault(); }
    else if (/^(Delete|Backspace)$/.test(event.key) && figure.selected >= 0 && figure.form !== 'circle') {
      figure.remove(figure.selected);
      event.preventDefault();
    }
  }

  /** @param {any} event */
  function entered(event) { if (event.key === 'Enter') event.preventDefault(); }

  const isWay = () => figure.form === 'corridor';

  /** Takes the radius or the width that is typed. */
  function resized() {
    const metres = metresOf(Number(decimal(size.value)));
    const isGood = size.value.trim() !== '' && metres > 0 && Number.isFinite(metres);
    if (isGood) size.removeAttribute('aria-invalid'); else size.setAttribute('aria-invalid', 'true');
    fill(error);
    if (isGood) figure.widen(isWay() ? metres / 2 : metres, 'size');
  }

  const drawn = map.layer();
  function draw() {
    const { form, center, parts } = figure;
    drawn.clear();
    if (form === 'circle') {
      if (center) drawn.circle('fence', center, figure.radius);
      return;
    }
    if (form === 'corridor') {
      drawn.corridor(parts.map(({ points }) => points), figure.radius);
      drawn.line('way', parts.map(({ points }) => points));
      return;
    }
    /** @type {any[][]} */
    const polygons = [];
    for (const { points, isHole } of parts) {
      if (!points.length) continue;
      const ring = points.length > 2 ? [...points, points[0]] : points;
      const last = polygons.at(-1);
      if (isHole && last) last.push(ring); else polygons.push([ring]);
      drawn.line('way', [ring]);
    }
    for (const rings of polygons) if (rings[0].length > 3) drawn.polygon(rings);
  }

  function update() {
    draw();
    const { form, points, isLarge, parts } = figure;
    const isCircle = form === 'circle';
    for (const one of element.querySelectorAll('.choice button')) {
      one.setAttribute('aria-pressed', String(one.textContent === t(`draw.form.${form}`)));
    }
    const crossing = figure.crossing();
    fill(hint, isLarge ? t('draw.large', { n: MOST_POSITIONS })
      : crossing ? t('draw.wrong.crosses', { a: crossing[0] + 1, b: crossing[1] + 1 })
        : t(`draw.hint.${form}${isCircle ? '' : figure.adds ? '.adds' : '.moves'}`));
    hint.classList.toggle('is-wrong', Boolean(crossing));
    fill(/** @type {Element} */ (adds.lastElementChild), t(figure.adds ? 'draw.done' : `draw.add.${form}`));
    adds.firstElementChild?.replaceWith(icon(figure.adds ? 'check' : 'add'));
    adds.setAttribute('aria-pressed', String(figure.adds));
    adds.hidden = remove.hidden = isCircle || isLarge;
    fill(/** @type {Element} */ (remove.lastElementChild), t(isWay() ? 'draw.remove.point' : 'draw.remove'));
    remove.disabled = figure.selected < 0;
    undo.disabled = !figure.canUndo;
    sizeField.hidden = form === 'polygon';
    fill(sizeLabel, lengthLabel(isWay() ? 'draw.width' : 'sight.radius'));
    // What somebody is typing stays as it is.
    if (document.activeElement !== size) {
      size.value = String(shownLength(isWay() ? 2 * figure.radius : figure.radius));
      size.removeAttribute('aria-invalid');
    }
    partField.hidden = isCircle || parts.length < 2;
    fill(part, parts.map(({ isHole }, n) => h('option', { value: n, selected: n === figure.part },
      t(isHole ? 'draw.part.hole' : 'draw.part.one', { n: n + 1 }))));
    element.dataset.count = String(isCircle ? 1 : points.length);
  }

  figure.onChange(() => { fill(error); update(); });
  update();
  const handles = map.put(new Handles(figure));
  signal.addEventListener('abort', () => handles.remove());
  const all = figure.all;
  if (figure.form !== 'circle' && all.length) map.fit(all, 17);
  else if (figure.center) map.fit(around(figure.center, 2 * figure.radius), 17);

  /** Shows an error.
   * @param {string} text @param {any} input */
  function refuse(text, input) {
    fill(error, text);
    input.focus();
    error.scrollIntoView({ block: 'nearest' });
  }

  return {
    element, figure,
    /**
     * Returns the shape as values of a call; none if the person has left it as it was.
     * @param {boolean} isNeeded whether to return also what was not changed
     */
    values(isNeeded) {
      fill(error);
      if (size.getAttribute('aria-invalid') && !sizeField.hidden) {
        throw new Wrong('radius', lengthLabel('draw.wrong.radius'));
      }
      if (!list.isValid()) throw new Wrong('shape', t('draw.position.wrong'));
      return isNeeded || figure.isChanged ? figure.values(Boolean(sight?.form)) : {};
    },
    /**
     * Shows an error that is about the shape, and returns whether it is.
     * @param {any} refusal
     */
    takes(refusal) {
      const field = refusal?.data?.field;
      if (!['shape', 'radius', 'lat', 'lon'].includes(field)) return false;
      if (refusal instanceof Wrong) {
        refuse(refusal.message, field === 'radius' ? size : element);
      } else if (refusal instanceof Refused) {
        const reason = refusal.data.reason ?? refusal.message;
        if (field === 'radius') return refuse(lengthLabel('draw.wrong.radius'), size), true;
        const [pattern, key] = REASONS.find(([each]) => each.test(reason)) ?? [/^/, 'draw.wrong'];
        const [, ...said] = pattern.exec(reason) ?? [];
        const place = /part (\d+)/.exec(reason);
        const ring = /ring (\d+)/.exec(reason);
        select(Number(place?.[1] ?? 0), Number(ring?.[1] ?? 0));
        // The server calls the edge that closes a ring by its end.
        const edges = (said.length ? figure.crossing() : null) ?? said.map(Number);
        for (const at of edges) list.mark(at);
        refuse(t(key, { a: edges[0] + 1, b: edges[1] + 1, n: figure.points.length }), element);
      }
      return true;
    },
  };

  /** Shows the points of a ring or line.
   * @param {number} place its polygon or line @param {number} ring */
  function select(place, ring) {
    let polygon = -1;
    const first = figure.parts.findIndex(({ isHole }) => { if (!isHole) polygon += 1; return polygon === place; });
    const at = first + ring;
    if (first < 0 || at >= figure.parts.length || at === figure.part) return;
    [figure.part, figure.selected] = [at, -1];
    figure.tell();
  }
}

/** Returns two corners of the square around a circle.
 * @param {Point} center @param {number} radius */
function around([lat, lon], radius) {
  const north = radius / 111_195;
  const east = north / Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  return [[lat - north, lon - east], [lat + north, lon + east]];
}
