/** Saving a change of something that another person may have changed meanwhile. */
import { h } from './dom.js';
import { t } from './texts.js';
import { call, Refused } from './rpc.js';
import { dialog, form, toast } from './ui.js';

/** Fields that only make sense together. */
const UNITS = [['lat', 'lon'], ['amount', 'currency', 'rate', 'payers', 'split', 'shares', 'personal']];
const NAMES = ['plan', 'location', 'activity', 'expense', 'checklist', 'task'];

/** @param {any} one */
const lineText = (one) =>
  (typeof one === 'object' ? [one.name ?? one.person, one.amount ?? one.share].filter(Boolean).join(' ') : one);

/** Returns a value as people read it, and as it is compared.
 * @param {any} value */
function shown(value) {
  if (value === undefined || value === null || value === '' || value === false) return '–';
  if (Array.isArray(value)) return value.length ? value.map(lineText).join(', ') : '–';
  return typeof value === 'object' ? String(value.at).slice(0, 16) : value === true ? '✓' : String(value);
}

/** Returns a value of either side in a form that makes equal ones equal.
 * @param {any} value */
function key(value, name = '') {
  if (!Array.isArray(value)) return shown(value);
  /** @param {any} one */
  const amount = (one) => Number((name === 'shares' ? one.share : one.amount) ?? 0);
  return shown(value.map((one) => (typeof one === 'object' ? `${one.person} ${amount(one)}` : one)).sort());
}

/** @param {string} name */
const unitOf = (name) => UNITS.find((unit) => unit.includes(name)) ?? [name];

/** Whether a unit of fields differs between two versions.
 * @param {string[]} unit @param {Record<string, any>} one @param {any} other */
const differs = (unit, one, other) =>
  unit.some((name) => name in one && key(one[name], name) !== key(other?.[name], name));

/** Returns the members of an object that are in some units.
 * @param {string[][]} units
 * @param {Record<string, any>} object */
const partOf = (units, object) =>
  Object.fromEntries(units.flat().filter((name) => name in object).map((name) => [name, object[name]]));

/**
 * Returns the units of fields that differ from a version.
 * @param {string[]} names the names of the fields
 * @param {Record<string, any>} fields
 * @param {any} version
 */
export const changedUnits = (names, fields, version) =>
  [...new Set(names.map(unitOf))].filter((unit) => differs(unit, fields, version));

/**
 * Returns the units of fields that somebody else has changed, too, and to something else.
 * @param {string[][]} units
 * @param {Record<string, any>} fields
 * @param {any} base the object as it was before both changes
 * @param {any} current the object as it is saved now
 */
export const bothUnits = (units, fields, base, current) => units.filter((unit) => {
  const given = unit.filter((name) => name in fields);
  return differs(given, fields, current)
    && differs(given, Object.fromEntries(given.map((name) => [name, current[name]])), base);
});

/**
 * Saves the fields that the person has changed. If somebody else has changed the same object meanwhile, both changes
 * are kept; where both have changed the same field, the person chooses, side by side.
 *
 * Resolves to the saved object, or to null if nothing is left to save. If the person does not choose, the form stays.
 *
 * @param {Method} method
 * @param {Record<string, any>} params with `revision`
 * @param {Record<string, any>} base the object as the form showed it
 */
export async function saving(method, params, base) {
  const identity = Object.fromEntries(Object.entries(params)
    .filter(([name, value]) => NAMES.includes(name) && value === base.id));
  const names = Object.keys(params).filter((name) => !(name in identity) && name !== 'revision');
  return send(changedUnits(names, params, base), params.revision);

  /**
   * @param {string[][]} wanted
   * @param {number} revision
   * @returns {Promise<any>}
   */
  async function send(wanted, revision) {
    if (!wanted.length) return null;
    try {
      return await call(method, /** @type {any} */ ({ ...identity, ...partOf(wanted, params), revision }), { base });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 3 || !error.data.current) throw error;
      const { current, revision: newer } = error.data;
      const both = bothUnits(wanted, params, base, current);
      const rest = wanted.filter((unit) => !both.includes(unit));
      const chosen = both.length ? await choose(both, params, current) : [];
      if (!chosen) throw error;
      const saved = await send([...rest, ...chosen], newer);
      toast(t('merge.done'));
      return saved;
    }
  }
}

/**
 * Lets the person choose between two versions of each unit of fields.
 * @param {string[][]} both
 * @param {Record<string, any>} params the person's version
 * @param {any} current the saved version
 * @returns {Promise<string[][] | null>} the units of which the person's version stays; null if they did not choose
 */
export function choose(both, params, current) {
  return new Promise((resolve) => {
    let isChosen = false;
    const groups = both.map((unit, n) => {
      const names = unit.filter((name) => name in params);
      /** @param {any} version */
      const told = (version) => names.filter((name) => names.length === 1 || key(version[name]) !== '–')
        .map((name) => h('span', names.length > 1 ? `${t(`field.${name}`)}: ` : '', shown(version[name])));
      /** @param {string} side @param {any} version */
      const option = (side, version) => h('label.card.check',
        h('input', { type: 'radio', name: `merge-${n}`, value: side, checked: side === 'yours' }),
        h('span.row-text', h('strong', t(`conflict.${side}`)), told(version)));
      return h('fieldset.merge', h('legend', names.map((name) => t(`field.${name}`)).slice(0, 2).join(', ')),
        option('theirs', current), option('yours', params));
    });
    const element = dialog(t('conflict.title'), h('p', t('conflict')), form({
      fields: groups, submit: t('keep'),
      action: async () => {
        isChosen = true;
        element.close();
        resolve(both.filter((_, n) => /** @type {any} */ (groups[n].querySelector('input:checked')).value === 'yours'));
      },
    }));
    element.addEventListener('close', () => { if (!isChosen) resolve(null); });
  });
}
