-- merge-pin: copies the pin of snapshot ?1 there, which is snapshot ?2 here.

SELECT ?2 AS here, * FROM pin WHERE snapshot_id = ?1;
INSERT OR IGNORE INTO pin (snapshot_id, reason, pinned_ms) VALUES (:here, :reason, :pinned_ms);
