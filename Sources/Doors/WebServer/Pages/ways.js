/** The ways on from an error: the daemon's words name the method to call next, and the page links to where that is. */
import { h } from './dom.js';
import { t, has } from './texts.js';
import { waitingTicket } from './waiting.js';

/** @type {Record<string, () => [string, string] | null>} */
const WAYS = {
  'people.signUp': () => ['/sign-up', 'sign.up'],
  'people.signIn': () => [`/sign-in?to=${encodeURIComponent(location.pathname)}`, 'sign.in'],
  'people.sendCode': () => ['/sign-in?by=code', 'sign.bycode'],
  'people.prove': () => ['/sign-up', waitingTicket() ? 'sign.entercode' : 'sign.upagain'],
  'people.changeEmail': () => ['/profile', 'profile.changeemail'],
  'people.setPassword': () => ['/profile', 'nav.profile'],
  'people.unlinkUser': () => ['/profile', 'nav.profile'],
  'friends.request': () => ['/people', 'nav.people'],
  'friends.confirm': () => ['/people?of=requests', 'people.of.requests'],
  'friends.cancel': () => ['/people?of=requests', 'people.of.requests'],
  'people.revokeInvitation': () => ['/people', 'nav.people'],
  'devices.join': () => ['/profile', 'profile.devices'],
};

/** Whether an address is that of the page, which may say where to go on in its query.
 * @param {string} href */
const isHere = (href) => href.replace(/\?(by|to)=.*/, '') === location.pathname;

/**
 * Returns the links that lead on from an error. There is none where the person already is.
 * @param {any} error
 * @returns {any[]}
 */
export function waysOn(error) {
  const words = `${error?.data?.reason ?? ''} ${error?.message ?? ''} ${(error?.data?.ways ?? []).join(' ')}`;
  const ways = Object.entries(WAYS).filter(([method]) => words.includes(method)).map(([, way]) => way())
    .filter((way) => way && has(way[1]) && (!isHere(way[0]) || way[1] === 'sign.upagain'));
  return /** @type {[string, string][]} */ (ways)
    .map(([href, label]) => h('a.button.small', { href }, t(label)));
}
