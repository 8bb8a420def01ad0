-- recording-end: drops the temporary tables of recording-begin.

DROP TABLE IF EXISTS temp.traced_event;
DROP TABLE IF EXISTS temp.traced_frame;
DROP TABLE IF EXISTS temp.traced_stack;
