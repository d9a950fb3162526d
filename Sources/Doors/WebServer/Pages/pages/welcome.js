/** The first hour: what a new person chooses in three taps, each of which can be skipped. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, read } from '../rpc.js';
import { upload } from '../upload.js';
import { me, avatar, button, form, head, photo, tell, toast } from '../ui.js';

/** The most devices that are offered. */
const MOST = 8;

/** @param {Page} page */
export async function show(page) {
  await addTexts('welcome');
  if (!me.person) return page.go('/sign-up', true);
  page.title(t('welcome.title', { name: me.person.name }));
  const [{ devices }, { people }] = await Promise.all([
    read('devices.list').catch(() => ({ devices: [] })),
    call('people.suggested', { limit: 12 }).catch(() => ({ people: [] }))]);
  const isAboard = devices.some((device) => device.people?.includes(me.person?.id ?? ''));
  const steps = [devices.length && !isAboard ? aboard : null, people.length ? following : null,
    me.person.picture ? null : picture].filter((step) => step !== null);
  const body = h('div.section');
  let at = -1;

  /** Shows the next step, and after the last one the map of the devices. */
  function next() {
    at += 1;
    const step = steps[at];
    if (!step) return page.go('/now', true);
    fill(body, h('p.page-note', t('welcome.step', { n: at + 1, all: steps.length })), step());
    if (at) body.querySelector('h2')?.focus();
  }
  const skip = () => button({ label: t('skip.this'), onclick: next });
  /** @param {string} key */
  const asked = (key) => h('h2', { tabindex: '-1' }, t(key));

  /** Asks with which device the person travels. */
  function aboard() {
    return h('div.card', asked('welcome.aboard'), h('p', t('welcome.aboard.why')),
      h('ul.plain.welcome', devices.slice(0, MOST).map((device) => h('li', button({
        label: t('welcome.aboard.with', { device: device.title ?? device.name }), icon: 'check', kind: 'primary',
        onclick: async () => {
          await call('devices.join', { device: device.name });
          toast(t('welcome.aboard.done', { device: device.title ?? device.name }));
          next();
        },
      })))), h('div.actions', skip()));
  }

  /** Suggests people to follow, all of them ticked. */
  function following() {
    return h('div.card', asked('welcome.follow'), h('p', t('welcome.follow.why')), form({
      fields: [{ name: 'people', label: t('welcome.follow.whom'), type: 'checks',
        options: people.map((person) => [person.id, person.name]), value: people.map(({ id }) => id) }],
      submit: t('welcome.follow.do'), secondary: [skip()],
      action: async (values) => {
        const { count } = await call('people.followMany', { people: values.people ?? [] });
        toast(t('welcome.follow.done', { n: count }));
        next();
      },
    }));
  }

  /** Asks for a picture, which is sent as soon as it is chosen. */
  function picture() {
    const status = h('p', { role: 'status' });
    const shown = h('div', avatar(me.person, 'large'));
    const file = h('input.hidden', {
      type: 'file', accept: 'image/*', tabindex: '-1', 'aria-label': t('welcome.picture'), onchange: async () => {
        const [chosen] = file.files ?? [];
        if (!chosen) return;
        fill(status, t('welcome.picture.sending'));
        try {
          const added = await upload(`person/${me.person?.id}`, chosen, '');
          fill(shown, photo(added.id, '', { class: 'avatar large' }));
          await page.whoami();
          toast(t('welcome.picture.done'));
          next();
        } catch (error) {
          // The person may choose another file.
          file.value = '';
          tell(status, error);
        }
      },
    });
    return h('div.card', asked('welcome.picture'), h('p', t('welcome.picture.why')), shown, file, status,
      h('div.actions', button({ label: t('welcome.picture.choose'), icon: 'photo', kind: 'primary',
        onclick: () => file.click() }), skip()));
  }

  fill(page.main, h('div.narrow.section', head(t('welcome.title', { name: me.person.name })), body));
  // With nothing left to choose, the map follows at once.
  if (!steps.length) return page.go('/now', true);
  next();
}
