/** The feed: posts of followed people, posts nearby, and the form for a new post. */
import { h, fill } from '../dom.js';
import { t } from '../texts.js';
import { call, read } from '../rpc.js';
import { upload } from '../upload.js';
import {
  me, head, pages, choice, button, buttonLink, avatar, photo, when, badge, dialog, form, toast, said, ask, empty,
  rowText, Wrong,
} from '../ui.js';
import { mark } from '../social.js';
import { money, place } from '../format.js';
import { path } from '../paths.js';
import { placeField } from '../plan-forms.js';
import { decimal } from '../decimal.js';
import { follow, isOf } from '../live.js';

/** The longest time between the two taps of a double tap, in milliseconds. */
const DOUBLE_TAP = 250;

/** Creates the photo of a post: a tap shows it whole, a double tap gives a heart.
 * @param {Post & Waiting} post */
function tilePhoto(post) {
  const title = t('post.photoof', { name: post.author.name });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  /** @type {HTMLButtonElement} */
  const element = h('button.tile-photo', { type: 'button', onclick: (/** @type {MouseEvent} */ { detail }) => {
    clearTimeout(waiting);
    const heart = element.closest('.tile')?.querySelector('.heart[aria-pressed=false]:not(:disabled)');
    if (detail > 1) return void (heart instanceof HTMLElement && heart.click());
    waiting = setTimeout(() => dialog(title, photo(post.photo, title, { whole: true, class: 'photo whole' }))
      .classList.add('full'), detail ? DOUBLE_TAP : 0);
  } }, photo(post.photo, title));
  return element;
}

/** Creates the tile of a post in a list.
 * @param {Post & Waiting} post */
export const postTile = (post) => h('li.tile', { 'data-post': post.id },
  post.photo ? tilePhoto(post) : null,
  h('a', { href: path('posts', post.id) },
    h('span.tile-text',
      h('span.actions', avatar(post.author, 'small'),
        rowText(post.author.name, [when(post.time), post.place ? ` · ${post.place}` : ''])),
      post.product && h('b',
        `${post.product.name}, ${money(post.product.price.amount, post.product.price.currency)}`),
      post.text && h('span.clamp', post.text),
      post.brands.length ? h('span.chips', post.brands.map((brand) => badge(brand))) : null)),
  h('div.tile-text', h('div.actions',
    mark({ subject: `post/${post.id}`, kind: 'heart', count: post.hearts, on: post.loved, label: t('post.heart') }),
    verdict(post))));

/**
 * Asks "wear it" or "change it", once per person, then shows the verdict with both counts.
 * @param {Post} post
 * @param {(post: any) => void} [changed]
 */
export function verdict(post, changed) {
  const element = h('span.actions');
  const draw = () => {
    const told = post.verdict && [
      badge(t(`verdict.${post.verdict}`), 'good'),
      h('small', t('verdict.counts', { wears: post.wears, changes: post.changes })),
    ];
    const asks = post.voting && !post.choice && me.person && post.author.id !== me.person.id;
    fill(element, told, asks && /** @type {const} */ (['wear', 'change']).map((choice) => button({
      label: t(`verdict.${choice}`), kind: 'small', onclick: async () => {
        Object.assign(post, await call('posts.judge', { post: post.id, choice }));
        draw();
        changed?.(post);
      },
    })));
  };
  draw();
  return element;
}

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.feed'));
  const list = h('div');
  let which = page.query.get('of') ?? (me.person ? 'feed' : 'here');
  /** @returns {[Method, any]} */
  const source = () => {
    const of = /** @type {any} */ ({
      feed: ['posts.feed', {}], here: ['posts.here', { radius: 5000 }],
      mine: ['posts.list', { person: me.person?.id }],
    })[which];
    return of;
  };
  function load() {
    const of = source();
    fill(list, pages({
      method: /** @type {'posts.feed'} */ (of[0]), list: 'posts', params: of[1],
      none: empty(t(`feed.none.${which}`), which === 'feed'
        ? buttonLink('/people?of=suggested', t('nav.people'), 'people', 'primary')
        : button({ label: t('post.new'), icon: 'add', kind: 'primary', onclick: () => postForm(page) })),
      class: 'tiles', row: postTile,
    }));
  }
  async function loadPublic() {
    const here = await read('position.current').catch(() => null);
    fill(list, here ? pages({
      method: 'posts.here', list: 'posts', params: { lat: here.lat, lon: here.lon, radius: 10_000 },
      none: t('feed.none.here'), class: 'tiles', row: postTile,
    }) : empty(t('feed.none.here')));
  }
  if (me.person) load(); else await loadPublic();
  /** @param {string} id */
  const tileOf = (id) => list.querySelector(`[data-post="${CSS.escape(id)}"]`);
  /** Shows a post as it is now; a new one comes before the others.
   * @param {Happening} happening */
  async function showPost({ type, subject = '' }) {
    const id = subject.slice('post/'.length);
    const tile = tileOf(id);
    if (type === 'subject.removed') return tile?.remove();
    if (tile) {
      const post = await call('posts.get', { post: id }).catch(() => null);
      return post ? tile.replaceWith(postTile(post)) : tile.remove();
    }
    const rows = list.querySelector('ul.tiles');
    if (!rows?.firstChild) return load();
    const [method, params] = source();
    const { posts } = await call(/** @type {'posts.feed'} */ (method), { ...params, limit: 20 });
    const at = posts.findIndex((post) => tileOf(post.id));
    rows.prepend(...posts.slice(0, at < 0 ? posts.length : at).map(postTile));
  }
  if (me.person) {
    for (const type of ['subject.changed', 'subject.removed']) {
      page.on(type, (event) => { if (isOf('post')(event)) showPost(event).catch(() => {}); });
    }
  } else follow(page, isOf('post'), loadPublic);
  fill(page.main, head(t('nav.feed'), {
    actions: me.person ? [
      button({ label: t('post.new'), icon: 'add', kind: 'primary', onclick: () => postForm(page) }),
      buttonLink('/shopping', t('nav.shopping'), 'bag'),
    ] : [],
  }), me.person ? choice(['feed', 'here', 'mine'].map((one) => [one, t(`feed.${one}`)]), which, t('feed.which'),
    (chosen) => { which = chosen; load(); }) : null, list);
}

/**
 * Opens the form of a new post, or of a new post about a product.
 * @param {Page} page
 * @param {string} [product] the id of an existing product
 */
export function postForm(page, product) {
  let kind = product ? 'product' : 'plain';
  const body = h('div');
  const where = placeField({});
  where.hidden = true;
  const elsewhere = h('label.check',
    h('input', { type: 'checkbox', onchange: (event) => { where.hidden = !event.target.checked; } }),
    h('span', t('post.elsewhere')));
  const kinds = choice([['plain', t('post.plain')], ['product', t('post.product')]], kind, t('post.kind'),
    (chosen) => {
      kind = chosen;
      const [old, now] = [sheet, draw()];
      for (const name of ['photo', 'text', 'brands']) {
        const [from, to] = [old, now].map((one) => one.input(name));
        if (name === 'photo') to.files = from.files; else to.value = from.value;
      }
      now.querySelector('details.more').open = true;
      if (old.dataset.touched) now.dataset.touched = 'yes';
    });
  /** The form of the kind.
   * @type {any} */
  let sheet;
  function draw() {
    sheet = form({
      fields: [
        { name: 'photo', label: t('photo'), type: 'file', attributes: { accept: 'image/*' } },
        ...(kind === 'product' && !product ? [
          { name: 'name', label: t('product.name'), required: true, half: true },
          { name: 'brand', label: t('product.brand'), required: true, half: true },
          {
            name: 'price', label: t('product.price'), required: true, half: true,
            attributes: { inputmode: 'decimal' },
          },
          {
            name: 'currency', label: t('plan.currency'), required: true, value: 'EUR', half: true,
            attributes: { maxlength: 3 },
          },
          { name: 'link', label: t('product.link'), type: 'url' },
        ] : []),
        elsewhere, where,
        { name: 'text', label: t('post.text'), type: 'textarea' },
        ...(product ? [] : [Object.assign(kinds, { more: true })]),
        {
          name: 'level', label: t('level'), type: 'select', more: true,
          options: ['everyone', 'friends'].map((level) => [level, t(`level.${level}`)]), value: 'everyone',
        },
        { name: 'brands', label: t('post.brands'), type: 'list', hint: t('plan.codes.hint'), more: true },
        { name: 'voting', label: t('post.voting'), type: 'checkbox', more: true },
      ], submit: t('post.send'), rename: { lat: 'text', lon: 'text', device: 'text' },
      action: async ({ photo: files, ...values }) => {
        if (kind === 'plain' && !product && !files && !values.text) throw new Wrong('text', t('post.empty'));
        const point = where.hidden ? {} : where.point();
        if (point.lat !== undefined && point.lon !== undefined
          && !(await ask(t('post.there', { place: place(point.lat, point.lon) }), t('post.send'), false))) return;
        if (values.price) values.price = decimal(values.price);
        if (values.currency) values.currency = values.currency.toUpperCase();
        const post = await call(kind === 'product' ? 'posts.addProduct' : 'posts.add',
          { ...values, ...point, ...(product ? { product } : {}) });
        if (files) await upload(`post/${post.id}`, files[0], '').catch((error) => toast(said(error)));
        element.close();
        page.go(post.waits ? '/feed' : path('posts', post.id));
      },
    });
    fill(body, sheet);
    return sheet;
  }
  draw();
  const element = dialog(t('post.new'), body);
}

