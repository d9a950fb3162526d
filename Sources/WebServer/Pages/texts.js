/** What the pages say, in the reader's language: one catalogue a language. */

/** @type {Record<string, string>} */
let texts = {};
/** Sentences of the daemon and what they are in the reader's language. @type {[RegExp, string][]} */
let phrases = [];
/** The language that is spoken, such as en. */
export let language = 'en';

export const languages = { en: 'English', de: 'Deutsch' };

/** Loads the catalogue of the language that was chosen, or that the browser asks for. */
export async function loadTexts() {
  const wanted = [localStorage.getItem('language'), ...navigator.languages].map((tag) => (tag ?? '').slice(0, 2));
  language = wanted.find((tag) => tag in languages) ?? 'en';
  const catalogue = await import(`./texts/${language}.js`);
  texts = catalogue.default;
  phrases = (catalogue.phrases ?? []).map(([english, own]) =>
    [new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '([^<]*?)')}$`, 's'), own]);
  const direction = new URLSearchParams(location.search).get('dir') ?? localStorage.getItem('direction');
  document.documentElement.lang = language;
  document.documentElement.dir = direction ?? (['ar', 'he', 'fa', 'ur'].includes(language) ? 'rtl' : 'ltr');
}

/**
 * A text by its key. `{name}` stands for a value, `{n#one trip#{n} trips}` for one of two by the number n.
 *
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export function t(key, values = {}) {
  const text = texts[key];
  if (text === undefined) return key;
  return text
    .replace(/\{(\w+)#([^#]*)#((?:[^{}]|\{\w+\})*)\}/g, (_, name, one, other) =>
      new Intl.PluralRules(language).select(values[name]) === 'one' ? one : other)
    .replace(/\{(\w+)\}/g, (_, name) => typeof values[name] === 'number' ? number(values[name]) : values[name] ?? '');
}

/** Whether there is a text of that key. @param {string} key */
export const has = (key) => key in texts;

/**
 * A sentence of the daemon, or a part of one, in the reader's language; as it is where the catalogue has none.
 *
 * @param {string} sentence
 * @param {(value: string) => string} [shown] how the reader writes what stands in it
 */
export function say(sentence, shown = (value) => value) {
  for (const [pattern, own] of phrases) {
    const match = pattern.exec(sentence);
    if (match) return own.replace(/\{(\d)\}/g, (_, n) => shown(match[Number(n) + 1]));
  }
  return sentence;
}

/**
 * A number as readers write it.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 0) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(value);
}
