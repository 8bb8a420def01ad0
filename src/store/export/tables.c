/* tables: every table of the schema, and which of its rows are copied. */
#include "store/export/export_run.h"

#define OF_PROCESS "WHERE t.process_id IN (SELECT id FROM temp.export_process)"
#define OF_SNAPSHOT "WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)"
#define OF_TRACEE "WHERE t.traced_process_id IN (SELECT id FROM temp.export_tracee)"
#define TRACEE_SPACE                                                                    \
    "(SELECT coalesce(e.process_id, -e.traced_process_id) FROM traced_process e WHERE " \
    "e.traced_process_id = t.traced_process_id)"
/* Nothing shows what none of the chosen snapshots does. */
#define SHOWN                                                                        \
    "WHERE EXISTS (SELECT 1 FROM temp.export_shown s WHERE s.epoch_id = t.epoch_id " \
    "AND s.off >= t.first AND s.off <= coalesce(t.last, 32767))"

const pm_export_table pm_export_tables[] = {
    {"host", "WHERE ?1 OR t.host_id IN (SELECT id FROM temp.export_host)", NULL, false},
    {"name",
     "WHERE ?1 OR t.name_id IN (SELECT p.name_id FROM process p WHERE p.process_id IN "
     "(SELECT id FROM temp.export_process))",
     NULL, false},
    {"process", OF_PROCESS, "t.process_id", false},
    /* Redacted, these rows are made anew for those of capture. */
    {"folder",
     "WHERE t.folder_id IN (SELECT c.folder_id FROM capture c WHERE ?1 OR c.capture_id IN "
     "(SELECT id FROM temp.export_capture))",
     NULL, true},
    {"capture", "WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)", NULL, false},
    {"schedule",
     "WHERE ?1 OR t.schedule_id IN (SELECT w.schedule_id FROM beat w WHERE w.capture_id IN "
     "(SELECT id FROM temp.export_capture))",
     NULL, false},
    {"beat", "WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)", NULL, false},
    {"import_log",
     "WHERE ?1 OR t.import_log_id IN (SELECT s.import_log_id FROM snapshot s WHERE s.snapshot_id "
     "IN "
     "(SELECT id FROM temp.export_snapshot))",
     NULL, false},
    {"epoch", "WHERE t.epoch_id IN (SELECT epoch_id FROM temp.export_shown)", NULL, false},
    /* In the order that hash decides where nothing else does: copy.c keeps it. */
    {"snapshot", OF_SNAPSHOT " ORDER BY t.process_id, t.taken_ms, t.dialect, t.ordinal, t.hash",
     NULL, false},
    {"live_process",
     "WHERE t.live_process_id IN (SELECT g.live_process_id FROM live_reading g WHERE g.snapshot_id "
     "IN "
     "(SELECT id FROM temp.export_snapshot))",
     NULL, false},
    {"environment",
     "WHERE t.live_process_id IN (SELECT g.live_process_id FROM live_reading g WHERE g.snapshot_id "
     "IN "
     "(SELECT id FROM temp.export_snapshot))",
     NULL, true},
    {"live_reading", OF_SNAPSHOT, NULL, false},
    {"pin", OF_SNAPSHOT, NULL, false},
    {"forgotten", "WHERE ?1", NULL, true},
    {"refused", "WHERE ?1", NULL, true},
    {"category",
     "WHERE t.category_id > 14 AND (?1 OR t.category_id IN (SELECT id FROM temp.export_category))",
     NULL, false},
    {"object",
     "WHERE t.object_id IN (SELECT r.object_id FROM region r WHERE r.region_id IN "
     "(SELECT id FROM temp.export_region))",
     NULL, false},
    {"lineage",
     "WHERE t.lineage_id IN (SELECT r.lineage_id FROM region r WHERE r.region_id IN "
     "(SELECT id FROM temp.export_region))",
     NULL, false},
    {"label", OF_PROCESS, "t.process_id", false},
    {"region", "WHERE t.region_id IN (SELECT id FROM temp.export_region)",
     "(SELECT l.process_id FROM lineage l WHERE l.lineage_id = t.lineage_id)", false},
    {"recording",
     "WHERE t.recording_id IN (SELECT e.recording_id FROM traced_process e WHERE "
     "e.traced_process_id IN "
     "(SELECT id FROM temp.export_tracee))",
     NULL, false},
    {"traced_process", OF_TRACEE, NULL, false},
    {"thread", OF_TRACEE, NULL, false},
    {"frame",
     "WHERE t.frame_id IN (SELECT k.frame_id FROM stack k WHERE k.stack_id IN "
     "(SELECT stack_id FROM temp.export_stack))",
     "(SELECT space FROM temp.export_frame f WHERE f.frame_id = t.frame_id)", false},
    {"stack", "WHERE t.stack_id > 0 AND t.stack_id IN (SELECT stack_id FROM temp.export_stack)",
     NULL, false},
    {"call",
     "WHERE t.thread_id IN (SELECT h.thread_id FROM thread h WHERE h.traced_process_id IN "
     "(SELECT id FROM temp.export_tracee))",
     "(SELECT coalesce(e.process_id, -e.traced_process_id) FROM thread h JOIN traced_process e ON "
     "e.traced_process_id = "
     "h.traced_process_id WHERE h.thread_id = t.thread_id)",
     false},
    {"extent", OF_TRACEE, TRACEE_SPACE, false},
    {"foreign_extent", OF_TRACEE, TRACEE_SPACE, false},
    {"rare_fields", "WHERE t.rare_fields_id IN (SELECT id FROM temp.export_detail)", NULL, false},
    {"mapping_version", SHOWN, NULL, false},
    {"category_version", SHOWN, NULL, false},
    {"rule_set", "", NULL, true},
};
const size_t pm_export_n_tables = sizeof pm_export_tables / sizeof *pm_export_tables;
