// data: unpacks what the program wrote, and gives it as typed columns.

async function unpack(element) {
  const bytes = Uint8Array.from(atob(element.textContent), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(await new Response(stream).text());
}

// Differences to values; an unknown one stays null.
function undelta(list) {
  let last = 0;
  return list.map(d => (d === null ? null : (last += d)));
}

const METRICS = ['size', 'rss', 'pss', 'private', 'swap'];

// The series of a process, decoded. K snapshots are kept; `stops` are those that A, B and the cursor
// move over: the ones with mappings, or all where no snapshot has any.
function series(data, leak) {
  const d = data.series,
    S = { ...d };
  S.t = undelta(d.t);
  S.id = undelta(d.id);
  S.K = S.t.length;
  S.span = S.t[S.K - 1] - S.t[0];
  S.pad = S.K === 1 ? 1000 : 0; // a single snapshot is drawn as wide as a series
  S.total = {};
  for (const m of [...METRICS, 'mappings']) S.total[m] = undelta(d.total[m]);
  S.metrics = METRICS.filter(m => S.total[m].some(v => v !== null) && (m !== 'swap' || S.total[m].some(v => v > 0)));
  const flat = {};
  for (const m of [...METRICS, 'mappings']) flat[m] = undelta(d.cat[m]);
  S.cats = d.cats.map((k, i) => {
    const cat = { k, index: i };
    for (const m of [...METRICS, 'mappings']) cat[m] = flat[m].slice(i * S.K, (i + 1) * S.K);
    return cat;
  });
  S.missed = new Map(d.gap);
  S.born = new Map(d.life.map(l => [l.at, l.pid]));
  S.partial = new Set(d.partial);
  S.kmap = undelta(d.kmap);
  S.NK = S.kmap.length;
  S.stops = S.NK ? S.kmap : S.t.map((_, k) => k);
  S.lifeStart = k => {
    while (k > 0 && !S.born.has(k)) k--;
    return k;
  };
  S.lifeEnd = k => {
    while (k + 1 < S.K && !S.born.has(k + 1)) k++;
    return k;
  };
  // the stop nearest to a kept snapshot, as an index into stops
  S.stopOf = k => {
    let low = 0,
      high = S.stops.length - 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (S.stops[mid] < k) low = mid + 1;
      else high = mid;
    }
    return low > 0 && k - S.stops[low - 1] <= S.stops[low] - k ? low - 1 : low;
  };
  readMappings(S, d);
  S.next = data.next;
  S.who = data.who;
  S.verdicts = judge(leak, d.process_id);
  paint(S);
  return S;
}

// Stretches: the mapping `lin` from stop a to stop z, with its numbers.
function readMappings(S, d) {
  const s = d.str,
    n = s.a.length;
  const a = undelta(s.a),
    rss = undelta(s.rss),
    page = undelta(s.page),
    pages = undelta(s.pages);
  S.str = {
    a,
    z: a.map((v, i) => v + s.more[i]),
    page,
    pages,
    rss,
    swap: s.swap,
    size: pages.map((p, i) => (s.odd[i] === null ? null : PAGE_KIB * p + s.odd[i])),
    pss: rss.map((v, i) => (s.shared[i] === null ? null : v - s.shared[i])),
    private: rss.map((v, i) => (s.public[i] === null ? null : v - s.public[i]))
  };
  S.strings = n;
  let from = 0;
  S.lin = d.lin.map(([id, cat, path, perms, mappings, stretches], i) => {
    const l = { i, id, cat, path: path === null ? '' : d.paths[path], perms, mappings, from, to: from + stretches };
    from += stretches;
    l.name =
      id === 0
        ? count(mappings) + ' small ones'
        : l.path
          ? l.path.replace(/^.*\/(?=.)/, '')
          : S.cats[cat].k.replace(/^.*\//, '');
    return l;
  });
}

// What a mapping has at a stop: the sum of its stretches there; null: it is not there.
function at(S, l, stop, metric) {
  let sum = null;
  for (let i = l.from; i < l.to; i++) {
    if (S.str.a[i] <= stop && stop <= S.str.z[i]) sum = (sum || 0) + (S.str[metric][i] || 0);
  }
  return sum;
}

// Colours: verdicts are warm, everything else is cool.
const FAMILY = {
  heap: 'heap',
  stack: 'stack',
  'shared-library': 'library',
  program: 'program',
  'mapped-file': 'file',
  'deleted-file': 'file',
  'shared-memory': 'shared',
  memfd: 'memfd',
  kernel: 'kernel',
  reserve: 'reserve',
  anonymous: 'anon0',
  total: 'anon0'
};

function paint(S) {
  const verdict = new Map(S.verdicts.found.map(r => [r.key, r]));
  const rows = new Map(S.verdicts.parts.map(r => [r.key, r]));
  let leaks = 0,
    suspects = 0,
    details = 0;
  const order = [...S.cats].sort(
    (a, b) => ((verdict.get(b.k) || {}).rate_per_h || 0) - ((verdict.get(a.k) || {}).rate_per_h || 0)
  );
  for (const c of order) {
    const r = verdict.get(c.k),
      word = c.k.split('/')[0];
    c.row = rows.get(c.k) || null;
    c.guilty = r ? r.verdict : null;
    if (c.guilty === 'leak') c.color = 'leak' + Math.min(leaks++, 2);
    else if (c.guilty === 'suspect') c.color = 'suspect' + Math.min(suspects++, 1);
    else if (word === 'anonymous' && c.k !== word) c.color = 'anon' + (1 + (details++ % 7));
    else c.color = FAMILY[word] || 'anon' + (1 + (details++ % 7));
  }
  // from the floor: steady ones, the least range lowest; then suspects; leaks on top
  const range = c => {
    let low = Infinity,
      high = -Infinity;
    for (const v of c.rss)
      if (v !== null) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    return high - low;
  };
  const rank = c => (c.guilty === 'leak' ? 2 : c.guilty === 'suspect' ? 1 : 0);
  S.stack = [...S.cats].sort((a, b) => rank(a) - rank(b) || range(a) - range(b));
  S.guilty = S.cats.filter(c => c.guilty);
  // of a guilty category those mappings are warm that grow themselves: net change over half of all steps
  for (const l of S.lin) {
    let net = 0,
      steps = 0,
      first = null;
    const metric = S.total.rss.some(v => v !== null) ? 'rss' : 'size';
    const sums = new Map();
    for (let i = l.from; i < l.to; i++) {
      const v = S.str[metric][i] || 0;
      sums.set(S.str.a[i], (sums.get(S.str.a[i]) || 0) + v);
      sums.set(S.str.z[i] + 1, (sums.get(S.str.z[i] + 1) || 0) - v);
    }
    for (const [stop, step] of [...sums].sort((x, y) => x[0] - y[0])) {
      if (stop >= S.NK) break;
      if (first === null) {
        first = stop;
        if (stop === 0) continue;
      }
      net += step;
      steps += Math.abs(step);
    }
    l.grows = net > 0 && net > steps / 2;
    l.guilty = l.grows && S.cats[l.cat].guilty !== null;
  }
}
