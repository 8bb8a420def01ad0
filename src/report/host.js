// host: the first page of a store of many names: who holds the memory, who grew, who leaks, who is near
// a limit.

// A name with its processes: sums of their newest values, of growth and courses.
function names() {
  const groups = new Map();
  for (const p of index.fleet) {
    const key = (p.host || '') + ' ' + p.name,
      course = courseOf(p),
      j = judge(index.leak, p.id);
    const g = groups.get(key) || {
      name: p.name,
      host: p.host,
      processes: [],
      kib: 0,
      grown: 0,
      worst: null,
      eta: null,
      link: null,
      pss: true
    };
    const metric = course.pss.some(v => v !== null) ? 'pss' : 'rss';
    if (metric === 'rss') g.pss = false;
    g.processes.push({ p, course, j, metric });
    g.kib += lastOf(course[metric]) || 0;
    g.grown += (lastOf(course.rss) || 0) - (firstOf(course.rss) || 0);
    if (
      j.worst &&
      (!g.worst ||
        RANK[j.worst.verdict] > RANK[g.worst.verdict] ||
        (j.worst.verdict === g.worst.verdict && (j.worst.rate_per_h || 0) > (g.worst.rate_per_h || 0)))
    )
      g.worst = j.worst;
    if (
      j.whole &&
      j.whole.limit !== undefined &&
      j.whole.eta_h !== undefined &&
      j.worst &&
      (g.eta === null || j.whole.eta_h < g.eta.eta_h)
    )
      g.eta = j.whole;
    const link = linkOf(p.id);
    if (link && (!g.link || (g.worst && g.worst.process_id === p.id))) g.link = link;
    groups.set(key, g);
  }
  return [...groups.values()];
}

const hostSort = { by: 'verdict' };

function hostCard() {
  const all = names(),
    card = el('section.card.wide', { id: 'host' }),
    hosts = new Set(all.map(g => g.host));
  const t0 = Math.min(...index.fleet.map(p => courseOf(p).t[0])),
    t1 = Math.max(...index.fleet.map(p => lastOf(courseOf(p).t)));
  const total = all.reduce((s, g) => s + g.kib, 0),
    orders = {
      verdict: (a, b) =>
        RANK[(b.worst || { verdict: 'steady' }).verdict] - RANK[(a.worst || { verdict: 'steady' }).verdict] ||
        ((b.worst || {}).rate_per_h || 0) - ((a.worst || {}).rate_per_h || 0) ||
        b.grown - a.grown,
      holds: (a, b) => b.kib - a.kib,
      grew: (a, b) => b.grown - a.grown,
      limit: (a, b) => (a.eta ? a.eta.eta_h : Infinity) - (b.eta ? b.eta.eta_h : Infinity) || b.kib - a.kib
    };
  const leaks = all.filter(g => g.worst && g.worst.verdict === 'leak'),
    suspects = all.filter(g => g.worst && g.worst.verdict === 'suspect');
  let more = false;
  const draw = () => {
    const sorted = [...all].sort(orders[hostSort.by]),
      show = more ? sorted : sorted.slice(0, 15),
      most = Math.max(1, ...all.map(g => g.kib));
    card.replaceChildren(
      el(
        'div.bar',
        {},
        el(
          'h2',
          {},
          plural(all.length, 'name') +
            ' ' +
            (hosts.size === 1 && all[0].host ? 'on ' + shorten(all[0].host, 40) : 'in the store') +
            ' '
        ),
        el(
          'small',
          {},
          kib(total) +
            (all.every(g => g.pss) ? ' Pss' : ' Pss or Rss') +
            ' in ' +
            plural(index.fleet.length, 'process') +
            '; ' +
            (leaks.length ? plural(leaks.length, 'leak') : 'no leak') +
            (suspects.length ? ', ' + plural(suspects.length, 'suspect') : '')
        ),
        choice(
          'order',
          [
            ['verdict', 'who leaks'],
            ['holds', 'who holds'],
            ['grew', 'who grew'],
            ['limit', 'who is near a limit']
          ],
          hostSort.by,
          v => {
            hostSort.by = v;
            draw();
          }
        )
      ),
      el(
        'table',
        { id: 'names' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['name', '', 'course', 'holds', '', 'grew', 'verdict', 'limit'].map((h, i) =>
              el([3, 5].includes(i) ? 'th.number' : 'th', {}, h)
            )
          )
        ),
        el(
          'tbody',
          {},
          show.map(g => {
            const bar = el('i.bar');
            bar.style.width = Math.max(1, Math.round((g.kib / most) * 120)) + 'px';
            bar.style.background = g.worst ? color(g.worst.verdict === 'leak' ? 'leak0' : 'suspect0') : color('bar');
            const first = g.processes.reduce((a, b) =>
              (lastOf(b.course[b.metric]) || 0) > (lastOf(a.course[a.metric]) || 0) ? b : a
            );
            const chief = g.worst ? g.processes.find(o => o.p.id === g.worst.process_id) || first : first;
            const values = chief.course[chief.metric];
            return el(
              'tr',
              {},
              el(
                'td',
                {},
                g.link ? el('a', { href: g.link }, shorten(g.name, 30)) : shorten(g.name, 30),
                hosts.size > 1 && g.host ? el('small', {}, ' ' + shorten(g.host, 20)) : ''
              ),
              el(
                'td.same',
                {},
                g.processes.length > 1 ? '×' + g.processes.length : chief.p.pid === null ? '' : chief.p.pid
              ),
              el(
                'td',
                {},
                tile(values, chief.course.t, t0, t1, Math.max(1, ...values.map(v => v || 0)), inkOf(chief.j), 120, 22)
              ),
              el('td.number', {}, kib(g.kib)),
              el('td', {}, bar),
              el('td.number' + (g.grown > 0 ? '.changed' : '.same'), {}, signed(g.grown)),
              el(
                'td' + (g.worst ? '.' + g.worst.verdict : '.same'),
                {},
                g.worst
                  ? GLYPHS[g.worst.verdict] +
                      ' ' +
                      g.worst.verdict +
                      ': ' +
                      shorten(g.worst.key, 30) +
                      ' +' +
                      rateWords(g.worst) +
                      '/h'
                  : chief.j.whole
                    ? chief.j.whole.verdict
                    : ''
              ),
              el(
                'td',
                {},
                g.eta
                  ? g.eta.eta_h <= 0
                    ? 'reached'
                    : span(g.eta.eta_h * HOUR) +
                      ' until ' +
                      (g.eta.unit === 'KiB' ? kib(g.eta.limit) : count(g.eta.limit))
                  : ''
              )
            );
          })
        )
      ),
      sorted.length > 15
        ? el(
            'button',
            {
              type: 'button',
              click: () => {
                more = !more;
                draw();
              }
            },
            more ? 'fewer' : 'all ' + sorted.length
          )
        : ''
    );
  };
  hostDraw = draw;
  return card;
}

let hostDraw = null;
