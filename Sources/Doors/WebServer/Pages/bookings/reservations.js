/** Reads the reservations that a mail or a page describes for programs: JSON-LD in the words of schema.org. */

/** The most bytes of one description, the most reservations, and how deep lists may be in each other. */
const [LONGEST, MOST, DEPTH] = [1_000_000, 300, 6];

/**
 * Returns the descriptions in a page. It is not parsed as a document: the browser would complain of its styles.
 * @param {string} html
 */
function* descriptions(html) {
  const lower = html.toLowerCase();
  for (let at = lower.indexOf('<script'); at >= 0; at = lower.indexOf('<script', at + 1)) {
    const start = lower.indexOf('>', at) + 1;
    const end = lower.indexOf('</script', start);
    if (!start || end < 0) return;
    if (/\btype\s*=\s*["']?application\/ld\+json/.test(lower.slice(at, Math.min(start, at + 500)))) {
      yield html.slice(start, end);
    }
    at = end;
  }
}

/**
 * Reads the reservations of a page, of which nothing is shown or run.
 * @param {string} html
 * @returns {any[]} drafts of items: their times are as the page has them, with the place whose clocks show them
 */
export function readReservations(html) {
  /** @type {any[]} */
  const found = [];
  for (const text of descriptions(html)) {
    if (text.length > LONGEST) continue;
    try {
      collect(JSON.parse(text), found, 0);
    } catch {
      // One damaged description says nothing of the others.
    }
  }
  return found.slice(0, MOST).map(draftOf).filter(Boolean);
}

/** Gathers the objects of a description.
 * @param {any} node @param {any[]} found @param {number} depth */
function collect(node, found, depth) {
  if (!node || typeof node !== 'object' || depth > DEPTH || found.length >= MOST) return;
  if (Array.isArray(node)) for (const one of node) collect(one, found, depth + 1);
  else if (node['@graph']) collect(node['@graph'], found, depth + 1);
  else found.push(node);
}

/** Returns the first of one or several values.
 * @param {any} value */
const first = (value) => (Array.isArray(value) ? value[0] : value) ?? {};

/** Returns a value as text; nothing for what is no text.
 * @param {any} value
 * @returns {string | undefined} */
function text(value) {
  const one = Array.isArray(value) ? value[0] : value;
  const plain = one && typeof one === 'object' ? one['@value'] ?? one.name : one;
  return ['string', 'number'].includes(typeof plain) ? String(plain).trim() || undefined : undefined;
}

/** Returns the name of the type of an object, which may be an address.
 * @param {any} node */
const typesOf = (node) => [node['@type']].flat().map((name) => String(name).split(/[/#:]/).pop());

/** Returns an address as one line.
 * @param {any} value */
function address(value) {
  const one = first(value);
  if (typeof one === 'string') return one.trim() || undefined;
  const town = [one.postalCode, one.addressLocality].map(text).filter(Boolean).join(' ');
  return [text(one.streetAddress), town, text(one.addressRegion), text(one.addressCountry)].filter(Boolean)
    .join(', ') || undefined;
}

/** Returns where a place is, if it says so.
 * @param {any} place */
function position(place) {
  const { latitude, longitude } = first(place.geo);
  const [lat, lon] = [latitude, longitude].map((degrees) => parseFloat(text(degrees) ?? ''));
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : {};
}

/** Returns the name of an airport or a station.
 * @param {any} place */
const stop = (place) => text(place.name) ?? text(place.iataCode) ?? text(first(place.address).addressLocality);

/**
 * Returns a time of ISO 8601; nothing for another text.
 * @param {any} value
 * @returns {import('./calendar.js').Time | undefined}
 */
function time(value) {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/
    .exec(text(value) ?? '');
  if (!match) return undefined;
  const [, day, clock, zone] = match;
  if (!Number.isFinite(Date.parse(clock ? `${day}T${clock}Z` : day))) return undefined;
  if (!clock) return { at: day };
  const at = `${day}T${clock}`;
  if (!zone) return { at };
  if (zone === 'Z') return { at, offset: 0, isUTC: true };
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  return { at, offset: (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000 };
}

/** Returns a time, or the day that another property has.
 * @param {any} value @param {any} day */
const timeOf = (value, day) => time(value) ?? time(day);

/**
 * Returns the draft of an item for each kind of reservation.
 * @type {Record<string, (of: any, reservation: any) => any>}
 */
const KINDS = {
  FlightReservation(flight) {
    const number = [text(first(flight.airline).iataCode), text(flight.flightNumber)].filter(Boolean).join(' ');
    return journey('flight', number || text(flight.airline), flight, 'Airport');
  },
  TrainReservation: (train) => journey('train', text(train.trainNumber) ?? text(train.trainName), train, 'Station'),
  BusReservation: (bus) => journey('bus', text(bus.busNumber) ?? text(bus.busName), bus, 'BusStop'),
  LodgingReservation: (hotel, reservation) => ({
    tab: 'lodging', title: text(hotel.name), from: timeOf(reservation.checkinTime, reservation.checkinDate),
    to: timeOf(reservation.checkoutTime, reservation.checkoutDate), ...placeOf(hotel),
  }),
  EventReservation: (event) => ({
    title: text(event.name), from: time(event.startDate), to: time(event.endDate),
    location: text(first(event.location).name), ...placeOf(first(event.location)),
  }),
  FoodEstablishmentReservation: (place, reservation) => ({
    tab: 'food', title: text(place.name), from: time(reservation.startTime), to: time(reservation.endTime),
    ...placeOf(place),
  }),
};

/** The draft of a journey from one stop to another.
 * @param {string} mode @param {string | undefined} number
 * @param {any} of
 * @param {string} kind */
function journey(mode, number, of, kind) {
  const [from, to] = [first(of[`departure${kind}`]), first(of[`arrival${kind}`])];
  const [departure, arrival] = [stop(from), stop(to)];
  return {
    tab: 'transport', mode, title: number, departure, arrival, from: time(of.departureTime), to: time(of.arrivalTime),
    fromPlace: { name: departure, ...position(from) }, toPlace: { name: arrival, ...position(to) },
  };
}

/** The address of a place, its telephone and where it is.
 * @param {any} place */
const placeOf = (place) => ({
  address: address(place.address), contact: text(place.telephone), ...position(place),
  town: text(first(place.address).addressLocality),
});

/** Returns the draft of a reservation; null for other objects and what was cancelled.
 * @param {any} reservation */
function draftOf(reservation) {
  const kind = typesOf(reservation).find((name) => name && Object.hasOwn(KINDS, name));
  const of = first(reservation.reservationFor);
  if (!kind || typeof of !== 'object' || /Cancell?ed/i.test(text(reservation.reservationStatus) ?? '')) return null;
  const { town, ...draft } = KINDS[kind](of, reservation);
  if (!draft.from) return null;
  const place = { name: town, lat: draft.lat, lon: draft.lon };
  return {
    fromPlace: place, toPlace: place, ...draft, booked: true,
    booking_code: text(reservation.reservationNumber) ?? text(reservation.reservationId),
    booking_url: text(reservation.modifyReservationUrl) ?? text(reservation.url),
  };
}
