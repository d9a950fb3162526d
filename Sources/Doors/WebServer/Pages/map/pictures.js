/** The small pictures of the map, which the page draws itself: discs of points, peaks, shields, and whole names. */
import { icons } from '../dom.js';
import { palette, POINTS } from './palette.js';

/** Pixels of a picture for each pixel of the page. */
const RATIO = 2;

/** @type {Record<string, string>} */
const PATHS = { church: 'M12 4v16M7 9.5h10' };
/** @type {Record<string, string>} */
const FONTS = { regular: '500', bold: '700', italic: 'italic 500' };

/**
 * Draws the pictures that the style names, when the map needs them.
 * @param {any} map
 * @param {() => boolean} isDark
 * @returns {{draw: () => void}} `draw` draws them again in other colours
 */
export function givePictures(map, isDark) {
  const made = new Set();
  /** @param {string} id */
  const add = (id) => {
    const picture = draw(id, isDark());
    if (!picture || map.hasImage(id)) return;
    made.add(id);
    map.addImage(id, picture.data, { pixelRatio: RATIO, ...picture.options });
  };
  map.on('styleimagemissing', (/** @type {{id: string}} */ { id }) => add(id));
  // A pattern is not asked for.
  add('grid');
  return {
    draw: () => {
      for (const id of made) {
        const picture = draw(id, isDark());
        if (picture) map.updateImage(id, picture.data);
      }
    },
  };
}

/**
 * Draws on a new canvas of a size in pixels of the page.
 * @param {number} width
 * @param {number} height
 * @param {(pen: CanvasRenderingContext2D) => void} paint
 * @param {{stretchX: number[][], stretchY: number[][], content: number[]}} [options]
 */
function canvasOf(width, height, paint, options) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [Math.ceil(width * RATIO), Math.ceil(height * RATIO)];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
  pen.scale(RATIO, RATIO);
  paint(pen);
  return { data: pen.getImageData(0, 0, canvas.width, canvas.height), options };
}

/** @param {string} id @param {boolean} isDark */
function draw(id, isDark) {
  const colour = palette(isDark);
  const [kind, ...rest] = id.split(':');
  switch (kind) {
    case 'grid': return grid(colour);
    case 'peak': return peak(colour);
    case 'shield': return shield(colour);
    case 'point': return point(rest[0], colour);
    case 'name': return name(rest[0], rest[1], Number(rest[2]), rest.slice(3).join(':'), colour);
    default: return null;
  }
}

/** @param {{grid: string}} colour */
const grid = (colour) => canvasOf(128, 128, (pen) => {
  pen.fillStyle = colour.grid;
  pen.fillRect(0, 0, 128, 1);
  pen.fillRect(0, 1, 1, 127);
});

/** @param {{peak: string, halo: string}} colour */
const peak = (colour) => canvasOf(11, 10, (pen) => {
  pen.fillStyle = colour.peak;
  pen.strokeStyle = colour.halo;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(5.5, 1);
  pen.lineTo(10, 9);
  pen.lineTo(1, 9);
  pen.closePath();
  pen.stroke();
  pen.fill();
});

/** @param {{shield: string, point: string}} colour */
const shield = (colour) => canvasOf(16, 16, (pen) => {
  pen.fillStyle = colour.shield;
  pen.strokeStyle = colour.point;
  pen.lineWidth = 1;
  pen.beginPath();
  /** @type {any} */ (pen).roundRect(0.75, 0.75, 14.5, 14.5, 3);
  pen.fill();
  pen.stroke();
}, { stretchX: [[10, 22]], stretchY: [[10, 22]], content: [6, 4, 26, 28] });

/** A disc with the icon of a kind of points.
 * @param {string} kind @param {{isDark: boolean, halo: string}} colour */
function point(kind, colour) {
  const known = POINTS[kind];
  if (!known) return null;
  const [light, dark, icon] = known;
  return canvasOf(20, 20, (pen) => {
    pen.fillStyle = colour.isDark ? dark : light;
    pen.strokeStyle = colour.halo;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(10, 10, 8.5, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    if (icon.length === 1) {
      pen.fillStyle = colour.halo;
      pen.font = '700 12px system-ui, sans-serif';
      [pen.textAlign, pen.textBaseline] = ['center', 'middle'];
      pen.fillText(icon, 10, 10.5);
      return;
    }
    pen.translate(10 - 5.5, 10 - 5.5);
    pen.scale(11 / 24, 11 / 24);
    pen.strokeStyle = colour.halo;
    pen.lineWidth = 2.6;
    [pen.lineCap, pen.lineJoin] = ['round', 'round'];
    pen.stroke(new Path2D(PATHS[icon] ?? icons[icon]));
  });
}

/**
 * A whole name, with lines of at most some 14 letters.
 * @param {string} look
 * @param {string} ink
 * @param {number} size
 * @param {string} text
 * @param {Record<string, any>} colour
 */
function name(look, ink, size, text, colour) {
  const font = `${FONTS[look] ?? FONTS.regular} ${size}px system-ui, sans-serif`;
  const rows = text.split(/\s+/).reduce((rows, word) => {
    const last = rows[rows.length - 1];
    if (last && last.length + word.length < 14) rows[rows.length - 1] = `${last} ${word}`; else rows.push(word);
    return rows;
  }, /** @type {string[]} */ ([]));
  const probe = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
  probe.font = font;
  const width = Math.max(...rows.map((row) => probe.measureText(row).width)) + 6;
  const height = 1.25 * size;
  return canvasOf(Math.min(400, width), height * rows.length + 4, (pen) => {
    pen.font = font;
    [pen.textAlign, pen.textBaseline, pen.lineJoin] = ['center', 'middle', 'round'];
    pen.strokeStyle = colour.halo;
    pen.fillStyle = colour[ink] ?? colour.word;
    pen.lineWidth = 3;
    rows.forEach((row, n) => {
      pen.strokeText(row, width / 2, 2 + (n + 0.5) * height);
      pen.fillText(row, width / 2, 2 + (n + 0.5) * height);
    });
  });
}
