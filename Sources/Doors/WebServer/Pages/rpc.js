/** Calls the daemon's methods, and keeps the last answers for when the connection is lost. */

/** An error that the daemon answered, with the code, message and data of the protocol. */
export class Refused extends Error {
  /** @param {{code: number, message: string, data?: any}} error
   * @param {string} [method] the called method */
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
/** The time of the oldest kept answer that the page shows; null while the server answers.
 * @type {number | null} */
export let staleSince = null;
let isOnline = true;

/** Notes whether the server answers.
 * @param {boolean} online */
export function becameOnline(online) {
  if (online) {
    staleSince = null;
    box?.wake();
  }
  if (online !== isOnline) {
    isOnline = online;
    connection.dispatchEvent(new Event(online ? 'online' : 'offline'));
  }
}

let number = 0;

/** The changes that wait on this phone while there is no connection.
 * @type {Promise<any> | null} */
let loading = null;
/** The same, once it is loaded; see `outbox/outbox.js`.
 * @type {any} */
let box = null;

/** Returns the changes that wait on this phone; null where none can wait.
 * @returns {Promise<any>} */
export const outbox = () => (localStorage.getItem('read-by') ? (loading ??= import('./outbox/outbox.js')
  .then((module) => module.start()).then((ready) => (box = ready), () => (loading = null))) : Promise.resolve(null));

/** The addresses of photos that wait on this phone, by their ids.
 * @type {Map<string, string>} */
export const local = new Map();

/** Whether the server has answered lately, and the browser has a connection. */
export const isConnected = () => isOnline && navigator.onLine;

/** The methods whose calls may wait, which are also those that the daemon lets repeat. */
const WAITS = new RegExp('^((activities|checklists|expenses|locations|tasks)\\.(add|remove|update)|locations\\.move'
  + '|photos\\.(remove|update)|plans\\.(create|shift|update)|posts\\.(add|addProduct|judge)|reactions\\.set'
  + '|repayments\\.(add|remove)|reviews\\.(put|remove)|votes\\.(choose|done))$');

/** Whether the calls of a method may wait.
 * @param {string} method */
export const mayWait = (method) => WAITS.test(method);

/** Whether a value names an object that only this phone knows, or knew.
 * @param {any} value */
const isOwn = (value) => JSON.stringify(value).includes('waits-');

/** Calls a method and returns its result; throws `Refused` or `Offline`.
 *
 * Without a connection, a change waits on this phone, and the result has `waits`. `about` says what is changed: `base`
 * is the object as it was shown, `title` its name.
 * @template {Method} M @param {M} method @param {Params<M>} [params] @param {{base?: any, title?: string}} [about]
 * @returns {Promise<Result<M> & Waiting>} */
export async function call(method, params = {}, about = {}) {
  const kept = mayWait(method) || isOwn(params) ? await outbox() : null;
  return kept ? kept.change(method, params, about) : callNow(method, params);
}

/** Calls a method that does not wait.
 * @template {Method} M @param {M} method @param {Params<M>} params
 * @param {string} [once] an id with which the call can be sent again without changing something twice
 * @returns {Promise<Result<M>>} */
export async function callNow(method, params, once) {
  const [answer] = await post([{ jsonrpc: '2.0', id: ++number, method, params, once }]);
  if (answer.error) throw new Refused(answer.error, method);
  return answer.result;
}

/** Calls a method that only reads. Without a connection, returns the last kept answer, if there is one.
 *
 * @template {Method} M
 * @param {M} method
 * @param {Params<M>} [params]
 * @param {boolean} [keeps] whether the answer is kept
 * @returns {Promise<Result<M>>} */
export async function read(method, params = {}, keeps = true) {
  if (isOwn(params)) params = (await outbox())?.real(params) ?? params;
  const key = `read:${method}:${JSON.stringify(params)}`;
  const own = box?.own(method, params);
  if (own) return own;
  try {
    const answer = await callNow(method, /** @type {Params<M>} */ (params));
    if (keeps) keep(key, answer);
    return shown(method, params, answer);
  } catch (error) {
    const kept = error instanceof Offline ? localStorage.getItem(key) : null;
    if (!kept) throw error;
    const { at, answer } = JSON.parse(kept);
    staleSince = Math.min(staleSince ?? at, at);
    connection.dispatchEvent(new Event('offline'));
    return shown(method, params, answer);
  }
}

/** Returns an answer with the changes that wait on this phone.
 * @param {string} method @param {any} params @param {any} answer */
const shown = (method, params, answer) => (box && answer ? box.shown(method, params, answer) : answer);

/** Calls several reading methods in one request; null for each that the daemon refuses.
 *
 * @template {Method[]} L
 * @param {[...Calls<L>]} calls
 * @returns {Promise<Answers<L>>} */
export async function readAll(calls) {
  if (isOwn(calls)) {
    return /** @type {any} */ (Promise.all(calls.map(([method, params]) => read(method, params).catch(() => null))));
  }
  const wanted = calls.map(([method, params = {}]) => ({ jsonrpc: '2.0', id: ++number, method, params }));
  const keys = wanted.map(({ method, params }) => `read:${method}:${JSON.stringify(params)}`);
  try {
    const answers = new Map((await post(wanted)).map((answer) => [answer.id, answer]));
    return /** @type {any} */ (wanted.map(({ id }, n) => {
      const result = answers.get(id)?.result ?? null;
      if (result) keep(keys[n], result);
      return shown(wanted[n].method, wanted[n].params, result);
    }));
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    const kept = keys.map((key) => JSON.parse(localStorage.getItem(key) ?? 'null'));
    if (kept.every((entry) => entry === null)) throw error;
    staleSince = Math.min(...kept.filter(Boolean).map((entry) => entry.at), staleSince ?? Infinity);
    connection.dispatchEvent(new Event('offline'));
    return /** @type {any} */ (
      kept.map((entry, n) => shown(wanted[n].method, wanted[n].params, entry?.answer ?? null)));
  }
}

/** Reads the pages of a list until it ends, or until there are `most` entries.
 * @template {Method} M
 * @template {keyof Result<M>} K @param {M} method
 * @param {K} list the member of the answer that contains the entries
 * @param {Params<M>} params @param {number} [most]
 * @returns {Promise<Result<M>[K]>} */
export async function readPages(method, list, params, most = 2000) {
  /** @type {any} */
  const all = [];
  let after;
  do {
    /** @type {any} */
    const page = await read(method, after === undefined ? params : { ...params, after });
    all.push(...page[list]);
    after = page.next;
  } while (after !== undefined && all.length < most);
  return all;
}

/** Sends calls in one request, and returns their answers.
 * @param {Record<string, any>[]} calls
 * @returns {Promise<any[]>} */
async function post(calls) {
  let answer;
  try {
    answer = await fetch('/rpc', {
      method: 'POST', credentials: 'same-origin', cache: 'no-store',
      headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
      signal: /** @type {any} */ (AbortSignal).timeout(30_000),
    });
  } catch {
    becameOnline(false);
    throw new Offline('offline');
  }
  if (answer.status >= 502 && answer.status <= 504) {
    becameOnline(false);
    throw new Offline('offline');
  }
  becameOnline(true);
  if (!answer.ok) {
    throw new Refused({
      code: answer.status === 429 ? 5 : -answer.status, message: (await answer.text()) || answer.statusText,
    });
  }
  const json = await answer.json();
  return Array.isArray(json) ? json : [json];
}

/** Keeps answers for this person from now on, and deletes those of another.
 * @param {string} person */
export function keepFor(person) {
  if (localStorage.getItem('read-by') === person) return;
  forget();
  localStorage.setItem('read-by', person);
  box?.load();
}

/** Deletes all kept answers. */
export function forget() {
  for (const key of Object.keys(localStorage)) if (/^(read|draft):/.test(key)) localStorage.removeItem(key);
}

/** Keeps an answer of at most 200,000 characters. If the storage is full, deletes all kept answers.
 * @param {string} key @param {any} answer */
function keep(key, answer) {
  const text = JSON.stringify({ at: Date.now(), answer });
  if (text.length > 200_000) return;
  try {
    localStorage.setItem(key, text);
  } catch {
    forget();
  }
}
