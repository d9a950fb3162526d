/** A photo by itself, which is what the address of a shared photo opens, with a link to what it belongs to. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { head, photo, when } from '../ui.js';
import { path, pathOf } from '../paths.js';

/** @param {Page} page */
export async function show(page) {
  const one = await read('photos.get', { photo: page.params.id });
  const of = await call('subjects.share', { subject: one.subject }).catch(() => null);
  const title = one.caption ?? of?.title ?? t('photo');
  page.title(title);
  const address = pathOf(one.subject);
  fill(page.main,
    head(title, { back: address ? [address, of?.title ?? t('photo.of')] : ['/now', t('nothing.map')],
      note: h('span', one.person && [h('a', { href: path('people', one.person) }, `@${one.person}`), ', '],
        when(one.taken ?? one.added)) }),
    photo(one.id, title, { whole: true, class: 'photo whole' }));
}
