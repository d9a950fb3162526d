/** The changes that wait on this phone, in IndexedDB, in the order in which they were made. */

/**
 * @typedef {{n?: number, id: string, once: string, person: string, at: number, method: string, params: any,
 *   state: 'waiting' | 'conflict' | 'refused', base?: any, title?: string, page: string, where: string, blob?: Blob,
 *   tried?: number, error?: any, current?: any, revision?: number}} Entry
 *
 * `id` is what a new object is called until the server has named it, `once` the id of the call. `base` is the object as
 * it was shown when somebody changed it. `tried` is when the change was sent first, although no answer came.
 */

/** How the ids of objects begin that only this phone knows. */
export const OWN = 'waits-';

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('waymark-outbox', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('calls', { keyPath: 'n', autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Returns the id of the person who uses this browser; empty if nobody is signed in. */
export const person = () => localStorage.getItem('read-by') ?? '';

/**
 * Reads and changes the entries of this person in one transaction, so that two windows do not undo each other's.
 *
 * `body` gets them in order, and returns those to store, those to delete, and a value to return. If it throws, nothing
 * changes.
 * @param {(entries: Entry[]) => {put?: Entry[], remove?: Entry[], value?: any}} body
 * @returns {Promise<any>}
 */
export async function edit(body) {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction('calls', 'readwrite');
    const calls = transaction.objectStore('calls');
    /** @type {any} */
    let value;
    /** @type {any} */
    let failure = null;
    transaction.oncomplete = () => resolve(value);
    transaction.onabort = () => reject(failure ?? transaction.error);
    const request = calls.getAll();
    request.onsuccess = () => {
      try {
        const { put = [], remove = [], value: answer } = body(request.result.filter((one) => one.person === person()));
        value = answer;
        for (const entry of put) calls.put(entry);
        for (const entry of remove) calls.delete(/** @type {number} */ (entry.n));
      } catch (error) {
        failure = error;
        transaction.abort();
      }
    };
  });
}

/** Returns the entries of this person in order.
 * @returns {Promise<Entry[]>} */
export const all = () => edit((entries) => ({ value: entries }));

/** Where the ids are kept that the server has given to objects of this phone, and how many of them. */
const NAMED = 'sent-ids';
const MOST_NAMED = 300;

const named = () => JSON.parse(localStorage.getItem(NAMED) ?? '[]');

/** Remembers the id that the server has given to an object of this phone.
 * @param {string} own @param {string} id */
export const noteID = (own, id) =>
  localStorage.setItem(NAMED, JSON.stringify([...named(), [own, id]].slice(-MOST_NAMED)));

/** Returns a value in which the objects that have gone in have the ids of the server.
 * @param {any} value */
export function real(value) {
  let text = JSON.stringify(value) ?? '';
  if (!text.includes(OWN)) return value;
  for (const [own, id] of named()) text = text.split(own).join(id);
  return JSON.parse(text);
}

/** Returns a new random id. */
export function newID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Browsers have the function for pages over TLS only.
  const digits = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0'));
  return digits.join('');
}
