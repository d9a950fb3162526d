/** Imports GPX files: recorded points become trips, named points become locations of a plan. */
import { h } from './dom.js';
import { t } from './texts.js';
import { call, read } from './rpc.js';
import { dialog, formDialog, Wrong, rowText, tally } from './ui.js';
import { tripName } from './pages/trips.js';
import { moment, distance } from './format.js';
import { path } from './paths.js';

/** The maximum number of points in one call of `trips.import`. */
const PART = 2000;
const fileField = () => ({ name: 'file', label: t('gpx.file'), type: 'file', required: true, attributes: { accept: '.gpx,application/gpx+xml' } });

/** @param {File} file */
async function parsed(file) {
  const written = await file.text();
  if (!/<(\w+:)?gpx[\s>]/.test(written)) throw new Wrong('file', t('gpx.none'));
  const xml = new DOMParser().parseFromString(written, 'application/xml');
  if (xml.documentElement.localName !== 'gpx' || all(xml, 'parsererror').length) throw new Wrong('file', t('gpx.none'));
  return xml;
}

const all = (of, name) => [...of.getElementsByTagNameNS('*', name)];
const text = (of, name) => all(of, name)[0]?.textContent.trim() || undefined;
/** Returns the position of a point. A missing coordinate becomes NaN, which the daemon refuses. */
const place = (point) => ({ lat: parseFloat(point.getAttribute('lat')), lon: parseFloat(point.getAttribute('lon')) });

/** Imports the recorded points of a file as trips of a device, and shows the result. @param {() => void} done */
export async function importTrips(done) {
  const { devices } = await read('devices.list');
  formDialog(t('gpx.title'), {
    fields: [fileField(), { name: 'device', label: t('trips.device'), required: true, value: devices[0]?.name, hint: t('gpx.device.hint') }],
    submit: t('gpx.import'), rename: { points: 'file' },
    action: async ({ file: [file], device }) => {
      const points = all(await parsed(file), 'trkseg').flatMap((segment, part) => all(segment, 'trkpt').map((point, n) => {
        const alt = text(point, 'ele');
        return { ...place(point), time: text(point, 'time'), ...(alt ? { alt: Number(alt) } : {}), ...(part && !n ? { gap: true } : {}) };
      })).filter(({ time }) => time);
      if (!points.length) throw new Wrong('file', t('gpx.notimes'));
      const trips = [];
      let report;
      for (let at = 0; at < points.length; at += PART) {
        const more = at + PART < points.length;
        report = await call('trips.import', { device, points: points.slice(at, at + PART), part: at / PART, ...(more ? { more } : {}) });
        trips.push(...report.trips);
      }
      const rejected = tally(report.rejected);
      dialog(t('gpx.imported'), h('p', t('gpx.read', { n: report.read, trips: trips.length })), rejected && h('p', t('gpx.rejected', { rejected })),
        h('ul.rows.dense', trips.map((trip) => h('li.row', h('a.row-link', { href: path('trips', trip.with ?? trip.id), onclick: () => document.querySelector('dialog').close() },
          rowText(tripName(trip), `${moment(trip.start)} · ${distance(trip.distance)}`)), h('small', t(trip.outcome === 'added' ? 'gpx.new' : `gpx.${trip.outcome}`))))));
      done();
    },
  });
}

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
      return { name: text(point, 'name'), ...place(point), ...(description ? { description } : {}) };
    });
    if (!locations.length) throw new Wrong('file', t('gpx.noplaces'));
    const made = await call('locations.import', { plan, locations });
    done();
    dialog(t('gpx.imported'), h('p', t('gpx.added', { n: made.locations.length })));
  },
}, h('p.field-hint', t('gpx.locations.note')));
