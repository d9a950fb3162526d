/** Bytes of files and mails as text. A byte string has one character for each byte. */

/** A file that cannot be read, with the key of the text that says why. */
export class Unreadable extends Error {}

/** The most bytes of a file; a mail brings pictures along. */
const MOST = 10_000_000;

/** Reads a file as a byte string.
 * @param {Blob} file */
export async function bytesOf(file) {
  if (file.size > MOST) throw new Unreadable('bookings.large');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pieces = [];
  for (let n = 0; n < bytes.length; n += 8192) pieces.push(String.fromCharCode(...bytes.subarray(n, n + 8192)));
  return pieces.join('');
}

/**
 * Decodes a byte string. What is no text in that encoding becomes a replacement character.
 * @param {string} bytes
 * @param {string} [charset] UTF-8 if it is missing or unknown
 */
export function decoded(bytes, charset = 'utf-8') {
  const array = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
  try {
    return new TextDecoder(charset).decode(array);
  } catch {
    return new TextDecoder().decode(array);
  }
}

/** Decodes base64; nothing where it is damaged.
 * @param {string} text */
export function fromBase64(text) {
  try {
    return atob(text.replace(/[^A-Za-z0-9+/]/g, ''));
  } catch {
    return '';
  }
}

/** Returns a line without the blanks at its end.
 * @param {string} line */
function withoutBlanks(line) {
  let end = line.length;
  while (end && ' \t\r'.includes(line[end - 1])) end -= 1;
  return line.slice(0, end);
}

/** Decodes quoted-printable text to a byte string.
 * @param {string} text */
export function fromQuotedPrintable(text) {
  const lines = text.split('\n').map(withoutBlanks);
  const joined = lines.map((line) => (line.endsWith('=') ? line.slice(0, -1) : `${line}\r\n`)).join('');
  return joined.replace(/=([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}
