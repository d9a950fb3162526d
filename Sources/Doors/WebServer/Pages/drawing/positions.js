/** The positions of a figure as a list, which does all that the map does, by keyboard and without a map. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { beside } from '../map.js';
import { button } from '../ui.js';

/** The digits of a degree in the list: steps of 1 cm. */
const DIGITS = 7;

/**
 * Creates the list of the positions of a figure.
 * @param {import('./figure.js').Figure} figure
 * @returns {any} the element, with `isValid()`, which also marks what is no position
 */
export function positionList(figure) {
  const rows = h('ol.positions');
  const error = h('p.field-error', { role: 'alert' });
  const fresh = row(-1);
  const add = button({ label: t('draw.position.add'), icon: 'add', kind: 'small', onclick: addFresh });
  const element = h('div.position-list', rows, h('div.position-new', fresh.element, add), error);
  /** The rows of the list.
   * @type {ReturnType<typeof row>[]} */
  let shown = [];

  /** Creates a row, which changes the figure; that with the index -1 is for a new position.
   * @param {number} at */
  function row(at) {
    const input = () => h('input', {
      type: 'text', inputmode: 'decimal', autocomplete: 'off', size: 11, onchange: () => at >= 0 && take(at),
      onkeydown: entered, onfocus: () => choose(at), onpaste: (event) => pasted(event, at), oninput: () => typed(at),
    });
    const [lat, lon] = [input(), input()];
    const number = h('span.position-number');
    const own = h(at < 0 ? 'div.position' : 'li.position', number, lat, lon);
    /** @param {string} name @param {string} symbol @param {() => void} onclick */
    const act = (name, symbol, onclick) => {
      const made = button({ label: name, icon: symbol, hidesLabel: true, onclick });
      made.dataset.act = symbol;
      return made;
    };
    const moves = at < 0 ? [] : [
      act(t('draw.position.up', { n: at + 1 }), 'up', () => move(at, at - 1, 'up')),
      act(t('draw.position.down', { n: at + 1 }), 'down', () => move(at, at + 1, 'down')),
      act(t('draw.position.remove', { n: at + 1 }), 'remove', () => drop(at)),
    ];
    own.append(h('span.position-acts', moves));
    return { element: own, lat, lon, number, moves };
  }

  /** Enter takes a value over and does not send the form.
   * @param {any} event */
  function entered(event) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (fresh.element.contains(event.currentTarget)) addFresh();
    else event.currentTarget.dispatchEvent(new Event('change'));
  }

  /** A pasted pair of degrees fills both fields.
   * @param {any} event @param {number} at */
  function pasted(event, at) {
    const text = event.clipboardData?.getData('text') ?? '';
    const pair = /^\s*(-?\d+(?:\.\d+)?)°?\s*[,;\s]\s*(-?\d+(?:\.\d+)?)°?\s*$/.exec(text);
    if (!pair) return;
    event.preventDefault();
    const { lat, lon } = at < 0 ? fresh : shown[at];
    [lat.value, lon.value] = [pair[1], pair[2]];
    if (at >= 0) take(at);
  }

  /** @param {number} at */
  function choose(at) {
    if (at < 0 || figure.selected === at || figure.form === 'circle') return;
    figure.selected = at;
    figure.tell();
  }

  /** Takes over what is typed as soon as it is a position.
   * @param {number} at */
  function typed(at) {
    const { lat, lon } = at < 0 ? fresh : shown[at];
    for (const input of [lat, lon]) input.removeAttribute('aria-invalid');
    fill(error);
    if (at >= 0 && valueOf(lat, 90) !== null && valueOf(lon, 180) !== null) take(at);
  }

  /** The degrees in a field; null if it has none.
   * @param {any} input @param {number} limit */
  function valueOf(input, limit) {
    const text = input.value.trim().replace(',', '.');
    const value = Number(text);
    return text !== '' && Number.isFinite(value) && Math.abs(value) <= limit ? value : null;
  }

  /**
   * Returns the position of a row; null, and says so, if it is none.
   * @param {any} row
   * @returns {[number, number] | null}
   */
  function read({ lat, lon }) {
    const values = [[lat, 90], [lon, 180]].map(([input, limit]) => {
      const value = valueOf(input, limit);
      if (value === null) input.setAttribute('aria-invalid', 'true'); else input.removeAttribute('aria-invalid');
      return value;
    });
    const isGood = values[0] !== null && values[1] !== null;
    fill(error, isGood ? null : t('draw.position.wrong'));
    return isGood ? /** @type {[number, number]} */ (values) : null;
  }

  /** @param {number} at */
  function take(at) {
    const point = read(shown[at]);
    if (!point) return;
    // What did not change is no step to undo.
    const before = figure.form === 'circle' ? figure.center : figure.points[at];
    if (before && before[0] === point[0] && beside(before[1], 0) === point[1]) return;
    if (figure.form === 'circle') figure.move(point, 'centre'); else figure.set(at, point, `position ${at}`);
  }

  function addFresh() {
    const point = read(fresh);
    if (!point) return (fresh.lat.getAttribute('aria-invalid') ? fresh.lat : fresh.lon).focus();
    [fresh.lat.value, fresh.lon.value] = ['', ''];
    if (figure.form === 'circle') figure.move(point); else figure.add(point);
    fresh.lat.focus();
  }

  /** @param {number} at @param {number} to @param {string} name */
  function move(at, to, name) {
    figure.swap(at, to);
    const next = shown[to]?.moves.filter(({ disabled }) => !disabled);
    (next?.find(({ dataset }) => dataset.act === name) ?? next?.[0])?.focus();
  }

  /** @param {number} at */
  function drop(at) {
    figure.remove(at);
    (shown[Math.min(at, shown.length - 1)]?.lat ?? fresh.lat).focus();
  }

  function update() {
    const isCircle = figure.form === 'circle';
    const given = isCircle ? (figure.center ? [figure.center] : []) : figure.points;
    const points = figure.isLarge ? [] : given;
    if (points.length !== shown.length) {
      shown = points.map((_, n) => shown[n] ?? row(n));
      fill(rows, shown.map((one) => one.element));
    }
    shown.forEach((one, n) => {
      label(one, n);
      const [lat, lon] = points[n];
      write(one.lat, lat);
      write(one.lon, beside(lon, 0));
      // What the server said about the shape is past once that has changed.
      for (const [input, limit] of limited(one)) {
        if (valueOf(input, limit) !== null) input.removeAttribute('aria-invalid');
      }
      one.element.classList.toggle('is-selected', !isCircle && figure.selected === n);
      one.moves.forEach((each, k) => {
        each.hidden = isCircle;
        each.disabled = (k === 0 && n === 0) || (k === 1 && n === points.length - 1);
      });
    });
    label(fresh, points.length);
    /** @type {HTMLElement} */ (fresh.element.parentElement).hidden = figure.isLarge || (isCircle && points.length > 0);
  }

  /** Returns the fields of a row with their limits.
   * @param {{lat: HTMLInputElement, lon: HTMLInputElement}} row @returns {[HTMLInputElement, number][]} */
  function limited({ lat, lon }) { return [[lat, 90], [lon, 180]]; }

  /** @param {any} row @param {number} n */
  function label({ number, lat, lon }, n) {
    const isCircle = figure.form === 'circle';
    fill(number, isCircle ? '' : `${n + 1}.`);
    lat.setAttribute('aria-label', isCircle ? t('draw.centre.lat') : t('draw.lat', { n: n + 1 }));
    lon.setAttribute('aria-label', isCircle ? t('draw.centre.lon') : t('draw.lon', { n: n + 1 }));
    lat.placeholder = t('draw.lat.short');
    lon.placeholder = t('draw.lon.short');
  }

  /** Writes a value, unless somebody is typing another there.
   * @param {HTMLInputElement} input @param {number} value */
  function write(input, value) {
    const text = String(Number(value.toFixed(DIGITS)));
    // What somebody is typing stays as it is.
    if (input.dataset.written === text || input === document.activeElement) return;
    input.dataset.written = text;
    input.value = text;
  }

  figure.onChange(update);
  update();
  return Object.assign(element, {
    isValid: () => {
      const wrong = shown.flatMap(limited)
        .find(([input, limit]) => valueOf(input, limit) === null);
      wrong?.[0].focus();
      return !wrong;
    },
    /** Marks a position, of which the server said something.
     * @param {number} at */
    mark: (at) => {
      shown[at]?.lat.setAttribute('aria-invalid', 'true');
      shown[at]?.lon.setAttribute('aria-invalid', 'true');
    },
  });
}
