/** The person's own profile: account, pictures, counts, devices, sessions, appearance and help. */
import { h, fill } from '../dom.js';
import { t, addTexts, languages, language, number, say } from '../texts.js';
import { call, outbox, read } from '../rpc.js';
import { me, head, avatar, photo, figures, figure, section, button, form, formDialog, ask, toast, badge, when, pages,
  rowText } from '../ui.js';
import { gallery } from '../social.js';
import { SOUNDS, chooseSound, chosenSound } from '../now/sounds.js';
import { moment, units } from '../format.js';
import { path, pathOf } from '../paths.js';

/**
 * Creates a row that leads to a subject of any kind.
 * @param {string} subject
 * @param {string} title
 * @param {Child} note
 * @param {...Child} more
 */
const subjectRow = (subject, title, note, ...more) =>
  h('li.row', h('a.row-link', { href: pathOf(subject) ?? '/profile' }, rowText(title, note)), more);

/** Returns the name of a session: its browser and system, as far as they are known.
 * @param {SessionOfPerson} sessionOfPerson */
const sessionName = ({ program, system }) => (program && system ? t('session.name', { program, system })
  : program ?? system ?? t('session.unknown'));

/** @param {Page} page */
export async function show(page) {
  const [profile, sessions, devices, help] = await Promise.all([
    read('people.profile'), read('people.sessions'), read('devices.list'), read('people.help'), addTexts('near')]);
  page.title(t('nav.profile'));
  const genders = ['', 'female', 'male', 'other', 'undisclosed'].map((one) => [one, one ? t(`gender.${one}`) : '–']);
  const account = form({
    fields: [
      { name: 'first_name', label: t('profile.first'), required: true, value: profile.first_name, half: true,
        autocomplete: 'given-name' },
        { name: 'last_name', label: t('profile.last'), value: profile.last_name, half: true,
          autocomplete: 'family-name' },
      { name: 'phone', label: t('profile.phone'), type: 'tel', value: profile.phone, half: true, autocomplete: 'tel' },
        { name: 'gender', label: t('profile.gender'), type: 'select', options: genders, value: profile.gender ?? '',
          half: true },
      { name: 'born', label: t('profile.born'), type: 'date', value: profile.born, half: true, autocomplete: 'bday' },
        { name: 'website', label: t('profile.website'), type: 'url', value: profile.website, half: true,
          autocomplete: 'url' },
    ], submit: t('keep'), keepEmpty: true,
    action: async (values) => {
      await call('people.update', values);
      toast(t('kept'));
      await page.whoami();
      page.refresh();
    },
  });
  const pictures = h('div.actions');
  read('photos.list', { subject: `person/${me.person?.id}` }).then(({ photos }) =>
    fill(pictures, photos.length > 1
      && photos.map((one) => button({ label: t('profile.portrait', { n: one.position }), kind: 'small',
        pressed: Boolean(one.portrait), onclick: async () => {
          await call('photos.update', { photo: one.id, portrait: true });
          await page.whoami();
          page.refresh();
        } })))).catch(() => {});
  /** @param {Device} device */
  const carries = (device) => Boolean(device.people?.includes(me.person?.id ?? ''));
  fill(page.main,
    h('div.actions', profile.picture ? photo(profile.picture, profile.name, { class: 'avatar large' })
      : avatar(profile, 'large'),
      h('div.row-text', head(profile.name, { note: `@${profile.id} · ${profile.email ?? t('profile.noemail')}` })),
      h('a.button', { href: path('people', profile.id) }, t('profile.public'))),
    profile.missing?.length ? h('p.card',
      t('profile.missing', { what: profile.missing.map((name) =>
        t(`profile.${{ first_name: 'first', last_name: 'last' }[name] ?? name}`)).join(', ') })) : null,
    figures(.../** @type {[keyof Profile['counts'], string, string?][]} */ ([
      ['trips', 'nav.trips', '/trips'], ['photos', 'profile.photos'],
      ['friends', 'people.of.friends', '/people'], ['following', 'people.of.following', '/people?of=following'],
      ['followers', 'people.of.followers', '/people?of=followers'],
      ['new_notifications', 'nav.bell', '/notifications']])
      .filter(([key]) => profile.counts[key] !== undefined).map(([key, label, href]) =>
        figure(href ? h('a', { href }, number(profile.counts[key] ?? 0))
          : number(profile.counts[key] ?? 0), t(label)))),
    h('div.columns',
      h('div', section(t('profile.account'), h('div.card', account)),
        section(t('profile.pictures'),
          gallery({ subject: `person/${me.person?.id}`, name: profile.name, mayAdd: true,
            changed: async () => { await page.whoami(); page.refresh(); } }), pictures),
        section(t('profile.kept'), pages({ method: 'reactions.mine', list: 'subjects',
          params: { kind: 'save', limit: 20 }, none: t('profile.kept.none'), class: 'rows dense',
          row: (one) => subjectRow(one.subject, one.title, when(one.time)) })),
        section(t('profile.suggestions'),
          pages({ method: 'suggestions.list', list: 'suggestions', params: { limit: 20 },
            none: t('profile.nosuggestions'), class: 'rows dense', row: (one) => {
          const row = subjectRow(one.subject, one.title,
            [one.from?.name, one.text && `“${one.text}”`].filter(Boolean).join(': '),
            button({ label: `${t('remove')}: ${one.title}`, icon: 'remove', hidesLabel: true, onclick: async () => {
              await call('suggestions.remove', { suggestion: one.id });
              row.remove();
            } }));
          return row;
        } }))),
      h('div',
        section(t('profile.devices'),
          devices.devices.length ? h('ul.rows.dense',
            devices.devices.map((device) =>
              h('li.row', rowText(device.title ?? device.name, device.last && when(device.last.time)),
          button({ label: t(carries(device) ? 'profile.leave' : 'profile.join'), kind: 'small',
            pressed: carries(device), onclick: async () => {
              await call(carries(device) ? 'devices.leave' : 'devices.join', { device: device.name });
              page.refresh();
            } })))) : h('p', t('profile.nodevices'))),
        section(t('profile.looks'), h('div.card', looks())),
        section(t('profile.sessions'),
          h('ul.rows.dense', sessions.sessions.slice(0, 6)
            .map((session) => h('li.row',
              h('span.row-text', h('strong', sessionName(session)),
                h('small', t('profile.used'), ' ', when(session.used), ' · ',
                  t('profile.since', { time: moment(session.made) }))),
          session.current ? badge(t('profile.this'), 'good')
            : button({ label: t('profile.end'), kind: 'small', onclick: async () => {
              await call('people.endSession', { id: session.id });
              page.refresh();
            } }))))),
        sessions.sessions.length > 6 ? h('p.page-note', t('profile.moresessions', { n: sessions.sessions.length - 6 }))
          : null,
        section(t('profile.security'), h('div.actions',
          button({ label: t(profile.has_password ? 'profile.changepassword' : 'profile.password'), icon: 'lock',
            onclick: password }), button({ label: t('profile.changeemail'), icon: 'edit', onclick: changeEmail }),
          button({ label: t('sign.out'), onclick: () => signOut({}) }),
          button({ label: t('sign.outall'), onclick: async () => {
            if (await ask(t('sign.outall.ask'), t('sign.outall'))) await signOut({ everywhere: true });
          } }),
          button({ label: t('profile.remove'), kind: 'danger', onclick: removeAccount }))),
        section(t('profile.help'), h('p', say(help.about)),
          help.support && h('p', t('help.support'), ' ', help.support)))));

  /** Creates the settings of the appearance, which this browser keeps. */
  function looks() {
    /**
     * @param {string} key
     * @param {string} label
     * @param {string[][]} options
     * @param {string} current
     */
    const select = (key, label, options, current) =>
      h('label.field', h('b', t(label)), h('select', { onchange: (event) => {
        localStorage.setItem(key, event.target.value);
        location.reload();
      } }, options.map(([value, text]) => h('option', { value, selected: value === current }, text))));
    const sounds = h('label.field', h('b', t('near.setting')), h('select', { onchange: (event) => {
      chooseSound(event.target.value);
      toast(t('kept'));
    } }, SOUNDS.map((one) => h('option', { value: one, selected: one === chosenSound() }, t(`near.sound.${one}`)))));
    return [select('language', 'looks.language', Object.entries(languages), language),
      select('theme', 'looks.theme', ['auto', 'light', 'dark'].map((one) => [one, t(`looks.${one}`)]),
        localStorage.getItem('theme') ?? 'auto'),
      select('units', 'looks.units', ['metric', 'miles'].map((one) => [one, t(`looks.${one}`)]), units()), sounds];
  }
  /** @param {{everywhere?: boolean}} params */
  async function signOut(params) {
    const waiting = await outbox();
    if (waiting && !await waiting.leave(ask)) return;
    try {
      await call('people.signOut', params);
    } catch (/** @type {any} */ error) {
      if (error.code !== 3) throw error;
      // The account has no password, so the person could sign in again only with a mailed code. Offer to generate one.
      if (!(await ask(t('sign.generate'), t('sign.generate.yes'), false))) return;
      await call('people.signOut', { ...params, generate: true });
    }
    page.forget();
    await page.whoami();
    page.listenAnew();
    page.go('/sign-in');
  }
  function password() { formDialog(t(profile.has_password ? 'profile.changepassword' : 'profile.password'), {
    fields: [...(profile.has_password
      ? [{ name: 'current', label: t('profile.current'), type: 'password', autocomplete: 'current-password' },
      { name: 'code', label: t('profile.codeinstead'), hint: t('profile.code.hint') }] : []),
      { name: 'new', label: t('profile.newpassword'), type: 'password', required: true, autocomplete: 'new-password' },
        { name: 'again', label: t('sign.passwordagain'), type: 'password', required: true,
          autocomplete: 'new-password' }],
    submit: t('keep'), secondary: [button({ label: t('sign.sendcode'), onclick: async () => {
      await call('people.sendCode', { account: me.person?.id ?? '' });
      toast(t('sign.codesent'));
    } })],
    action: async (values) => {
      try { await call('people.setPassword', values); } catch (/** @type {any} */ error) {
        if (error.code === 2) error.data.field = values.code ? 'code' : 'current';
        throw error;
      }
      toast(t('kept'));
      page.refresh();
    },
  }); }
  function changeEmail() { formDialog(t('profile.changeemail'), {
    fields: [{ name: 'email', label: t('profile.email'), type: 'email', required: true, value: profile.email }],
      submit: t('sign.sendcode'),
    action: async (values) => {
      await call('people.changeEmail', values);
      setTimeout(() => formDialog(t('profile.changeemail'),
        { fields: [h('p', t('sign.mailed', values)),
          { name: 'code', label: t('sign.code'), required: true, attributes: { inputmode: 'numeric' } }],
          submit: t('sign.prove'),
        action: async ({ code }) => {
          try { await call('people.proveEmail', { code }); } catch (/** @type {any} */ error) {
            if (error.code === 2) error.data.field = 'code';
            throw error;
          }
          page.refresh();
        } }));
    },
  }); }
  function removeAccount() { formDialog(t('profile.remove'), {
    fields: [h('p', t('profile.remove.ask')),
      { name: 'password', label: t('sign.password'), type: 'password', autocomplete: 'current-password' }],
      submit: t('profile.remove'), danger: true,
    action: async (values) => {
      await call('people.remove', values);
      page.forget();
      await page.whoami();
      page.listenAnew();
      page.go('/now');
    },
  }); }
}
