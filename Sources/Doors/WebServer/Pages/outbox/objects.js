/** What the calls that may wait are about: an object of a kind, which one of their parameters names. */

/** The parameter that names the object of a method, by the kind of the object.
 * @type {Record<string, string>} */
const KEYS = { activities: 'activity', expenses: 'expense', locations: 'location', plans: 'plan', photos: 'photo',
  repayments: 'repayment', reviews: 'review', reactions: 'subject', posts: 'post', votes: 'vote',
  checklists: 'checklist', tasks: 'task' };

/** The calls of which the last one counts, if several wait about the same object. */
const LAST = ['reactions.set', 'reviews.put', 'votes.choose'];

/** Parameters that are no fields of the object. */
const NO_FIELDS = ['plan', 'revision', 'subject', 'checklist'];

/** Returns the name of the parameter that names the object of a call; undefined if the call makes one.
 * @param {string} method */
export function keyOf(method) {
  const [noun, verb] = method.split('.');
  if (/^(add|create)/.test(verb)) return undefined;
  return method === 'reviews.put' ? 'subject' : KEYS[noun];
}

/** Returns the id of the object that a call is about; undefined if the call makes one.
 * @param {{method: string, params: any}} call */
export const objectOf = ({ method, params }) => params[keyOf(method) ?? ''];

/** Returns the plan that a call is about or in, as far as that is known.
 * @param {{params: any, base?: any}} call */
export const planOf = ({ params, base }) => params.plan ?? base?.plan;

/** Whether a call changes fields of an object, each of which may be merged with what others have changed.
 * @param {string} method */
export const isUpdate = (method) => /\.update$/.test(method);

/** Whether a call makes an object.
 * @param {string} method */
export const isNew = (method) => /\.(add|create)/.test(method);

/** Whether a call removes an object.
 * @param {string} method */
export const isRemoval = (method) => /\.remove$/.test(method);

/** Whether only the last of several calls about the same object counts.
 * @param {string} method */
export const isLast = (method) => LAST.includes(method);

/** Returns the method that changes what a method has made: `expenses.update` for `expenses.add`.
 * @param {string} method */
export const updateOf = (method) => `${method.split('.')[0]}.update`;

/** Returns the names of the changed fields of a call.
 * @param {import('./store.js').Entry} entry */
export const fieldsOf = ({ method, params }) => Object.keys(params)
  .filter((name) => name !== keyOf(method) && !NO_FIELDS.includes(name));

/** Returns the part of a call that says which object it is about.
 * @param {{method: string, params: any}} call */
export function identityOf({ method, params }) {
  const key = keyOf(method);
  return key ? { [key]: params[key] } : {};
}

/** Returns some members of an object, as far as it has them.
 * @param {Record<string, any> | null | undefined} object
 * @param {string[]} names */
export const pick = (object, names) =>
  Object.fromEntries(names.filter((name) => object && name in object).map((name) => [name, object?.[name]]));

/** Replaces an id in everything that names it, such as `location/ID`.
 * @param {any} value @param {string} from @param {string} to */
export const renamed = (value, from, to) =>
  (value === undefined ? value : JSON.parse(JSON.stringify(value).split(from).join(to)));

/** Whether a value names an object.
 * @param {any} value
 * @param {string} id */
export const names = (value, id) => JSON.stringify(value ?? null).includes(id);
