/** Lists that you reorder by dragging or with the arrow keys. */
import { h, fill, icon } from './dom.js';
import { t } from './texts.js';
import { attempt } from './ui.js';

/**
 * Makes a list reorderable. The children of the list are its entries.
 * @param {HTMLUListElement | HTMLOListElement} list
 * @param {any} said a `role=status` element that announces the new place of an entry
 * @param {(from: number, to: number) => any} moved redraws the list in the new order, then stores the order
 * @returns {(name: string, place: number) => any} creates the handle of an entry
 */
export function orderable(list, said, moved) {
  /** @param {string} name @param {number} from @param {number} to */
  async function move(name, from, to) {
    if (to < 0 || to >= list.children.length || to === from) return;
    const storing = attempt(async () => moved(from, to));
    /** @type {HTMLElement | undefined} */ (list.querySelectorAll('.drag')[to])?.focus();
    fill(said, t('order.moved', { name, n: to + 1 }));
    await storing;
  }

  /** Makes an entry follow the pointer. On release it moves to the place whose middle is closest to the pointer.
   * @param {PointerEvent & Heard} start @param {string} name @param {number} from */
  function drag(start, name, from) {
    const entry = /** @type {HTMLElement} */ (list.children[from]);
    const middles = [...list.children].map((one) => {
      const box = one.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    });
    let to = from;
    /** @param {PointerEvent} pointerEvent */
    const follow = ({ clientX, clientY }) => {
      entry.style.translate = `${clientX - start.clientX}px ${clientY - start.clientY}px`;
      const away = middles.map(([x, y]) => Math.hypot(x - clientX, y - clientY));
      to = away.indexOf(Math.min(...away));
    };
    const handle = start.currentTarget;
    handle.setPointerCapture(start.pointerId);
    entry.classList.add('dragging');
    handle.addEventListener('pointermove', follow);
    handle.addEventListener('pointercancel', () => { to = from; }, { once: true });
    handle.addEventListener('lostpointercapture', () => {
      entry.classList.remove('dragging');
      entry.style.translate = '';
      handle.removeEventListener('pointermove', follow);
      move(name, from, to);
    }, { once: true });
  }

  return (name, place) => h('button', {
    type: 'button', class: 'icon-button drag', 'aria-label': t('order.move', { name }), title: t('order.hint'),
    onpointerdown: (event) => drag(event, name, place),
    onkeydown: (event) => {
      const onwards = document.documentElement.dir === 'rtl' ? -1 : 1;
      const by = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -onwards, ArrowRight: onwards }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      move(name, place, place + by);
    },
  }, icon('grip'));
}
