/** Traces whose colour says how fast the device was. */
import { units, between } from '../format.js';

/** The colours from slow to fast. They differ in lightness too, and are the same on light and dark maps. */
export const COLOURS = ['#4457c7', '#2489b8', '#23a884', '#8fb52d', '#e2a01b', '#dd5f22', '#b8234f'];

/** The widths of a step that a legend may have, in kilometres or miles an hour. */
const WIDTHS = [1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 150, 200];

/** The speed in metres a second of one kilometre or one mile an hour. */
const unit = () => (units() === 'miles' ? 1 / 2.236936 : 1 / 3.6);

/**
 * Returns the speeds of a trace's edges in metres a second: that which the receiver measured, or else that of the way
 * from point to point. The first one, and those over gaps, are undefined.
 * @param {any[]} points
 * @returns {(number | undefined)[]}
 */
export const speedsOf = (points) => points.map((point, n) => {
  const before = points[n - 1];
  if (!before || point.gap) return undefined;
  if (point.speed !== undefined && before.speed !== undefined) return (point.speed + before.speed) / 2;
  if (point.speed !== undefined) return point.speed;
  const seconds = (Date.parse(point.time) - Date.parse(before.time)) / 1000;
  return seconds > 0 ? between(before.lat, before.lon, point.lat, point.lon) / seconds : undefined;
});

/**
 * Returns the width of each step of the colours in the reader's unit, so that nearly all speeds fit in.
 * @param {(number | undefined)[]} speeds
 */
export function stepWidth(speeds) {
  const known = /** @type {number[]} */ (speeds.filter((speed) => speed !== undefined))
    .sort((one, other) => one - other);
  // A few wild measurements do not make all the rest look slow.
  const top = (known[Math.floor(known.length * 0.98)] ?? 0) / unit();
  return WIDTHS.find((width) => width * COLOURS.length >= top) ?? Math.ceil(top / COLOURS.length);
}

/** Returns the number of a speed's colour.
 * @param {number} speed @param {number} width */
export const stepOf = (speed, width) => Math.min(COLOURS.length - 1, Math.floor(speed / unit() / width));

/**
 * Splits a trace into lines of one colour each. Lines that follow each other share a point.
 * @param {any[]} points
 * @param {(number | undefined)[]} speeds
 * @param {number} width
 * @returns {{step: number, line: [number, number][]}[]}
 */
export function runs(points, speeds, width) {
  /** @type {{step: number, line: Point[]}[]} */
  const all = [];
  /** @type {{step: number, line: Point[]} | null} */
  let last = null;
  points.forEach(({ lat, lon }, n) => {
    const speed = speeds[n];
    if (speed === undefined) { last = null; return; }
    const step = stepOf(speed, width);
    if (last?.step !== step) {
      last = { step, line: [[points[n - 1].lat, points[n - 1].lon]] };
      all.push(last);
    }
    last.line.push([lat, lon]);
  });
  return all;
}

/**
 * Returns the bounds of each colour that a trace has, in the reader's unit; the last one has no upper bound.
 * @param {{step: number}[]} drawn
 * @param {number} width
 */
export function legendOf(drawn, width) {
  if (!drawn.length) return [];
  const top = drawn.reduce((most, { step }) => Math.max(most, step), 0);
  return COLOURS.slice(0, top + 1).map((colour, step) =>
    ({ colour, from: step * width, to: step === COLOURS.length - 1 ? undefined : (step + 1) * width }));
}
