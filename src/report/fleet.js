// fleet: the processes of one name, a tile each, the worst first.

const fleet = { metric: 'private', scale: 'same', all: false };

function courseOf(p) {
  if (p.course) return p.course;
  p.course = { t: undelta(p.at.t) };
  for (const m of ['rss', 'pss', 'private']) p.course[m] = undelta(p.at[m]);
  const known = m => p.course[m].some(v => v !== null);
  p.course.best = known('private') ? 'private' : 'rss';
  return p.course;
}

function lastOf(values) {
  for (let i = values.length - 1; i >= 0; i--) if (values[i] !== null) return values[i];
  return null;
}

function firstOf(values) {
  return values.find(v => v !== null);
}

// A tile's picture, on the time axis and scale of all tiles.
function tile(values, t, t0, t1, most, ink, width, height) {
  const canvas = el('canvas', { 'aria-hidden': 'true' }),
    c = prepareSmall(canvas, width, height),
    points = t.map((v, i) => i).filter(i => values[i] !== null);
  if (points.length)
    sparkline(
      c,
      width,
      height,
      i => (t[points[i]] - t0) / (t1 - t0 || 1),
      i => values[points[i]] / (most || 1),
      points.length,
      ink
    );
  return canvas;
}

function inkOf(j) {
  return color(j.worst ? (j.worst.verdict === 'leak' ? 'leak0' : 'suspect0') : 'anon1');
}

function fleetCard(list) {
  const card = el('section.card.wide', { id: 'siblings' });
  const judged = list.map(p => ({ p, j: judge(index.leak, p.id), course: courseOf(p) }));
  const metrics = ['private', 'rss'].filter(m => list.some(p => courseOf(p)[m].some(v => v !== null)));
  const draw = () => {
    const m = metrics.includes(fleet.metric) ? fleet.metric : metrics[0];
    const grown = o => (lastOf(o.course[m]) || 0) - (firstOf(o.course[m]) || 0);
    judged.sort(
      (a, b) =>
        RANK[(b.j.worst || { verdict: 'steady' }).verdict] - RANK[(a.j.worst || { verdict: 'steady' }).verdict] ||
        grown(b) - grown(a)
    );
    const t0 = Math.min(...judged.map(o => o.course.t[0])),
      t1 = Math.max(...judged.map(o => o.course.t[o.course.t.length - 1]));
    const top = o => Math.max(1, ...o.course[m].map(v => v || 0)),
      most = Math.max(...judged.map(top));
    const fit = Math.max(2, Math.floor(((card.clientWidth || 1200) - 18) / 126)) * 2,
      show = fleet.all ? judged : judged.slice(0, fit);
    const leaks = judged.filter(o => o.j.worst && o.j.worst.verdict === 'leak').length;
    card.replaceChildren(
      el(
        'div.bar',
        {},
        el('h2', {}, plural(list.length, 'process') + ' named ' + shorten(S.name, 40) + ' '),
        el(
          'small',
          {},
          (leaks ? leaks + ' of them ' + (leaks === 1 ? 'leaks' : 'leak') + '; ' : '') +
            'below is ' +
            shorten(title(), 40)
        ),
        metrics.length > 1
          ? choice(
              'tiles',
              metrics.map(v => [v, v]),
              m,
              v => {
                fleet.metric = v;
                draw();
              }
            )
          : '',
        choice(
          'scale',
          [
            ['same', 'same scale'],
            ['own', 'own scale']
          ],
          fleet.scale,
          v => {
            fleet.scale = v;
            draw();
          }
        ),
        show.length < judged.length || fleet.all
          ? el(
              'button',
              {
                type: 'button',
                click: () => {
                  fleet.all = !fleet.all;
                  draw();
                }
              },
              fleet.all ? 'fewer' : 'all ' + judged.length
            )
          : ''
      ),
      el(
        'div.tiles',
        {},
        show.map(o => {
          const verdict = o.j.worst ? o.j.worst.verdict : o.j.whole ? o.j.whole.verdict : '';
          const link = linkOf(o.p.id);
          return el(
            'div.tile' + (o.p.id === S.process_id ? '.current' : '') + (o.j.worst ? '.' + o.j.worst.verdict : ''),
            { title: o.p.command || o.p.name },
            el(
              'div.row',
              {},
              link
                ? el('a', { href: link }, o.p.pid === null ? '@' + o.p.id : o.p.pid)
                : el('b', {}, o.p.pid === null ? '@' + o.p.id : o.p.pid),
              el('span', {}, GLYPHS[verdict] || '')
            ),
            tile(o.course[m], o.course.t, t0, t1, fleet.scale === 'same' ? most : top(o), inkOf(o.j), 108, 44),
            el('div.row', {}, el('i', {}, verdict), el('span', {}, kib(lastOf(o.course[m]))))
          );
        })
      )
    );
  };
  view(['theme'], draw);
  return card;
}

// A link to a process: in this file, or to its own; null: it is in neither.
function linkOf(id) {
  const shown = index.shown.find(s => s.id === id);
  return shown ? shown.file || '#p=' + id : null;
}
