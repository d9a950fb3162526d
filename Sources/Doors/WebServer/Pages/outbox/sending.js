/** Sends the changes that wait, one after the other, and merges them with what others have changed meanwhile. */
import { callNow, Offline, Refused } from '../rpc.js';
import { uploadNow } from '../upload.js';
import { bothUnits, changedUnits } from '../merge.js';
import { isOvertaken } from './shifts.js';
import { newID, noteID, OWN } from './store.js';
import { fieldsOf, identityOf, isLast, isNew, isUpdate, keyOf, names, pick, renamed, updateOf } from './objects.js';

/** @typedef {import('./store.js').Entry} Entry */

/** How long the daemon surely remembers a call; one that was sent before may be made twice. */
const REMEMBERED = 6 * 24 * 3_600_000;
/** Until when nothing is sent, because the server has asked for a pause. */
export const pause = { until: 0 };

/**
 * Sends what waits, and returns how many changes have gone in.
 * @param {(body: (list: Entry[]) => any) => Promise<any>} store
 */
export async function sendAll(store) {
  let count = 0;
  for (;;) {
    const { entry, isFirst } = await store(next) ?? {};
    if (!entry) return count;
    try {
      if (isFirst && await isOvertaken(store, entry)) continue;
      await arrived(store, entry, await send(entry), false);
      count++;
    } catch (error) {
      if (error instanceof Offline) return count;
      if (!(error instanceof Refused)) throw error;
      if (mustPause(error)) {
        pause.until = Date.now() + 1000 * (error.data.retry_after ?? 30);
        return count;
      }
      if (error.code === 3 && error.data.reason === 'repeated') {
        await arrived(store, entry, error.data.answer, true);
        count++;
      } else if (error.code === 3 && error.data.current && entry.base) await merge(store, entry, error);
      else await refuse(store, entry, error);
    }
  }
}

/** @param {Entry} entry */
const send = ({ method, params, once, blob }) =>
  (blob ? uploadNow(params.subject, blob, params.caption, undefined, once)
    : callNow(/** @type {Method} */ (method), params, once));

/** Whether the server refuses everything for now, or the person is not signed in.
 * @param {Refused} refused */
const mustPause = ({ code, data }) => (code === 5 && data.reason !== 'quota') || (code <= -500 && code > -600)
  || (code === 2 && ['person', 'contribute'].includes(data.right));

/** Chooses the next entry, and notes that it is sent now.
 * @param {Entry[]} list */
function next(list) {
  const put = [];
  for (const entry of list) {
    if (entry.state !== 'waiting') continue;
    if (names(entry.params, OWN)) {
      // What it needs may still wait, or may never come.
      if (list.some(({ id, n }) => n !== entry.n && names(entry.params, id))) continue;
      put.push(Object.assign(entry, { state: 'refused', error: { code: 'gone' } }));
    } else if (entry.tried && Date.now() - entry.tried > REMEMBERED) {
      put.push(Object.assign(entry, { state: 'refused', error: { code: 'old' } }));
    } else {
      const isFirst = !entry.tried;
      entry.tried ??= Date.now();
      return { put: [...put, entry], value: { entry, isFirst } };
    }
  }
  return { put };
}

/**
 * Deletes an entry that has gone in, and names what it has made in the others. If somebody has changed the entry since
 * it was sent, the change follows; so it does if an earlier attempt, before the change, had arrived.
 * @param {(body: (list: Entry[]) => any) => Promise<any>} store
 * @param {Entry} sent
 * @param {any} answer
 * @param {boolean} isRepeated
 */
const arrived = (store, sent, answer, isRepeated) => store((list) => {
  const entry = list.find(({ n }) => n === sent.n);
  const id = answer?.id;
  const isNamed = isNew(sent.method) && id !== undefined;
  if (isNamed) noteID(sent.id, id);
  if (isNamed && location.href.includes(sent.id)) history.replaceState(null, '', location.href.split(sent.id).join(id));
  const put = !isNamed ? [] : list.filter((one) =>
    one.n !== sent.n && (names(one.params, sent.id) || one.page.includes(sent.id)));
  for (const one of put) {
    one.params = renamed(one.params, sent.id, id);
    one.base = renamed(one.base, sent.id, id);
    one.page = one.page.split(sent.id).join(id);
  }
  const isChanged = isRepeated || JSON.stringify(entry?.params) !== JSON.stringify(sent.params);
  const follows = entry && answer && isChanged && following(entry, answer);
  return { put: follows ? [...put, follows] : put, remove: entry && !follows ? [entry] : [] };
});

/** Returns what is left to change of an entry whose call was made; nothing if it is all as the person wants it.
 * @param {Entry} entry @param {any} answer */
function following(entry, answer) {
  const fresh = { once: newID(), tried: undefined };
  // Setting it again does no harm.
  if (isLast(entry.method)) return { ...entry, ...fresh };
  const isMerged = answer.revision !== undefined && (isUpdate(entry.method) || isNew(entry.method));
  if (!isMerged && entry.method !== 'photos.add') return null;
  const units = changedUnits(fieldsOf(entry), entry.params, answer).flat();
  if (!units.length) return null;
  const method = updateOf(entry.method);
  return {
    ...entry, ...fresh, method, base: answer, blob: undefined,
    params: { [/** @type {string} */ (keyOf(method))]: answer.id, ...pick(entry.params, units),
      ...(answer.revision === undefined ? {} : { revision: answer.revision }) },
  };
}

/** Merges a change with what somebody else has changed: other fields go in, the same ones wait for the person.
 * @param {(body: (list: Entry[]) => any) => Promise<any>} store @param {Entry} sent @param {Refused} error */
const merge = (store, sent, error) => store((list) => {
  const entry = list.find(({ n }) => n === sent.n);
  if (!entry) return {};
  const { current, revision } = error.data;
  const units = changedUnits(fieldsOf(entry), entry.params, entry.base);
  const both = bothUnits(units, entry.params, entry.base, current);
  const rest = units.filter((unit) => !both.includes(unit));
  /** @param {string[][]} some */
  const part = (some) => ({ ...identityOf(entry), ...pick(entry.params, some.flat()), revision });
  const { n, ...copy } = entry;
  const conflict = { ...copy, once: newID(), tried: undefined, state: 'conflict', params: part(both), current,
    revision };
  const merged = { ...entry, params: part(rest), base: { ...entry.base, ...current } };
  return {
    put: [...(rest.length ? [merged] : []), ...(both.length ? [conflict] : [])],
    remove: rest.length ? [] : [entry],
  };
});

/** Keeps a refused change with the reason, for the person to see.
 * @param {(body: (list: Entry[]) => any) => Promise<any>} store @param {Entry} sent */
const refuse = (store, sent, /** @type {any} */ { code, message, data, method }) => store((list) => {
  const entry = list.find(({ n }) => n === sent.n);
  // The call has changed nothing, so that the next attempt is a new one.
  const error = { code, message, data, method };
  const again = { tried: undefined, once: newID() };
  return entry ? { put: [{ ...entry, ...again, state: 'refused', error }] } : {};
});
