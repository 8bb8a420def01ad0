-- name:   host-labels
-- title:  The labels of hosts (build, version, role, region), from when to when
-- param:  host    text     ""  Only this host
-- column: host    text     Where
-- column: key     text     The label
-- column: value   text     Its value; empty: from here on the host has none
-- column: from_at time     From this moment on, UTC
-- column: to_at   time     Up to this moment, UTC; empty: it holds
-- empty:  no labels: pmapdb capture --label build=2.3.1, or label.build = 2.3.1 in a configuration file
--
-- A label is stored when its value changes: from capture, import or push with --label KEY=VALUE, and,
-- for this machine, from lines label.KEY = VALUE of the configuration.
SELECT l.host, l.key, l.value, l.at AS from_at,
  (SELECT n.at FROM host_labels n WHERE n.host = l.host AND n.key = l.key AND n.at_ms > l.at_ms
    ORDER BY n.at_ms LIMIT 1) AS to_at
FROM host_labels l
WHERE :host IS NULL OR l.host = :host
ORDER BY l.host, l.key, l.at_ms;
