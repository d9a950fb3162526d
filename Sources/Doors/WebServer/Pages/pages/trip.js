/** A trip: its map, its figures, and a player. */
import { h, fill, icon } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import {
  me, head, section, figures, figure, button, menu, ask, toast, formDialog, said, empty, removal,
} from '../ui.js';
import { distance, duration, speed, clock, moment, height, units, fieldTime } from '../format.js';
import { makeMap, lines, unwrapped, beside, script } from '../map.js';
import { runs, speedsOf, stepWidth, legendOf } from '../map/speeds.js';
import { makePlayer, preparePlayer } from '../player/player.js';
import { beside as playedBeside, happeningRow, speedLegend, stopSize } from '../player/list.js';
import { tripName } from './trips.js';
import { path } from '../paths.js';
import { zoneOf, clockIn } from '../zones.js';

/** @param {Page} page */
export async function show(page) {
  const { id } = page.params;
  const trip = await read('trips.get', { id });
  const zone = await zoneOf(trip);
  const name = tripName(trip, zone);
  if (trip.kind) await addTexts('kinds');
  page.title(name);
  const fixes = trip.fixes ?? 0;
  const tolerance = fixes > 20_000 ? 5 : fixes > 4000 ? 2 : 0;
  const points = unwrapped(await readPages('trips.trace', 'points', { id, tolerance, limit: 1000 }, 20_000));
  const times = points.map(({ time }) => Date.parse(time));
  const [map] = await Promise.all([makeMap({ label: t('map.of', { name }), class: 'tall', signal: page.signal }),
    preparePlayer()]);
  const ways = lines(points);
  const drawn = map.layer();
  drawn.line('way', ways);
  const speeds = speedsOf(points);
  const width = stepWidth(speeds);
  const coloured = runs(points, speeds, width);
  drawn.speeds(coloured);
  /** Returns the place that the device had at a moment.
   * @param {number} moment */
  const near = (moment) => points.find((_, n) => times[n] >= moment) ?? points.at(-1);
  const stops = trip.stop_list.map((stop) =>
    ({ ...stop, lon: beside(stop.lon, near(Date.parse(stop.start))?.lon ?? stop.lon) }));
  stops.forEach((stop, n) => drawn.pin([stop.lat, stop.lon], { kind: 'stop', text: n + 1, size: stopSize(stop),
    title: [stop.name ?? t('trip.stop', { n: n + 1 }), lengthOf(stop)].filter(Boolean).join(', '),
    open: () => jump(Date.parse(stop.start)) }));
  map.fit(ways.flat());
  const end = trip.end ?? points.at(-1)?.time ?? trip.start;
  const seconds = (Date.parse(end) - Date.parse(trip.start)) / 1000;
  /** @type {any} */
  let chart = null;
  /** The player, once there is one.
   * @type {any} */
  let player = null;
  /** @param {number} moment */
  const jump = (moment) => player?.seek(moment);
  page.signal.addEventListener('abort', () => chart?.destroy());

  const shownMoment = () => new Date(player?.now ?? Date.parse(trip.start)).toISOString();
  /** @param {Method} method @param {any} params @param {string} said */
  const changed = async (method, params, said) => {
    const answer = await call(method, params);
    toast(said);
    if (answer.gone?.includes(id) || method === 'trips.remove') {
      page.go(answer.trips?.[0] ? path('trips', answer.trips[0].id) : '/trips');
    } else page.refresh();
  };
  const edits = me.admin && trip.end && menu(t('trip.edit'), [
    { label: t('trip.split'), icon: 'edit', onclick: async () => {
      if (await ask(t('trip.split.ask', { time: clock(shownMoment(), zone) }), t('trip.split'), false)) {
        await changed('trips.split', { id, at: shownMoment() }, t('trip.issplit'));
      }
    } },
    { label: t('trip.cut'), icon: 'edit', onclick: () => cut() },
    { label: t('trip.point'), icon: 'close', onclick: async () => {
      const { time } = player?.place ?? points[0];
      if (!await ask(t('trip.point.ask', { time: clock(time, zone) }), t('remove'), false)) return;
      await changed('trips.edit', { id, remove_point: time }, t('trip.iscut'));
    } },
    { label: t('trip.merge'), icon: 'link', onclick: () => merge() },
    { label: t('trip.undo'), icon: 'back', onclick: () => changed('trips.undo', { id }, t('trip.undone')) },
    removal('trip.remove', () => changed('trips.remove', { id }, t('trip.removed'))),
  ]);
  function cut() {
    formDialog(t('trip.cut'), {
      fields: [
        { name: 'remove_from', label: t('from'), type: 'datetime', required: true, value: fieldTime(shownMoment()),
          half: true, attributes: { step: '1' } },
        { name: 'remove_until', label: t('until'), type: 'datetime', required: true, half: true,
          attributes: { step: '1' },
          value: fieldTime(Math.min(Date.parse(shownMoment()) + 60_000, Date.parse(end))) },
      ], submit: t('trip.cut'),
      action: ({ remove_from, remove_until }) => changed('trips.edit', {
        id, remove_from: new Date(remove_from).toISOString(), remove_until: new Date(remove_until).toISOString(),
      }, t('trip.iscut')),
    }, h('p', t('trip.cut.note')));
  }
  async function merge() {
    const { trips } = await read('trips.list', { device: trip.device, limit: 100 });
    const own = trips.findIndex((one) => one.id === id);
    const beside = [trips[own - 1], trips[own + 1]].filter((one) => one?.end);
    if (!beside.length) return toast(t('trip.merge.none'));
    formDialog(t('trip.merge'), {
      fields: [{
        name: 'with', label: t('trip.merge.with'), type: 'select',
        options: beside.map((one) => [one.id, `${tripName(one)}, ${moment(one.start, zone)}`]),
      }],
      submit: t('trip.merge'), action: (values) => changed('trips.merge', { id, ...values }, t('trip.merged')),
    });
  }
  const exports = trip.end && menu(t('export'), ['gpx', 'geojson', 'kml', 'csv'].map((format) => ({
    label: format.toUpperCase(), icon: 'download', onclick: () => {
      h('a', { href: `/export/trips/${encodeURIComponent(id)}.${format}`, download: '' }).click();
    },
  })));
  if (exports) fill(/** @type {Element} */ (exports.querySelector('.icon-button')), icon('download'));
  const plans = me.person && trip.end && button({ label: t('trip.toplan'), icon: 'plans', onclick: async () => {
    const { plans } = await read('plans.list', { limit: 50 });
    if (!plans.length) return toast(t('plans.none'));
    formDialog(t('trip.toplan'), {
      fields: [{
        name: 'plan', label: t('plan'), type: 'select', options: plans.map((plan) => [plan.id, plan.title]),
      }], submit: t('add'),
      action: async ({ plan }) => {
        await call('plans.addTrip', { plan, trip: id });
        toast(t('trip.isinplan'));
      },
    });
  } });
  const canvas = h('canvas', { role: 'img', 'aria-label': t('trip.chart') });
  const chartBox = h('div.chart', canvas);
  const playing = h('div');
  const happenings = [
    { at: Date.parse(trip.start), element: happeningRow({ title: t('player.departure'), note: clock(trip.start, zone),
      open: () => jump(Date.parse(trip.start)) }) },
    ...stops.map((stop, n) => ({ at: Date.parse(stop.start), element: happeningRow({
      title: `${n + 1}. ${stop.name ?? t('trip.stop', { n: n + 1 })}`, end: lengthOf(stop),
      note: `${clock(stop.start, zone)}${stop.end ? ` – ${clock(stop.end, zone)}` : ''}`,
      open: () => { jump(Date.parse(stop.start)); map.see([stop.lat, stop.lon], 15); },
      more: me.admin && trip.end && stop.end ? [button({ label: t('trip.stop.remove', { n: n + 1 }), icon: 'close',
        hidesLabel: true, onclick: () => removeStop(stop, n) })] : [],
    }) })),
    // The last point of a trip may lie a little before its end.
    ...(trip.end ? [{ at: Math.min(Date.parse(end), times.at(-1) ?? Infinity), element: happeningRow({
      title: t('player.arrival'), note: clock(end, zone), open: () => jump(Date.parse(end)) }) }] : []),
  ];
  /** @param {{id: string}} one @param {number} n */
  async function removeStop({ id: stop }, n) {
    if (!await ask(t('trip.stop.ask', { n: n + 1 }), t('remove'))) return;
    await changed('stops.remove', { id: stop }, t('trip.stop.removed'));
  }
  const list = h('ol.rows.played-list', { 'aria-label': t('player.list') }, happenings.map(({ element }) => element));
  const stopped = trip.stopped ?? 0;
  const average = trip.average_speed ?? (trip.distance ?? 0) / Math.max(1, seconds - stopped);
  fill(page.main,
    head(name, {
      back: ['/trips', t('nav.trips')], actions: [plans, exports, edits],
      note: `${moment(trip.start, zone)} – ${trip.end ? clockIn(trip.end, zone) : t('now.word')} · ${trip.device}${
        trip.kind ? ` · ${t(`kind.${trip.kind}`)}` : ''}`,
    }),
    h('p', t(stops.length ? 'trip.glance' : 'trip.glance.straight', {
      distance: distance(trip.distance), time: duration(seconds), stops: stops.length, stopped: duration(stopped),
      speed: speed(average), top: speed(trip.max_speed),
    })),
    playedBeside(map.element, [speedLegend(legendOf(coloured, width)), playing], section(t('trip.stops'), list,
      stops.length ? null : empty(t('trip.nostops')))),
    points.length > 1 ? h('div.card', chartBox) : empty(t('trip.nopoints')),
    figures(figure(distance(trip.distance), t('trip.distance')),
      figure(duration(trip.moving ?? seconds), t('trip.moving')), figure(duration(stopped), t('trip.stopped')),
      figure(speed(average), t('trip.average')), figure(speed(trip.max_speed), t('trip.top')),
      trip.climb !== undefined && figure(`${height(trip.climb)} ↑ ${height(trip.descent ?? 0)} ↓`, t('trip.climb')),
      trip.gaps ? figure(distance(trip.gaps), t('trip.gaps')) : null));
  if (points.length > 1) {
    player = makePlayer({ map, legs: [points], happenings, zone, signal: page.signal, moved: showMoment });
    fill(playing, player.element);
    drawChart().catch((error) => fill(chartBox, empty(said(error))));
  }

  let drawnAt = 0;
  /** Shows the moment of the player in the chart, which is slower to draw than the map.
   * @param {any} place */
  function showMoment(place) {
    if (!chart || performance.now() - drawnAt < 150) return;
    drawnAt = performance.now();
    chart.$now = place.at;
    chart.draw();
  }

  /** Draws speed and height over time, with a line at the position of the slider. */
  async function drawChart() {
    if (!window['Chart']) await script('/lib/chart.js/chart.min.js');
    if (page.signal.aborted) return;
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const probe = (name) => {
      const span = h('span');
      span.style.color = `var(${name})`;
      document.body.append(span);
      const { color } = getComputedStyle(span);
      span.remove();
      return color;
    };
    const [accent, warm, muted, rule] = ['--accent', '--warm', '--muted', '--rule'].map(probe);
    const step = Math.max(1, Math.floor(points.length / 800));
    // The chart shows every `step`-th point. Its line breaks where the mean time between points exceeds a minute.
    const some = points.flatMap((point, n) => {
      if (n % step) return [];
      const one = { ...point, speed: point.speed ?? speeds[n] };
      const isAfterGap = n && times[n] - times[n - step] > 60_000 * step;
      return isAfterGap ? [{ time: point.time, speed: NaN, alt: NaN }, one] : [one];
    });
    const miles = units() === 'miles';
    /** @param {'mph' | 'km/h' | 'm' | 'ft'} title @param {string} position @param {string} color */
    const axis = (title, position, color) => ({
      position, title: { display: true, text: title, color }, ticks: { color: muted, maxTicksLimit: 5 },
      grid: { color: position === 'left' ? rule : 'transparent' },
    });
    const hasHeight = some.some(({ alt }) => Number.isFinite(alt));
    chart = new window['Chart'](canvas, {
      type: 'line',
      data: { datasets: [
        {
          label: t('trip.speed'),
          data: some.map((point) => ({
            x: Date.parse(point.time), y: (point.speed ?? NaN) * (miles ? 2.236936 : 3.6),
          })),
          borderColor: accent, yAxisID: 'speed', borderWidth: 1.5, pointRadius: 0,
        },
        ...(hasHeight ? [{
          label: t('trip.height'),
          data: some.filter(({ alt }) => alt !== undefined).map((point) => ({
            x: Date.parse(point.time), y: point.alt * (miles ? 3.28084 : 1),
          })),
          borderColor: warm, yAxisID: 'height', borderWidth: 1.5, pointRadius: 0, borderDash: [4, 3],
        }] : []),
      ] },
      options: {
        animation: false, maintainAspectRatio: false, parsing: false, interaction: { mode: 'index', intersect: false },
        onClick: (/** @type {any} */ event, /** @type {any} */ _, /** @type {any} */ own) =>
          jump(own.scales.x.getValueForPixel(event.x)),
        plugins: { legend: { labels: { color: muted, boxWidth: 18, boxHeight: 1 } }, tooltip: { enabled: false } },
        scales: {
          x: {
            type: 'linear', min: times[0], max: times[times.length - 1],
            ticks: { color: muted, maxTicksLimit: 6,
              callback: (/** @type {number} */ value, /** @type {number} */ n, /** @type {any[]} */ ticks) => {
              const [text, before] = [value, ticks[n - 1]?.value]
                .map((time) => time && clock(new Date(time).toISOString(), zone));
              return text === before ? '' : text;
            } },
            grid: { color: rule },
          },
          speed: { ...axis(miles ? 'mph' : 'km/h', 'left', accent), beginAtZero: true },
          ...(hasHeight ? { height: axis(miles ? 'ft' : 'm', 'right', warm) } : {}),
        },
      },
      plugins: [{ id: 'now', /** @param {any} own */
      /** @param {any} own */
      afterDraw(own) {
        if (!own.$now) return;
        const x = own.scales.x.getPixelForValue(own.$now);
        const { ctx, chartArea } = own;
        ctx.save();
        ctx.strokeStyle = style.color;
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        ctx.restore();
      } }],
    });
    chart.$now = player.now;
    chart.draw();
  }
}

/** Returns how long a stop was; nothing if it has not ended.
 * @param {{start: string, end?: string}} stop */
const lengthOf = ({ start, end }) => (end ? duration((Date.parse(end) - Date.parse(start)) / 1000) : '');
