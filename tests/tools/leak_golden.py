#!/usr/bin/env python3
"""Writes tests/stats/port: the verdicts of the reference detector on labelled series and on real programs.

    PMAPDB_SHARED=../shared python3 tests/tools/leak_golden.py [workloads | series SEED PER_CLASS] OUT.xz

The reference is leakbench/leakfit2.py with real.py. Not part of a build: run this script again only if the
reference itself changes. The lines of the output, words separated by blanks:

    series ID rss|size|count PAGE     one series; t v p follow, then one `s`
    process WORKLOAD PID              one process; t follows, then its categories
    t v p                             times in seconds, values, life: the steps from one to the next, STEP*N for N equal
    c SLUG REFERENCE_NAME             a category; six lines `v METRIC steps` follow
    x WINDOW FIRST END STEP           the verdicts that follow are for the places FIRST, FIRST+STEP, ... before END
    s CATEGORY METRIC VERDICT SHAPE RATE LOW HIGH          one curve alone; constant curves are left out
    k CATEGORY VERDICT DECIDES RATE LOW HIGH PIECES_PER_H  all metrics together
"""
import csv, lzma, os, subprocess, sys, tempfile

sys.dont_write_bytecode = True
SHARED = os.environ.get('PMAPDB_SHARED') or '../shared'
BENCH = os.path.join(SHARED, 'leakbench')
sys.path.insert(0, BENCH)
import leakfit2 as fit  # noqa: E402
import real  # noqa: E402

SLUGS = dict(heap='heap', stack='stack', tstack='anonymous/thread-stack', anon='anonymous', anonx='anonymous/executable',
             shmem='shared-memory', memfd='memfd', lib='shared-library', file='mapped-file', reserve='reserve',
             other='kernel')
# A curve that fits exactly leaves rounding noise as residuals. Their correlation means nothing, but the
# reference would whiten by it and judge by the last bits of its sums: here, as in src/stats, it is 0.
NOISE = 1e-6
residuals = fit.resid


def resid(best, x, y, grp):
    r = residuals(best, x, y, grp)
    return r if r and sum(v * v for v in r) > len(r) * NOISE ** 2 else None


fit.resid = resid
JUDGED = ('rss', 'size', 'count')


def steps(values):
    """Differences from the value before (at first from 0), with run lengths: 100*1 2*3."""
    out, last, run, before = [], None, 0, 0
    for v in values:
        d, before = v - before, v
        if d == last:
            run += 1
            continue
        if run:
            out.append('%d*%d' % (last, run) if run > 1 else '%d' % last)
        last, run = d, 1
    if run:
        out.append('%d*%d' % (last, run) if run > 1 else '%d' % last)
    return ' '.join(out)


def number(x):
    return '%.10g' % x


def curve(v):
    return '%s %s %s %s %s' % (v['verdict'], v['shape'] or '-', number(v['rate']), number(v['lo']), number(v['hi']))


def window(ts, pid, data, cats):
    """Judges as real.judge does, for the metrics on which a verdict depends."""
    curves, lines = {}, []
    for c in cats:
        curves[c] = {}
        for m in JUDGED:
            kb = data[c][m]
            if max(kb) == min(kb):
                curves[c][m] = dict(verdict='steady' if len(kb) >= 8 else 'too-few', shape='const', rate=0.0, lo=0.0, hi=0.0)
                continue
            alone = fit.verdict(ts, kb, pid, m, 0, 1 if m == 'count' else 4)
            if c != 'total' or m == 'rss':
                lines.append('s %s %s %s' % (c, m, curve(alone)))
            curves[c][m] = fit.verdict(ts, kb, pid, m, 0, 4, curves[c]['rss']) if m == 'size' else alone
    for c, d in fit.combine(ts, pid, data, curves).items():
        lines.append('k %s %s %s %s %s %s %s' % (c, d['verdict'], d['metric'], number(d['rate']), number(d['lo']), number(d['hi']),
                                                  number(d.get('count_rate', 0.0))))
    return lines


def process(name, pid, rows):
    n, ts = len(rows), [int(t) for t, _ in rows]
    cats = sorted({c for _, s in rows for c in s})
    data = {c: {m: [s.get(c, {}).get(m, 0) for _, s in rows] for m in real.METRICS} for c in cats}
    out = ['process %s %d' % (name, pid), 't ' + steps(ts)]
    for c in cats:
        if c != 'total':
            out.append('c %s %s' % (SLUGS[c], c))
            out += ['v %s %s' % (m, steps(data[c][m])) for m in real.METRICS]
    for win, ix in (('full', range(n)), ('h1', range(n // 2)), ('h2', range(n // 2, n)), ('d5', range(0, n, 5)), ('d10', range(0, n, 10))):
        there = [c for c in cats if any(c in rows[i][1] for i in ix)]
        part = {c: {m: [data[c][m][i] for i in ix] for m in real.METRICS} for c in there}
        out.append('x %s %d %d %d' % (win, ix.start, ix.stop, ix.step))
        if there:
            out += window([ts[i] for i in ix], [pid] * len(ix), part, there)
    return out


def workloads():
    folder = os.path.join(SHARED, 'workloads')
    for archive in sorted(f for f in os.listdir(folder) if f.endswith('.tar.zst')):
        for pid, rows in sorted(real.load(os.path.join(folder, archive)).items()):
            yield from process(archive.split('.')[0], pid, rows)
        print(archive, file=sys.stderr)


def series(seed, per_class):
    with tempfile.TemporaryDirectory() as d:
        subprocess.run([sys.executable, '-B', os.path.join(BENCH, 'gen.py'), '--seed', seed, '--out', d, '--per-class', per_class], check=True)
        found, meta = fit.load(d)
    for sid in sorted(found):
        m, (ts, kb, pid) = meta[sid], found[sid]
        lives = [0]
        for i in range(1, len(pid)):
            lives.append(lives[-1] + (pid[i] != pid[i - 1]))
        page = int(m['page_kb'])
        yield 'series %s %s %d' % (sid, m['metric'], page)
        yield 't ' + steps(ts)
        yield 'v ' + steps(kb)
        yield 'p ' + steps(lives)
        yield 's - %s %s' % (m['metric'], curve(fit.verdict(ts, kb, pid, m['metric'], 0, page)))


def main():
    what, out = sys.argv[1], sys.argv[-1]
    lines = workloads() if what == 'workloads' else series(sys.argv[2], sys.argv[3])
    text = '\n'.join(lines) + '\n'
    with open(out, 'wb') as f:
        f.write(lzma.compress(text.encode(), check=lzma.CHECK_CRC32, preset=9 | lzma.PRESET_EXTREME))
    print('%d lines, %d bytes of text' % (text.count('\n'), len(text)), file=sys.stderr)


if __name__ == '__main__':
    main()
