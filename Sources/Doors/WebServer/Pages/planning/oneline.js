/** Reads one line that a person writes: an item of a plan, or an expense. These functions only compute. */
import { decimal } from '../decimal.js';

/** The words for a kind of item, in English and German, by its tab. The first tab with a word counts. */
/** @type {Record<string, string>} */
const TABS = {
  food: 'dinner|lunch|breakfast|brunch|supper|coffee|drinks?|restaurant|bar|abendessen|mittagessen|frühstück|kaffee|'
    + 'essen|eis|kneipe',
  transport: 'flight|train|bus|ferry|taxi|tram|drive|transfer|flug|zug|bahn|fähre|fahrt|abflug|ankunft',
  lodging: 'hotel|hostel|check-?in|check-?out|camping|campsite|apartment|pension|ferienwohnung|campingplatz|'
    + 'übernachtung',
  places: 'museum|castle|church|tower|beach|zoo|schloss|burg|kirche|turm|strand',
};
const WEEKDAYS = [['sunday', 'sun', 'sonntag'], ['monday', 'mon', 'montag'], ['tuesday', 'tue', 'dienstag'],
  ['wednesday', 'wed', 'mittwoch'], ['thursday', 'thu', 'donnerstag'], ['friday', 'fri', 'freitag'],
  ['saturday', 'sat', 'samstag']];
/** The names of the months in English and German, by number. */
const MONTHS = ['january|januar|jänner|jan', 'february|februar|feb', 'march|märz|mar|mär', 'april|apr', 'may|mai',
  'june|juni|jun', 'july|juli|jul', 'august|aug', 'september|sept|sep', 'october|oktober|oct|okt', 'november|nov',
  'december|dezember|dec|dez'];
const EDGE = '(?<![\\p{L}\\p{N}])';
const END = '(?![\\p{L}\\p{N}])';
const CLOCK = '(\\d{1,2})(?:[:.](\\d{2}))?\\s*(am|pm|uhr|h)?';
/** A time, or two with a dash between them. One of them has minutes after a colon, am, pm, h or Uhr. */
const TIMES = new RegExp(`(?:${EDGE}(?:at|um|ab|@)\\s*)?${EDGE}${CLOCK}(?:\\s*(?:-|–|to|bis)\\s*${CLOCK})?${END}`,
  'giu');

/**
 * Returns minutes since midnight; undefined for what is no time of day.
 * @param {string} hour
 * @param {string | undefined} minute
 * @param {string | undefined} half am, pm or another word
 */
function minutes(hour, minute, half) {
  const isHalf = half === 'am' || half === 'pm';
  const [h, m] = [Number(hour), Number(minute ?? 0)];
  if (m > 59 || h > (isHalf ? 12 : 24) || (isHalf && !h) || (h === 24 && m)) return undefined;
  return ((isHalf ? (h % 12) + (half === 'pm' ? 12 : 0) : h % 24) * 60) + m;
}

/** @param {number} minutes */
const clock = (minutes) =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Returns a day that lies some days after another.
 * @param {string} day @param {number} by */
export const dayAfter = (day, by) =>
  new Date(Date.parse(`${day}T00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);

/**
 * Takes the first time of day out of a line.
 * @param {string} line
 */
function takeTime(line) {
  for (const match of line.matchAll(TIMES)) {
    const [all, hour, minute, half, hour2, minute2, half2] = match;
    // 25.40 and a bare 12 are no times; 12:30, 8pm and 20 Uhr are, and so is each end of 8-10pm.
    const isClock = half || half2 || /:/.test(all);
    if (!isClock || (minute && !half && all.includes('.') && !/uhr|h\b/i.test(all))) continue;
    /** @param {string} text */
    const word = (text) => text?.toLowerCase();
    const from = minutes(hour, minute, word(half) ?? (/m/.test(word(half2) ?? '') ? word(half2) : undefined));
    const to = hour2 === undefined ? undefined : minutes(hour2, minute2, word(half2));
    if (from === undefined) continue;
    return { from, to, before: line.slice(0, match.index), after: line.slice((match.index ?? 0) + all.length) };
  }
  return null;
}

/**
 * Returns the date of a day of a month; without a year, the one closest to `near`. Undefined for 31 February.
 * @param {number} date
 * @param {number} month
 * @param {string | undefined} year
 * @param {string} near
 */
function dated(date, month, year, near) {
  /** @param {string | number} year */
  const of = (year) => {
    const day = [String(year).padStart(4, '20'), ...[month, date].map((one) => String(one).padStart(2, '0'))].join('-');
    const time = Date.parse(`${day}T00:00Z`);
    return Number.isFinite(time) && new Date(time).getUTCDate() === date ? day : undefined;
  };
  if (year) return of(year);
  const first = Number(near.slice(0, 4));
  /** @param {string | undefined} day */
  const away = (day) => Math.abs(Date.parse(day ?? '') - Date.parse(near));
  return [first - 1, first, first + 1].map(of).filter(Boolean).sort((a, b) => away(a) - away(b))[0];
}

/**
 * Takes a day out of a line: today, tomorrow, a weekday from `day` on, `day 2` of the plan, 1 December, Dec 1, 1.12.,
 * or 2026-05-01.
 * @param {string} line
 * @param {{day?: string, today: string, start?: string}} context
 */
function takeDay(line, { day, today, start }) {
  const near = start ?? day ?? today;
  const weekdays = WEEKDAYS.flat().join('|');
  const months = MONTHS.join('|');
  /** @param {string} name */
  const monthOf = (name) => MONTHS.findIndex((names) => names.split('|').includes(name.toLowerCase())) + 1;
  const before = `(?:(?:on|am)\\s+)?(?:(?:${weekdays})\\.?,?\\s+)?(?:(?:the|den)\\s+)?`;
  const rules = [
    [/(\d{4}-\d\d-\d\d)/, (/** @type {string} */ found) => (Number.isFinite(Date.parse(found)) ? found : undefined)],
    [new RegExp(`${before}(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s*(?:of\\s+)?(${months})\\.?(?:,?\\s+(\\d{4}))?`),
      (/** @type {string[]} */ ...[date, month, year]) => dated(Number(date), monthOf(month), year, near)],
    [new RegExp(`${before}(${months})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?(?![:.]\\d)`),
      (/** @type {string[]} */ ...[month, date, year]) => dated(Number(date), monthOf(month), year, near)],
    [new RegExp(`${before}(\\d{1,2})\\.\\s?(\\d{1,2})\\.(\\d{4}|\\d\\d)?`),
      (/** @type {string[]} */ ...[date, month, year]) => dated(Number(date), Number(month), year, near)],
    [/(today|heute)/, () => today], [/(?:day after tomorrow|übermorgen)/, () => dayAfter(today, 2)],
    [/(tomorrow|morgen)/, () => dayAfter(today, 1)],
    [/(?:day|tag)\s*(\d{1,2})/,
      (/** @type {string} */ found) => (start && Number(found) > 0 ? dayAfter(start, Number(found) - 1) : undefined)],
    [new RegExp(`(?:(?:on|am)\\s+)?(${weekdays})`), (/** @type {string} */ found) => {
      const first = day ?? start ?? today;
      const weekday = WEEKDAYS.findIndex((names) => names.includes(found.toLowerCase()));
      return dayAfter(first, (weekday - new Date(`${first}T00:00Z`).getUTCDay() + 7) % 7);
    }],
  ];
  for (const [pattern, dayOf] of /** @type {[RegExp, (...found: string[]) => string | undefined][]} */ (rules)) {
    const match = new RegExp(`${EDGE}${pattern.source}${END}`, 'iu').exec(line);
    const found = match && dayOf(...match.slice(1));
    if (!found) continue;
    return { day: found, rest: `${line.slice(0, match.index)} ${line.slice(match.index + match[0].length)}` };
  }
  return { day: undefined, rest: line };
}

/** @param {string} text */
const tidy = (text) => text.replace(/\s+/g, ' ').replace(/^[\s,;·–-]+|[\s,;·–-]+$/g, '');

/** Returns the tab for the words of a title.
 * @param {string} title */
export function tabOf(title) {
  /** @param {string} words */
  const has = (words) => new RegExp(`${EDGE}(?:${words})${END}`, 'iu').test(title);
  return Object.keys(TABS).find((tab) => has(TABS[tab])) ?? 'itinerary';
}

/**
 * Reads an item: what, when and where, such as “Dinner 8pm Taberna” or “Abendessen 20 Uhr bei Luigi”. The place is
 * what follows the time, or “at”, “in”, “bei”. Without a day in the line it is `day`, and without a time the whole day.
 * @param {string} text
 * @param {{day?: string, today: string, start?: string}} context `start` is the first day of the plan
 * @returns {{title: string, tab: string, location?: string, arrival?: string, from?: string, to?: string} | null} null
 *   without a title
 */
export function readItem(text, context) {
  const { day, rest } = takeDay(tidy(text), context);
  const time = takeTime(rest);
  let [title, location] = time && tidy(time.before) ? [tidy(time.before), tidy(time.after)]
    : [tidy(time ? time.after : rest), ''];
  if (!location) {
    const split = /^(.+?)\s+(?:at|@|in|bei|im|beim|in der)\s+(.+)$/iu.exec(title);
    if (split) [, title, location] = split;
  }
  if (!title) return null;
  const tab = tabOf(title);
  const goes = tab === 'transport' && /^(?:to|nach)\s+(.+)$/iu.exec(location);
  location = tidy(location.replace(/^(?:at|@|in|bei|im|beim)\s+/iu, ''));
  const on = day ?? context.day;
  const from = time && on ? `${on}T${clock(time.from)}` : on;
  const to = time?.to === undefined || !on ? undefined
    : `${time.to < time.from ? dayAfter(on, 1) : on}T${clock(time.to)}`;
  const where = goes ? { arrival: tidy(goes[1]) } : location ? { location } : {};
  return { title, tab, ...where, ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

/** @type {Record<string, string>} */
const SIGNS = { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY', euro: 'EUR', euros: 'EUR', chf: 'CHF' };

/**
 * Finds people by first name, name or username in a list such as “Ann, Bob and me”; null if one is nobody of them.
 * @param {string} text
 * @param {{id: string, name: string}[]} people
 * @param {string} [me]
 */
function named(text, people, me) {
  const found = [];
  for (const word of text.split(/\s*(?:,|;|&|\+|\s(?:and|und)\s)\s*/iu).map(tidy).filter(Boolean)) {
    const name = word.toLocaleLowerCase();
    if (/^(?:all|everyone|everybody|us|alle|uns)$/.test(name)) return people.map(({ id }) => id);
    /** @param {{id: string, name: string}} one */
    const is = (one) => [one.id, one.name, one.name.split(' ')[0]].some((each) => each.toLocaleLowerCase() === name);
    const who = /^(?:me|mich)$/.test(name) ? people.find(({ id }) => id === me) : people.find(is);
    if (!who) return null;
    found.push(who.id);
  }
  return found.length ? [...new Set(found)] : null;
}

/**
 * Reads an expense: for what, how much, who paid and for whom, such as “Taxi 25.40 for Ann and Bob” or
 * “Pizza 12,50 € bezahlt von Bob”. Names that nobody has belong to the title.
 * @param {string} text
 * @param {{people: {id: string, name: string}[], me?: string}} context
 * @returns {{title: string, amount: string, currency?: string, payer?: string, sharers?: string[]} | null} null without
 *   a title or an amount
 */
export function readExpense(text, { people, me }) {
  let line = tidy(text);
  /** @type {any} */
  let payer;
  let sharers;
  /** Takes out who paid.
   * @param {RegExp} pattern */
  const takePayer = (pattern) => {
    const paid = payer ? null : pattern.exec(line);
    const who = paid && named(paid[1], people, me);
    if (!paid || who?.length !== 1) return;
    [payer] = who;
    line = `${line.slice(0, paid.index)} ${line.slice(paid.index + paid[0].length)}`;
  };
  takePayer(/\s(?:paid by|bezahlt von)\s+(\S+)/iu);
  const shared = /\s(?:for|für)\s+(.+)$/iu.exec(line);
  if (shared) {
    const at = shared.index;
    // An amount may follow the names.
    const [, names, rest] = /^(.+?)(\s+\S*\d.*)?$/u.exec(shared[1]) ?? [];
    sharers = named(names ?? '', people, me) ?? undefined;
    if (sharers) line = `${line.slice(0, at)} ${rest ?? ''}`;
  }
  takePayer(/\s(?:by|von)\s+(\S+)\s*$/iu);
  const number = '\\d{1,3}(?:[.,’\'  ]\\d{3})*(?:[.,]\\d{1,3})?|\\d+(?:[.,]\\d{1,3})?';
  const sign = '[A-Z]{3}|[€$£¥]';
  const money = new RegExp(`${EDGE}(?:(${sign})\\s*)?(${number})(?:\\s*(${sign}|euros?))?${END}`, 'gu');
  // Of several numbers, the amount has a currency, or else decimals, or else it is the last.
  const all = [...line.matchAll(money)];
  const match = all.find((one) => one[1] || one[3]) ?? all.find((one) => /[.,]\d\d$/.test(one[2])) ?? all.at(-1);
  if (!match) return null;
  const found = match[1] ?? match[3];
  const currency = found && (SIGNS[found] ?? SIGNS[found.toLowerCase()] ?? found);
  const title = tidy(`${line.slice(0, match.index)} ${line.slice((match.index ?? 0) + match[0].length)}`);
  if (!title) return null;
  return { title, amount: decimal(match[2]), ...(currency ? { currency } : {}), ...(payer ? { payer } : {}),
    ...(sharers ? { sharers } : {}) };
}
