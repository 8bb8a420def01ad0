-- recording-end: drops the temporary tables of a recording.

DROP TABLE IF EXISTS temp.traced_event;
DROP TABLE IF EXISTS temp.traced_frame;
DROP TABLE IF EXISTS temp.traced_stack;
