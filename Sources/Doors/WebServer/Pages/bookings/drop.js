/** The plan's page takes files: somebody drops them on it, or chooses them. What reads them is loaded then. */
import { h } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { attempt, formDialog } from '../ui.js';
import { loadSheet } from '../sheets.js';

/** The kinds of files, for the browser's list. */
const KINDS = '.ics,.eml,.gpx,.html,text/calendar,message/rfc822,application/gpx+xml';
/** The milliseconds after which a file that is held over the page no longer is. */
const HELD = 500;

const prepare = () => Promise.all([addTexts('bookings'), loadSheet(new URL('bookings.css', import.meta.url))]);

/** Shows what files would add.
 * @param {Page} page @param {any} plan @param {File[]} files */
const preview = (page, plan, files) => attempt(async () => {
  const [{ previewBookings }] = await Promise.all([import('./preview.js'), prepare()]);
  await previewBookings(page, plan, files);
});

/** Takes files that somebody drops anywhere on the page.
 * @param {Page} page @param {any} plan */
export function takeDrops(page, plan) {
  const { signal } = page;
  /** What says that files can be dropped, once its styles are there.
   * @type {any} */
  let hint = null;
  let timer = 0;
  const hide = () => { hint?.remove(); };
  async function show() {
    clearTimeout(timer);
    timer = window.setTimeout(hide, HELD);
    if (!hint) {
      hint = h('div.bookings-drop');
      await prepare();
      hint.append(h('p', t('bookings.drop')));
    }
    if (hint.firstChild && !hint.isConnected) page.main.append(hint);
  }
  /** @param {DragEvent} dragEvent */
  const takes = ({ dataTransfer }) =>
    [...dataTransfer?.types ?? []].includes('Files') && !document.querySelector('dialog[open]');
  document.addEventListener('dragover', (event) => {
    if (!takes(event)) return;
    event.preventDefault();
    show().catch(() => {});
  }, { signal });
  document.addEventListener('drop', (event) => {
    if (!takes(event)) return;
    event.preventDefault();
    hide();
    const files = [...event.dataTransfer?.files ?? []];
    if (files.length) preview(page, plan, files);
  }, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer));
}

/** Lets somebody choose files.
 * @param {Page} page @param {any} plan */
export async function chooseBookings(page, plan) {
  await prepare();
  formDialog(t('plan.files'), {
    fields: [{ name: 'files', label: t('bookings.files'), type: 'file', required: true, hint: t('bookings.kinds'),
      attributes: { accept: KINDS, multiple: true } }],
    submit: t('bookings.look'),
    // The list opens once this dialog is closed.
    action: async ({ files }) => { setTimeout(() => preview(page, plan, files)); },
  });
}
