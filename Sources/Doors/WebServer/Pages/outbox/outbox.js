/** The outbox: changes made without a connection, which wait on this phone and go in when it is back. */
import { t, addTexts } from '../texts.js';
import { callNow, connection, isConnected, local, mayWait, Offline, Refused } from '../rpc.js';
import { uploadNow } from '../upload.js';
import { events } from '../events.js';
import { toast, Wrong } from '../ui.js';
import { edit, all, newID, OWN, person, real } from './store.js';
import { isLast, isNew, isRemoval, isUpdate, names, objectOf, pick, planOf, fieldsOf } from './objects.js';
import { pause, sendAll } from './sending.js';
import { before, isShiftOf, joined } from './shifts.js';
import { own, shown } from './shown.js';
import { drawCount, openSheet } from './sheet.js';
import { MONEY } from './sums.js';

/** @typedef {import('./store.js').Entry} Entry */

/** The most changes that wait, and the most bytes of all their photos. */
const MOST = 200;
const MOST_BYTES = 60_000_000;
/** What an expense costs whom, also as the daemon has computed it. */
const COST = [...MONEY, 'converted', 'number'];
/** What else is worth knowing of an object as it was before some changes. */
/** @type {Record<string, string[]>} */
const MORE = {
  'plans.shift': ['start'], 'expenses.update': COST, 'expenses.remove': COST,
  'repayments.remove': ['from', 'to', 'amount'],
};
/** The milliseconds after which sending is tried again. */
const PAUSE = 30_000;

/** The entries as they are stored, for the pages, which cannot wait for them.
 * @type {Entry[]} */
let entries = [];
/** Tells the other windows of this browser. */
const others = 'BroadcastChannel' in window ? new BroadcastChannel('waymark-outbox') : null;
/** @type {Promise<any> | null} */
let sending = null;

/** Reads what waits, and begins to send it. */
export async function start() {
  await Promise.all([addTexts('outbox'), load()]);
  if (others) others.onmessage = () => { load(); };
  window.addEventListener('online', () => wake());
  events.addEventListener('open', () => wake());
  window.setInterval(() => { if (!document.hidden) wake(); }, PAUSE);
  wake();
  return { change, addPhoto, real, own: ownAnswer, shown: shownAnswer, wake, takeBack, leave, load };
}

/** Returns an answer that only this phone can give. Nothing else of what it alone knows can be asked.
 * @param {string} method @param {any} params */
function ownAnswer(method, params) {
  const answer = own(entries, method, params);
  if (answer || !names(params, OWN)) return answer;
  throw entries.some(({ id }) => names(params, id)) ? new Offline('offline') : new Refused({ code: 1, message: '' });
}

/** @param {string} method @param {any} params @param {any} answer */
const shownAnswer = (method, params, answer) => shown(entries, method, params, answer);

/** Reads the entries again, and shows how many there are. */
async function load() {
  entries = await all();
  if (entries.length) localStorage.setItem('waits', String(entries.length)); else localStorage.removeItem('waits');
  for (const { id, blob } of entries) if (blob && !local.has(id)) local.set(id, URL.createObjectURL(blob));
  for (const [id, address] of local) {
    if (entries.some((one) => one.id === id)) continue;
    URL.revokeObjectURL(address);
    local.delete(id);
  }
  drawCount(entries, () => openSheet(sheet));
}

/** Changes the entries; see `edit`.
 * @param {(list: Entry[]) => any} body */
async function store(body) {
  const value = await edit(body);
  await load();
  others?.postMessage('');
  return value;
}

/** What the sheet shows and does. */
const sheet = {
  entries: () => entries, store, wake: () => { pause.until = 0; return wake(); },
  /** Drops an entry, and those that need what it would have made. */
  drop: (/** @type {Entry} */ entry) => store((list) => ({
    remove: list.filter((one) => one.n === entry.n || names(one.params, entry.id)),
  })),
};

/** Sends what waits, unless it is being sent already, in this window or in another. */
function wake() {
  const hasWork = navigator.onLine && Date.now() >= pause.until && entries.some(({ state }) => state === 'waiting');
  if (sending || !hasWork) return sending;
  const send = () => sendAll(store);
  const locks = navigator.locks;
  sending = (locks ? locks.request('waymark-outbox', { ifAvailable: true }, (lock) => (lock ? send() : 0)) : send())
    .then(told, (error) => console.error(error)).finally(() => { sending = null; });
  return sending;
}

/** Says what has gone in, and draws the page again.
 * @param {number} count */
function told(count) {
  if (!count) return;
  toast(t('outbox.sent', { n: count }));
  connection.dispatchEvent(new Event('sent'));
}

/**
 * Makes a change now, or keeps it for when the connection is back; see `call`.
 * @param {string} method
 * @param {any} params
 * @param {{base?: any, title?: string}} about
 */
async function change(method, params, about) {
  params = real(params);
  const call = { method, params };
  const object = objectOf(call);
  // Only this phone knows the object: it can be removed here, and nothing else can be done with it yet.
  const isMade = isRemoval(method) && entries.some(({ id }) => id === object);
  if (!mayWait(method) && !isMade) {
    if (names(params, OWN)) throw new Offline('offline');
    return callNow(/** @type {Method} */ (method), params);
  }
  const plan = planOf({ params, base: about.base });
  const waits = names(params, OWN) || entries.some((one) => isShiftOf(one, plan))
    || entries.some((one) => object && objectOf(one) === object && one.state === 'waiting');
  const once = newID();
  if (!waits && isConnected()) {
    try {
      return await callNow(/** @type {Method} */ (method), params, once);
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
    }
    return keep({ ...call, once, tried: Date.now() }, about);
  }
  return keep({ ...call, once }, about);
}

/**
 * Uploads a photo now, or keeps it for when the connection is back; see `upload`.
 * @param {string} subject
 * @param {File} file
 * @param {string} caption
 * @param {((part: number) => void) | undefined} progress
 */
async function addPhoto(subject, file, caption, progress) {
  subject = real(subject);
  const once = newID();
  const entry = { method: 'photos.add', params: { subject, ...(caption ? { caption } : {}) }, once, blob: file };
  if (!names(subject, OWN) && isConnected()) {
    try {
      return await uploadNow(subject, file, caption, progress, once);
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
    }
    return keep({ ...entry, tried: Date.now() }, { title: caption || file.name });
  }
  return keep(entry, { title: caption || file.name });
}

/**
 * Keeps a change, and returns what its answer will be like.
 * @param {any} given `method`, `params` and `once`, and what else is known of the call
 * @param {{base?: any, title?: string}} about
 */
async function keep(given, { base, title }) {
  const { params } = given;
  const own = OWN + newID();
  const entry = /** @type {Entry} */ ({
    state: 'waiting', ...given, id: own, person: person(), at: Date.now(),
    base: base && baseOf(given, base),
    title: [title, base?.title, base?.name, params.title, params.name, params.text].find(Boolean),
    page: given.method === 'plans.create' ? `/plans/${own}` : location.pathname + location.search,
    where: document.title.replace(/ · Waymark$/, ''),
  });
  // What it needs may have gone in meanwhile.
  const id = await store((list) => placed({ ...entry, params: real(entry.params) }, list));
  toast(t('outbox.kept'));
  wake();
  return { ...base, ...params, ...(isNew(given.method) ? { id } : {}), waits: true };
}

/** Returns the part of an object that a change of it is merged with.
 * @param {any} given @param {any} base */
const baseOf = (given, base) => pick(base, ['id', 'plan', 'revision', 'title', 'name', 'zone',
  ...(MORE[given.method] ?? []), ...fieldsOf(given)]);

/** Returns how the list changes by a new entry, which may only change one that waits already.
 * @param {Entry} entry @param {Entry[]} list */
function placed(entry, list) {
  const { method, params } = entry;
  const object = objectOf(entry);
  const made = object && list.find(({ id }) => id === object);
  const same = object && list.filter((one) => objectOf(one) === object && one.state === 'waiting');
  if (isRemoval(method)) {
    // What nobody has sent needs no removal.
    const dropped = list.filter((one) => (one === made || same?.includes(one)) && !one.tried);
    // It is removed as it was before the dropped changes.
    if (entry.base) entry.base = Object.assign({}, entry.base, ...dropped.map(({ base }) => base).reverse());
    if (made && !made.tried) {
      return { remove: list.filter((one) => one === made || names(one.params, made.id)), value: made.id };
    }
    return { put: [checked(entry, list)], remove: dropped, value: entry.id };
  }
  if (method === 'plans.shift') return joined(list, entry) ?? { put: [checked(entry, list)], value: entry.id };
  if (made && (isUpdate(method) || method === 'reviews.put')) {
    const fields = Object.entries(pick(before(list, entry, made, planOf(entry)).params, fieldsOf(entry)));
    made.params = { ...made.params, ...Object.fromEntries(fields) };
    for (const [name, value] of fields) if (value === '') delete made.params[name];
    made.title = params.title ?? params.name ?? params.caption ?? made.title;
    return { put: [again(made)], value: made.id };
  }
  const earlier = same?.find((/** @type {Entry} */ one) =>
    one.method === method && (isUpdate(method) || isLast(method)));
  if (earlier) {
    const revision = earlier.params.revision ?? params.revision;
    const { params: fields, base } = before(list, entry, earlier, planOf(entry));
    earlier.params = { ...earlier.params, ...fields, ...(revision === undefined ? {} : { revision }) };
    earlier.base = { ...base, ...earlier.base };
    earlier.title = entry.title || earlier.title;
    return { put: [again(earlier)], value: earlier.id };
  }
  return { put: [checked(entry, list)], value: entry.id };
}

/** Returns an entry that waits again, although it may have been refused.
 * @param {Entry} entry */
function again(entry) {
  delete entry.error;
  entry.state = 'waiting';
  return entry;
}

/** Returns an entry if there is room for it.
 * @param {Entry} entry @param {Entry[]} list */
function checked(entry, list) {
  const bytes = list.reduce((sum, { blob }) => sum + (blob?.size ?? 0), entry.blob?.size ?? 0);
  if (list.length >= MOST) throw new Wrong('', t('outbox.full', { n: MOST }));
  if (bytes > MOST_BYTES) throw new Wrong('', t('outbox.fullphotos', { n: Math.round(MOST_BYTES / 1e6) }));
  return entry;
}

/**
 * Takes a removal back that still waits.
 * @param {string} removed the kind and the id
 * @returns {Promise<boolean>} whether there was one
 */
async function takeBack(removed) {
  const id = removed.slice(removed.indexOf('/') + 1);
  const found = entries.find((one) => isRemoval(one.method) && objectOf(one) === id && !one.tried);
  if (found) await store(() => ({ remove: [found] }));
  return Boolean(found);
}

/**
 * Deletes everything that waits, because the person signs out; asks first.
 * @param {(question: string, yes: string) => Promise<boolean>} ask
 * @returns {Promise<boolean>} whether they may sign out
 */
async function leave(ask) {
  if (!entries.length) return true;
  if (!await ask(t('outbox.signout', { n: entries.length }), t('outbox.signout.yes'))) return false;
  await store((list) => ({ remove: list }));
  return true;
}

