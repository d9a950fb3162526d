/** The browsers in which a person is notified, also while the page is closed. */
import { h, fill } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, Refused } from '../rpc.js';
import { button, badge, rowText, toast, attempt } from '../ui.js';
import { moment } from '../format.js';
import { keepWords } from './words.js';

/** The milliseconds in which the service worker must be there, and the push service must answer. */
const PATIENCE = 10_000;

/** Returns null after a while.
 * @returns {Promise<null>} */
const late = () => new Promise((resolve) => { setTimeout(() => resolve(null), PATIENCE); });

/** Returns why this browser cannot be notified, as the key of a text; null if it can.
 * @param {string} [key] */
function hindrance(key) {
  if (!window.isSecureContext) return 'push.insecure';
  if (!navigator.serviceWorker) return 'push.noworker';
  if (!window.PushManager || !window.Notification) {
    return /iPhone|iPad/.test(navigator.userAgent) ? 'push.install' : 'push.none';
  }
  if (!key) return 'push.off';
  return Notification.permission === 'denied' ? 'push.denied' : null;
}

/**
 * Returns the service worker's registration; null if there is none.
 * @returns {Promise<ServiceWorkerRegistration | null>}
 */
const worker = () => Promise.race([navigator.serviceWorker.ready, late()]);

/** Returns the bytes of a text in Base64 for URLs.
 * @param {string} text */
const bytes = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));

/** Whether a subscription is to a key.
 * @param {PushSubscription} subscription @param {string} key */
function isTo(subscription, key) {
  const own = subscription.options?.applicationServerKey;
  if (!own) return true;
  const [one, other] = [new Uint8Array(own), bytes(key)];
  return one.length === other.length && one.every((byte, n) => byte === other[n]);
}

/**
 * Subscribes this browser; returns why it could not, as the key of a text, or null.
 * @param {string} key
 */
async function subscribe(key) {
  if (await Notification.requestPermission() === 'denied') return 'push.denied';
  // Who closes the question may be asked again.
  if (Notification.permission !== 'granted') return null;
  const registration = await worker();
  if (!registration) return 'push.noworker';
  let subscription = await registration.pushManager.getSubscription();
  if (subscription && !isTo(subscription, key)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  try {
    // Some browsers wait for ever where there is no internet.
    subscription ??= await Promise.race([late(), registration.pushManager.subscribe({
      userVisibleOnly: true, applicationServerKey: bytes(key),
    })]);
  } catch (error) {
    return /** @type {any} */ (error).name === 'NotAllowedError' ? 'push.denied' : 'push.nonet';
  }
  if (!subscription) return 'push.nonet';
  const { endpoint, keys } = subscription.toJSON();
  await keepWords();
  await call('push.subscribe', { endpoint: endpoint ?? '', p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' });
  return null;
}

/** Returns the subscription of this browser; null if there is none. */
async function subscription() {
  const registration = await navigator.serviceWorker?.getRegistration();
  return await registration?.pushManager?.getSubscription() ?? null;
}

/** @param {Browser} browser */
const name = ({ program, system }) => (program && system ? t('session.name', { program, system })
  : program ?? system ?? t('session.unknown'));

/** Creates the settings of notifications in browsers. */
export function browsers() {
  const place = h('section.card.push', { role: 'group', 'aria-label': '' });
  load();
  return place;

  /** @param {string | null} [why] the key of the text that says why this browser could not be notified */
  async function load(why) {
    await attempt(async () => {
      await addTexts('push');
      const [state, own] = await Promise.all([call('push.list'), subscription().catch(() => null)]);
      const here = state.browsers.find((one) => one.current);
      const isOn = Boolean(here && own && state.key && isTo(own, state.key));
      if (isOn) keepWords().catch(() => {});
      const reason = why ?? (isOn ? null : hindrance(state.key));
      place.setAttribute('aria-label', t('push.title'));
      fill(place, h('b', t('push.title')), reason && h('p', { role: 'status' }, t(reason)),
        !isOn && (!reason || reason === 'push.nonet') && [
          button({ label: t('push.on'), icon: 'bell', kind: 'primary', onclick: async () => {
            await load(await subscribe(state.key ?? ''));
          } }), h('p', h('small', t('push.on.hint')))],
        state.browsers.length > 0 && h('ul.rows.dense', state.browsers.map((one) => row(one, isOn && one === here))));
    });
  }

  /** @param {Browser} one @param {boolean} isHere */
  function row(one, isHere) {
    const note = [t('push.since', { time: moment(one.made) }), one.fault && ` · ${t('push.fault', one)}`];
    return h('li.row', rowText(name(one), note), isHere && badge(t('profile.this'), 'good'),
      button({ label: t('push.test'), kind: 'small', onclick: () => test(one) }),
      button({ label: t('remove'), icon: 'remove', hidesLabel: true, onclick: async () => {
        await call('push.remove', { browser: one.id });
        if (one.current) await (await subscription().catch(() => null))?.unsubscribe();
        toast(t('push.removed'));
        await load();
      } }));
  }

  /** @param {Browser} one */
  async function test(one) {
    try {
      await call('push.test', { browser: one.id });
      toast(t('push.sent'));
    } catch (error) {
      const reason = error instanceof Refused ? error.data.reason : '';
      if (!['unreachable', 'gone'].includes(reason)) throw error;
      toast(t(`push.${reason}`, one));
    }
    await load();
  }
}
