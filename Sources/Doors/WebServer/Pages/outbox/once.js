/** Calls that the daemon does not let repeat: they are sent once, and never again by themselves. */
import { callNow, Offline, Refused } from '../rpc.js';

/** The error of a call that may not be sent again, although no answer came: nobody knows whether it arrived. */
export class Lost extends Error {}

/**
 * Sends a call with the id that this phone has made for it, so that it can be sent again.
 *
 * If the daemon remembers no calls of the method, it refuses the id and changes nothing. Then the call is sent without
 * one; `alone` is told before, and again with `false` once the daemon has refused it. Throws `Lost` if no answer comes.
 * @param {string} method
 * @param {any} params
 * @param {string} once
 * @param {(isAlone: boolean) => any} [alone]
 */
export async function callOnce(method, params, once, alone = () => {}) {
  try {
    return await callNow(method, params, once);
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 4 || error.data.field !== 'once') throw error;
  }
  await alone(true);
  try {
    return await callNow(method, params);
  } catch (error) {
    if (error instanceof Offline) throw new Lost('lost');
    await alone(false);
    throw error;
  }
}
