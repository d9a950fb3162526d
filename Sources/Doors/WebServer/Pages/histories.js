/** Imports recordings and location histories of every kind as trips: the daemon reads the files. */
import { h, fill } from './dom.js';
import { t, say } from './texts.js';
import { readPages } from './rpc.js';
import { sendFile } from './upload.js';
import { dialog, form, Wrong, rowText, said, tally } from './ui.js';
import { tripName } from './pages/trips.js';
import { moment, distance } from './format.js';
import { path } from './paths.js';

/** The largest file that the daemon takes, in bytes. */
const LARGEST = 4e9;
/** The most entries of a list to show: what a person looks through. */
const SHOWN = 100;

/**
 * Asks for files and their device, imports them one by one, and tells what came of each.
 * @param {() => void} done
 * @param {FileList | null} [files] the files that are chosen already
 */
export async function importHistories(done, files) {
  const devices = await readPages('devices.list', 'devices', {});
  const leaving = new AbortController();
  const bar = h('div.progress', { hidden: true }, h('span'));
  const state = h('p', { role: 'status' });
  const sheet = form({
    fields: [
      { name: 'file', label: t('histories.files'), type: 'file', required: true, hint: t('histories.kinds'),
        attributes: { multiple: true } },
      { name: 'device', label: t('trips.device'), value: devices[0]?.name, hint: t('histories.device') },
      bar, state,
    ],
    submit: t('gpx.import'),
    action: async ({ file: chosen, device }) => {
      const large = chosen.find((/** @type {File} */ file) => file.size > LARGEST);
      if (large) throw new Wrong('file', t('histories.large', { file: large.name }));
      const told = [];
      try {
        for (const file of chosen) {
          try {
            told.push(summary(file.name, await send(file, device)));
          } catch (error) {
            if (leaving.signal.aborted) return;
            if (chosen.length === 1) throw error;
            told.push(h('section.section', h('h3', file.name), h('p.form-error', said(error))));
          }
        }
      } finally {
        bar.hidden = true;
        fill(state);
        if (told.length) done();
      }
      element.close();
      dialog(t('gpx.imported'), told);
    },
  });

  /**
   * @param {File} file
   * @param {string} [device]
   */
  function send(file, device) {
    const query = new URLSearchParams({ name: file.name, ...(device ? { device } : {}) });
    bar.hidden = false;
    fill(state, t('histories.sending', { file: file.name }));
    return sendFile(`/histories?${query}`, file, 'application/octet-stream', (part) => {
      /** @type {HTMLElement} */ (bar.firstElementChild).style.inlineSize = `${100 * part}%`;
      if (part === 1) fill(state, t('histories.reading', { file: file.name }));
    }, leaving.signal);
  }

  const element = dialog(t('histories.title'), sheet);
  element.addEventListener('close', () => leaving.abort());
  if (files) sheet.input('file').files = files;
}

/** Tells in words what came of a file.
 * @param {string} name
 * @param {any} report as the daemon answers a file */
function summary(name, report) {
  const reasons = tally({ ...report.dropped, ...report.rejected });
  return h('section.section', h('h3', name),
    h('p', t('histories.trips', report)),
    h('p', t('histories.points', { n: report.read, kept: report.kept }), report.first
      ? ` ${moment(report.first)} – ${moment(report.last)}` : ''),
    reasons && h('p', t('gpx.rejected', { rejected: reasons })),
    report.notices.slice(0, SHOWN)
      .map((/** @type {{text: string}} */ { text }) => h('p.field-hint', sentence(say(text)))),
    report.skipped_count ? h('details', h('summary', t('histories.skipped', { n: report.skipped_count })),
      shown(report.skipped, report.skipped_count, ({ file, reason }) => h('li.row', rowText(file, say(reason)))))
        : null,
    report.trips.length ? shown(report.trips, report.added + report.known + report.overlapping, tripRow) : null);
}

/** @param {any} trip */
const tripRow = (trip) => h('li.row', h('a.row-link',
  { href: path('trips', trip.with ?? trip.id), onclick: (event) => event.currentTarget.closest('dialog').close() },
  rowText(tripName(trip), `${moment(trip.start)} · ${distance(trip.distance)}`)),
    h('small', t(trip.outcome === 'added' ? 'gpx.new' : `gpx.${trip.outcome}`)));

/**
 * Lists the first entries, and says how many there are beside them.
 * @param {any[]} entries
 * @param {number} count
 * @param {(entry: any) => Element} row
 */
function shown(entries, count, row) {
  const first = entries.slice(0, SHOWN);
  return [h('ul.rows.dense', first.map(row)), count > first.length
    ? h('p.field-hint', t('histories.more', { n: count - first.length })) : null];
}

/** @param {string} words */
const sentence = (words) => words[0].toUpperCase() + words.slice(1).replace(/([^.!?])$/, '$1.');
