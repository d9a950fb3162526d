/** All sights, with a search in their texts. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { me, buttonLink, empty, head, pages, searchField } from '../ui.js';
import { path } from '../paths.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.sight'));
  const list = h('div');
  /** @param {string} text */
  const search = (text) => {
    history.replaceState(null, '', text ? `?text=${encodeURIComponent(text)}` : location.pathname);
    fill(list, pages({
      method: 'sights.list', list: 'sights', params: { limit: 50, ...(text ? { text } : {}) },
      none: text ? t('sights.none', { text }) : empty(t('sights.empty'),
        (me.person || me.admin) && buttonLink('/now', t('now.addthere'), 'add', 'primary')),
      row: (sight) => h('li.row', h('a.row-link', { href: path('sights', sight.id) }, h('span.row-text',
        h('strong', sight.title),
        h('small.clamp', [sight.category, sight.description].filter(Boolean).join(' · '))))),
    }));
  };
  const text = page.query.get('text') ?? '';
  search(text);
  fill(page.main, head(t('nav.sight')), h('div.toolbar', searchField(t('sights.search'), search, text)), list);
}
