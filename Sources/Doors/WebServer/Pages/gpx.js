/** Imports GPX files: their named points become locations of a plan. */
import { h } from './dom.js';
import { t } from './texts.js';
import { call } from './rpc.js';
import { dialog, formDialog, Wrong } from './ui.js';

const fileField = () => ({
  name: 'file', label: t('gpx.file'), type: 'file', required: true,
  attributes: { accept: '.gpx,application/gpx+xml' },
});

/** @param {File} file */
async function parsed(file) {
  const written = await file.text();
  if (!/<(\w+:)?gpx[\s>]/.test(written)) throw new Wrong('file', t('gpx.none'));
  const xml = new DOMParser().parseFromString(written, 'application/xml');
  if (xml.documentElement.localName !== 'gpx' || all(xml, 'parsererror').length) throw new Wrong('file', t('gpx.none'));
  return xml;
}

/** @param {Document | Element} of @param {string} name */
const all = (of, name) => [...of.getElementsByTagNameNS('*', name)];
/** @param {Element} of @param {string} name */
const text = (of, name) => all(of, name)[0]?.textContent?.trim() || undefined;
/** Returns the position of a point. A missing coordinate becomes NaN, which the daemon refuses.
 * @param {Element} point */
const place = (point) => ({
  lat: parseFloat(point.getAttribute('lat') ?? ''), lon: parseFloat(point.getAttribute('lon') ?? ''),
});

/**
 * Imports the named waypoints of a file, including those of its routes, as locations of a plan.
 * @param {string} plan
 * @param {() => void} done
 */
export const importLocations = (plan, done) => formDialog(t('gpx.title'), {
  fields: [fileField()], submit: t('gpx.import'), rename: { locations: 'file' },
  action: async ({ file: [file] }) => {
    const xml = await parsed(file);
    const locations = [...all(xml, 'wpt'), ...all(xml, 'rtept')].filter((point) => text(point, 'name')).map((point) => {
      const description = text(point, 'desc');
      return { name: text(point, 'name') ?? '', ...place(point), ...(description ? { description } : {}) };
    });
    if (!locations.length) throw new Wrong('file', t('gpx.noplaces'));
    const made = await call('locations.import', { plan, locations });
    done();
    dialog(t('gpx.imported'), h('p', t('gpx.added', { n: made.locations.length })));
  },
}, h('p.field-hint', t('gpx.locations.note')));
