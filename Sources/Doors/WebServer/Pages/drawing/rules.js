/** The rules of a sight in its form: a limit of speed, the hours, devices and groups it is watched for, the alarm. */
import { number, t } from '../texts.js';
import { units } from '../format.js';
import { limitField, speedFactor, takenLimit } from '../speeds.js';

/** The days of the week as the server writes them. */
const DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** The days as the reader writes them. */
const own = () => t('draw.days').split(' ');

/** Returns hours with the days in the reader's language.
 * @param {string} text */
export const shownHours = (text) => text.replace(/[A-Z][a-z]/g, (day) => own()[DAYS.indexOf(day)] ?? day);

/**
 * Returns hours as the server takes them: `Mo-Fr 8-17` in the reader's words is `Mo-Fr 08:00-17:00`.
 * @param {string} text
 */
export function takenHours(text) {
  const days = own().map((day) => day.toLowerCase());
  return text.split(';').map((rule) => rule
    .replace(/[–—]/g, '-').replace(/\b(Uhr|h)\b/gi, '')
    .replace(/\s*([-,])\s*/g, '$1').replace(/(\p{L}),(?=\d)/gu, '$1 ').trim()
    // A name of a day may be written out.
    .replace(/\p{L}+/gu, (word) => {
      const at = days.findIndex((day) => word.toLowerCase().startsWith(day));
      return at >= 0 ? DAYS[at] : word;
    })
    .replace(/\b(\d{1,2})(?:[:.](\d\d))?\b/g, (_, hour, minute) => `${hour.padStart(2, '0')}:${minute ?? '00'}`)
    .replace(/\s+/g, ' ')).filter(Boolean).join('; ');
}

/**
 * Returns the fields of the rules.
 * @param {Sight} sight the sight as it is
 * @param {{name: string, title?: string}[]} devices those that there are
 * @param {{id: string, title: string}[]} groups those that there are
 * @returns {FieldSpec[]}
 */
export function ruleFields(sight, devices, groups) {
  const names = new Map(devices.map(({ name, title }) => [name, title ?? name]));
  for (const name of sight.devices ?? []) if (!names.has(name)) names.set(name, name);
  /** @type {FieldSpec[]} */
  const fields = [
    limitField(sight.speed_limit, t('draw.speed.hint')),
    { name: 'active', label: t('draw.hours'), value: sight.active ? shownHours(sight.active) : '', half: true,
      hint: t('draw.hours.hint') },
    { name: 'zone', label: t('draw.zone'), value: sight.zone, hint: t('draw.zone.hint') },
    { name: 'alarm', label: t('draw.alarm'), type: 'checkbox', value: sight.alarm },
  ];
  if (names.size) {
    fields.push({ name: 'devices', label: t('draw.devices'), type: 'checks', value: sight.devices,
      hint: t('draw.devices.hint'), options: [...names] });
  }
  const titles = new Map(groups.map(({ id, title }) => [id, title]));
  for (const id of sight.groups ?? []) if (!titles.has(id)) titles.set(id, id);
  if (titles.size) {
    fields.push({ name: 'groups', label: t('draw.groups'), type: 'checks', value: sight.groups,
      hint: t('draw.groups.hint'), options: [...titles] });
  }
  return fields;
}

/**
 * Returns the rules of a form as values of a call.
 * @param {any} values
 * @param {boolean} isNew whether the sight has no rules that an empty field would end
 */
export function ruleValues({ speed_limit: limit, active, zone, alarm, devices, groups }, isNew) {
  /** @type {Record<string, any>} */
  const rules = {};
  if (limit !== undefined || !isNew) rules.speed_limit = takenLimit(limit);
  if (active || !isNew) rules.active = takenHours(active ?? '');
  if (zone) rules.zone = zone;
  if (alarm || !isNew) rules.alarm = alarm;
  if (devices && (devices.length || !isNew)) rules.devices = devices;
  if (groups && (groups.length || !isNew)) rules.groups = groups;
  return rules;
}

/** Returns a limit of speed for the reader.
 * @param {number} limit metres per second */
export const shownLimit = (limit) =>
  t(units() === 'miles' ? 'draw.limit.miles' : 'draw.limit', { n: number(limit * speedFactor()) });
