/** The texts of the pages, in a catalogue for each language. */

/** @type {Record<string, string>} */
let texts = {};
/** Patterns of the daemon's sentences, with their translations.
 * @type {[RegExp, string][]} */
let phrases = [];
/** The language of the pages, such as en. */
export let language = 'en';
/** That language as the browser's region writes it, such as en-GB. */
export let locale = language;

export const languages = { en: 'English', de: 'Deutsch' };

/** Loads the catalogue of the chosen language, or else of the browser's first supported language. */
export async function loadTexts() {
  const wanted = [localStorage.getItem('language'), ...navigator.languages].map((tag) => (tag ?? '').slice(0, 2));
  language = wanted.find((tag) => tag in languages) ?? 'en';
  locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  const catalogue = await import(`./texts/${language}.js`);
  texts = { ...catalogue.default };
  phrases = (catalogue.phrases ?? []).map((/** @type {string[]} */ [english, own]) =>
    [new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '([^<]*?)')}$`, 's'), own]);
  const direction = new URLSearchParams(location.search).get('dir') ?? localStorage.getItem('direction');
  document.documentElement.lang = language;
  document.documentElement.dir = direction ?? (['ar', 'he', 'fa', 'ur'].includes(language) ? 'rtl' : 'ltr');
}

/** Adds the texts of a part of the pages that the first view does without.
 * @param {string} part */
export async function addTexts(part) {
  Object.assign(texts, (await import(`./texts/${part}.${language}.js`)).default);
}

/** Returns the text with a key, or the key itself if there is none.
 *
 * `{name}` stands for a value; `{n#one trip#{n} trips}` chooses singular or plural by the number `n`.
 *
 * @param {string} key @param {Record<string, any>} [values] */
export function t(key, values = {}) {
  const text = texts[key];
  if (text === undefined) return key;
  return text
    .replace(/\{(\w+)#([^#]*)#((?:[^{}]|\{\w+\})*)\}/g, (_, name, one, other) =>
      new Intl.PluralRules(language).select(values[name]) === 'one' ? one : other)
    .replace(/\{(\w+)\}/g, (_, name) => typeof values[name] === 'number' ? number(values[name]) : values[name] ?? '');
}

/** Returns what a script needs that cannot load the catalogue: the language, the texts whose keys match, and the
 * daemon's sentences as the source of a pattern, each with its translation.
 * @param {RegExp} keys */
export const keptTexts = (keys) => ({
  language, texts: Object.fromEntries(Object.entries(texts).filter(([key]) => keys.test(key))),
  phrases: phrases.map(([pattern, own]) => [pattern.source, own]),
});

/** Whether the catalogue has a text with a key.
 * @param {string} key */
export const has = (key) => key in texts;

/** Translates a sentence of the daemon, or a part of one. Returns it unchanged if the catalogue has no translation.
 *
 * @param {string} sentence
 * @param {(value: string) => string} [shown] formats the values in the sentence for the reader */
export function say(sentence, shown = (value) => value) {
  for (const [pattern, own] of phrases) {
    const match = pattern.exec(sentence);
    if (match) return own.replace(/\{(\d)\}/g, (_, n) => shown(match[Number(n) + 1]));
  }
  return sentence;
}

/** Formats a number for the reader's language.
 * @param {number} value @param {number} [digits] */
export function number(value, digits = 0) {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(value);
}
