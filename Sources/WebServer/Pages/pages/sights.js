/** All sights, and a search in their words. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { head, pages, searchField } from '../ui.js';
import { path } from '../paths.js';

/** @param {any} page */
export async function show(page) {
  page.title(t('nav.sight'));
  const list = h('div');
  const search = (text) => {
    history.replaceState(null, '', text ? `?text=${encodeURIComponent(text)}` : location.pathname);
    fill(list, pages({
      method: 'sights.list', list: 'sights', params: { limit: 50, ...(text ? { text } : {}) }, none: t('sights.none', { text }),
      row: (sight) => h('li', { class: 'row' }, h('a', { class: 'row-link', href: path('sights', sight.id) },
        h('span', { class: 'row-text' }, h('strong', null, sight.title), h('small', null, [sight.category, sight.description].filter(Boolean).join(' · ').slice(0, 110))))),
    }));
  };
  const text = page.query.get('text') ?? '';
  search(text);
  fill(page.main, head(t('nav.sight')), h('div', { class: 'toolbar' }, searchField(t('sights.search'), search, text)), list);
}
