/** Writes files for spreadsheets. */
import { download } from './ui.js';

/** Quotes a field if necessary. A text that a spreadsheet would take for a formula begins with an apostrophe.
 * @param {any} value */
function field(value) {
  if (typeof value === 'number') return String(value);
  const text = String(value ?? '');
  const safe = /^[\s]*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/**
 * Downloads rows as CSV.
 * @param {string} name
 * @param {any[][]} rows the first one has the names of the columns
 */
export const downloadCSV = (name, rows) => download(name, [rows.map((row) => row.map(field).join(',') + '\n').join('')],
  'text/csv;charset=utf-8');
