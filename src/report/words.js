// words: what the verdicts say, in a sentence.

const SHAPES = {
  linear: 'in a straight line',
  'late-ramp': 'in a straight line since then',
  knee: 'in a straight line since then',
  'warmup+linear': 'in a straight line since then',
  'step+linear': 'in a straight line, with a step',
  accelerating: 'faster and faster',
  saturating: 'slower and slower',
  power: 'slower and slower',
  log: 'slower and slower',
  'two-tau': 'slower and slower'
};
const GLYPHS = { leak: '▲', suspect: '?', plateau: '—', steady: '—', shrinking: '▼', 'too-few': '…' };

const RANK = { leak: 5, suspect: 4, plateau: 3, steady: 2, shrinking: 1, 'too-few': 0 };

// The rows of one process, the worst first; the row of the process itself is `whole`.
function judge(leak, id) {
  const rows = leak.filter(r => r.process_id === id);
  const parts = rows.filter(r => !r.whole),
    whole = rows.find(r => r.whole) || null;
  const found = parts
    .filter(r => RANK[r.verdict] >= 4)
    .sort(
      (a, b) =>
        RANK[b.verdict] - RANK[a.verdict] ||
        (a.unit === b.unit ? 0 : a.unit === 'KiB' ? -1 : 1) ||
        (b.rate_per_h || 0) - (a.rate_per_h || 0)
    );
  if (whole && RANK[whole.verdict] >= 4 && (!found.length || RANK[whole.verdict] > RANK[found[0].verdict]))
    found.unshift(whole);
  return { rows, parts, whole, found, worst: found[0] || null };
}

// The badge: leak, suspect, ok, few, unknown. NO LEAK is said of judged resident memory only.
function badgeOf(j) {
  if (j.worst) return j.worst.verdict;
  if (!j.rows.length || j.rows.every(r => r.verdict === 'too-few')) return 'few';
  if (
    !j.whole ||
    j.whole.verdict === 'too-few' ||
    j.whole.rss_from === 'unknown' ||
    !['rss', 'pss', 'private'].includes(j.whole.metric)
  )
    return 'unknown';
  return 'ok';
}

const BADGES = {
  leak: ['▲', 'LEAK'],
  suspect: ['?', 'SUSPECT'],
  ok: ['✓', 'NO LEAK'],
  few: ['…', 'TOO FEW'],
  unknown: ['…', 'UNKNOWN']
};

function rateWords(r) {
  return r.unit === 'KiB' ? kib(r.rate_per_h) : plural(Math.round(r.rate_per_h), 'mapping');
}

function sentence(j, S) {
  const kind = badgeOf(j),
    w = j.worst;
  if (w) {
    const since = w.since ? Date.parse(w.since) : null;
    const what = w.whole ? 'the whole process' : w.key;
    return (
      what +
      (w.verdict === 'leak' ? ' grows by ' : ' may be growing by ') +
      rateWords(w) +
      ' an hour' +
      (since !== null ? ', since ' + clock(since, Math.max(S.t[S.K - 1] - since, S.span)) : '') +
      (SHAPES[w.shape] ? ', ' + SHAPES[w.shape] : '') +
      (j.found.length > 1 ? '; ' + (j.found.length - 1) + ' more' : '')
    );
  }
  if (kind === 'few') {
    const n = S.n;
    if (S.partial.size === S.K) return 'No verdict: every capture is partial';
    return n < 8
      ? 'No verdict yet: ' + plural(n, 'snapshot') + ', at least eight of one life are needed'
      : 'No verdict: no life is long enough';
  }
  if (kind === 'unknown') return 'Resident memory is not known: nothing says that it does not leak';
  const stopped = j.parts
    .filter(r => r.verdict === 'plateau' && r.last > r.first)
    .sort((a, b) => b.last - b.first - (a.last - a.first))[0];
  return stopped ? 'Nothing grows; ' + stopped.key + ' grew and stopped' : 'Nothing grows';
}

// Facts: [bold, plain] pairs.
function facts(j, S) {
  const out = [],
    last = S.K - 1,
    w = j.worst,
    metric = S.total.rss[last] !== null ? 'rss' : 'size';
  const now = S.total[metric][last],
    first = S.total[metric][S.lifeStart(last)];
  if (now !== null) out.push([kib(now), metric + ' now']);
  if (now !== null && first !== null && S.K > 1)
    out.push([signed(now - first), 'in ' + span(S.t[last] - S.t[S.lifeStart(last)])]);
  if (w) {
    const of = j.whole && j.whole.limit !== undefined ? j.whole : w;
    if (of.limit !== undefined && of.eta_h !== undefined) {
      const at = Date.parse(of.last_at || iso(S.t[last])) + of.eta_h * HOUR;
      out.push(
        of.eta_h <= 0
          ? ['full', kib(of.limit) + ' is reached']
          : [
              span(of.eta_h * HOUR),
              'until ' +
                (of.unit === 'KiB' ? kib(of.limit) : count(of.limit) + ' mappings') +
                (of.limit_by && of.limit_by !== 'given' ? ' (' + of.limit_by + ')' : '') +
                (at < 8e15 ? ', at ' + clock(at, Math.max(S.span, of.eta_h * HOUR)) : '')
            ]
      );
    } else if (of.limit === undefined) out.push(['no limit known', '— give one with --limit']);
    if (w.confidence !== undefined && w.verdict === 'leak')
      out.push([Math.min(99, Math.floor(w.confidence * 100)) + ' %', 'sure']);
    if (w.rate_low !== undefined && w.rate_high !== undefined && w.unit === 'KiB')
      out.push([kib(w.rate_low) + ' … ' + kib(w.rate_high), 'an hour, 90 % interval']);
  } else {
    const seen = j.parts
      .filter(r => r.unit === 'KiB' && r.verdict === 'steady' && r.detectable_per_h !== undefined)
      .map(r => r.detectable_per_h);
    if (seen.length && badgeOf(j) === 'ok')
      out.push([kib(Math.max(...seen)) + ' an hour', 'and more would have been seen']);
  }
  return out;
}

function why(j) {
  const w = j.worst || {};
  return [w.reason, w.touched && 'touched: ' + w.touched].filter(Boolean).join('; ');
}
