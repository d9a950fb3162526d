/** The time of one or several trips, in which the time between them takes none. */
import { between } from '../format.js';

/** The metres a point must be away to say in which direction the device went. */
const STEP = 3;

export class Timeline {
  /** The points of all trips in order, each with its number of the trip.
   * @type {any[]} */
  points = [];
  /** The milliseconds from the begin to each point.
   * @type {number[]} */
  offsets = [];

  /** @param {any[][]} legs the points of each trip, whose longitudes continue across the 180th meridian */
  constructor(legs) {
    let sum = 0;
    legs.forEach((points, leg) => {
      points.forEach((point, n) => {
        const at = Date.parse(point.time);
        if (n) sum += Math.max(0, at - this.points.at(-1).at);
        this.points.push({ ...point, at, leg, gap: point.gap || n === 0 });
        this.offsets.push(sum);
      });
    });
  }

  /** The length in milliseconds. */
  get length() { return this.offsets.at(-1) ?? 0; }

  /** Returns the number of the last point at an offset or before it.
   * @param {number} offset */
  indexAt(offset) {
    let [low, high] = [0, this.offsets.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle] <= offset) low = middle; else high = middle - 1;
    }
    return low;
  }

  /**
   * Returns the offset of a moment: of the first trip that contains it, or else of the first point after it.
   * @param {number} moment in milliseconds since 1970
   */
  offsetOf(moment) {
    for (let n = 0; n < this.points.length; n += 1) {
      const [point, next] = [this.points[n], this.points[n + 1]];
      if (point.at >= moment && (n === 0 || this.points[n - 1].leg !== point.leg)) return this.offsets[n];
      if (next?.leg === point.leg && point.at <= moment && moment < next.at) return this.offsets[n] + moment - point.at;
    }
    return this.length;
  }

  /**
   * Returns where the device was: between two points if necessary, and at the former one over a gap.
   * @param {number} offset
   * @returns {any} the point with the moment `at` in milliseconds since 1970, and the `course` in degrees if it is
   * known
   */
  at(offset) {
    const index = this.indexAt(offset);
    const [point, next] = [this.points[index], this.points[index + 1]];
    const rest = offset - this.offsets[index];
    const length = next && next.leg === point.leg ? this.offsets[index + 1] - this.offsets[index] : 0;
    const part = length > 0 && !next.gap ? rest / length : 0;
    return {
      ...point, index, at: point.at + Math.min(rest, length),
      lat: point.lat + (part ? (next.lat - point.lat) * part : 0),
      lon: point.lon + (part ? (next.lon - point.lon) * part : 0),
      course: this.#course(index), speed: point.speed ?? this.#speed(index),
    };
  }

  /** Returns the speed of the way from a point to the next, where the receiver measured none.
   * @param {number} index */
  #speed(index) {
    const [point, next] = [this.points[index], this.points[index + 1]];
    if (!next || next.leg !== point.leg || next.gap || next.at <= point.at) return undefined;
    return between(point.lat, point.lon, next.lat, next.lon) / ((next.at - point.at) / 1000);
  }

  /** Returns the course at a point: to the next place that is far enough away, or else as the receiver measured it.
   * @param {number} index */
  #course(index) {
    const point = this.points[index];
    for (let n = index + 1; n < this.points.length && n < index + 20; n += 1) {
      const other = this.points[n];
      if (other.leg !== point.leg || other.gap) break;
      if (between(point.lat, point.lon, other.lat, other.lon) < STEP) continue;
      const east = (other.lon - point.lon) * Math.cos((point.lat * Math.PI) / 180);
      return ((Math.atan2(east, other.lat - point.lat) * 180) / Math.PI + 360) % 360;
    }
    return point.speed >= 0.5 ? point.track : undefined;
  }

  /**
   * Returns the mean speed of a trip while the device moves, in metres a second.
   * @param {number} leg
   */
  speedOf(leg) {
    let [way, time] = [0, 0];
    for (let n = 1; n < this.points.length; n += 1) {
      const [before, point] = [this.points[n - 1], this.points[n]];
      if (point.leg !== leg || point.gap) continue;
      const [metres, seconds] = [between(before.lat, before.lon, point.lat, point.lon), (point.at - before.at) / 1000];
      if (metres < 0.5 * seconds) continue;
      way += metres;
      time += seconds;
    }
    return time ? way / time : 0;
  }
}
