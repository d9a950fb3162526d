/** Calls the daemon's methods, and keeps the last answers for when the connection is lost. */

/** An error that the daemon answered, with the code, message and data of the protocol. */
export class Refused extends Error {
  /**
   * @param {{code: number, message: string, data?: any}} error
   * @param {string} [method] the called method
   */
  constructor(error, method = '') {
    super(error.message);
    this.method = method;
    this.code = error.code;
    this.data = error.data ?? {};
  }
}

/** The error of a call that the server did not answer. */
export class Offline extends Error {}

/** Dispatches `online` and `offline` when the server begins or stops to answer. */
export const connection = new EventTarget();
/** The time of the oldest kept answer that the page shows; null while the server answers. @type {number | null} */
export let staleSince = null;
let isOnline = true;

/** @param {boolean} online */
function became(online) {
  if (online) staleSince = null;
  if (online !== isOnline) {
    isOnline = online;
    connection.dispatchEvent(new Event(online ? 'online' : 'offline'));
  }
}

let number = 0;

/**
 * Calls a method and returns its result; throws `Refused` or `Offline`.
 * @param {string} method
 * @param {Record<string, any>} [params]
 * @returns {Promise<any>}
 */
export async function call(method, params = {}) {
  const [answer] = await post([{ jsonrpc: '2.0', id: ++number, method, params }]);
  if (answer.error) throw new Refused(answer.error, method);
  return answer.result;
}

/** Calls a method that only reads. Without a connection, returns the last kept answer, if there is one.
 *
 * @param {string} method
 * @param {Record<string, any>} [params]
 * @returns {Promise<any>} */
export async function read(method, params = {}) {
  const key = `read:${method}:${JSON.stringify(params)}`;
  try {
    const answer = await call(method, params);
    keep(key, answer);
    return answer;
  } catch (error) {
    const kept = error instanceof Offline ? localStorage.getItem(key) : null;
    if (!kept) throw error;
    const { at, answer } = JSON.parse(kept);
    staleSince = Math.min(staleSince ?? at, at);
    connection.dispatchEvent(new Event('offline'));
    return answer;
  }
}

/** Calls several reading methods in one request; null for each that the daemon refuses.
 *
 * @param {[string, Record<string, any>?][]} calls
 * @returns {Promise<any[]>} */
export async function readAll(calls) {
  const wanted = calls.map(([method, params = {}]) => ({ jsonrpc: '2.0', id: ++number, method, params }));
  const keys = wanted.map(({ method, params }) => `read:${method}:${JSON.stringify(params)}`);
  try {
    const answers = new Map((await post(wanted)).map((answer) => [answer.id, answer]));
    return wanted.map(({ id }, n) => {
      const result = answers.get(id)?.result ?? null;
      if (result) keep(keys[n], result);
      return result;
    });
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    const kept = keys.map((key) => JSON.parse(localStorage.getItem(key) ?? 'null'));
    if (kept.every((entry) => entry === null)) throw error;
    staleSince = Math.min(...kept.filter(Boolean).map((entry) => entry.at), staleSince ?? Infinity);
    connection.dispatchEvent(new Event('offline'));
    return kept.map((entry) => entry?.answer ?? null);
  }
}

/**
 * Reads the pages of a list until it ends, or until there are `most` entries.
 * @param {string} method
 * @param {string} list the member of the answer that contains the entries
 * @param {Record<string, any>} params
 * @param {number} [most]
 */
export async function readPages(method, list, params, most = 2000) {
  const all = [];
  let after;
  do {
    const page = await read(method, after === undefined ? params : { ...params, after });
    all.push(...page[list]);
    after = page.next;
  } while (after !== undefined && all.length < most);
  return all;
}

/**
 * Sends calls in one request, and returns their answers.
 * @returns {Promise<any[]>}
 */
async function post(calls) {
  let answer;
  try {
    answer = await fetch('/rpc', {
      method: 'POST', credentials: 'same-origin', cache: 'no-store',
      headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(calls.length === 1 ? calls[0] : calls), signal: AbortSignal['timeout'](30_000),
    });
  } catch {
    became(false);
    throw new Offline('offline');
  }
  if (answer.status >= 502 && answer.status <= 504) {
    became(false);
    throw new Offline('offline');
  }
  became(true);
  if (!answer.ok) {
    throw new Refused({ code: answer.status === 429 ? 5 : -answer.status, message: (await answer.text()) || answer.statusText });
  }
  const json = await answer.json();
  return Array.isArray(json) ? json : [json];
}

/** Keeps answers for this person from now on, and deletes those of another. @param {string} person */
export function keepFor(person) {
  if (localStorage.getItem('read-by') === person) return;
  forget();
  localStorage.setItem('read-by', person);
}

/** Deletes all kept answers. */
export function forget() {
  for (const key of Object.keys(localStorage)) if (/^(read|draft):/.test(key)) localStorage.removeItem(key);
}

/**
 * Keeps an answer of at most 200,000 characters. If the storage is full, deletes all kept answers.
 * @param {string} key
 */
function keep(key, answer) {
  const text = JSON.stringify({ at: Date.now(), answer });
  if (text.length > 200_000) return;
  try {
    localStorage.setItem(key, text);
  } catch {
    forget();
  }
}

/**
 * Uploads a photo, and reports the sent part, from 0 to 1, to `progress`.
 *
 * @param {string} subject
 * @param {Blob} file
 * @param {string} caption
 * @param {(part: number) => void} [progress]
 * @returns {Promise<any>}
 */
export function upload(subject, file, caption, progress) {
  const query = new URLSearchParams(caption ? { subject, caption } : { subject });
  return sendFile(`/photos?${query}`, file, file.type || 'application/octet-stream', progress);
}

/**
 * Uploads a file of map tiles, as `upload` does a photo.
 *
 * @param {string} name the name of the map
 * @param {Blob} file
 * @param {(part: number) => void} [progress]
 * @returns {Promise<any>}
 */
export const uploadMap = (name, file, progress) =>
  sendFile(`/maps/${encodeURIComponent(name)}`, file, 'application/octet-stream', progress);

/**
 * Sends a file, and returns the answer. If `signal` aborts, it stops sending.
 *
 * @param {string} address
 * @param {Blob} file
 * @param {string} type
 * @param {(part: number) => void} [progress]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function sendFile(address, file, type, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    signal?.addEventListener('abort', () => request.abort());
    request.onabort = () => reject(signal?.reason);
    request.open('POST', address);
    request.setRequestHeader('Content-Type', type);
    request.upload.onprogress = (event) => progress?.(event.loaded / event.total);
    request.onerror = () => { became(false); reject(new Offline('offline')); };
    request.onload = () => {
      let answer;
      try { answer = JSON.parse(request.responseText); } catch { answer = {}; }
      if (request.status < 300) resolve(answer);
      else reject(new Refused(answer.error ?? { code: -request.status, message: request.responseText || request.statusText }));
    };
    request.send(file);
  });
}
