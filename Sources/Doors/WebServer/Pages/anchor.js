/**
 * The buttons for a device: those of its anchor, which is a sight that gives an alarm, and one for a link that shows
 * others where it is.
 */
import { h, fill } from './dom.js';
import { addTexts, t } from './texts.js';
import { call } from './rpc.js';
import { button, formDialog } from './ui.js';
import { lengthLabel, shownLength, metresOf } from './lengths.js';

/** The category of the sights that are anchors, as the daemon has it. */
const CATEGORY = 'anchor';

/**
 * Creates the buttons for a device.
 *
 * @param {string} device
 * @param {() => {lat: number, lon: number} | null} place where the device is now
 */
export function anchorButtons(device, place) {
  const element = h('div.actions');
  /** @type {any[]} */
  let anchors = [];
  /** The radius of the anchor that drops by itself; nothing if none does.
   * @type {number | undefined} */
  let auto;

  /** Shows what the daemon answers.
   * @param {any} answer */
  function show(answer) {
    ({ anchors, auto } = answer);
    fill(element,
      anchors.length
        ? [anchors.some(({ alarm }) => alarm) && button({ label: t('anchor.acknowledge'), icon: 'check',
          onclick: () => change('anchors.acknowledge') }),
          button({ label: t('anchor.raise'), icon: 'close', onclick: () => change('anchors.raise') })]
        : button({ label: t('anchor.drop'), icon: 'lock', onclick: drop }),
      button({ label: t(auto ? 'anchor.auto.on' : 'anchor.auto'), icon: 'lock', onclick: drops }));
  }

  const load = () => call('anchors.get', { device }).then(show, () => fill(element));

  /**
   * @param {'anchors.get' | 'anchors.raise' | 'anchors.auto' | 'anchors.acknowledge'} method
   * @param {object} [parameters]
   */
  const change = async (method, parameters) => show(await call(method, { device, ...parameters }));

  const drop = () => formDialog(t('anchor.drop'), {
    fields: [{
      name: 'radius', label: lengthLabel('sight.radius'), type: 'number', required: true, value: shownLength(40),
    }],
    submit: t('anchor.drop'),
    action: async ({ radius }) => {
      await call('sights.add', {
        title: t('anchor.of', { device }), description: t('anchor.says'), category: CATEGORY,
        radius: metresOf(radius),
        devices: [device], alarm: true, ...place(),
      });
      await load();
    },
  }, h('p.page-note', t('anchor.how')));

  const drops = () => formDialog(t('anchor.auto'), {
    fields: [
      { name: 'on', label: t('anchor.auto.whether'), type: 'checkbox', value: Boolean(auto) },
      { name: 'radius', label: lengthLabel('sight.radius'), type: 'number', required: true,
        value: shownLength(auto ?? 40) },
    ],
    submit: t('keep'),
    action: ({ on, radius }) => change('anchors.auto', on ? { radius: metresOf(radius) } : { off: true }),
  }, h('p.page-note', t('anchor.auto.how')));

  load();
  const follow = h('span');
  addTexts('groups').then(() => fill(follow, button({ label: t('follow.me'), icon: 'share',
    onclick: async () => (await import('./follow-me.js')).followMe(device) }))).catch(() => {});
  return h('div.actions', element, follow);
}
