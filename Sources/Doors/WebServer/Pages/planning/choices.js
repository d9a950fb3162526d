/** What people choose in votes. A page that is drawn from an older reading shows the newer choice nevertheless. */
import { call } from '../rpc.js';

/** What the person chose in this window, by the id of the vote, until a reading that began later has it.
 * @type {Map<string, {option: number, isStored: boolean, storing: Promise<any>}>} */
const picked = new Map();

/** Begins to read choices. Returns what decides between the option that was read and one chosen in this window.
 * @returns {(id: string, option: number | undefined) => number | undefined} */
export function readChoices() {
  const stored = new Set([...picked.values()].filter(({ isStored }) => isStored));
  return (id, option) => {
    const pick = picked.get(id);
    if (pick && !stored.has(pick)) return pick.option;
    picked.delete(id);
    return option;
  };
}

/** Stores a choice after those before it. Without a connection it waits on this phone, and the window keeps it.
 * @param {string} id @param {number} option @param {{title?: string}} [about] as `call` takes it */
export async function choose(id, option, about) {
  const before = chosen(id);
  const storing = (async () => {
    await before.catch(() => {});
    return call('votes.choose', { vote: id, option }, about);
  })();
  const pick = { option, isStored: false, storing };
  picked.set(id, pick);
  try {
    const answer = /** @type {Waiting} */ (await storing);
    pick.isStored = !answer.waits;
  } catch (error) {
    if (picked.get(id) === pick) picked.delete(id);
    throw error;
  }
}

/** Waits until the last choice in a vote is stored; throws what refused it.
 * @param {string} id */
export const chosen = async (id) => { await picked.get(id)?.storing; };
