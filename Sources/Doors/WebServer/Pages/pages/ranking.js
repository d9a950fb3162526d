/** The ranking of sights: of all time, a year or a month, by stars or visits. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { head, pages, choice, searchField, photo, stars, button, buttonLink, empty, dialog } from '../ui.js';
import { reviews } from '../social.js';
import { path } from '../paths.js';
import { follow, isOf, swap } from '../live.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.ranking'));
  const list = h('div');
  /** @type {any} */
  const asked = { period: 'total', by: 'rating' };
  /** @type {HTMLInputElement} */
  const when = h('input', {
    type: 'month', 'aria-label': t('ranking.month'), value: new Date().toISOString().slice(0, 7), hidden: true,
    onchange: () => load(),
  });
  when.style.inlineSize = 'auto';
  let text = '';
  function load(isQuiet = false) {
    const { period, by } = asked;
    const at = period !== 'total' && when.value
      ? `${when.value.slice(0, 4)}-${period === 'month' ? when.value.slice(5, 7) : '06'}-15T00:00:00Z` : null;
    when.hidden = period === 'total';
    return (isQuiet ? swap : fill)(list, pages({
      method: 'sights.ranking', list: 'sights',
      params: { period, by, limit: 30, ...(at ? { at } : {}), ...(text ? { text } : {}) },
      none: empty(t('ranking.none'), buttonLink('/sights', t('nav.sight'), 'search', 'primary')), tag: 'ol',
      row: (sight) => h('li.row', h('b', sight.rank),
        h('a.row-link', { href: path('sights', sight.id) }, photo(sight.picture, '', { class: 'photo thumb' }),
          h('span.row-text', h('strong', sight.title),
            h('small', [sight.category, t('ranking.visits', { n: sight.visits })].filter(Boolean).join(' · ')),
            stars(sight.score, sight.count))),
        button({
          label: t('ranking.chart', { name: sight.title }), icon: 'ranking', hidesLabel: true,
          onclick: () => chart(page, sight),
        })),
    }));
  }
  load();
  follow(page, isOf('sight'), () => load(true));
  fill(page.main, head(t('nav.ranking')), h('div.toolbar',
    choice(['total', 'year', 'month'].map((one) => [one, t(`ranking.${one}`)]), 'total', t('ranking.period'),
      (chosen) => { asked.period = chosen; load(); }), when,
    choice(['rating', 'visits'].map((one) => [one, t(`ranking.by.${one}`)]), 'rating', t('ranking.by'),
      (chosen) => { asked.by = chosen; load(); }),
    searchField(t('sights.search'), (words) => { text = words; load(); })), list);
}

/** Shows the histogram of a sight's ratings, and its reviews.
 * @param {Page} page @param {RankedSight} sight */
const chart = (page, sight) => dialog(sight.title, reviews({ subject: `sight/${sight.id}`, own: true, page }));
