/** A post: its photo, author, hearts, verdict and reviews. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import {
  me, head, avatar, photo, badge, menu, ask, button, buttonLink, when, toast, formDialog, rowText, removal,
} from '../ui.js';
import { mark, reviews, shareDialog, suggestDialog, uploadButton, followButton } from '../social.js';
import { makeMap } from '../map.js';
import { money, place } from '../format.js';
import { path } from '../paths.js';
import { follow, isAbout } from '../live.js';
import { verdict } from './feed.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  const post = await read('posts.get', { post: id });
  const subject = `post/${id}`;
  const isMine = post.author.id === me.person?.id;
  const title = post.product ? post.product.name : t('post.by', { name: post.author.name });
  page.title(title);
  const judged = h('div', verdict(post));
  follow(page, isAbout(subject), async () => fill(judged, verdict(await read('posts.get', { post: id }))));
  const map = await makeMap({ label: t('map.of', { name: title }), class: 'mini', signal: page.signal });
  map.layer().pin([post.lat, post.lon], { kind: 'post', title });
  map.see([post.lat, post.lon], 13);
  fill(page.main,
    head(title, { back: ['/feed', t('nav.feed')], actions: [
      mark({ subject, kind: 'heart', count: post.hearts, on: post.loved, label: t('post.heart'), who: true }),
      me.person && mark({ subject, kind: 'save', count: 0, on: post.saved, label: t('plan.save') }),
      button({ label: t('share'), icon: 'share', onclick: () => shareDialog(subject) }),
      me.person && menu(t('more.actions'), [
        isMine && { label: t('edit'), icon: 'edit', onclick: () => formDialog(t('edit'), {
          fields: [
            { name: 'text', label: t('post.text'), type: 'textarea', value: post.text },
            { name: 'brands', label: t('post.brands'), type: 'list', value: post.brands, more: true },
            { name: 'voting', label: t('post.voting'), type: 'checkbox', value: post.voting, more: true },
          ],
          submit: t('keep'), keepEmpty: true,
          action: async (values) => {
            await call('posts.update', { post: id, ...values });
            page.refresh();
          },
        }) },
        !isMine && { label: t('suggest'), icon: 'people', onclick: () => suggestDialog(subject, title) },
        !isMine && { label: t('flag'), icon: 'flag', onclick: async () => {
          if (await ask(t('flag.ask'), t('flag'))) {
            await call('subjects.flag', { subject });
            toast(t('flag.done'));
          }
        } },
        (isMine || me.admin) && removal('post.remove', async () => {
          await call('posts.remove', { post: id });
          toast(t('post.removed'));
          page.go('/feed');
        }),
      ])] }),
    h('div.columns',
      h('div',
        post.photo ? photo(post.photo, post.text ?? title, { whole: true, class: 'photo whole' })
          : isMine ? uploadButton(subject, page.refresh) : null,
        h('div.toolbar',
          h('a.row-link', { href: path('people', post.author.id) },
            avatar(post.author), rowText(post.author.name, when(post.time))),
          followButton(post.author)),
        post.text && h('p.prose', post.text),
        post.brands.length ? h('p.chips', post.brands.map((brand) => badge(brand))) : null, judged),
      h('div',
        post.product && h('div.card', h('h2', post.product.name),
          h('p', `${post.product.brand} · ${money(post.product.price.amount, post.product.price.currency)}`),
          buttonLink(path('products', post.product.id), t('product.show'), 'bag')),
        map.element, h('p.page-note', post.place ? `${post.place}, ` : '', place(post.lat, post.lon)),
        reviews({ subject, own: isMine, page }))));
}
