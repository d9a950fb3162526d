/** Reports: the sums of trips by period, and the driver's logbook, on the screen, on paper and as files. */
import { h, fill } from '../dom.js';
import { t, number } from '../texts.js';
import { call, read, readAll, readPages } from '../rpc.js';
import {
  me, head, choice, button, buttonLink, table, figures, figure, empty, formDialog, toast, badge,
} from '../ui.js';
import { distance, duration, speed, clock, day, moment, plainDay } from '../format.js';
import { downloadCSV } from '../csv.js';
import { dayIn, dayPath, newest } from './history.js';

const PURPOSES = /** @type {const} */ (['business', 'private', 'commute']);
/** The most rows of a file: ten years of days of five devices. */
const MOST = 20_000;

/** @param {Page} page */
export async function show(page) {
  page.title(t('nav.reports'));
  const devices = await readPages('devices.list', 'devices', {}).catch(() => []);
  /** @type {Asked} */
  const asked = { load: () => {}, view: page.query.get('view') ?? 'sums', period: 'month', device: '', from: '',
    until: '' };
  const body = h('div.section');
  const names = new Map(devices.map((one) => [one.name, one.title ?? one.name]));
  /** @param {string} name @param {string} label */
  const field = (name, label) => h('label', h('small', label),
    h('input', { type: 'date', 'aria-label': label,
    onchange: (event) => { asked[/** @type {'from' | 'until'} */ (name)] = event.target.value; load(); } }));
  const periods = choice(['day', 'week', 'month', 'year'].map((one) => [one, t(`report.${one}`)]), asked.period,
    t('report.period'), (chosen) => { asked.period = chosen; load(); });
  const load = newest(body, page.signal, () => {
    periods.hidden = asked.view === 'logbook';
    return (asked.view === 'logbook' ? logbook : sums)(asked, names);
  });
  asked.load = load;
  await load();
  fill(page.main,
    head(t('nav.reports'), { note: t('report.note'), actions: [
      button({ label: t('report.print'), onclick: () => window.print() }),
      button({ label: 'CSV', icon: 'download', onclick: () => file(asked) }),
      buttonLink('/history', t('nav.history'), 'history'),
    ] }),
    h('div.toolbar.actions',
      choice([['sums', t('report.sums')], ['logbook', t('logbook')]], asked.view, t('report.view'),
        (chosen) => { asked.view = chosen; load(); }), periods,
      devices.length > 1 ? choice([['', t('all')], ...names], '', t('trips.device'),
        (chosen) => { asked.device = chosen; load(); }) : null,
      h('div.report-days', field('from', t('from')), field('until', t('until')))),
    body);
}

/**
 * @typedef {{load: () => any, view: string, period: any, device: string, from: string, until: string}} Asked what
 * the page shows
 */

/** Returns the parameters of a report.
 * @param {Asked} asked @param {any} [by] */
const params = ({ period, device, from, until }, by = period) => ({
  period: by, ...(device ? { device } : {}), ...(from ? { from } : {}), ...(until ? { to: until } : {}),
});

/** Returns the parameters of the logbook, whose days are those of the browser.
 * @param {Asked} asked */
function times({ device, from, until }) {
  const after = until && new Date(`${until}T00:00`);
  if (after) after.setDate(after.getDate() + 1);
  return { ...(device ? { device } : {}), ...(from ? { from: new Date(`${from}T00:00`).toISOString() } : {}),
    ...(after ? { to: after.toISOString() } : {}) };
}

/** Returns the name of a period, such as May 2026.
 * @param {string} period @param {ReportSum} reportSum */
export function periodName(period, { start, end }) {
  /** @param {Intl.DateTimeFormatOptions} options */
  const shown = (options) => new Intl.DateTimeFormat(document.documentElement.lang,
    { ...options, timeZone: 'UTC' }).format(new Date(`${start}T12:00Z`));
  switch (period) {
    case 'month': return shown({ month: 'long', year: 'numeric' });
    case 'year': return shown({ year: 'numeric' });
    case 'week': return `${plainDay(start)} – ${plainDay(end)}`;
    default: return plainDay(start);
  }
}

const none = () => empty(t('report.none'), buttonLink('/trips', t('nav.trips'), 'trips', 'primary'));

/** @param {Asked} asked @param {Map<string, string>} names */
async function sums(asked, names) {
  const [answer, whole] = await readAll([['reports.summary', { ...params(asked), limit: 100 }],
    ['reports.summary', params(asked, 'all')]]);
  if (!answer) return empty(t('error.unknown'));
  if (!answer.sums.length) return none();
  const { zone } = answer;
  const hasDevice = names.size > 1;
  /** @param {string} name */
  const total = (name) => (whole?.sums ?? []).reduce((sum, one) => sum + (/** @type {any} */ (one)[name] ?? 0), 0);
  const purposes = PURPOSES.filter((one) => total(one));
  const hasSpeeding = total('speeding') > 0;
  /** @param {string | undefined} at */
  const time = (at) => (at ? (asked.period === 'day' ? clock(at, zone) : day(at, zone)) : '–');
  /** @param {ReportSum} sum */
  const row = (sum) => [
    asked.period === 'day' ? h('a', { href: dayPath(sum.start, asked.device) }, periodName('day', sum))
      : periodName(asked.period, sum), hasDevice && (names.get(sum.device) ?? sum.device),
    number(sum.trips), distance(sum.distance), duration(sum.moving), duration(sum.stopped), number(sum.stops),
      number(sum.visits), time(sum.first), time(sum.last), speed(sum.max_speed), hasSpeeding
      && (sum.speeding ? `${number(sum.speeding)} × (${duration(sum.speeding_time)})` : '–'),
    ...purposes.map((one) => (sum[one] ? distance(sum[one]) : '–')),
  ].filter((cell) => cell !== false);
  const headings = [t(`report.${asked.period}`), hasDevice && t('trips.device'), t('nav.trips'), t('trip.distance'),
    t('trip.moving'), t('trip.stopped'), t('trip.stops'), t('report.visits'), t('report.first'), t('report.last'),
    t('trip.top'), hasSpeeding && t('report.speeding'), ...purposes.map((one) => t(`logbook.${one}`))].filter(Boolean);
  const numbers = headings.map((_, n) => n).filter((n) => n > (hasDevice ? 1 : 0));
  const shown = [...answer.sums];
  const place = h('div');
  /** @param {string | undefined} next */
  function draw(next) {
    const drawn = table(headings, shown.map(row), numbers);
    drawn.classList.add('report');
    fill(place, drawn, next && h('div.list-foot.actions', button({ label: t('more'), onclick: async () => {
      const more = await read('reports.summary', { ...params(asked), limit: 100, after: next });
      shown.push(...more.sums);
      draw(more.next);
    } })));
  }
  draw(answer.next);
  return [
    figures(figure(distance(total('distance')), t('trip.distance')), figure(number(total('trips')), t('nav.trips')),
      figure(duration(total('moving')), t('trip.moving')), figure(duration(total('stopped')), t('trip.stopped')),
      figure(number(total('visits')), t('report.visits'))),
    place, h('small', t('report.zone', { zone })),
  ];
}

/** @param {Asked} asked @param {Map<string, string>} names */
async function logbook(asked, names) {
  const asking = { ...times(asked), limit: 50 };
  const [answer, report] = await readAll([['logbook.list', asking], ['reports.summary', { period: 'all', limit: 1 }]]);
  if (!answer) return empty(t('error.unknown'));
  if (!answer.trips.length) return none();
  const zone = report?.zone;
  const shown = [...answer.trips];
  const headings = [t('report.day'), t('trips.device'), t('logbook.way'), t('trip.distance'), t('logbook.purpose'),
    t('logbook.reason'), t('logbook.driver'), ...(me.admin ? [''] : [])];
  const place = h('div');
  /** @param {LogbookTrip} trip @param {number} n */
  const row = (trip, n) => [
    h('a', { href: dayPath(dayIn(trip.start, zone), asked.device) }, day(trip.start, zone)), names.get(trip.device)
      ?? trip.device,
    [`${clock(trip.start, zone)} – ${clock(/** @type {string} */ (trip.end), zone)}`, (trip.from || trip.to)
      && h('small', ` ${[trip.from, trip.to].filter(Boolean).join(' → ')}`)], distance(trip.distance),
    trip.purpose ? badge(t(`logbook.${trip.purpose}`), trip.purpose === 'business' ? 'good' : '') : '–', trip.reason
      ?? '', trip.driver ?? '',
    ...(me.admin ? [h('span.actions', button({ label: t('logbook.edit', { time: moment(trip.start, zone) }),
      icon: 'edit', hidesLabel: true, onclick: () => edit(trip, n) }))] : []),
  ];
  /** @param {LogbookTrip} trip @param {number} n */
  function edit(trip, n) {
    formDialog(t('logbook.title'), {
      keepEmpty: true, submit: t('keep'),
      fields: [
        { name: 'purpose', label: t('logbook.purpose'), type: 'select', value: trip.purpose ?? 'none',
          options: ['none', ...PURPOSES].map((one) => [one, t(`logbook.${one}`)]) },
        { name: 'reason', label: t('logbook.reason'), value: trip.reason ?? '', hint: t('logbook.reason.hint') },
        { name: 'driver', label: t('logbook.driver'), value: trip.driver ?? shown.find((one) => one.driver)?.driver
          ?? '' },
      ],
      action: async (values) => { shown[n] = await call('logbook.set',
        { id: trip.id, ...values }); toast(t('logbook.kept')); draw(last); },
    });
  }
  let last = answer.next;
  /** @param {string | undefined} next */
  function draw(next) {
    last = next;
    const drawn = table(headings, shown.map(row), [3]);
    drawn.classList.add('report');
    fill(place, drawn, next && h('div.list-foot.actions', button({ label: t('more'), onclick: async () => {
      const more = await read('logbook.list', { ...asking, after: next });
      shown.push(...more.trips);
      draw(more.next);
    } })));
  }
  draw(last);
  return [place, me.admin && h('div.actions',
    button({ label: t('logbook.apply'), kind: 'small', onclick: () => apply(asked) }))];
}

/** Lets the sights with a role say what the chosen trips were for.
 * @param {Asked} asked */
async function apply(asked) {
  let changed = 0;
  let after;
  do {
    /** @type {Result<'logbook.apply'>} */
    const answer = await call('logbook.apply', { ...times(asked), ...(after ? { after } : {}) });
    changed += answer.changed;
    after = answer.next;
  } while (after);
  toast(t('logbook.applied', { n: changed }));
  asked.load();
}

/** Downloads what is shown, with all its pages.
 * @param {Asked} asked */
async function file(asked) {
  if (asked.view === 'logbook') {
    const columns = ['device', 'start', 'end', 'from', 'to', 'distance', 'purpose', 'reason', 'driver', 'id'];
    const trips = await readPages('logbook.list', 'trips', { ...times(asked), limit: 1000 }, MOST);
    return downloadCSV('logbook.csv', [columns.map((name) => (name === 'distance' ? 'distance_m' : name)),
      ...trips.reverse().map((trip) => columns.map((name) => /** @type {any} */ (trip)[name]))]);
  }
  const columns = { start: 'start', end: 'end', device: 'device', trips: 'trips', distance: 'distance_m',
    moving: 'moving_s', stopped: 'stopped_s', stops: 'stops', visits: 'visits', first: 'first', last: 'last',
    max_speed: 'max_speed_mps', speeding: 'speeding', speeding_time: 'speeding_s', business: 'business_m',
    private: 'private_m', commute: 'commute_m' };
  const all = await readPages('reports.summary', 'sums', { ...params(asked), limit: 1000 }, MOST);
  return downloadCSV(`report-${asked.period}.csv`,
    [Object.values(columns), ...all.reverse().map((/** @type {any} */ sum) =>
      Object.keys(columns).map((name) => sum[name]))]);
}
