// page: puts the views together, chooses the process, and starts.

let index = null;

function title() {
  return S.name + (S.pid === null ? '' : '/' + S.pid);
}

function verdictCard() {
  const j = S.verdicts,
    kind = badgeOf(j),
    [glyph, word] = BADGES[kind],
    reason = why(j);
  return el(
    'section.card.wide.verdict.' + kind,
    { id: 'verdict' },
    el('div.badge', { id: 'badge' }, el('span', {}, glyph), el('b', {}, word)),
    el(
      'div',
      {},
      el('p.sentence', {}, sentence(j, S)),
      el(
        'p.facts',
        {},
        facts(j, S).map(([bold, plain]) => el('span', {}, el('b', {}, bold), ' ' + plain))
      ),
      reason || S.next.length
        ? el(
            'p.why',
            {},
            reason ? 'why: ' + reason + '. ' : '',
            S.next.length ? 'Next: ' : '',
            S.next.map(n => (n.command ? command(n.command) : el('span.advice', {}, n.text)))
          )
        : ''
    )
  );
}

function behindCard() {
  const said = document.getElementById('said').textContent,
    rows = S.verdicts.rows;
  const table = el(
    'table',
    {},
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        ['key', 'verdict', 'metric', 'first', 'last', 'an hour', 'since', 'why'].map(h => el('th', {}, h))
      )
    ),
    el(
      'tbody',
      {},
      rows.map(r =>
        el(
          'tr',
          {},
          el('td', {}, shorten(r.key, 40)),
          el('td' + (RANK[r.verdict] > 3 ? '.' + r.verdict : ''), {}, r.verdict),
          el('td', {}, r.metric || ''),
          el('td.number', {}, r.first === undefined ? '?' : r.unit === 'KiB' ? kib(r.first) : count(r.first)),
          el('td.number', {}, r.last === undefined ? '?' : r.unit === 'KiB' ? kib(r.last) : count(r.last)),
          el(
            'td.number',
            {},
            r.rate_per_h === undefined ? '?' : r.unit === 'KiB' ? signed(r.rate_per_h) : signed(r.rate_per_h, count)
          ),
          el('td', {}, r.since || ''),
          el('td', {}, r.reason || '')
        )
      )
    )
  );
  return el(
    'section.card.wide',
    { id: 'behind' },
    el(
      'details',
      {},
      el('summary', {}, 'All verdicts, the program’s own words, keys, what is in this file'),
      table,
      el('pre', {}, said),
      el(
        'p',
        {},
        'Keys in the chart and the map: ←/→ one snapshot, Shift ten, Home and End; a and b set A and B; z zooms to A–B; Escape shows all; 1 to 5 choose the metric; s the mode. Mouse: drag A to B, click sets B, Shift and click A, Ctrl and wheel zoom; a double click on a category shows it alone.'
      ),
      el(
        'p',
        {},
        'This file has ' +
          count(S.K) +
          ' of ' +
          plural(S.n, 'snapshot') +
          (S.K < S.n ? ', all of them real, with every peak, gap and restart' : '') +
          '; ' +
          count(S.NK) +
          ' with their mappings, ' +
          count(S.strings) +
          ' stretches. Captured as ' +
          S.dialects.join(', ') +
          '. Times are UTC. Made by ' +
          index.about.tool +
          ' at ' +
          iso(index.about.made_ms).slice(0, 19) +
          'Z.'
      )
    )
  );
}

function header() {
  const flip = el(
    'button',
    {
      type: 'button',
      id: 'theme',
      'aria-label': 'light or dark',
      title: 'light or dark',
      click: () => {
        const dark = document.documentElement.dataset.theme
          ? document.documentElement.dataset.theme === 'dark'
          : matchMedia('(prefers-color-scheme: dark)').matches;
        document.documentElement.dataset.theme = dark ? 'light' : 'dark';
        retheme();
      }
    },
    '◐'
  );
  const long = S.span > 24 * HOUR ? 16 : 19,
    times =
      iso(S.t[0]).slice(0, long).replace('T', ' ') +
      ' → ' +
      (iso(S.t[S.K - 1]).slice(0, 10) === iso(S.t[0]).slice(0, 10)
        ? iso(S.t[S.K - 1]).slice(11, long)
        : iso(S.t[S.K - 1])
            .slice(0, long)
            .replace('T', ' '));
  return el(
    'header.wide',
    {},
    index.about.back ? el('a', { href: index.about.back }, '← all') : null,
    el('h1', {}, shorten(title(), 80)),
    el(
      'small',
      {},
      [index.about.title, S.host, S.command && S.command !== S.name ? shorten(S.command, 100) : '']
        .filter(Boolean)
        .join(' · ')
    ),
    el(
      'span.times',
      {},
      (S.K > 1 ? times : iso(S.t[0]).slice(0, 19).replace('T', ' ')) +
        ' UTC, ' +
        plural(S.n, 'snapshot') +
        (S.K < S.n ? ', ' + count(S.K) + ' of them here' : '')
    ),
    flip
  );
}

function retheme() {
  spaceBase = null;
  state.theme =
    document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  redraw();
  if (hostDraw) hostDraw();
}

// Shows a process: the views that have data.
function show(data) {
  const main = document.getElementById('main'),
    hasSpace = () => S.NK > 0 && S.lin.length > 0;
  views.length = 0;
  spaceBase = null;
  S = data;
  chooseDefaults();
  readLink();
  const siblings = index.fleet.filter(p => p.name === S.name && (p.host || null) === (S.host || null));
  const overlap = siblings.some(p => p.id !== S.process_id && !S.life.some(l => l.pid === p.pid));
  const left = [chartCard()],
    right = [];
  if (S.K > 1) right.push(diffCard());
  if (hasSpace()) left.push(spaceCard());
  if (S.lin.length) right.push(mappingsCard());
  main.replaceChildren(
    el('a', { href: '#made', class: 'skip' }, 'to the chart'),
    header(),
    ...(new Set(index.fleet.map(p => p.host + ' ' + p.name)).size > 1 ? [hostCard()] : []),
    verdictCard(),
    ...(siblings.length > 1 && overlap ? [fleetCard(siblings)] : []),
    el('div.column', {}, left),
    ...(right.length ? [el('div.column', {}, right)] : []),
    ...(S.lin.length ? [treeCard()] : []),
    ...(S.who.some(s => s.kind === 'stack' && s.kib > 0) ? [whoCard()] : []),
    behindCard()
  );
  document.title = visible(title() + ' – ' + BADGES[badgeOf(S.verdicts)][1] + ' – pmapdb');
  redraw();
  if (hostDraw) hostDraw();
}

// For tests: the cells in which the stretches do not add up to the category.
function check() {
  const bad = [];
  S.kmap.forEach((k, stop) => {
    const sums = S.cats.map(() => 0);
    for (const l of S.lin)
      for (let i = l.from; i < l.to; i++)
        if (S.str.a[i] <= stop && stop <= S.str.z[i]) sums[l.cat] += S.str.rss[i] || 0;
    S.cats.forEach((c, i) => {
      if (c.rss[k] !== null && c.rss[k] !== sums[i]) bad.push([S.id[k], c.k, c.rss[k], sums[i]]);
    });
  });
  return bad;
}

// Shows one of the processes that this file has, or else its first one.
async function open(id) {
  const here = index.shown.filter(s => s.data !== undefined);
  const chosen = here.find(s => s.id === id) || here[0];
  state.process = here.length > 1 ? chosen.id : null;
  show(series(await unpack(document.getElementById('data' + chosen.data)), index.leak));
}

async function start() {
  const main = document.getElementById('main');
  index = await unpack(document.getElementById('data0'));
  main.hidden = false;
  document.getElementById('static').hidden = true;
  document.body.append(el('div', { id: 'tip', hidden: true }), el('div', { id: 'live', 'aria-live': 'polite' }));
  state.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const asked = () => Number(new URLSearchParams(location.hash.slice(1)).get('p'));
  if (document.getElementById('data1')) await open(asked());
  else {
    main.replaceChildren(hostCard());
    hostDraw();
  }
  addEventListener('hashchange', () => {
    if (state.process !== null && asked() && asked() !== state.process) open(asked()).then(() => scrollTo(0, 0));
  });
  let wait = null;
  addEventListener('resize', () => {
    clearTimeout(wait);
    wait = setTimeout(retheme, 100);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', retheme);
  addEventListener('beforeprint', () => {
    document.documentElement.dataset.print = 'yes';
    retheme();
  });
  addEventListener('afterprint', () => {
    delete document.documentElement.dataset.print;
    retheme();
  });
  window.pmapdbReport = {
    check,
    state,
    get S() {
      return S;
    },
    get index() {
      return index;
    },
    numbersAt,
    changes,
    change,
    timeAxis,
    kib,
    diff: pmapdbDiff,
    readyMs: performance.now()
  };
  document.documentElement.dataset.ready = 'yes';
}

start();
