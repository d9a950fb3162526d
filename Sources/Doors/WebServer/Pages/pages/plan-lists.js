/** The lists of a plan: what to pack and to do. Everybody sees at once what others tick, and loses nothing typed. */
import { h, fill, icon } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, read } from '../rpc.js';
import { attempt, avatar, badge, button, empty, formDialog, me, menu } from '../ui.js';
import { plainDay } from '../format.js';
import { replace } from '../live.js';
import { offerUndo } from '../bin.js';
import { offerUndo as offerUndoOfMove } from '../planning/undoing.js';
import { saving } from '../merge.js';
import { orderable } from '../order.js';
import { levels } from '../plan-forms.js';
import { todayIn } from '../planning/days.js';
import { lineOf } from '../planning/entry.js';
import { waitsMark } from '../outbox/mark.js';
import { loadSheet } from '../sheets.js';

/**
 * Shows the lists.
 * @param {{page: any, plan: any, body: any}} of
 * @returns {Promise<{load: () => Promise<any>}>} what shows the lists as they are now
 */
export async function show({ plan, body }) {
  await Promise.all([addTexts('together'), loadSheet(new URL('../planning/together.css', import.meta.url))]);
  const today = todayIn(plan.zone);
  const members = plan.members.filter((/** @type {Member} */ { state, id }) => state === 'member' && id);
  const place = h('div.section');
  const none = h('div');
  const parts = new Map();
  let loading = null;
  let isStale = false;

  /** Loads the lists; once again if something changes meanwhile. */
  function load() {
    isStale = true;
    loading ??= (async () => {
      try {
        while (isStale) {
          isStale = false;
          draw((await read('checklists.list', { plan: plan.id })).checklists);
        }
      } finally { loading = null; }
    })();
    return loading;
  }

  /** Changes something, and shows what is stored then, whether or not it was changed.
   * @param {Method} method @param {any} params @param {any} [base] */
  const change = async (method, params, base) => {
    try {
      return await (base ? saving(method, params, { ...base, plan: plan.id }) : call(method, params));
    } finally { await load(); }
  };

  /** Ticks an entry, or removes something: it has no form that could be merged.
   * @param {Method} method @param {any} params @param {any} base */
  const changeOne = async (method, params, base) => {
    try {
      return await call(method, params, { base: { ...base, plan: plan.id }, title: base.title });
    } finally { await load(); }
  };

  /** @param {Checklist[]} lists */
  function draw(lists) {
    fill(none, lists.length ? null : empty(t('lists.none'), plan.may_edit && ['pack', 'do'].map((kind) => button({
      label: t(`lists.${kind}`), icon: 'add',
      onclick: () => change('checklists.add', { plan: plan.id, title: t(`lists.${kind}`) }),
    }))));
    for (const [id, part] of parts) {
      if (lists.some((list) => list.id === id)) continue;
      part.element.remove();
      parts.delete(id);
    }
    lists.forEach((list, n) => {
      if (!parts.has(list.id)) parts.set(list.id, makePart(list.id));
      const part = parts.get(list.id);
      part.draw(list);
      // An element that is moved loses the focus.
      if (place.children[n] !== part.element) place.insertBefore(part.element, place.children[n] ?? null);
    });
  }

  /** Creates the part of a list, whose line to add an entry stays while its entries change.
   * @param {string} id */
  function makePart(id) {
    let list = /** @type {Checklist} */ ({ tasks: /** @type {Task[]} */ ([]) });
    const top = h('div.toolbar');
    const rows = h('ol.rows.dense.checklist');
    const said = h('p.hidden', { role: 'status' });
    const handle = orderable(rows, said, async (from, to) => {
      const { tasks } = list;
      const [one] = tasks.splice(from, 1);
      tasks.splice(to, 0, one);
      drawRows();
      await change('tasks.move',
        { task: one.id, ...(to ? { after: tasks[to - 1].id } : { before: tasks[1].id }) });
      offerUndoOfMove(t('order.moved', { name: one.title, n: to + 1 }), { plan: plan.id, subject: `task/${one.id}` },
        load);
    });
    const line = plan.may_edit && lineOf({
      label: t('lists.add'), key: `draft:checklist:${id}`,
      send: (title) => change('tasks.add', { checklist: id, title }),
    });
    const element = h('section.section', { 'data-list': id }, top, said, rows, line);

    function drawRows() {
      const mayMove = plan.may_edit && list.tasks.length > 1;
      replace(rows, list.tasks.map((task, n) => row(task, list, mayMove && handle(task.title, n))));
    }
    return {
      element,
      /** @param {Checklist} newer */
      draw(newer) {
        // What somebody drags is drawn once they let it go.
        if (rows.querySelector('.dragging')) {
          setTimeout(() => load().catch(() => {}), 500);
          return;
        }
        if (JSON.stringify(newer) === JSON.stringify(list)) return;
        list = newer;
        fill(top, h('h2', list.title, ' ', h('small', t('lists.done', { n: list.done, all: list.tasks.length }))),
          h('div.actions',
            list.level !== 'everyone' && badge([icon('lock', 'inline'), ' ', t(`level.${list.level}`)]),
            plan.may_edit && menu(`${t('more.actions')}: ${list.title}`, [
              { label: t('edit'), icon: 'edit', onclick: () => listForm(list) },
              list.done > 0 && { label: t('lists.untick'), icon: 'check', onclick: () => untick(list) },
              { label: t('remove'), icon: 'remove', danger: true, onclick: () => removeIt('checklist', list) },
            ])));
        drawRows();
      },
    };
  }

  /** @param {Task} task @param {Checklist} list @param {any} grip */
  function row(task, list, grip) {
    const person = members.find((/** @type {{id?: string}} */ { id }) => id === task.person);
    const isLate = task.day && task.day < today && !task.done;
    /** @type {HTMLInputElement} */
    const box = h('input', { type: 'checkbox', checked: task.done, disabled: !plan.may_edit, onchange: () =>
      attempt(() => changeOne('tasks.update', { task: task.id, done: box.checked }, task)) });
    return h('li.row', { 'data-task': task.id }, h('label.check.row-text', box, h('span', task.title), waitsMark(task)),
      (person || task.day) && h('span.row-end',
        person && [avatar(person, 'small'), h('span.hidden', t('lists.by', { name: person.name }))],
        task.day && h('small', { class: isLate ? 'late' : '' }, t('lists.until', { day: plainDay(task.day) }))),
      plan.may_edit && h('span.row-actions', menu(`${t('more.actions')}: ${task.title}`, [
        { label: t('edit'), icon: 'edit', onclick: () => taskForm(task, list) },
        { label: t('remove'), icon: 'remove', danger: true, onclick: () => removeIt('task', task) },
      ]), grip));
  }

  /** Opens the form of a list, or of a new one.
   * @param {Checklist} [list] */
  const listForm = (list) => formDialog(t(list ? 'lists.edit' : 'lists.new'), {
    fields: [{ name: 'title', label: t('plan.title'), required: true, value: list?.title },
      { name: 'level', label: t('level'), type: 'select', options: levels(), value: list?.level ?? 'everyone',
        hint: t('lists.level') }],
    submit: t(list ? 'keep' : 'add'),
    action: (values) => (list
      ? change('checklists.update', { checklist: list.id, ...values, revision: list.revision }, list)
      : change('checklists.add', { plan: plan.id, ...values })),
  });

  /** @param {Task} task @param {Checklist} list */
  const taskForm = (task, list) => formDialog(t('lists.entry'), {
    fields: [{ name: 'title', label: t('lists.what'), required: true, value: task.title },
      ...(plan.member ? [{ name: 'person', label: t('lists.who'), type: 'select', value: task.person ?? '',
        options: [['', t('lists.anybody')], ...members.filter((/** @type {Member} */ { id }) =>
          list.level !== 'me' || id === task.person || id === me.person?.id)
          .map((/** @type {Member} */ { id, name }) => [id, name])] }] : []),
      { name: 'day', label: t('lists.by.day'), type: 'date', value: task.day }],
    submit: t('keep'), keepEmpty: true,
    action: (values) => change('tasks.update', { task: task.id, ...values, revision: task.revision }, task),
  });

  /** @param {Checklist} list */
  async function untick(list) {
    try {
      for (const task of list.tasks.filter((/** @type {Task} */ { done }) => done)) {
        await call('tasks.update', { task: task.id, done: false }, { base: task, title: task.title });
      }
    } finally { await load(); }
  }

  /** @param {string} kind @param {any} one */
  async function removeIt(kind, one) {
    await changeOne(/** @type {Method} */ (`${kind}s.remove`), { [kind]: one.id }, one);
    offerUndo(`${kind}/${one.id}`, one.title, load);
  }

  fill(body, plan.may_edit && h('div.actions',
    button({ label: t('lists.new'), icon: 'add', kind: 'primary', onclick: () => listForm() })), none, place);
  await load();
  return { load };
}
