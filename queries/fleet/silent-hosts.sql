-- name:   silent-hosts
-- engine: clickhouse
-- title:  Hosts that stopped: no pushes arrive, or no captures are made
-- param:  longer  duration 1h   Nothing for longer than this
-- param:  at      time     now  Counted back from this time
-- column: host        text  Host
-- column: store       text  Its store
-- column: what        text  push: nothing arrives; capture: pushes arrive, without newer captures
-- column: silent_h    real  Hours of silence
-- column: through_at  time  Complete up to this capture
-- column: pushed_at   time  The last push
-- column: labels      text  Labels of the host
-- table:  host what silent_h through_at pushed_at labels
-- narrow: host what silent_h
-- empty:  every host pushes
--
-- A host that was renamed after its last capture is left out: its new name has the label `was`.
SELECT host, store, what, silent_h, through_at, pushed_at, arrayStringConcat(arraySort(pairs), ' ') AS labels
FROM (
  SELECT host_id, host, store, through_at, pushed_at, what, silent_h, renamed_ms
  FROM (
    SELECT host_id, any(host) AS host, store, max(through_ms) AS through_at, max(pushed_ms) AS pushed_at,
      if(pushed_at < :at - :longer, 'push', 'capture') AS what,
      (:at - if(pushed_at < :at - :longer, pushed_at, through_at)) / 3600000 AS silent_h
    FROM marks
    GROUP BY host_id, store
    HAVING through_at < :at - :longer
  ) AS m
  ANY LEFT JOIN (
    SELECT label_value[indexOf(label_key, 'was')] AS host, min(at_ms) AS renamed_ms FROM hosts GROUP BY host
  ) AS w USING (host)
) AS a
ANY LEFT JOIN (
  SELECT host_id, argMax(arrayMap((k, v) -> concat(k, '=', v), label_key, label_value), tuple(at_ms, seq)) AS pairs
  FROM hosts GROUP BY host_id
) AS b USING (host_id)
WHERE renamed_ms < through_at
ORDER BY silent_h DESC, host, store
