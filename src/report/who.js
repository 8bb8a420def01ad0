// who: which call stacks allocated what grew, as an icicle: callers above, width is growth.

const FRAME_HEIGHT = 17;
const ALLOCATOR =
  /^(_?_?(libc|GI__)_|_start$|all$|.*malloc|.*calloc|.*realloc|_?_?mmap|_?_?brk|_?_?sbrk|.*morecore|.*mremap|__.*|operator new|start_thread|clone)/;

function frames() {
  const root = { name: 'all', kib: 0, children: new Map(), depth: 0, parent: null };
  for (const s of S.who) {
    if (s.kind !== 'stack' || s.kib === undefined || s.kib <= 0) continue;
    let f = root;
    f.kib += s.kib;
    for (const name of s.stack.split(';')) {
      if (!f.children.has(name))
        f.children.set(name, { name, kib: 0, children: new Map(), depth: f.depth + 1, parent: f });
      f = f.children.get(name);
      f.kib += s.kib;
    }
  }
  return root;
}

function whoCard() {
  const root = frames(),
    canvas = el('canvas', {
      tabindex: 0,
      role: 'img',
      id: 'who',
      'aria-label': 'Call stacks that allocated what grew; the table below has the largest.'
    });
  const uncovered = S.who.filter(s => s.kind !== 'stack').reduce((sum, s) => sum + (s.kib || 0), 0),
    found = el('small');
  let top = root,
    words = '',
    places = [];
  const draw = () => {
    const deepest = f => Math.max(f.depth, ...[...f.children.values()].map(deepest)),
      above = [];
    for (let f = top; f; f = f.parent) above.unshift(f);
    const height = (deepest(top) + 1) * FRAME_HEIGHT + 2,
      c = prepare(canvas, height),
      width = canvas.clientWidth;
    places = [];
    let matched = 0;
    const box = (f, x, w, inside) => {
      if (w < 1) return;
      const hit = words && f.name.toLowerCase().includes(words);
      if (hit && !inside) matched += f.kib;
      c.fillStyle = hit ? color('select') : color(ALLOCATOR.test(f.name) ? 'frame' : 'ours');
      c.fillRect(x, f.depth * FRAME_HEIGHT, w - 1, FRAME_HEIGHT - 1);
      places.push({ f, x, w, y: f.depth * FRAME_HEIGHT });
      if (w > 40) {
        c.save();
        c.beginPath();
        c.rect(x, f.depth * FRAME_HEIGHT, w - 3, FRAME_HEIGHT);
        c.clip();
        c.fillStyle = hit ? color('on-select') : color('on-frame');
        c.textAlign = 'left';
        c.fillText(
          shorten(f.name, 60) + '  ' + kib(f.kib) + ' ' + Math.round((100 * f.kib) / root.kib) + ' %',
          x + 4,
          f.depth * FRAME_HEIGHT + 8.5
        );
        c.restore();
      }
      let at = x;
      const below =
        above.includes(f) && f !== top
          ? [above[above.indexOf(f) + 1]]
          : [...f.children.values()].sort((p, q) => q.kib - p.kib);
      for (const g of below) {
        const part = below.length === 1 && above.includes(f) && f !== top ? w : (w * g.kib) / f.kib;
        box(g, at, part, inside || hit);
        at += part;
      }
    };
    box(root, 0, width, false);
    found.textContent = words ? kib(matched) + ' in functions that match' : '';
  };
  const hit = e =>
    places.find(p => e.offsetX >= p.x && e.offsetX < p.x + p.w && e.offsetY >= p.y && e.offsetY < p.y + FRAME_HEIGHT);
  canvas.addEventListener('click', e => {
    const p = hit(e);
    if (p) {
      top = p.f;
      draw();
    }
  });
  canvas.addEventListener('keydown', e => {
    if (e.key === 'Escape') {
      top = root;
      draw();
    }
  });
  canvas.addEventListener('mousemove', e => {
    const p = hit(e),
      tipBox = document.getElementById('tip');
    tipBox.hidden = !p;
    if (!p) return;
    tipBox.replaceChildren(
      el('b', {}, shorten(p.f.name, 120)),
      el('br'),
      kib(p.f.kib) + ', ' + Math.round((100 * p.f.kib) / root.kib) + ' % of what is covered'
    );
    place(tipBox, e);
  });
  canvas.addEventListener('mouseleave', () => {
    document.getElementById('tip').hidden = true;
  });
  const find = el('input', {
    type: 'search',
    placeholder: 'find function',
    'aria-label': 'find a function',
    size: 14,
    input: e => {
      words = e.target.value.toLowerCase();
      draw();
    }
  });
  view(['theme'], draw);
  const largest = S.who
    .filter(s => s.kind === 'stack' && s.kib > 0)
    .sort((p, q) => q.kib - p.kib)
    .slice(0, 20);
  return el(
    'section.card.wide',
    { id: 'allocated' },
    el(
      'div.bar',
      {},
      el('h2', {}, 'Who allocated what grew '),
      el(
        'small',
        {},
        'width = growth of size from first to last snapshot, ' +
          kib(root.kib) +
          (uncovered > 0 ? '; ' + kib(uncovered) + ' more is not covered by a recording' : '') +
          '; callers above'
      ),
      find,
      found
    ),
    canvas,
    el(
      'details',
      {},
      el('summary', {}, 'as a table'),
      el(
        'table',
        {},
        el(
          'tbody',
          {},
          largest.map(s =>
            el('tr', {}, el('td.number', {}, kib(s.kib)), el('td.stack', {}, s.stack.split(';').reverse().join(' < ')))
          )
        )
      )
    )
  );
}
