// chart: what the process is made of, through time, with limit and forecast. It is also where A and B
// are chosen.

const LEFT = 80,
  RIGHT = 8,
  TOP = 18,
  BOTTOM = 20,
  CHART_HEIGHT = 330;

// The time axis, which the map of the address space shares: data up to B's end, then the forecast.
function timeAxis(width) {
  const from = S.t[0] - S.pad,
    end = S.t[S.K - 1] + S.pad,
    all = Math.max(end - from, 1),
    w = S.verdicts.whole;
  const grows = S.verdicts.worst && S.K > 1;
  let ahead = grows ? 0.28 * all : 0;
  if (grows && w && w.eta_h !== undefined && w.eta_h > 0 && w.eta_h * HOUR <= 1.3 * all)
    ahead = Math.max(ahead, 1.12 * w.eta_h * HOUR);
  // the words beside the data need room
  const words = width > 600 ? 150 : 112,
    room = width - LEFT - RIGHT;
  const spare = ((all + ahead) * words) / Math.max(room - words, 1);
  if (ahead < (spare * (all + ahead)) / (all + ahead + spare)) ahead = (all * words) / Math.max(room - words, words);
  const x0 = state.x0 === null ? from : state.x0,
    x1 = state.x1 === null ? end + ahead : state.x1;
  return {
    x0,
    x1,
    end,
    room,
    at: t => LEFT + ((t - x0) / (x1 - x0)) * room,
    time: x => x0 + ((x - LEFT) / room) * (x1 - x0)
  };
}

// Runs of kept snapshots without a gap, a restart or an unknown value between them.
function runs(known) {
  const out = [];
  let begin = null;
  for (let k = 0; k < S.K; k++) {
    const cut = S.missed.has(k) || S.born.has(k);
    if (begin !== null && (cut || !known(k))) {
      out.push([begin, k - 1]);
      begin = null;
    }
    if (begin === null && known(k)) begin = k;
  }
  if (begin !== null) out.push([begin, S.K - 1]);
  return out;
}

function shownCats() {
  return S.stack.filter(c => (state.solo === null ? !state.hidden.has(c.k) : c.k === state.solo));
}

// The curves of the mode: for each category the lower and upper edge, and their least and most.
function curves() {
  const m = state.metric,
    cats = shownCats().filter(c => c[m].some(v => v !== null)),
    A = S.stops[state.a];
  const list = [];
  let low = 0,
    high = 0;
  if (state.mode === 'stacked') {
    let floor = new Array(S.K).fill(0);
    for (const c of cats) {
      const upper = floor.map((f, k) => (c[m][k] === null ? f : f + c[m][k]));
      list.push({ c, lower: floor, upper, known: k => cats.some(o => o[m][k] !== null) });
      floor = upper;
    }
    high = Math.max(...floor, 1);
  } else {
    for (const c of cats) {
      const base = state.mode === 'change' ? c[m][A] : 0;
      const upper = c[m].map(v => (v === null || base === null ? null : v - base));
      list.push({ c, upper, known: k => upper[k] !== null });
      for (const v of upper)
        if (v !== null) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
    }
    list.sort((a, b) => (a.c.guilty ? 1 : 0) - (b.c.guilty ? 1 : 0));
  }
  if (state.solo === null && state.mode !== 'change' && (!cats.length || list.every(l => !l.known(S.K - 1)))) {
    const upper = S.total[m]; // resident memory is known from VmRSS alone
    list.push({
      c: { k: 'total', color: 'anon0', guilty: badgeOf(S.verdicts) === 'leak' ? 'leak' : null, [m]: upper },
      lower: new Array(S.K).fill(0),
      upper,
      known: k => upper[k] !== null
    });
    high = Math.max(high, ...upper.map(v => v || 0));
  }
  return { list, low, high: Math.max(high, low + 1) };
}

// Limits that belong to this metric and mode, as {kib, words, at}; at: when the verdict expects it.
function limits(list) {
  const out = [],
    last = S.K - 1,
    w = S.verdicts.whole;
  const expected = r =>
    r && r.eta_h !== undefined && r.metric === state.metric
      ? Date.parse(r.last_at || iso(S.t[last])) + r.eta_h * HOUR
      : null;
  const onTotal = { given: 'rss', cgroup: 'rss', 'address space': 'size' };
  if (state.mode === 'change') return out;
  if (index.about.limit_kib !== undefined && ['rss', 'pss', 'private'].includes(state.metric))
    out.push({ kib: index.about.limit_kib, words: 'limit ' + kib(index.about.limit_kib), at: expected(w) });
  else if (w && w.limit !== undefined && w.unit === 'KiB' && onTotal[w.limit_by] === state.metric)
    out.push({
      kib: w.limit,
      words: (w.limit_by === 'given' ? '' : w.limit_by + ' ') + 'limit ' + kib(w.limit),
      at: expected(w)
    });
  for (const { c, lower } of list) {
    const r = c.row;
    if (
      !r ||
      r.limit === undefined ||
      r.unit !== 'KiB' ||
      onTotal[r.limit_by] ||
      r.metric !== state.metric ||
      !c.guilty
    )
      continue;
    out.push({
      kib: r.limit + (lower ? lower[last] : 0),
      words: r.limit_by + ' of ' + c.k + ' ' + kib(r.limit),
      at: expected(r)
    });
  }
  return out;
}

// What is expected after the last snapshot: from there at the rate of the total, or of each guilty curve.
function forecasts(list) {
  const last = S.K - 1,
    out = [],
    w = S.verdicts.whole;
  if (state.mode === 'stacked') {
    const v = S.total[state.metric][last];
    if (
      S.verdicts.worst &&
      w &&
      w.metric === state.metric &&
      w.unit === 'KiB' &&
      w.rate_per_h > 0 &&
      v !== null &&
      state.solo === null &&
      !state.hidden.size
    )
      out.push({
        from: v,
        r: w,
        color: S.guilty.length ? S.guilty[0].color : 'leak0',
        values: S.total[state.metric]
      });
    return out;
  }
  for (const { c, upper } of list) {
    if (c.guilty && c.row && c.row.metric === state.metric && c.row.rate_per_h > 0 && upper[last] !== null)
      out.push({ from: upper[last], r: c.row, color: c.color, values: upper });
  }
  return out;
}

function drawAxes(c, x, y, width, height, low, high) {
  c.strokeStyle = color('grid');
  c.fillStyle = color('muted');
  c.lineWidth = 1;
  c.textAlign = 'right';
  for (const v of sizeTicks(low, high, 6)) {
    c.beginPath();
    c.moveTo(LEFT, Math.round(y(v)) + 0.5);
    c.lineTo(width - RIGHT, Math.round(y(v)) + 0.5);
    c.stroke();
    c.fillText((state.mode === 'change' && v > 0 ? '+' : '') + kib(v), LEFT - 5, y(v));
  }
  drawTimes(c, x, TOP, height - BOTTOM, height - 9);
}

function drawTimes(c, x, top, bottom, words) {
  const { ticks, words: name } = timeTicks(x.x0, x.x1, Math.max(2, x.room / 90));
  c.textAlign = 'center';
  c.lineWidth = 1;
  for (const t of S.K > 1 ? ticks : S.t) {
    c.strokeStyle = color('grid');
    c.beginPath();
    c.moveTo(Math.round(x.at(t)) + 0.5, top);
    c.lineTo(Math.round(x.at(t)) + 0.5, bottom);
    c.stroke();
    c.fillStyle = color('muted');
    if (x.at(t) > LEFT - 2 && x.at(t) < LEFT + x.room - 14) c.fillText(name(t), x.at(t), words);
  }
}

// Gaps, restarts, marks.
function drawEvents(c, x, top, bottom, words) {
  c.textAlign = 'left';
  for (const [k, missed] of S.missed) {
    const left = x.at(S.t[k - 1]),
      right = x.at(S.t[k]);
    if (right < LEFT || left > LEFT + x.room) continue;
    c.fillStyle = stripes(c, color('card'), color('grid'));
    c.fillRect(left, top, Math.max(right - left, 2), bottom - top);
    c.fillStyle = color('muted');
    if (words && right - left > 56) c.fillText(missed + ' missed', left + 4, bottom - 8);
  }
  c.setLineDash([3, 3]);
  for (const [k, pid] of S.born) {
    if (k === 0 || x.at(S.t[k]) < LEFT) continue;
    const px = Math.round((x.at(S.t[k - 1]) + x.at(S.t[k])) / 2) + 0.5;
    c.strokeStyle = color('muted');
    c.beginPath();
    c.moveTo(px, top);
    c.lineTo(px, bottom);
    c.stroke();
    c.fillStyle = color('muted');
    if (words) c.fillText('↻ restart' + (pid === null ? '' : ' → ' + pid), px + 3, top + 7);
  }
  c.setLineDash([]);
  for (const mark of index.marks) {
    const px = Math.round(x.at(mark.ms)) + 0.5;
    if (px < LEFT || px > LEFT + x.room) continue;
    c.strokeStyle = c.fillStyle = color('select');
    c.beginPath();
    c.moveTo(px, top - 4);
    c.lineTo(px, bottom);
    c.stroke();
    c.beginPath();
    c.moveTo(px, top - 4);
    c.lineTo(px + 6, top);
    c.lineTo(px, top + 4);
    c.fill();
    if (words) c.fillText(shorten(mark.text, 40), px + 9, top);
  }
}

function drawAreas(c, x, y, list) {
  const anyGuilty = list.some(l => l.c.guilty);
  for (const { c: cat, lower, upper, known } of list) {
    const ink = color(cat.color),
      alone = state.mode !== 'stacked' && !lower;
    for (const [from, to] of runs(known)) {
      const wide = from === to ? Math.max(2, x.at(S.t[from] + S.pad) - x.at(S.t[from])) : 0;
      c.beginPath();
      for (let k = from; k <= to; k++) c.lineTo(x.at(S.t[k]) - wide, y(upper[k]));
      if (wide) c.lineTo(x.at(S.t[to]) + wide, y(upper[to]));
      if (alone) {
        c.strokeStyle = ink;
        c.lineWidth = cat.guilty ? 2.5 : 1.5;
        c.stroke();
        continue;
      }
      if (wide) c.lineTo(x.at(S.t[to]) + wide, y(lower[to]));
      for (let k = to; k >= from; k--) c.lineTo(x.at(S.t[k]) - wide, y(lower[k]));
      c.closePath();
      c.globalAlpha = anyGuilty && !cat.guilty ? 0.72 : 1;
      c.fillStyle = cat.guilty ? stripes(c, ink, color('stripe')) : ink;
      c.fill();
      c.globalAlpha = 1;
      if (!cat.guilty) continue;
      c.beginPath();
      for (let k = from; k <= to; k++) c.lineTo(x.at(S.t[k]), y(upper[k]));
      c.strokeStyle = color('edge');
      c.lineWidth = 1.2;
      c.stroke();
    }
  }
}

function drawForecast(c, x, y, height, all, drawn) {
  const end = S.t[S.K - 1];
  if (!all.length || x.x1 <= end) return;
  c.fillStyle = color('ahead');
  c.fillRect(x.at(end), TOP, LEFT + x.room - x.at(end), height - TOP - BOTTOM);
  c.fillStyle = color('muted');
  c.textAlign = 'left';
  c.fillText('if it goes on', x.at(end) + 5, drawn.length ? y(drawn[0].kib) + 10 : TOP + 9);
}

function drawForecastLines(c, x, y, all) {
  const end = S.t[S.K - 1];
  for (const f of all) {
    const rate = r => t => f.from + (r * (t - end)) / HOUR;
    if (f.r.rate_low !== undefined && f.r.rate_high !== undefined) {
      c.fillStyle = fade(color(f.color), 0.18);
      c.beginPath();
      c.moveTo(x.at(end), y(f.from));
      c.lineTo(x.at(x.x1), y(rate(f.r.rate_low)(x.x1)));
      c.lineTo(x.at(x.x1), y(rate(f.r.rate_high)(x.x1)));
      c.fill();
    }
    // back only to where the line is near what was seen
    const grown = Math.abs(f.from - (f.values[0] || 0)) || 1;
    let back = S.K - 1;
    while (
      back > S.lifeStart(S.K - 1) &&
      f.values[back - 1] !== null &&
      Math.abs(f.values[back - 1] - rate(f.r.rate_per_h)(S.t[back - 1])) < 0.08 * grown
    )
      back--;
    c.setLineDash([5, 3]);
    c.lineWidth = 1.5;
    c.strokeStyle = color('text');
    c.beginPath();
    c.moveTo(x.at(S.t[back]), y(rate(f.r.rate_per_h)(S.t[back])));
    c.lineTo(x.at(end), y(f.from));
    c.stroke();
    c.strokeStyle = color(f.color);
    c.lineWidth = 2;
    c.beginPath();
    c.moveTo(x.at(end), y(f.from));
    c.lineTo(x.at(x.x1), y(rate(f.r.rate_per_h)(x.x1)));
    c.stroke();
    c.setLineDash([]);
  }
}

function drawLimits(c, x, y, all, forecast) {
  for (const l of all) {
    c.strokeStyle = c.fillStyle = color('limit');
    c.setLineDash([8, 4]);
    c.lineWidth = 1.6;
    c.beginPath();
    c.moveTo(LEFT, y(l.kib));
    c.lineTo(LEFT + x.room, y(l.kib));
    c.stroke();
    c.setLineDash([]);
    c.textAlign = 'left';
    c.fillText(l.words, LEFT + 5, y(l.kib) - 8);
    for (const f of forecast) {
      const when = l.at !== null ? l.at : S.t[S.K - 1] + ((l.kib - f.from) / f.r.rate_per_h) * HOUR;
      if (when < S.t[S.K - 1] || when > x.x1) continue;
      c.beginPath();
      c.arc(x.at(when), y(l.kib), 4.5, 0, 7);
      c.fill();
      c.font = BOLD;
      c.textAlign = x.at(when) > LEFT + x.room / 2 ? 'right' : 'left';
      c.fillText('full at ' + clock(when, S.span), x.at(when), y(l.kib) - 13);
      c.font = FONT;
    }
  }
}

// Words beside the end of each curve, moved apart.
function drawLabels(c, x, y, list, height) {
  const last = S.K - 1,
    px = x.at(x.end) + 8,
    labels = [];
  if (px < LEFT || px > LEFT + x.room - 40) return;
  for (const { c: cat, lower, upper } of list) {
    if (upper[last] === null) continue;
    const middle = state.mode === 'stacked' ? (y(lower[last]) + y(upper[last])) / 2 : y(upper[last]);
    const thick = state.mode === 'stacked' ? y(lower[last]) - y(upper[last]) : 14;
    if (cat.guilty || thick > 11)
      labels.push({
        cat,
        y: middle,
        high: cat.guilty && cat.row ? 25 : 13,
        rank: cat.guilty ? 1e9 : state.mode === 'stacked' ? thick : Math.abs(upper[last])
      });
  }
  labels.sort((a, b) => b.rank - a.rank);
  const kept = [];
  for (const l of labels) {
    l.y = Math.min(Math.max(l.y, TOP + 18), height - BOTTOM - l.high + 5);
    if (kept.length < 14 && kept.every(o => Math.abs(o.y - l.y) >= (o.y < l.y ? o.high : l.high))) kept.push(l);
  }
  c.textAlign = 'left';
  for (const { cat, y: at } of kept) {
    c.fillStyle = color(cat.color);
    c.fillRect(px, at - 4, 8, 8);
    c.font = cat.guilty ? BOLD : FONT;
    c.fillStyle = color(cat.guilty ? cat.guilty + '-text' : 'text');
    const lines = [fitted(c, cat.k, LEFT + x.room - px - 12)];
    if (cat.guilty && cat.row)
      lines.push(
        GLYPHS[cat.guilty] +
          ' +' +
          (cat.row.unit === 'KiB' ? kib(cat.row.rate_per_h) : count(cat.row.rate_per_h)) +
          '/h'
      );
    lines.forEach((text, i) => {
      c.strokeStyle = color('ahead'); // the forecast may pass behind the words
      c.lineWidth = 3;
      c.strokeText(text, px + 12, at + 12 * i);
      c.fillText(text, px + 12, at + 12 * i);
    });
  }
  c.font = FONT;
}

function drawSelection(c, x, top, bottom, flags) {
  if (S.K === 1) return;
  const a = x.at(S.t[S.stops[state.a]]),
    b = x.at(S.t[S.stops[state.b]]);
  c.save();
  c.beginPath();
  c.rect(LEFT - 9, 0, x.room + 18, bottom);
  c.clip();
  if (flags) {
    c.fillStyle = fade(color('select'), 0.05);
    c.fillRect(a, top, b - a, bottom - top);
  }
  c.strokeStyle = color('select');
  c.lineWidth = 1.3;
  for (const [px, word] of [
    [a, 'A'],
    [b, 'B']
  ]) {
    c.beginPath();
    c.moveTo(Math.round(px) + 0.5, flags ? 13 : top);
    c.lineTo(Math.round(px) + 0.5, bottom);
    c.stroke();
    if (!flags) continue;
    const left = word === 'A' && b - a < 15 ? px - 14 : word === 'B' && b - a < 15 ? px : px - 7;
    c.fillStyle = color('select');
    c.fillRect(left, 0, 14, 13);
    c.fillStyle = color('on-select');
    c.font = BOLD;
    c.textAlign = 'center';
    c.fillText(word, left + 7, 7);
    c.font = FONT;
  }
  if (state.hover !== null) {
    c.strokeStyle = color('text');
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(Math.round(x.at(S.t[S.stops[state.hover]])) + 0.5, top);
    c.lineTo(Math.round(x.at(S.t[S.stops[state.hover]])) + 0.5, bottom);
    c.stroke();
  }
  c.restore();
}

function drawChart(canvas) {
  const c = prepare(canvas, CHART_HEIGHT),
    width = canvas.clientWidth,
    height = CHART_HEIGHT;
  const x = timeAxis(width),
    { list, low, high } = curves(),
    forecast = forecasts(list);
  let top = high;
  for (const f of forecast)
    top = Math.max(top, Math.min(f.from + (f.r.rate_per_h * Math.max(x.x1 - S.t[S.K - 1], 0)) / HOUR, 1.8 * high));
  const drawn = limits(list).filter(l => l.kib <= 1.6 * top);
  for (const l of drawn) top = Math.max(top, l.kib * 1.06);
  const bottom = low < 0 ? low * 1.06 : 0;
  top += (top - bottom) * 0.05;
  const y = v => height - BOTTOM - ((v - bottom) / (top - bottom)) * (height - TOP - BOTTOM);
  c.fillStyle = color('card');
  c.fillRect(0, 0, width, height);
  c.save();
  c.beginPath();
  c.rect(LEFT, TOP - 5, x.room, height - TOP - BOTTOM + 6);
  c.clip();
  drawForecast(c, x, y, height, forecast, drawn);
  c.restore();
  drawAxes(c, x, y, width, height, bottom, top);
  c.save();
  c.beginPath();
  c.rect(LEFT, 0, x.room, height - BOTTOM + 1);
  c.clip();
  drawAreas(c, x, y, list);
  drawForecastLines(c, x, y, forecast);
  drawEvents(c, x, TOP, height - BOTTOM, true);
  drawLimits(c, x, y, drawn, forecast);
  c.restore();
  drawLabels(c, x, y, list, height);
  drawSelection(c, x, TOP, height - BOTTOM, true);
}

// Mouse and keys of a picture with the time axis.
function timePicture(canvas, extra) {
  const stopAt = e => {
    const x = timeAxis(canvas.clientWidth),
      t = x.time(e.offsetX);
    let best = 0;
    for (let i = 1; i < S.stops.length; i++)
      if (Math.abs(S.t[S.stops[i]] - t) < Math.abs(S.t[S.stops[best]] - t)) best = i;
    return best;
  };
  let from = null;
  canvas.addEventListener('mousemove', e => {
    const stop = stopAt(e);
    if (from !== null && stop !== from) change({ a: Math.min(from, stop), b: Math.max(from, stop), hover: stop });
    else if (stop !== state.hover) change({ hover: stop });
    tip(e, stop, extra && extra(e));
  });
  canvas.addEventListener('mouseleave', () => {
    from = null;
    tip(null);
    change({ hover: null });
  });
  canvas.addEventListener('mousedown', e => {
    if (e.button === 0) from = stopAt(e);
  });
  canvas.addEventListener('mouseup', e => {
    if (from === null) return;
    const stop = stopAt(e);
    if (stop === from) change(e.shiftKey ? { a: Math.min(stop, state.b) } : { b: stop, a: Math.min(state.a, stop) });
    from = null;
  });
  canvas.addEventListener(
    'wheel',
    e => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      const x = timeAxis(canvas.clientWidth),
        t = x.time(e.offsetX),
        by = e.deltaY > 0 ? 1.25 : 0.8;
      const x0 = t - (t - x.x0) * by,
        x1 = t + (x.x1 - t) * by;
      change(x1 - x0 >= x.x1 - x.x0 && x0 <= S.t[0] ? { x0: null, x1: null } : { x0, x1 });
    },
    { passive: false }
  );
  canvas.addEventListener('keydown', keys);
}

function keys(e) {
  const at = state.hover === null ? state.b : state.hover,
    last = S.stops.length - 1,
    far = e.shiftKey ? 10 : 1;
  const move = { ArrowLeft: at - far, ArrowRight: at + far, Home: 0, End: last }[e.key];
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (move !== undefined) {
    change({ hover: Math.min(Math.max(move, 0), last) });
    speak();
  } else if (e.key === 'a') change({ a: Math.min(at, state.b), b: Math.max(at, state.b) });
  else if (e.key === 'b') change({ b: Math.max(at, state.a), a: Math.min(at, state.a) });
  else if (e.key === 'z') zoom();
  else if (e.key === 'Escape')
    change({ x0: null, x1: null, hover: null, lin: null, solo: null, hidden: new Set(), tree: [] });
  else if (/^[1-5]$/.test(e.key) && S.metrics.includes(METRICS[e.key - 1])) change({ metric: METRICS[e.key - 1] });
  else if (e.key === 's') change({ mode: { stacked: 'change', change: 'lines', lines: 'stacked' }[state.mode] });
  else return;
  e.preventDefault();
}

function zoom() {
  const a = S.t[S.stops[state.a]],
    b = S.t[S.stops[state.b]],
    edge = (b - a) * 0.02 || 1;
  if (b > a) change({ x0: a - edge, x1: b + edge * 14 });
}

// The numbers at a stop, as the tooltip and the live region say them.
function numbersAt(stop) {
  const k = S.stops[stop],
    m = state.metric;
  const rows = S.cats.filter(c => c[m][k]).sort((p, q) => q[m][k] - p[m][k]);
  return { k, rows, total: S.total[m][k] };
}

function speak() {
  const { k, total } = numbersAt(state.hover),
    w = S.guilty[0];
  document.getElementById('live').textContent = visible(
    clock(S.t[k], S.span) +
      ', total ' +
      state.metric +
      ' ' +
      kib(total) +
      (w ? ', ' + w.k + ' ' + kib(w[state.metric][k]) : '')
  );
}

function tip(e, stop, more) {
  const box = document.getElementById('tip');
  box.hidden = !e;
  if (!e) return;
  const { k, rows, total } = numbersAt(stop);
  const line = (name, v, paint) =>
    el('tr', {}, el('td', {}, paint ? swatch(paint) : '', ' ' + shorten(name, 40)), el('td.number', {}, kib(v)));
  box.replaceChildren(
    el(
      'b',
      {},
      iso(S.t[k]).slice(0, 19).replace('T', ' ') + ' (@' + S.id[k] + ')' + (S.partial.has(k) ? ', partial' : '')
    ),
    el(
      'table',
      {},
      rows.slice(0, 9).map(c => line(c.k, c[state.metric][k], c.color)),
      rows.length > 9
        ? line(
            '[' + (rows.length - 9) + ' others]',
            rows.slice(9).reduce((s, c) => s + c[state.metric][k], 0)
          )
        : null,
      line('TOTAL', total)
    ),
    more || ''
  );
  place(box, e);
}

function place(box, e) {
  const w = box.offsetWidth,
    h = box.offsetHeight;
  box.style.left = Math.max(4, e.clientX + 18 + w > innerWidth ? e.clientX - w - 14 : e.clientX + 18) + 'px';
  box.style.top = Math.max(4, Math.min(e.clientY + 12, innerHeight - h - 6)) + 'px';
}

function swatch(name) {
  const s = el('i.swatch');
  s.style.background = color(name);
  return s;
}

function chartCard() {
  const canvas = el('canvas', {
    tabindex: 0,
    role: 'img',
    id: 'chart',
    'aria-label':
      'Memory by category over time. Left and right move the cursor, a and b set A and B, z zooms, s changes the mode, 1 to 5 the metric, Escape shows all.'
  });
  const bar = el('div.bar'),
    chips = el('div.chips');
  timePicture(canvas);
  view(['metric', 'mode'], () =>
    bar.replaceChildren(
      el('h2', {}, 'What it is made of'),
      choice(
        'metric',
        S.metrics.map(m => [m, m]),
        state.metric,
        v => change({ metric: v })
      ),
      S.K > 1
        ? choice(
            'mode',
            [
              ['stacked', 'stacked'],
              ['change', 'change since A'],
              ['lines', 'lines']
            ],
            state.mode,
            v => change({ mode: v })
          )
        : '',
      S.K > 2 ? el('button', { type: 'button', click: zoom }, 'zoom to A–B') : '',
      S.K > 2
        ? el(
            'button',
            { type: 'button', click: () => change({ x0: null, x1: null, solo: null, hidden: new Set() }) },
            'reset'
          )
        : ''
    )
  );
  view(['hidden', 'solo'], () =>
    chips.replaceChildren(
      ...[...S.stack].reverse().map(c => {
        const on = state.solo === null ? !state.hidden.has(c.k) : state.solo === c.k;
        const flip = () => {
          const h = new Set(state.hidden);
          if (!h.delete(c.k)) h.add(c.k);
          change({ hidden: h, solo: null });
        };
        return el(
          'button.chip' + (on ? '' : '.off'),
          {
            type: 'button',
            'aria-pressed': String(on),
            title: 'click: hide or show; double click: alone',
            click: flip,
            dblclick: () => change({ solo: state.solo === c.k ? null : c.k, hidden: new Set() })
          },
          swatch(c.color),
          ' ' + shorten(c.k, 36)
        );
      })
    )
  );
  view(['metric', 'mode', 'a', 'b', 'x0', 'hover', 'hidden', 'solo', 'theme'], () => drawChart(canvas));
  return el('section.card', { id: 'made' }, bar, canvas, chips);
}
