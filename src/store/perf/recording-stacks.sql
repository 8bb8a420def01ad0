-- recording-stacks: stores the stacks of the chains in temp.traced_frame, one depth (:depth) after
-- another, and notes in temp.traced_stack the innermost stack of each chain. A store has each frame
-- and stack once.

INSERT OR IGNORE INTO frame (symbol, offset, dso, inlined)
SELECT symbol, offset, dso, inlined FROM temp.traced_frame WHERE depth = :depth ORDER BY rowid;

DROP TABLE IF EXISTS temp.traced_step;
CREATE TEMP TABLE traced_step AS
SELECT t.chain, coalesce(s.stack_id, 0) AS caller_id, f.frame_id
FROM temp.traced_frame t
JOIN frame f ON f.symbol = t.symbol AND f.offset = t.offset AND f.dso = t.dso AND f.inlined = t.inlined
LEFT JOIN temp.traced_stack s ON s.chain = t.chain
WHERE t.depth = :depth ORDER BY t.rowid;

INSERT OR IGNORE INTO stack (caller_id, frame_id)
SELECT caller_id, frame_id FROM temp.traced_step ORDER BY rowid;
INSERT OR REPLACE INTO temp.traced_stack (chain, stack_id)
SELECT t.chain, s.stack_id
FROM temp.traced_step t
JOIN stack s ON s.caller_id = t.caller_id AND s.frame_id = t.frame_id;
