/** Reads decimal numbers as people write them. */
import { locale } from './texts.js';

/** Returns a number as text with a point before the decimals and without marks between thousands: 1234.56 for 1.234,56,
 * 1,234.56, 1 234,56 or 1’234.56. A single mark before three digits stands between thousands if the reader's language
 * writes it there. Other text stays as it is.
 * @param {string} text */
export function decimal(text) {
  const plain = text.trim().replace(/(?<=\d)[\s’'](?=\d{3})/g, '');
  const marks = plain.replace(/[^.,]/g, '');
  if (!marks || !/^[-+]?[\d.,]+$/.test(plain)) return plain;
  const last = marks.slice(-1);
  const groups = new Intl.NumberFormat(locale).format(1234)[1];
  const isWhole = marks.length > 1 ? !marks.slice(0, -1).includes(last) ? false : new Set(marks).size === 1
    : last === groups && /^[-+]?[1-9]\d{0,2}[.,]\d{3}$/.test(plain);
  if (isWhole) return plain.replace(/[.,]/g, '');
  const at = plain.lastIndexOf(last);
  return `${plain.slice(0, at).replace(/[.,]/g, '')}.${plain.slice(at + 1)}`;
}
