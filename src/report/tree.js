// tree: everything at B as a treemap: category, object, mapping. Area is the metric, colour the change.

const TREE_HEIGHT = 240;

// Squarified: cuts {value} items into the rectangle.
function squarify(items, x, y, w, h, place) {
  items = items.filter(i => i.value > 0).sort((a, b) => b.value - a.value);
  let total = items.reduce((s, i) => s + i.value, 0),
    at = 0;
  while (at < items.length && w > 0 && h > 0) {
    const side = Math.min(w, h),
      scale = (w * h) / total;
    let sum = 0,
      end = at,
      worst = Infinity;
    for (; end < items.length; end++) {
      const next = sum + items[end].value,
        thick = (next * scale) / side;
      const ratio = Math.max((items[at].value * scale) / thick / thick, (thick * thick) / (items[end].value * scale));
      if (ratio > worst) break;
      worst = ratio;
      sum = next;
    }
    const thick = (sum * scale) / side;
    let along = 0;
    for (let i = at; i < end; i++) {
      const len = (items[i].value / sum) * side;
      if (w >= h) place(items[i], x, y + along, thick, len);
      else place(items[i], x + along, y, len, thick);
      along += len;
    }
    if (w >= h) {
      x += thick;
      w -= thick;
    } else {
      y += thick;
      h -= thick;
    }
    total -= sum;
    at = end;
  }
}

function treeItems() {
  const m = mappingMetric(),
    cats = new Map();
  for (const l of S.lin) {
    const from = at(S, l, state.a, m) || 0,
      value = at(S, l, state.b, m) || 0;
    if (!value && !from) continue;
    const cat = S.cats[l.cat],
      c = cats.get(cat.k) || { name: cat.k, cat, value: 0, from: 0, objects: new Map() };
    const key = l.path || (l.id ? '' : '+'),
      o = c.objects.get(key) || { name: l.name, cat, value: 0, from: 0, leaves: [] };
    for (const g of [c, o]) {
      g.value += value;
      g.from += from;
    }
    o.leaves.push({ name: l.id ? '#' + l.id : l.name, cat, value, from, lin: l });
    c.objects.set(key, o);
    cats.set(cat.k, c);
  }
  return [...cats.values()];
}

let treePlaces = [];

function drawTree(canvas, crumbs, note) {
  const c = prepare(canvas, TREE_HEIGHT),
    width = canvas.clientWidth,
    all = treeItems(),
    m = mappingMetric();
  const gone = all.reduce(
    (s, i) =>
      s + [...i.objects.values()].reduce((t, o) => t + o.leaves.reduce((u, l) => u + (l.value ? 0 : l.from), 0), 0),
    0
  );
  const most = Math.max(
    1,
    ...all.flatMap(i => [...i.objects.values()].flatMap(o => o.leaves.map(l => Math.abs(l.value - l.from))))
  );
  const root = state.tree.length ? all.filter(i => i.name === state.tree[0]) : all;
  treePlaces = [];
  c.fillStyle = color('card');
  c.fillRect(0, 0, width, TREE_HEIGHT);
  const ink = i => {
    if (state.treeColor === 'category') return color(i.cat.color);
    const d = i.value - i.from,
      share = Math.sqrt(Math.abs(d) / most);
    return d === 0 ? color('unchanged') : mix(color('unchanged'), color(d > 0 ? 'grew' : 'shrank'), share);
  };
  // the first of the texts that fits, or what fits of the last one
  const label = (texts, x, y, w, h, paint, bold) => {
    if (w < 34 || h < 13) return;
    c.save();
    c.beginPath();
    c.rect(x, y, w - 2, h);
    c.clip();
    c.font = bold ? BOLD : FONT;
    c.textAlign = 'left';
    c.fillStyle = inkOn(paint);
    c.fillText(texts.find(text => c.measureText(text).width < w - 6) || texts[texts.length - 1], x + 4, y + 8);
    c.restore();
  };
  const words = i =>
    shorten(i.name, 40) +
    ' ' +
    kib(i.value) +
    (i.value === i.from ? '' : i.from ? ' (' + signed(i.value - i.from) + ')' : state.a === state.b ? '' : ' (new)');
  const titles = (o, l) =>
    l.lin.id
      ? [
          words({ ...l, name: o.name + ' ' + l.name }),
          o.leaves.length > 1 || !l.lin.path ? words(l) : words({ ...l, name: o.name })
        ]
      : [words(l)];
  squarify(root, 0, 0, width, TREE_HEIGHT, (cat, x, y, w, h) => {
    const head = h > 30 && w > 40 ? 14 : 0,
      edge = cat.cat.guilty && head ? 2 : 0;
    const band = head
      ? state.treeColor === 'category' || cat.cat.guilty
        ? color(cat.cat.color)
        : color('head')
      : ink(cat);
    c.fillStyle = band;
    c.fillRect(x, y, w - 1, h - 1);
    treePlaces.push({ i: cat, x, y, w, h, path: [cat.name] });
    if (head) {
      label([words(cat)], x, y, w, 14, band, true);
      c.fillStyle = color('card');
      c.fillRect(x + edge, y + head, w - 1 - 2 * edge, h - 1 - head - edge);
    }
    squarify(
      [...cat.objects.values()],
      x + edge,
      y + head,
      w - 1 - 2 * edge,
      h - 1 - head - edge,
      (o, ox, oy, ow, oh) => {
        const single = o.leaves.length === 1 || ow < 4 || oh < 4;
        if (single) {
          c.fillStyle = ink(o);
          c.fillRect(ox, oy, Math.max(ow - 0.7, 0.5), Math.max(oh - 0.7, 0.5));
          label(o.leaves.length === 1 ? titles(o, o.leaves[0]) : [words(o)], ox, oy + 1, ow, oh, ink(o));
          treePlaces.push({
            i: o.leaves.length === 1 ? o.leaves[0] : o,
            x: ox,
            y: oy,
            w: ow,
            h: oh,
            path: [cat.name],
            object: o
          });
          return;
        }
        squarify(o.leaves, ox, oy, ow, oh, (l, lx, ly, lw, lh) => {
          c.fillStyle = ink(l);
          c.fillRect(lx, ly, Math.max(lw - 0.7, 0.5), Math.max(lh - 0.7, 0.5));
          label(titles(o, l), lx, ly + 1, lw, lh, ink(l));
          treePlaces.push({ i: l, x: lx, y: ly, w: lw, h: lh, path: [cat.name], object: o });
        });
      }
    );
  });
  if (state.lin !== null) {
    c.strokeStyle = color('text');
    c.lineWidth = 2;
    for (const p of treePlaces)
      if (p.i.lin && p.i.lin.i === state.lin) c.strokeRect(p.x + 1, p.y + 1, p.w - 3, p.h - 3);
  }
  const total = all.reduce((s, i) => s + i.value, 0);
  note.textContent =
    '(' +
    clock(S.t[S.stops[state.b]], S.span) +
    ') by category, object and mapping; area = ' +
    m +
    ', ' +
    kib(total) +
    (state.treeColor === 'change'
      ? '; orange grew since A, blue shrank, grey stayed' + (gone ? '; gone since A: ' + kib(gone) : '')
      : '');
  crumbs.textContent = state.tree.length ? visible(state.tree[0]) + ': Escape or click goes out' : 'click: into it';
}

function treeCard() {
  const canvas = el('canvas', {
    tabindex: 0,
    role: 'img',
    id: 'tree',
    'aria-label': 'Treemap of everything at B. The tables of categories and mappings have the same content.'
  });
  const note = el('small'),
    crumbs = el('small'),
    kind = el('span');
  const hit = e =>
    treePlaces
      .filter(p => e.offsetX >= p.x && e.offsetX < p.x + p.w && e.offsetY >= p.y && e.offsetY < p.y + p.h)
      .pop();
  canvas.addEventListener('click', e => {
    const p = hit(e);
    if (!p) return;
    if (!state.tree.length) change({ tree: p.path });
    else if (p.i.lin) change({ lin: state.lin === p.i.lin.i ? null : p.i.lin.i });
    else change({ tree: [] });
  });
  canvas.addEventListener('keydown', e => {
    if (e.key === 'Escape') change({ tree: [], lin: null });
  });
  canvas.addEventListener('mousemove', e => {
    const p = hit(e),
      box = document.getElementById('tip');
    box.hidden = !p;
    if (!p) return;
    box.replaceChildren(
      el('b', {}, p.i.lin ? shorten(p.i.lin.path || p.i.lin.name, 70) + ' ' + p.i.name : shorten(p.i.name, 70)),
      el('br'),
      p.i.cat.k,
      el('br'),
      kib(p.i.from) + ' → ' + kib(p.i.value) + ' (' + signed(p.i.value - p.i.from) + ')'
    );
    place(box, e);
  });
  canvas.addEventListener('mouseleave', () => {
    document.getElementById('tip').hidden = true;
  });
  view(['treeColor'], () =>
    kind.replaceChildren(
      S.K > 1
        ? choice(
            'colour',
            [
              ['change', 'change A → B'],
              ['category', 'category']
            ],
            state.treeColor,
            v => change({ treeColor: v })
          )
        : ''
    )
  );
  view(['treeColor', 'tree', 'metric', 'a', 'b', 'lin', 'theme'], () => drawTree(canvas, crumbs, note));
  return el(
    'section.card.wide',
    { id: 'everything' },
    el('div.bar', {}, el('h2', {}, 'Everything at B '), note, kind, crumbs),
    canvas
  );
}
