-- push-tables: the other tables of push. The first push makes them: most stores never need
-- them, and SQLite parses all tables of a store whenever a program opens it.

-- A process that the last sent beat shows, with its span as it was sent.
CREATE TABLE IF NOT EXISTS push_open (
  push_id    INTEGER NOT NULL REFERENCES push,
  process_id INTEGER NOT NULL REFERENCES process ON DELETE CASCADE,
  first_ms   INTEGER NOT NULL,
  last_ms    INTEGER NOT NULL,
  n          INTEGER NOT NULL,          -- snapshots of the span
  ended      INTEGER NOT NULL,          -- 1: the span was sent with its end
  PRIMARY KEY (push_id, process_id)
) WITHOUT ROWID;

-- The key by which the server knows a process; later facts about the process do not change it.
CREATE TABLE IF NOT EXISTS push_key (
  process_id  INTEGER NOT NULL REFERENCES process ON DELETE CASCADE,
  push_id     INTEGER NOT NULL REFERENCES push,
  process_key INTEGER NOT NULL,
  PRIMARY KEY (process_id, push_id)
) WITHOUT ROWID;

-- A host, as of the last batch.
CREATE TABLE IF NOT EXISTS push_host (
  push_id    INTEGER NOT NULL REFERENCES push,
  host_id    INTEGER NOT NULL,          -- 0: unknown
  through_ms INTEGER NOT NULL,          -- the newest snapshot sent
  labels     INTEGER NOT NULL,          -- labels sent
  PRIMARY KEY (push_id, host_id)
) WITHOUT ROWID;

-- An hour of a host that was not over when its last snapshot was sent: its sums will follow.
CREATE TABLE IF NOT EXISTS push_hour (
  push_id INTEGER NOT NULL REFERENCES push,
  host_id INTEGER NOT NULL,
  hour_ms INTEGER NOT NULL,
  PRIMARY KEY (push_id, host_id, hour_ms)
) WITHOUT ROWID;

-- A category of a process that leaks, or may, by the last verdict sent.
CREATE TABLE IF NOT EXISTS push_leak (
  push_id    INTEGER NOT NULL REFERENCES push,
  process_id INTEGER NOT NULL REFERENCES process ON DELETE CASCADE,
  category   TEXT NOT NULL,
  metric     TEXT NOT NULL,
  PRIMARY KEY (push_id, process_id, category, metric)
) WITHOUT ROWID;

-- The texts that push --redact replaced, in the order of their tokens: the same text has the same token
-- in every push.
CREATE TABLE IF NOT EXISTS push_token (
  place INTEGER PRIMARY KEY,
  how   INTEGER NOT NULL,               -- src/store/export/redact.h
  text  TEXT NOT NULL,
  UNIQUE (how, text)
);

-- The name by which servers know this store; a copy keeps it.
CREATE TABLE IF NOT EXISTS push_self (
  store TEXT NOT NULL
);
