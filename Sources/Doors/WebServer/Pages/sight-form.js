/** The forms to add and to change a sight. */
import { h } from './dom.js';
import { t, addTexts } from './texts.js';
import { call, read } from './rpc.js';
import { upload } from './upload.js';
import { ask, formDialog, toast, said } from './ui.js';
import { place } from './format.js';
import { path } from './paths.js';
import { shapeEditor } from './drawing/editor.js';
import { ruleFields, ruleValues } from './drawing/rules.js';

/** @param {Partial<Sight>} [sight] */
const fields = (sight = {}) => [
  { name: 'title', label: t('sight.title'), required: true, value: sight.title },
  { name: 'description', label: t('sight.description'), type: 'textarea', required: true, value: sight.description },
  { name: 'category', label: t('sight.category'), value: sight.category },
];

/**
 * Opens the form of a sight.
 * @param {{title: string, submit: string, sight?: any, start?: [number, number] | null, more?: any[], note?: any,
 *   keepEmpty?: boolean, save: (values: any, editor: any) => Promise<void>}} options
 */
async function sightDialog({ title, submit, sight, start, more = [], note, keepEmpty, save }) {
  await addTexts('drawing');
  const closing = new AbortController();
  const [editor, answer, known] = await Promise.all([
    shapeEditor({ sight, start, signal: closing.signal }), read('devices.list').catch(() => null),
    read('groups.list').catch(() => null)]);
  const rules = ruleFields(sight ?? {}, answer?.devices ?? [], known?.groups ?? []);
  const element = formDialog(title, {
    fields: [...fields(sight), editor.element, ...rules, ...more], submit, keepEmpty, rename: { device: 'title' },
    action: async (values) => {
      try {
        await save(values, editor);
      } catch (/** @type {any} */ error) {
        if (editor.takes(error)) return false;
        if (rules.some(({ name }) => name === error?.data?.field?.replace(/\[.*/, ''))) under.open = true;
        throw error;
      }
    },
  }, note);
  element.classList.add('wide');
  element.addEventListener('close', () => closing.abort());
  // The rules are for few sights, so they are shown when somebody asks for them.
  const hasRules = sight && rules.some(({ value }) => (Array.isArray(value) ? value.length : value));
  const under = h('details.drawing-rules', { open: Boolean(hasRules) }, h('summary', t('draw.rules')));
  editor.element.after(under);
  for (const { name } of rules) under.append(element.querySelector(`[name=${name}]`).closest('.field'));
}

/**
 * Adds a sight at a point, after confirmation, or at the position of the device.
 *
 * @param {Page} page
 * @param {{lat: number, lon: number} | null} [fix]
 * @param {{lat: number, lon: number} | null} point
 */
export async function addSight(page, point, fix) {
  if (point) {
    const question = t('sight.there', { place: place(point.lat, point.lon) });
    if (!(await ask(question, t('sight.addthere'), false))) return;
  }
  const here = point ?? fix;
  await sightDialog({
    title: t(point ? 'sight.new' : 'sight.newhere'), submit: t('sight.add'),
    start: here ? [here.lat, here.lon] : null,
    more: [{ name: 'photo', label: t('photo'), type: 'file', attributes: { accept: 'image/*' } }],
    note: h('p.page-note', point ? place(point.lat, point.lon)
      : fix ? t('sight.at', { place: place(fix.lat, fix.lon) }) : t('now.nofix')),
    save: async ({ title, description, category, photo, ...rest }, editor) => {
      // Where nobody has moved the circle, the sight is where the device is by then.
      const sight = await call('sights.add', {
        title, description, ...(category ? { category } : {}), ...ruleValues(rest, true),
        ...editor.values(Boolean(point)),
      });
      if (photo) await upload(`sight/${sight.id}`, photo[0], '').catch((error) => toast(said(error)));
      page.go(path('sights', sight.id));
    },
  });
}

/** Changes a sight.
 * @param {Page} page @param {Sight} sight */
export const changeSight = (page, sight) => sightDialog({
  title: t('edit'), submit: t('keep'), sight, keepEmpty: true,
  save: async ({ title, description, category, ...rest }, editor) => {
    await call('sights.update', {
      id: sight.id, title, description, category, ...ruleValues(rest, false), ...editor.values(false),
    });
    page.refresh();
  },
});
