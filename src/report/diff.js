// diff: what changed from A to B, by category.

function selectors() {
  const a = S.stops[state.a],
    b = S.stops[state.b];
  return { a, b, lives: S.lifeStart(a) === S.lifeStart(b) ? 1 : 2 };
}

function pmapdbDiff() {
  const { a, b, lives } = selectors();
  return (
    'pmapdb diff --process ' +
    processWord(S.name, S.pid, S.process_id, lives > 1 || S.born.size > 1 ? 2 : 1) +
    ' --from @' +
    S.id[a] +
    ' --to @' +
    S.id[b]
  );
}

// Rows of the table: {name, color, from, to, delta, mappings}, by |change|.
function changes() {
  const { a, b } = selectors(),
    m = state.metric;
  const rows = S.cats
    .map(c => ({
      c,
      from: c[m][a],
      to: c[m][b],
      delta: c[m][a] === null || c[m][b] === null ? null : c[m][b] - c[m][a],
      mappings: c.mappings[a] === null || c.mappings[b] === null ? null : c.mappings[b] - c.mappings[a]
    }))
    .filter(r => r.from || r.to || r.delta || r.mappings);
  return rows.sort((x, y) => Math.abs(y.delta || 0) - Math.abs(x.delta || 0) || (y.to || 0) - (x.to || 0));
}

function drawDiff(card) {
  const { a, b } = selectors(),
    m = state.metric,
    all = changes();
  const show = all.length > 10 ? 9 : all.length,
    most = Math.max(1, ...all.map(r => Math.abs(r.delta || 0)));
  const sum = (rows, of) => (rows.some(r => r[of] === null) ? null : rows.reduce((s, r) => s + r[of], 0));
  const rest = all.slice(show),
    others = {
      from: sum(rest, 'from'),
      to: sum(rest, 'to'),
      delta: sum(rest, 'delta'),
      mappings: sum(rest, 'mappings')
    };
  const A = S.total[m][a],
    B = S.total[m][b];
  const total = {
    from: A,
    to: B,
    delta: A === null || B === null ? null : B - A,
    mappings:
      S.total.mappings[a] === null || S.total.mappings[b] === null ? null : S.total.mappings[b] - S.total.mappings[a]
  };
  const counted = all.some(r => r.mappings);
  const bar = (r, name) => {
    const b = el('i.bar');
    b.style.width = Math.round((Math.abs(r.delta || 0) / most) * 34) + 'px';
    b.style.background = color(name);
    return b;
  };
  const row = (name, r, kind) =>
    el(
      'tr' + (kind || ''),
      { title: name },
      el('td', {}, r.c ? swatch(r.c.color) : '', ' ' + shorten(name, 60)),
      el('td.number', {}, kib(r.from)),
      el('td.number', {}, kib(r.to)),
      el(
        'td.number' + (r.c && r.c.guilty && r.delta > 0 ? '.' + r.c.guilty : r.delta ? '.changed' : '.same'),
        {},
        signed(r.delta)
      ),
      el('td', {}, r.c && r.delta ? bar(r, r.c.guilty && r.delta > 0 ? r.c.color : 'bar') : ''),
      counted ? el('td.number.same', {}, r.mappings ? signed(r.mappings, count) : '') : ''
    );
  card.replaceChildren(
    el('h2', {}, 'What changed, A → B ', el('small', {}, m)),
    el(
      'p.note',
      {},
      'A ' +
        clock(S.t[a], S.span) +
        ' (@' +
        S.id[a] +
        ') → B ' +
        clock(S.t[b], S.span) +
        ' (@' +
        S.id[b] +
        '), ' +
        span(S.t[b] - S.t[a])
    ),
    el(
      'table',
      { id: 'diff' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ['category', 'A', 'B', 'change', '', ...(counted ? ['maps'] : [])].map((h, i) =>
            el(i ? 'th.number' : 'th', {}, h)
          )
        )
      ),
      el(
        'tbody',
        {},
        all.slice(0, show).map(r => row(r.c.k, r)),
        rest.length ? row('[' + plural(rest.length, 'other') + ']', others, '.dim') : '',
        row('TOTAL', total, '.total')
      )
    ),
    S.K > 1 ? command(pmapdbDiff()) : ''
  );
}

function diffCard() {
  const card = el('section.card', { id: 'changed' });
  view(['metric', 'a', 'b', 'theme'], () => drawDiff(card));
  return card;
}
