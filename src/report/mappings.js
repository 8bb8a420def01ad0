// mappings: which mappings, or objects, changed from A to B, with their course.

const ROWS = 20,
  MOST_ROWS = 40;

function mappingMetric() {
  return S.total.rss.some(v => v !== null) || state.metric === 'size' ? state.metric : 'size';
}

// Rows of the table: a mapping each, or the mappings of one path and category together.
function mappingRows() {
  const m = mappingMetric(),
    rows = [],
    groups = new Map();
  for (const l of S.lin) {
    const key = state.list === 'each' ? l.i : l.cat + ' ' + l.path;
    let r = groups.get(key);
    if (!r)
      groups.set(
        key,
        (r = {
          lins: [],
          cat: S.cats[l.cat],
          name: l.id === 0 && state.list !== 'each' ? S.cats[l.cat].k : l.name,
          path: l.path,
          from: 0,
          to: 0,
          guilty: false,
          mappings: 0
        })
      );
    r.lins.push(l);
    const from = at(S, l, state.a, m),
      to = at(S, l, state.b, m);
    r.from += from || 0;
    r.to += to || 0;
    r.there = r.there || from !== null || to !== null;
    r.guilty = r.guilty || l.guilty;
    r.mappings += l.mappings;
  }
  for (const r of groups.values()) if (r.there) rows.push({ ...r, delta: r.to - r.from });
  const words = state.find.toLowerCase();
  const found = words
    ? rows.filter(r =>
        (r.name + ' ' + r.path + ' ' + r.cat.k + ' ' + r.lins.map(l => '#' + l.id).join(' '))
          .toLowerCase()
          .includes(words)
      )
    : rows;
  return { all: rows.length, rows: found.sort((p, q) => Math.abs(q.delta) - Math.abs(p.delta) || q.to - p.to) };
}

// The course of some mappings in a small canvas.
function course(row) {
  const m = mappingMetric(),
    canvas = el('canvas.course', { 'aria-hidden': 'true' }),
    sums = new Float64Array(S.NK + 1);
  for (const l of row.lins) {
    for (let i = l.from; i < l.to; i++) {
      sums[S.str.a[i]] += S.str[m][i] || 0;
      sums[S.str.z[i] + 1] -= S.str[m][i] || 0;
    }
  }
  for (let i = 1; i < S.NK; i++) sums[i] += sums[i - 1];
  const c = prepareSmall(canvas, 80, 16),
    most = Math.max(1, ...sums.subarray(0, S.NK)),
    t0 = S.t[0],
    all = S.span || 1;
  sparkline(
    c,
    80,
    16,
    i => (S.t[S.kmap[i]] - t0) / all,
    i => sums[i] / most,
    S.NK,
    color(row.guilty ? row.cat.color : row.cat.guilty ? FAMILY[row.cat.k.split('/')[0]] || 'anon1' : row.cat.color)
  );
  return canvas;
}

function prepareSmall(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const c = canvas.getContext('2d');
  c.scale(scale, scale);
  return c;
}

// A filled course: x and y give shares from 0 to 1.
function sparkline(c, width, height, x, y, n, ink) {
  c.beginPath();
  c.moveTo(x(0) * (width - 2) + 1, height);
  for (let i = 0; i < n; i++) c.lineTo(x(i) * (width - 2) + 1, height - 1 - y(i) * (height - 3));
  c.lineTo(x(n - 1) * (width - 2) + 1 + (n === 1 ? 2 : 0), height);
  c.closePath();
  c.fillStyle = fade(ink, 0.35);
  c.fill();
  c.beginPath();
  for (let i = 0; i < n; i++) c.lineTo(x(i) * (width - 2) + 1, height - 1 - y(i) * (height - 3));
  c.strokeStyle = ink;
  c.lineWidth = 1.2;
  c.stroke();
}

function drawMappings(body, of) {
  const { all, rows } = mappingRows(),
    show = rows.slice(0, state.find ? MOST_ROWS : ROWS);
  of.textContent = (state.find ? rows.length + ' ' : '') + 'of ' + count(all);
  body.replaceChildren(
    ...show.map(r => {
      const one = r.lins.length === 1 ? r.lins[0] : null,
        way = one && r.guilty ? direction(one) + ' ' : '';
      const pick = () => change({ lin: one && state.lin !== one.i ? one.i : null });
      const chosen = one && state.lin === one.i;
      return el(
        'tr' + (one ? '.pick' : '') + (chosen ? '.chosen' : ''),
        {
          click: pick,
          title: r.path || r.cat.k,
          tabindex: one ? 0 : null,
          keydown: e => {
            if (e.key === 'Enter') pick();
          }
        },
        el(
          'td',
          {},
          swatch(r.guilty || !r.cat.guilty ? r.cat.color : FAMILY[r.cat.k.split('/')[0]] || 'anon1'),
          ' ' + way + shorten(r.name, 60)
        ),
        el('td.number.same', {}, one && one.id ? '#' + one.id : '×' + count(r.mappings)),
        el('td', {}, course(r)),
        el('td.number', {}, kib(r.to)),
        el(
          'td.number' + (r.guilty && r.delta > 0 ? '.' + r.cat.guilty : r.delta ? '.changed' : '.same'),
          {},
          signed(r.delta)
        )
      );
    }),
    rows.length > show.length
      ? el(
          'tr.dim',
          {},
          el('td', { colspan: 5 }, '[' + count(rows.length - show.length) + ' more; find looks through all]')
        )
      : ''
  );
}

function mappingsCard() {
  const body = el('tbody'),
    of = el('small'),
    kind = el('span');
  const find = el('input', {
    type: 'search',
    placeholder: 'find',
    'aria-label': 'find mappings by name, path, category or #lineage',
    size: 9,
    input: e => change({ find: e.target.value })
  });
  view(['list', 'a', 'b'], () => {
    if (state.list === null) state.list = S.lin.filter(l => l.guilty).length > 10 ? 'object' : 'each';
    kind.replaceChildren(
      choice(
        'list',
        [
          ['each', 'each'],
          ['object', 'by object']
        ],
        state.list,
        v => change({ list: v })
      )
    );
  });
  view(['list', 'metric', 'a', 'b', 'find', 'lin', 'theme'], () => drawMappings(body, of));
  return el(
    'section.card',
    { id: 'which' },
    el('div.bar', {}, el('h2', {}, 'Which mappings '), of, kind, find),
    el(
      'table',
      { id: 'mappings' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ['mapping', '', 'course', 'at B', 'change'].map((h, i) => el(i && i !== 2 ? 'th.number' : 'th', {}, h))
        )
      ),
      body
    )
  );
}
