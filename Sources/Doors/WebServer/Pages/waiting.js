/** The sign-up that waits for its mailed code, which this browser keeps for a day, as the daemon does. */

const KEY = 'sign-up';
const DAY = 24 * 3_600_000;

/** Keeps a sign-up.
 * @param {string} ticket @param {string} email */
export const waitFor = (ticket, email) =>
  localStorage.setItem(KEY, JSON.stringify({ ticket, email, at: Date.now() }));

/** Returns the sign-up that waits, or null.
 * @returns {{ticket: string, email: string} | null} */
export function waitingTicket() {
  const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null');
  return kept && Date.now() - kept.at < DAY ? kept : null;
}

/** Forgets the sign-up, because it is done or given up. */
export const waitNoMore = () => localStorage.removeItem(KEY);
