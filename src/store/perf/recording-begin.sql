-- recording-begin: temporary tables for a recording: its events in the order of the text, where a0 of
-- an exit is the returned value; the frames of each chain, whose outermost caller has depth 1; and
-- the innermost stack of each chain.

CREATE TEMP TABLE traced_event (place INTEGER PRIMARY KEY, time_ns, pid, tid, comm, kind, exit, a0, a1, a2, a3, a4, a5, chain);
CREATE TEMP TABLE traced_frame (chain, depth, symbol, offset, dso, inlined);
CREATE INDEX temp.traced_frame_chain ON traced_frame (chain, depth);
CREATE INDEX temp.traced_frame_depth ON traced_frame (depth);
CREATE TEMP TABLE traced_stack (chain INTEGER PRIMARY KEY, stack_id);
