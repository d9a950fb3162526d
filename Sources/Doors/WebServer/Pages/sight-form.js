/** The forms to add and to change a sight. */
import { h } from './dom.js';
import { t } from './texts.js';
import { call, upload } from './rpc.js';
import { ask, formDialog, toast, said } from './ui.js';
import { place } from './format.js';
import { path } from './paths.js';

const fields = (sight = {}) => [
  { name: 'title', label: t('sight.title'), required: true, value: sight.title },
  { name: 'description', label: t('sight.description'), type: 'textarea', required: true, value: sight.description },
  { name: 'category', label: t('sight.category'), value: sight.category, half: true },
  { name: 'radius', label: t('sight.radius'), type: 'number', value: sight.radius ?? 100, half: true },
];

/**
 * Adds a sight at a point, after confirmation, or at the position of the device.
 *
 * @param {{lat: number, lon: number} | null} point
 */
export async function addSight(page, point, fix) {
  if (point && !(await ask(t('sight.there', { place: place(point.lat, point.lon) }), t('sight.addthere'), false))) return;
  formDialog(t(point ? 'sight.new' : 'sight.newhere'), {
    fields: [...fields(), { name: 'photo', label: t('photo'), type: 'file', attributes: { accept: 'image/*' } }],
    submit: t('sight.add'),
    rename: { device: 'title' },
    action: async ({ photo, ...values }) => {
      const sight = await call('sights.add', { ...values, ...(point ?? {}) });
      if (photo) await upload(`sight/${sight.id}`, photo[0], '').catch((error) => toast(said(error)));
      page.go(path('sights', sight.id));
    },
  }, h('p.page-note', point ? place(point.lat, point.lon) : fix ? t('sight.at', { place: place(fix.lat, fix.lon) }) : t('now.nofix')));
}

export const changeSight = (page, sight) => formDialog(t('edit'), {
  fields: fields(sight), submit: t('keep'), keepEmpty: true,
  action: async (values) => {
    await call('sights.update', { id: sight.id, ...values });
    page.refresh();
  },
});
