/** The camera that follows what is played: with the course up, tilted, and no nearer than the eye can follow. */
import { calm } from '../map.js';

/** The ground under a pixel at zoom 0 on the equator, in metres. */
const PIXEL = 78_271;
/** The pixels a second that the map moves at most. */
const PACE = 160;
const [NEAREST, TILT] = [15.5, 55];
/** The degrees by which a course must differ before the map is turned at once. */
const TURN = 40;

/** Returns the zoom at which a speed in metres a second is seen at a bearable pace.
 * @param {number} speed @param {number} lat */
const zoomFor = (speed, lat) => Math.log2((PIXEL * Math.cos((lat * Math.PI) / 180) * PACE) / Math.max(speed, 0.1));

/** Returns the shortest turn from one course to another in degrees.
 * @param {number} from @param {number} to */
const turnTo = (from, to) => ((((to - from) % 360) + 540) % 360) - 180;

export class Camera {
  follows = true;
  courseUp = false;
  tilted = false;
  /** Whether the person has chosen the zoom. */
  #isOwnZoom = false;
  #map;
  #bearing = 0;
  /** The tilt and the turn that a glide has begun, and that following goes on with.
   * @type {number | null} */
  #pitch = null;
  /** @type {number | null} */
  #turn = null;

  /** @param {any} map @param {() => void} dragged is called when the person takes the map away from the device */
  constructor(map, dragged) {
    this.#map = map;
    map.onDrag(() => { this.follows = false; dragged(); });
    map.onZoom(() => { this.#isOwnZoom = true; });
  }

  /** Chooses the zoom for a speed from now on. */
  chooseZoom() { this.#isOwnZoom = false; }

  /** Tilts the map, or looks down on it.
   * @param {boolean} on */
  tilt(on) {
    this.tilted = on;
    this.#pitch = on ? TILT : 0;
    // A glide ends the one before, so it also goes on with a turn that has begun.
    this.#map.move({
      pitch: this.#pitch, bearing: this.courseUp ? this.#bearing : this.#turn ?? this.#map.bearing(),
    }, true);
  }

  /** Turns north up, or the course as it is then.
   * @param {boolean} on @param {any} place */
  turn(on, place) {
    this.courseUp = on;
    this.#bearing = on ? place.course ?? this.#map.bearing() : 0;
    this.#turn = on ? null : 0;
    this.#map.move({ bearing: this.#bearing, pitch: this.#pitch ?? this.#map.pitch() }, true);
  }

  /**
   * Shows a place that somebody has chosen: moves the map if it is not in view.
   * @param {any} place
   */
  see(place) {
    if (!this.#isIn(place, 0.03)) this.#map.move({ center: [place.lat, place.lon] }, true);
    if (this.courseUp && place.course !== undefined) this.turn(true, place);
  }

  /**
   * Follows to a place.
   * @param {any} place
   * @param {number} speed how fast the device moves over the map, in metres a second
   * @param {number} seconds since the last time
   */
  follow(place, speed, seconds) {
    if (!this.follows) return;
    const wanted = Math.max(2, Math.min(NEAREST, zoomFor(speed, place.lat)));
    if (calm()) { this.#jump(place, wanted); return; }
    // What remains of a difference after a time; the map comes near within about a second.
    const left = Math.exp(-seconds / 0.45);
    /** @type {any} */
    const to = { center: [place.lat, place.lon] };
    if (!this.#isOwnZoom) {
      const zoom = this.#map.zoom();
      to['zoom'] = wanted + (zoom - wanted) * left;
    }
    if (this.courseUp && place.course !== undefined) {
      this.#bearing += turnTo(this.#bearing, place.course) * (1 - left);
      to['bearing'] = this.#bearing;
    } else if (this.#turn !== null) {
      const rest = turnTo(this.#map.bearing(), this.#turn);
      to['bearing'] = this.#map.bearing() + rest * (1 - left);
      if (Math.abs(rest) < 1) [to['bearing'], this.#turn] = [this.#turn, null];
    }
    if (this.#pitch !== null) {
      const pitch = this.#pitch + (this.#map.pitch() - this.#pitch) * left;
      to['pitch'] = pitch;
      if (Math.abs(pitch - this.#pitch) < 0.5) [to['pitch'], this.#pitch] = [this.#pitch, null];
    }
    this.#map.move(to);
  }

  /** For those who want less motion: moves the map only when the device is about to leave it, and turns it seldom.
   * @param {any} place @param {number} wanted */
  #jump(place, wanted) {
    const to = {};
    const zoom = this.#isOwnZoom ? this.#map.zoom() : Math.floor(wanted);
    if (!this.#isIn(place, 0.2) || Math.abs(zoom - this.#map.zoom()) > 1.5) {
      to['center'] = [place.lat, place.lon];
      to['zoom'] = zoom;
    }
    if (this.courseUp && place.course !== undefined && Math.abs(turnTo(this.#bearing, place.course)) > TURN) {
      to['bearing'] = this.#bearing = place.course;
      to['center'] = [place.lat, place.lon];
    }
    if (Object.keys(to).length) this.#map.move(to);
  }

  /** Whether a place is in view, apart from an edge around it.
   * @param {{lat: number, lon: number}} place @param {number} edge */
  #isIn({ lat, lon }, edge) {
    const part = this.#map.partOf([lat, lon]);
    return !part || (part.x > edge && part.x < 1 - edge && part.y > edge && part.y < 1 - edge);
  }
}
