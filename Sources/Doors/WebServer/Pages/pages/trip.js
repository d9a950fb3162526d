/** A trip: its map, its figures, and a slider that plays it. */
import { h, fill, icon } from '../dom.js';
import { t, addTexts } from '../texts.js';
import { call, read, readPages } from '../rpc.js';
import { me, head, section, figures, figure, button, menu, ask, toast, formDialog, said, empty, rowText, removal } from '../ui.js';
import { distance, duration, speed, clock, moment, height, units, fieldTime } from '../format.js';
import { makeMap, lines, unwrapped, beside, script } from '../map.js';
import { tripName } from './trips.js';
import { path } from '../paths.js';
import { zoneOf, clockIn } from '../zones.js';

export async function show(page) {
  const { id } = page.params;
  const trip = await read('trips.get', { id });
  const zone = await zoneOf(trip);
  const name = tripName(trip, zone);
  if (trip.kind) await addTexts('kinds');
  page.title(name);
  const tolerance = trip.fixes > 20_000 ? 5 : trip.fixes > 4000 ? 2 : 0;
  const points = unwrapped(await readPages('trips.trace', 'points', { id, tolerance, limit: 1000 }, 20_000));
  const times = points.map(({ time }) => Date.parse(time));
  const map = await makeMap({ label: t('map.of', { name }), class: 'tall', signal: page.signal });
  const ways = lines(points);
  const drawn = map.layer();
  drawn.line('way', ways);
  const stops = trip.stop_list.map((stop) => ({ ...stop, lon: beside(stop.lon, points[indexAt(Date.parse(stop.start))]?.lon ?? stop.lon) }));
  stops.forEach((stop, n) => drawn.pin([stop.lat, stop.lon], { kind: 'stop', title: stop.name ?? t('trip.stop', { n: n + 1 }), text: n + 1, open: () => jump(Date.parse(stop.start)) }));
  map.fit(ways.flat());
  const mark = map.device();
  const end = trip.end ?? points.at(-1)?.time ?? trip.start;
  const seconds = (Date.parse(end) - Date.parse(trip.start)) / 1000;

  // The player.
  let index = 0;
  let at = times[0] ?? Date.parse(trip.start);
  let timer = 0;
  let rate = 10;
  const slider = h('input', { type: 'range', min: '0', max: String(Math.max(1, Math.round(seconds))), step: '1', 'aria-label': t('trip.time'), oninput: () => jump(times[0] + Number(slider.value) * 1000) });
  slider.value = '0';
  const shown = h('output', null);
  const play = button({ label: t('trip.play'), icon: 'play', hidesLabel: true, kind: 'plays', onclick: () => (timer ? pause() : start()) });
  const rates = h('select', { 'aria-label': t('trip.rate'), onchange: () => { rate = Number(rates.value); } }, [1, 2, 5, 10, 30, 60].map((n) => h('option', { value: String(n), selected: n === rate }, `${n} ×`)));
  rates.style.inlineSize = 'auto';
  let chart = null;

  /** Returns the index of the last point before a moment, or of the first point. @param {number} moment in milliseconds since 1970 */
  function indexAt(moment) {
    let low = 0;
    let high = times.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= moment) low = middle; else high = middle - 1; }
    return low;
  }

  /** Shows the trip at a moment, between two points if necessary. @param {number} moment in milliseconds since 1970 */
  function jump(moment) {
    at = Math.min(Math.max(moment, times[0]), times[times.length - 1]);
    index = indexAt(at);
    const point = points[index];
    const next = points[index + 1];
    const part = next && !next.gap ? (at - times[index]) / (times[index + 1] - times[index]) : 0;
    mark.move({ ...point, lat: point.lat + (next ? (next.lat - point.lat) * part : 0), lon: point.lon + (next ? (next.lon - point.lon) * part : 0), accuracy: 0 });
    slider.value = String(Math.round((at - times[0]) / 1000));
    slider.setAttribute('aria-valuetext', `${clock(point.time, zone)}, ${speed(point.speed)}`);
    fill(shown, `${clock(new Date(at).toISOString(), zone)} · ${speed(point.speed)}${point.alt === undefined ? '' : ` · ${height(Math.round(point.alt) || 0)}`}`);
    if (chart) { chart.$now = at; chart.draw(); }
  }
  function start() {
    if (at >= times[times.length - 1]) at = times[0];
    let before = performance.now();
    play.setAttribute('aria-label', t('trip.pause'));
    fill(play, icon('pause'));
    timer = window.setInterval(() => {
      const now = performance.now();
      jump(at + (now - before) * rate);
      before = now;
      if (at >= times[times.length - 1]) pause();
    }, 100);
  }
  function pause() {
    clearInterval(timer);
    timer = 0;
    play.setAttribute('aria-label', t('trip.play'));
    fill(play, icon('play'));
  }
  page.signal.addEventListener('abort', () => { clearInterval(timer); chart?.destroy(); });

  const shownMoment = () => new Date(at).toISOString();
  const changed = async (method, params, said) => {
    const answer = await call(method, params);
    toast(said);
    if (answer.gone?.includes(id) || method === 'trips.remove') page.go(answer.trips?.[0] ? path('trips', answer.trips[0].id) : '/trips');
    else page.refresh();
  };
  const edits = me.admin && trip.end && menu(t('trip.edit'), [
    { label: t('trip.split'), icon: 'edit', onclick: async () => { if (await ask(t('trip.split.ask', { time: clock(shownMoment(), zone) }), t('trip.split'), false)) await changed('trips.split', { id, at: shownMoment() }, t('trip.issplit')); } },
    { label: t('trip.cut'), icon: 'edit', onclick: () => cut() },
    { label: t('trip.point'), icon: 'close', onclick: async () => { if (await ask(t('trip.point.ask', { time: clock(points[index].time, zone) }), t('remove'), false)) await changed('trips.edit', { id, remove_point: points[index].time }, t('trip.iscut')); } },
    { label: t('trip.merge'), icon: 'link', onclick: () => merge() },
    { label: t('trip.undo'), icon: 'back', onclick: () => changed('trips.undo', { id }, t('trip.undone')) },
    removal('trip.remove', () => changed('trips.remove', { id }, t('trip.removed'))),
  ]);
  function cut() {
    formDialog(t('trip.cut'), {
      fields: [
        { name: 'remove_from', label: t('from'), type: 'datetime', required: true, value: fieldTime(shownMoment()), half: true, attributes: { step: '1' } },
        { name: 'remove_until', label: t('until'), type: 'datetime', required: true, value: fieldTime(Math.min(at + 60_000, Date.parse(end))), half: true, attributes: { step: '1' } },
      ], submit: t('trip.cut'),
      action: ({ remove_from, remove_until }) => changed('trips.edit', { id, remove_from: new Date(remove_from).toISOString(), remove_until: new Date(remove_until).toISOString() }, t('trip.iscut')),
    }, h('p', t('trip.cut.note')));
  }
  async function merge() {
    const { trips } = await read('trips.list', { device: trip.device, limit: 100 });
    const own = trips.findIndex((one) => one.id === id);
    const beside = [trips[own - 1], trips[own + 1]].filter((one) => one?.end);
    if (!beside.length) return toast(t('trip.merge.none'));
    formDialog(t('trip.merge'), {
      fields: [{ name: 'with', label: t('trip.merge.with'), type: 'select', options: beside.map((one) => [one.id, `${tripName(one)}, ${moment(one.start, zone)}`]) }],
      submit: t('trip.merge'), action: (values) => changed('trips.merge', { id, ...values }, t('trip.merged')),
    });
  }
  const exports = trip.end && menu(t('export'), ['gpx', 'geojson', 'kml', 'csv'].map((format) => ({
    label: format.toUpperCase(), icon: 'download', onclick: () => { h('a', { href: `/export/trips/${encodeURIComponent(id)}.${format}`, download: '' }).click(); },
  })));
  if (exports) fill(exports.querySelector('.icon-button'), icon('download'));
  const plans = me.person && trip.end && button({ label: t('trip.toplan'), icon: 'plans', onclick: async () => {
    const { plans } = await read('plans.list', { limit: 50 });
    if (!plans.length) return toast(t('plans.none'));
    formDialog(t('trip.toplan'), {
      fields: [{ name: 'plan', label: t('plan'), type: 'select', options: plans.map((plan) => [plan.id, plan.title]) }], submit: t('add'),
      action: async ({ plan }) => { await call('plans.addTrip', { plan, trip: id }); toast(t('trip.isinplan')); },
    });
  } });
  const canvas = h('canvas', { role: 'img', 'aria-label': t('trip.chart') });
  const chartBox = h('div.chart', canvas);
  const stopped = trip.stopped ?? 0;
  const average = trip.average_speed ?? trip.distance / Math.max(1, seconds - stopped);
  fill(page.main,
    head(name, { back: ['/trips', t('nav.trips')], actions: [plans, exports, edits], note: `${moment(trip.start, zone)} – ${trip.end ? clockIn(trip.end, zone) : t('now.word')} · ${trip.device}${trip.kind ? ` · ${t(`kind.${trip.kind}`)}` : ''}` }),
    h('p', t(stops.length ? 'trip.glance' : 'trip.glance.straight', { distance: distance(trip.distance), time: duration(seconds), stops: stops.length, stopped: duration(stopped), speed: speed(average), top: speed(trip.max_speed) })),
    map.element,
    points.length > 1 ? [h('div.card', h('div.player', play, slider, rates, shown), chartBox)] : empty(t('trip.nopoints')),
    figures(figure(distance(trip.distance), t('trip.distance')), figure(duration(trip.moving ?? seconds), t('trip.moving')), figure(duration(stopped), t('trip.stopped')),
      figure(speed(average), t('trip.average')), figure(speed(trip.max_speed), t('trip.top')),
      trip.climb !== undefined && figure(`${height(trip.climb)} ↑ ${height(trip.descent)} ↓`, t('trip.climb')), trip.gaps ? figure(distance(trip.gaps), t('trip.gaps')) : null),
    section(t('trip.stops'), stops.length ? h('ol.rows.dense', stops.map((stop, n) => h('li.row',
      rowText(`${n + 1}. ${stop.name ?? t('trip.stop', { n: n + 1 })}`, `${clock(stop.start, zone)}${stop.end ? ` – ${clock(stop.end, zone)}` : ''}`),
      h('span', stop.end ? duration((Date.parse(stop.end) - Date.parse(stop.start)) / 1000) : ''),
      me.admin && trip.end && stop.end && button({ label: t('trip.stop.remove', { n: n + 1 }), icon: 'close', hidesLabel: true, onclick: async () => { if (await ask(t('trip.stop.ask', { n: n + 1 }), t('remove'))) await changed('stops.remove', { id: stop.id }, t('trip.stop.removed')); } }),
      points.length > 1 && button({ label: t('trip.show', { n: n + 1 }), icon: 'follow', hidesLabel: true, onclick: () => { jump(Date.parse(stop.start)); map.see([stop.lat, stop.lon], 15); } })))) : empty(t('trip.nostops'))));
  if (points.length > 1) {
    jump(times[0]);
    drawChart().catch((error) => fill(chartBox, empty(said(error))));
  }

  /** Draws speed and height over time, with a line at the position of the slider. */
  async function drawChart() {
    if (!window['Chart']) await script('/lib/chart.js/chart.min.js');
    if (page.signal.aborted) return;
    const style = getComputedStyle(document.documentElement);
    const probe = (name) => { const span = h('span'); span.style.color = `var(${name})`; document.body.append(span); const { color } = getComputedStyle(span); span.remove(); return color; };
    const [accent, warm, muted, rule] = ['--accent', '--warm', '--muted', '--rule'].map(probe);
    const step = Math.max(1, Math.floor(points.length / 800));
    // The chart shows every `step`-th point. Its line breaks where the mean time between points exceeds a minute.
    const some = points.flatMap((point, n) => n % step ? [] : n && times[n] - times[n - step] > 60_000 * step ? [{ time: point.time, speed: NaN, alt: NaN }, point] : [point]);
    const miles = units() === 'miles';
    const axis = (title, position, color) => ({ position, title: { display: true, text: title, color }, ticks: { color: muted, maxTicksLimit: 5 }, grid: { color: position === 'left' ? rule : 'transparent' } });
    const hasHeight = some.some(({ alt }) => alt !== undefined);
    chart = new window['Chart'](canvas, {
      type: 'line',
      data: { datasets: [
        { label: t('trip.speed'), data: some.map((point) => ({ x: Date.parse(point.time), y: (point.speed ?? NaN) * (miles ? 2.236936 : 3.6) })), borderColor: accent, yAxisID: 'speed', borderWidth: 1.5, pointRadius: 0 },
        ...(hasHeight ? [{ label: t('trip.height'), data: some.filter(({ alt }) => alt !== undefined).map((point) => ({ x: Date.parse(point.time), y: point.alt * (miles ? 3.28084 : 1) })), borderColor: warm, yAxisID: 'height', borderWidth: 1.5, pointRadius: 0, borderDash: [4, 3] }] : []),
      ] },
      options: {
        animation: false, maintainAspectRatio: false, parsing: false, interaction: { mode: 'index', intersect: false },
        onClick: (event, _, own) => jump(own.scales.x.getValueForPixel(event.x)),
        plugins: { legend: { labels: { color: muted, boxWidth: 18, boxHeight: 1 } }, tooltip: { enabled: false } },
        scales: {
          x: { type: 'linear', min: times[0], max: times[times.length - 1], ticks: { color: muted, maxTicksLimit: 6, callback: (value, n, ticks) => { const [text, before] = [value, ticks[n - 1]?.value].map((time) => time && clock(new Date(time).toISOString(), zone)); return text === before ? '' : text; } }, grid: { color: rule } },
          speed: { ...axis(miles ? 'mph' : 'km/h', 'left', accent), beginAtZero: true }, ...(hasHeight ? { height: axis(miles ? 'ft' : 'm', 'right', warm) } : {}),
        },
      },
      plugins: [{ id: 'now', afterDraw(own) {
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
    chart.$now = at;
    chart.draw();
  }
}
