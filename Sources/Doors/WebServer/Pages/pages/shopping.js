/** The person's shopping list, which nobody else sees. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call } from '../rpc.js';
import { head, pages, photo, button, buttonLink, empty, outLink, rowText } from '../ui.js';
import { money } from '../format.js';
import { path } from '../paths.js';

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.shopping'));
  fill(page.main, head(t('nav.shopping'), { back: ['/feed', t('nav.feed')], note: t('shopping.note') }), pages({
    method: 'shopping.list', list: 'products', none: empty(t('shopping.none'),
      buttonLink('/feed?of=here', t('nav.feed'), 'feed', 'primary')), row: (product) => {
      const row = h('li.row',
        h('a.row-link', { href: path('products', product.id) },
          photo(product.picture, '', { class: 'photo thumb' }),
          rowText(product.name, `${product.brand} · ${money(product.price.amount, product.price.currency)}`)),
        product.link && outLink(product.link, t('product.shop.short')),
        button({
          label: `${t('remove')}: ${product.name}`, icon: 'remove', hidesLabel: true, onclick: async () => {
            await call('shopping.remove', { product: product.id });
            row.remove();
          },
        }));
      return row;
    },
  }));
}
