// space: the address space over time, below the chart and on its time axis.

const SPACE_HEIGHT = 430,
  JOIN = 256,
  NEIGHBOUR = 262144,
  MOST_NEIGHBOURHOODS = 14,
  GAP = 7;
const UNUSED = 1024; // pages: a mapping of 4 MiB and more that was never resident is a hole

// The scale: [{lo, hi, y0, y1}] of what was ever mapped in the life at B, low addresses at the bottom.
function spaceScale(height) {
  const [from, to] = lifeStops(),
    spans = [];
  for (const l of S.lin) {
    let used = false;
    for (let i = l.from; i < l.to; i++) used = used || S.str.rss[i] === null || S.str.rss[i] > 0;
    for (let i = l.from; i < l.to; i++) {
      if (S.str.z[i] < from || S.str.a[i] > to || (!used && S.str.pages[i] >= UNUSED)) continue;
      spans.push([S.str.page[i], S.str.page[i] + S.str.pages[i]]);
    }
  }
  spans.sort((p, q) => p[0] - q[0]);
  const parts = [];
  for (const [lo, hi] of spans) {
    const last = parts[parts.length - 1];
    if (last && lo - last.hi <= JOIN) last.hi = Math.max(last.hi, hi);
    else parts.push({ lo, hi });
  }
  let apart = NEIGHBOUR,
    groups;
  for (; ; apart *= 4) {
    groups = [];
    for (const p of parts) {
      const g = groups[groups.length - 1];
      if (g && p.lo - g[g.length - 1].hi <= apart) g.push(p);
      else groups.push([p]);
    }
    if (groups.length <= MOST_NEIGHBOURHOODS) break;
  }
  const bytes = groups.map(g => g.reduce((s, p) => s + p.hi - p.lo, 0)),
    roots = bytes.map(Math.sqrt);
  const all = roots.reduce((s, r) => s + r, 0) || 1,
    free = height - 8 * groups.length - GAP * Math.max(groups.length - 1, 0);
  let y = height;
  groups.forEach((g, i) => {
    const high = 8 + (free * roots[i]) / all,
      hole = g.length > 1 ? Math.min(2, (0.3 * high) / (g.length - 1)) : 0;
    const each = (high - hole * (g.length - 1)) / bytes[i];
    for (const p of g) {
      p.y0 = y;
      y -= (p.hi - p.lo) * each;
      p.y1 = y;
      y -= hole;
    }
    y += hole - GAP;
  });
  return {
    parts,
    groups,
    at: page => {
      let low = 0,
        high = parts.length - 1;
      while (low < high) {
        const mid = (low + high + 1) >> 1;
        if (parts[mid].lo <= page) low = mid;
        else high = mid - 1;
      }
      const p = parts[low];
      return p.y0 - Math.min(Math.max((page - p.lo) / (p.hi - p.lo), 0), 1) * (p.y0 - p.y1);
    },
    page: y => {
      const p = parts.find(q => y <= q.y0 + 1 && y >= q.y1 - 1);
      return p ? p.lo + ((p.y0 - y) / (p.y0 - p.y1)) * (p.hi - p.lo) : null;
    }
  };
}

// The stops of the life at B: in another life every address differs.
function lifeStops() {
  const k = S.stops[state.b],
    start = S.lifeStart(k),
    end = S.lifeEnd(k);
  let from = S.stops.findIndex(s => s >= start),
    to = state.b;
  while (to + 1 < S.NK && S.stops[to + 1] <= end) to++;
  return [from, to];
}

// Where a stretch lies in time: to the next stop, unless there is a gap or it is the last.
function stretchTimes(i, last) {
  const z = Math.min(S.str.z[i], last),
    k = S.kmap[z];
  let until = S.t[k];
  if (z < last) until = S.missed.has(S.kmap[z + 1]) ? S.t[k] : S.t[S.kmap[z + 1]];
  return [S.t[S.kmap[S.str.a[i]]] - S.pad, until + S.pad];
}

function drawStretches(c, x, scale, top, lin, paint) {
  const [from, to] = lifeStops(),
    dpr = window.devicePixelRatio || 1;
  const snap = v => Math.round(v * dpr) / dpr,
    one = 1 / dpr;
  for (let i = lin.from; i < lin.to; i++) {
    if (S.str.z[i] < from || S.str.a[i] > to) continue;
    const [t0, t1] = stretchTimes(i, to);
    if (t1 < x.x0 || t0 > x.x1) continue;
    const left = snap(x.at(t0)),
      right = Math.max(snap(x.at(t1)), left + one);
    const low = snap(top + scale.at(S.str.page[i])),
      high = snap(top + scale.at(S.str.page[i] + S.str.pages[i]));
    paint(i, left, Math.min(high, low - one), right - left, Math.max(low - high, one));
  }
}

let spaceBase = null,
  spaceNow = null;

// The picture without cursor and selection, which is drawn once for each life, zoom and size.
function drawSpaceBase(canvas, x, scale) {
  const c = prepare(canvas, SPACE_HEIGHT),
    width = canvas.clientWidth,
    end = Math.min(x.at(x.end), LEFT + x.room);
  c.fillStyle = color('card');
  c.fillRect(0, 0, width, SPACE_HEIGHT);
  drawTimes(c, x, 4, SPACE_HEIGHT - BOTTOM, SPACE_HEIGHT - 9);
  c.save();
  c.beginPath();
  c.rect(LEFT, 0, x.room, SPACE_HEIGHT - BOTTOM + 2);
  c.clip();
  c.fillStyle = color('unmapped');
  for (const g of scale.groups) c.fillRect(LEFT, 4 + g[g.length - 1].y1, end - LEFT, g[0].y0 - g[g.length - 1].y1);
  const inks = S.cats.map(cat => color(cat.guilty ? FAMILY[cat.k.split('/')[0]] || 'anon1' : cat.color));
  const warm = S.cats.map(cat => color(cat.color));
  for (const guilty of [false, true]) {
    for (const l of S.lin) {
      if (l.guilty !== guilty) continue;
      const ink = (guilty ? warm : inks)[l.cat],
        reserved = S.cats[l.cat].k.startsWith('reserve');
      drawStretches(c, x, scale, 4, l, (i, left, top, wide, high) => {
        const rss = S.str.rss[i],
          size = S.str.size[i] || 1;
        const strength = reserved
          ? 0.2
          : rss === null
            ? 0.6
            : 0.25 + (0.75 * Math.ceil(Math.min(rss / size, 1) * 8)) / 8;
        c.fillStyle = fade(ink, strength);
        c.fillRect(left, top, wide, high);
      });
    }
  }
  drawEvents(c, x, 4, SPACE_HEIGHT - BOTTOM, false);
  const [from, to] = lifeStops();
  c.fillStyle = color('muted');
  for (const [k, pid] of S.born) {
    const last = S.lifeEnd(k),
      left = Math.max(x.at(S.t[k]), LEFT),
      right = x.at(S.t[last]);
    if (S.kmap[from] >= k && S.kmap[from] <= last) continue;
    c.textAlign = 'center';
    if (right - left > 120)
      c.fillText(
        'another life' + (pid === null ? '' : ', pid ' + pid) + ': set B there',
        (left + right) / 2,
        SPACE_HEIGHT / 2
      );
  }
  c.restore();
  drawAddresses(c, scale);
  drawPlaces(c, x, scale, to);
  spaceBase = document.createElement('canvas');
  spaceBase.width = canvas.width;
  spaceBase.height = canvas.height;
  spaceBase.getContext('2d').drawImage(canvas, 0, 0);
}

function hex(page) {
  return page.toString(16) + '000';
}

function drawAddresses(c, scale) {
  let last = Infinity;
  c.font = '10px "DejaVu Sans Mono", monospace';
  c.textAlign = 'right';
  c.fillStyle = color('muted');
  for (const g of scale.groups) {
    const y = Math.min(4 + g[0].y0 - 5, SPACE_HEIGHT - BOTTOM - 2);
    if (last - y < 11) continue;
    const text = hex(g[0].lo);
    c.fillText(text.length > 12 ? '…' + text.slice(-9) : text, LEFT - 4, y);
    last = y;
  }
  c.font = FONT;
}

// Which way a mapping grows, from its first and last place in the life.
function direction(l) {
  const [from, to] = lifeStops();
  let first = null,
    last = null;
  for (let i = l.from; i < l.to; i++) {
    if (S.str.z[i] < from || S.str.a[i] > to) continue;
    if (first === null) first = i;
    last = i;
  }
  if (first === null || first === last) return '';
  const down = S.str.page[first] - S.str.page[last],
    up = S.str.page[last] + S.str.pages[last] - S.str.page[first] - S.str.pages[first];
  return down > 0 && down >= up ? '↓' : up > 0 ? '↑' : '';
}

// Words beside the end: the categories where they lie, the guilty ones first, then the largest.
function drawPlaces(c, x, scale, stop) {
  const px = Math.min(x.at(x.end), LEFT + x.room) + 8,
    places = new Map();
  if (px > LEFT + x.room - 50) return;
  for (const l of S.lin) {
    for (let i = l.from; i < l.to; i++) {
      if (S.str.a[i] > stop || S.str.z[i] < stop) continue;
      const y = 4 + (scale.at(S.str.page[i]) + scale.at(S.str.page[i] + S.str.pages[i])) / 2;
      const group = scale.groups.findIndex(g => S.str.page[i] >= g[0].lo && S.str.page[i] < g[g.length - 1].hi);
      const key = group + ' ' + l.cat + ' ' + l.guilty;
      const weight = scale.at(S.str.page[i]) - scale.at(S.str.page[i] + S.str.pages[i]) + 0.01;
      const p = places.get(key) || {
        cat: S.cats[l.cat],
        guilty: l.guilty,
        y: 0,
        kib: 0,
        weight: 0,
        ways: new Set()
      };
      p.y += y * weight;
      p.weight += weight;
      p.kib += S.str.rss[i] === null ? S.str.size[i] : S.str.rss[i];
      if (l.guilty) p.ways.add(direction(l));
      places.set(key, p);
    }
  }
  const kept = [];
  for (const p of [...places.values()].sort((a, b) => b.guilty - a.guilty || b.weight - a.weight || b.kib - a.kib)) {
    p.at = Math.min(Math.max(p.y / p.weight, 9), SPACE_HEIGHT - BOTTOM - 3);
    if (kept.length < 16 && kept.every(o => Math.abs(o.at - p.at) >= 13)) kept.push(p);
  }
  c.textAlign = 'left';
  for (const p of kept) {
    const way = p.ways.size === 1 ? [...p.ways][0] : '';
    c.fillStyle = color(p.guilty ? p.cat.color : p.cat.guilty ? FAMILY[p.cat.k.split('/')[0]] || 'anon1' : p.cat.color);
    c.fillRect(px, p.at - 4, 8, 8);
    c.font = p.guilty ? BOLD : FONT;
    c.fillStyle = color(p.guilty ? p.cat.guilty + '-text' : 'text');
    const room = LEFT + x.room - px - 12,
      size = ' ' + kib(p.kib),
      grows = way && ', grows ' + (way === '↓' ? 'downward ' : 'upward ') + way;
    const rest =
      c.measureText(visible(p.cat.k) + size + grows).width <= room ? size + grows : size + (way && ' ' + way);
    c.fillText(fitted(c, p.cat.k, room - c.measureText(rest).width) + rest, px + 12, p.at);
  }
  c.font = FONT;
}

function drawSpace(canvas, changed) {
  if (!spaceBase || changed) spaceNow = spaceScale(SPACE_HEIGHT - BOTTOM - 6);
  const x = timeAxis(canvas.clientWidth),
    scale = spaceNow;
  if (!spaceBase || changed) drawSpaceBase(canvas, x, scale);
  const c = canvas.getContext('2d');
  c.save();
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.drawImage(spaceBase, 0, 0);
  c.restore();
  if (state.lin !== null) {
    c.save();
    c.beginPath();
    c.rect(LEFT, 0, x.room, SPACE_HEIGHT - BOTTOM + 2);
    c.clip();
    c.strokeStyle = color('text');
    c.lineWidth = 1.5;
    c.beginPath();
    drawStretches(c, x, scale, 4, S.lin[state.lin], (i, left, top, wide, high) =>
      c.rect(left - 0.5, top - 0.5, wide + 1, high + 1)
    );
    c.stroke();
    c.restore();
  }
  drawSelection(c, x, 4, SPACE_HEIGHT - BOTTOM, false);
  return scale;
}

// The mapping at a place of the picture, as words for the tooltip.
function placeWords(canvas, e) {
  const x = timeAxis(canvas.clientWidth),
    page = spaceNow.page(e.offsetY - 4),
    t = x.time(e.offsetX);
  if (page === null) return null;
  let found = null;
  for (const l of S.lin) {
    for (let i = l.from; i < l.to; i++) {
      if (page < S.str.page[i] || page >= S.str.page[i] + S.str.pages[i]) continue;
      const [t0, t1] = stretchTimes(i, S.NK - 1);
      if (t >= t0 && t <= t1 && (!found || l.guilty)) found = { l, i };
    }
  }
  if (!found) return el('p', {}, hex(Math.floor(page)) + ': not mapped');
  const { l, i } = found;
  return el(
    'p',
    {},
    el('b', {}, shorten(l.path || l.name, 70)),
    el('br'),
    S.cats[l.cat].k + (l.id ? ' #' + l.id + ' ' + l.perms : ''),
    el('br'),
    hex(S.str.page[i]) + '–' + hex(S.str.page[i] + S.str.pages[i]),
    el('br'),
    kib(S.str.rss[i]) + ' resident of ' + kib(S.str.size[i])
  );
}

function spaceCard() {
  const canvas = el('canvas', {
    tabindex: 0,
    role: 'img',
    id: 'space',
    'aria-label':
      'Address space over time, low addresses at the bottom. The table of mappings has the same content. Keys as in the chart.'
  });
  const note = el('small');
  timePicture(canvas, e => placeWords(canvas, e));
  let drawn = '';
  view(['a', 'b', 'x0', 'hover', 'lin', 'theme'], () => {
    const now = [lifeStops(), state.x0, state.x1, canvas.clientWidth, state.theme].join();
    const scale = drawSpace(canvas, now !== drawn);
    drawn = now;
    const singles = S.lin.filter(l => l.id).length,
      holes = scale.parts.length - 1;
    note.textContent =
      'strong = resident, pale = mapped only; low addresses at the bottom' +
      (holes > 0 ? '; ' + plural(holes, 'hole') + ' folded' : '') +
      (singles < S.lin_total
        ? '; ' + count(singles) + ' of ' + count(S.lin_total) + ' mappings one by one, the rest summed'
        : '');
  });
  return el(
    'section.card',
    { id: 'where' },
    el('div.bar', {}, el('h2', {}, 'Where it lies: address space over time'), note),
    canvas
  );
}
