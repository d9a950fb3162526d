/** Reads saved mails (MIME): the calendars, pages and tracks in them. These functions only compute. */
import { decoded, fromBase64, fromQuotedPrintable } from './bytes.js';

/** How deep parts may be in each other, and the most parts. */
const [DEPTH, PARTS] = [8, 200];

/** Whether a byte string begins as a mail does.
 * @param {string} bytes */
export function isMail(bytes) {
  const { headers } = divided(bytes.slice(0, 100_000));
  return ['from', 'subject', 'mime-version', 'content-type', 'received'].filter((name) => headers.has(name)).length > 1;
}

/**
 * Returns the parts of a mail that may be bookings, decoded.
 * @param {string} bytes
 * @returns {{calendars: {bytes: string, charset?: string}[], pages: string[], tracks: string[]}}
 */
export function readMail(bytes) {
  /** @type {ReturnType<typeof readMail>} */
  const found = { calendars: [], pages: [], tracks: [] };
  let left = PARTS;
  /** @param {string} part @param {number} depth @returns {void} */
  function take(part, depth) {
    left -= 1;
    if (left < 0 || depth > DEPTH) return;
    const { headers, body } = divided(part);
    const { type, parameters } = typeOf(headers.get('content-type') ?? 'text/plain');
    if (type.startsWith('multipart/')) {
      const boundary = parameters.get('boundary');
      if (boundary) for (const each of partsOf(body, boundary)) take(each, depth + 1);
      return;
    }
    const name = parameters.get('name')
      ?? typeOf(headers.get('content-disposition') ?? '').parameters.get('filename') ?? '';
    const isCalendar = /^(text\/calendar|application\/ics)$/.test(type) || /\.ics$/i.test(name);
    const isTrack = type === 'application/gpx+xml' || /\.gpx$/i.test(name);
    if (type === 'message/rfc822') return void take(content(headers, body), depth + 1);
    if (!isCalendar && !isTrack && type !== 'text/html') return;
    const charset = parameters.get('charset');
    if (isCalendar) found.calendars.push({ bytes: content(headers, body), charset });
    else (isTrack ? found.tracks : found.pages).push(decoded(content(headers, body), charset));
  }
  take(bytes, 0);
  return found;
}

/** Decodes the body of a part.
 * @param {Map<string, string>} headers @param {string} body */
function content(headers, body) {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64': return fromBase64(body);
    case 'quoted-printable': return fromQuotedPrintable(body);
    default: return body;
  }
}

/** Divides a part into its headers, by name in lower case, and its body.
 * @param {string} part */
function divided(part) {
  const end = /\r?\n\r?\n/.exec(part);
  const head = end ? part.slice(0, end.index) : part;
  const headers = new Map();
  for (const line of head.replace(/\r?\n[ \t]/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    if (at > 0 && /^[!-9;-~]+$/.test(name) && !headers.has(name)) headers.set(name, line.slice(at + 1).trim());
  }
  return { headers, body: end ? part.slice(end.index + end[0].length) : '' };
}

/** Returns the type and the parameters of a header.
 * @param {string} value */
function typeOf(value) {
  const parameters = new Map();
  for (const [, name, quoted, plain] of value.matchAll(/;\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^;\s]+))/g)) {
    parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  return { type: value.split(';')[0].trim().toLowerCase(), parameters };
}

/** Splits the body of a multipart at its boundary.
 * @param {string} body @param {string} boundary */
function partsOf(body, boundary) {
  const pieces = `\n${body}`.split(`\n--${boundary}`);
  const parts = [];
  for (const piece of pieces.slice(1)) {
    if (piece.startsWith('--')) break;
    const line = piece.indexOf('\n');
    if (line < 0) continue;
    // A longer boundary may begin like this one.
    if (!piece.slice(0, line).trim()) parts.push(piece.slice(line + 1).replace(/\r$/, ''));
    else if (parts.length) parts[parts.length - 1] += `\n--${boundary}${piece}`;
  }
  return parts;
}
