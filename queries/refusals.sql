-- name:   refusals
-- title:  Input that was turned away, or taken with parts missing
-- param:  since time "" Only what was first met from then on: a time, -7d before the newest snapshot, now-7d
-- column: first_at time When it was first met, UTC
-- column: reason   text Why, in words
-- column: hash     text Hash of its bytes: if met again, it is only counted
--
-- Newest first. An import reports each refusal once, with exit status 2, and remembers it, so that
-- one damaged file does not make a cron job fail for a year.
SELECT strftime(CASE WHEN r.first_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, r.first_ms / 1000.0, 'unixepoch') AS first_at,
  r.reason, printf('%016x', r.hash) AS hash
FROM refused r
WHERE r.first_ms >= coalesce(:since, -9e15)
ORDER BY r.first_ms DESC, r.reason, r.hash;
