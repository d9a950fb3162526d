/** The street maps of the machine: a list for everybody, and adding and removing for administrators. */
import { h, fill } from '../dom.js';
import { t, number } from '../texts.js';
import { call, read } from '../rpc.js';
import { uploadMap } from '../upload.js';
import { me, section, button, badge, empty, ask, dialog, form, rowText, said, toast, Wrong } from '../ui.js';
import { size } from '../format.js';
import { forgetFiles } from '../map.js';

/**
 * Returns the section with the maps.
 * @param {AbortSignal} signal that the page is left
 */
export function maps(signal) {
  const list = h('div');
  const load = () => read('maps.list').then(({ maps: found }) => {
    if (!signal.aborted) fill(list, found.length ? h('ul.rows', found.map((map) => row(map, changed))) : none());
  }).catch((error) => fill(list, empty(said(error))));
  async function changed() {
    await forgetFiles();
    await load();
  }
  load();
  return section(t('machine.maps'), list, me.admin ? h('div.actions', addButton(changed)) : null);
}

const none = () => empty(h('span', t('machine.maps.none'), h('br'), h('small', t('map.how.text'))));

/** @param {any} map @param {() => Promise<any>} changed */
function row(map, changed) {
  const [west, south, east, north] = map.bounds ?? [];
  const facts = [size(map.size), map.problem ? null : t(map.vector ? 'machine.maps.streets' : 'machine.maps.pictures'),
    map.max_zoom === undefined ? null : t('machine.maps.zoom', { from: map.min_zoom, to: map.max_zoom }),
    map.bounds && `${corner(south, west)} – ${corner(north, east)}`];
  return h('li.row', rowText(map.name, facts.filter(Boolean).join(' · '), map.attribution && words(map.attribution),
    map.problem), map.problem ? badge(t('machine.maps.bad'), 'warm') : null, me.admin ? button({
    label: t('machine.maps.removeof', { name: map.name }), icon: 'remove', hidesLabel: true, kind: 'danger',
    onclick: async () => {
      if (!await ask(t('machine.maps.remove'), t('remove'))) return;
      await call('maps.remove', { name: map.name });
      await changed();
    },
  }) : null);
}

/** @param {number} lat @param {number} lon */
const corner = (lat, lon) => [
  `${number(Math.abs(lat), 2)}°\u00a0${lat < 0 ? 'S' : 'N'}`,
  `${number(Math.abs(lon), 2)}°\u00a0${lon < 0 ? 'W' : t('format.east')}`,
].join(', ');

/** Returns the words of an attribution, which may be markup of anybody: the parsed page is never shown.
 * @param {string} text */
const words = (text) => new DOMParser().parseFromString(text, 'text/html').body.textContent?.trim();

/** Returns the name of a map from the name of its file.
 * @param {string} file */
const nameOf = (file) => file.toLowerCase().replace(/\.(pmtiles|mbtiles)$/, '').replace(/-latest$/, '')
  .replace(/[^a-z0-9_]/g, '-').replace(/^[-_]+/, '').slice(0, 64) || 'map';

/** @param {() => Promise<any>} changed */
const addButton = (changed) => button({ label: t('machine.maps.add'), icon: 'add', onclick: () => {
  const progress = h('div.progress', { hidden: true }, h('span'));
  const sheet = form({
    fields: [
      { name: 'file', label: t('machine.maps.choose'), type: 'file', required: true,
        attributes: { accept: '.pmtiles,.mbtiles' } },
      { name: 'name', label: t('machine.maps.name'), required: true, hint: t('machine.maps.rule'),
        attributes: { maxlength: 64 } },
      progress,
    ],
    submit: t('photo.send'),
    action: async ({ file: [file], name }) => {
      // The address of the upload has the name, and an address with other characters is refused before it is read.
      if (!/^[a-z\d][\w-]*$/i.test(name)) throw new Wrong('name', t('machine.maps.rule'));
      progress.hidden = false;
      try {
        await uploadMap(name, file, (part) => {
          /** @type {HTMLElement} */ (progress.firstElementChild).style.inlineSize = `${100 * part}%`;
        });
      } finally {
        progress.hidden = true;
      }
      element.close();
      toast(t('kept'));
      await changed();
    },
  });
  sheet.input('file').addEventListener('change', (/** @type {any} */ { target }) => {
    const name = sheet.input('name');
    if (target.files[0] && !name.value) name.value = nameOf(target.files[0].name);
  });
  const element = dialog(t('machine.maps.add'), sheet);
} });
