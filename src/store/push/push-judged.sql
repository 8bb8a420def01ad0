-- push-judged: empty tables for the verdicts and stacks that the next batch sends.

CREATE TEMP TABLE IF NOT EXISTS push_verdict (
  process_id INTEGER NOT NULL, category TEXT NOT NULL, metric TEXT NOT NULL, verdict TEXT NOT NULL,
  shape TEXT, since_ms INTEGER, rate_per_h REAL, rate_low REAL, rate_high REAL, could_see_per_h REAL,
  last_kib INTEGER, limit_kib INTEGER, limit_by TEXT, eta_h REAL, snapshots INTEGER,
  PRIMARY KEY (process_id, category, metric)) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS push_stack (
  process_id INTEGER NOT NULL, stack TEXT NOT NULL, growth_kib INTEGER, share REAL, from_ms INTEGER,
  to_ms INTEGER, PRIMARY KEY (process_id, stack)) WITHOUT ROWID;
DELETE FROM temp.push_verdict;
DELETE FROM temp.push_stack;
