/** A product: its price, its shop, and three ways to buy it. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { me, head, photo, button, ask, toast, section, pages, figures, figure, outLink } from '../ui.js';
import { mark, suggestDialog, shareDialog, reviews, flagButton } from '../social.js';
import { money } from '../format.js';
import { path } from '../paths.js';
import { postTile, postForm } from './feed.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  const product = await read('products.get', { product: id });
  const subject = `product/${id}`;
  const isMine = product.owner?.id === me.person?.id;
  page.title(product.name);
  const list = me.person && button({
    label: t(product.listed ? 'product.unlist' : 'product.list'), icon: 'bag', pressed: Boolean(product.listed),
    onclick: async () => {
      await call(product.listed ? 'shopping.remove' : 'shopping.add', { product: id });
      page.refresh();
    },
  });
  fill(page.main,
    head(product.name, {
      back: ['/feed', t('nav.feed')],
      actions: [
        mark({
          subject, kind: 'heart', count: product.hearts, on: product.loved, label: t('post.heart'), who: true,
        }),
        button({ label: t('share'), icon: 'share', onclick: () => shareDialog(subject) }),
      ],
    }),
    h('div.columns',
      h('div',
        product.picture ? photo(product.picture, product.name, { whole: true, class: 'photo whole' }) : null),
      h('div',
        figures(figure(product.brand, t('product.brand')),
          figure(money(product.price.amount, product.price.currency), t('product.price'))),
        product.owner && h('p.page-note', t('sight.by'), ' ',
          h('a', { href: path('people', product.owner.id) }, product.owner.name)),
        product.link && h('p', t('product.shop'), ' ', outLink(product.link)),
        me.person && h('div.actions', list,
          button({ label: t('product.mail'), icon: 'share', onclick: async () => {
            if (await ask(t('product.mail.ask'), t('product.mail'), false)) {
              toast(t('product.mailed', { email: (await call('products.mail', { product: id })).email }));
            }
          } }),
          button({ label: t('product.post'), icon: 'add', onclick: () => postForm(page, id) }),
          button({ label: t('suggest'), icon: 'people', onclick: () => suggestDialog(subject, product.name) }),
          !isMine && flagButton(() => call('subjects.flag', { subject }))))),
    reviews({ subject, own: isMine, page }),
    section(t('product.posts'), pages({
      method: 'posts.list', list: 'posts', params: { product: id }, none: t('person.noposts'), class: 'tiles',
      row: postTile,
    })));
}
