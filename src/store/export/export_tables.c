/* export_tables: every table of the schema, and which of its rows an export copies. */
#include "store/export/export_tables.h"

#define OF_PROCESS "WHERE t.process_id IN (SELECT id FROM temp.export_process)"
#define OF_SNAPSHOT "WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)"
#define OF_LIVE                                                             \
    "WHERE t.live_process_id IN (SELECT live_process_id FROM live_reading " \
    "WHERE snapshot_id IN (SELECT id FROM temp.export_snapshot))"
#define OF_TRACED "CROSS JOIN temp.export_traced e ON e.id = t.traced_process_id"
#define OF_CAPTURE "WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)"
/* Versions that one of the chosen snapshots shows. */
#define SHOWN                                                                        \
    "WHERE EXISTS (SELECT 1 FROM temp.export_shown s WHERE s.epoch_id = t.epoch_id " \
    "AND s.off BETWEEN t.first AND coalesce(t.last, 32767))"

const pm_export_table pm_export_tables[] = {
    {"host", "WHERE ?1 OR t.host_id IN (SELECT id FROM temp.export_host)", NULL, false},
    {"name",
     "WHERE ?1 OR t.name_id IN (SELECT name_id FROM process WHERE process_id IN "
     "(SELECT id FROM temp.export_process))",
     NULL, false},
    {"process", OF_PROCESS, "t.process_id", false},
    {"folder",
     "WHERE ?1 OR t.folder_id IN (SELECT folder_id FROM capture WHERE capture_id IN "
     "(SELECT id FROM temp.export_capture))",
     NULL, false},
    {"capture", OF_CAPTURE, NULL, false},
    {"schedule",
     "WHERE ?1 OR t.schedule_id IN (SELECT schedule_id FROM beat WHERE capture_id IN "
     "(SELECT id FROM temp.export_capture))",
     NULL, false},
    {"beat", OF_CAPTURE, NULL, false},
    {"import_log",
     "WHERE ?1 OR t.import_log_id IN (SELECT import_log_id FROM snapshot WHERE snapshot_id IN "
     "(SELECT id FROM temp.export_snapshot))",
     NULL, false},
    {"epoch", "WHERE t.epoch_id IN (SELECT epoch_id FROM temp.export_shown)", NULL, false},
    {"snapshot", OF_SNAPSHOT, NULL, false},
    {"live_process", OF_LIVE, NULL, false},
    {"environment", OF_LIVE, NULL, true},
    {"live_reading", OF_SNAPSHOT, NULL, false},
    {"pin", OF_SNAPSHOT, NULL, false},
    {"forgotten", "WHERE ?1", NULL, true},
    {"refused", "WHERE ?1", NULL, true},
    {"category",
     "WHERE t.category_id > 14 AND (?1 OR t.category_id IN (SELECT id FROM temp.export_category))",
     NULL, false},
    {"object",
     "WHERE t.object_id IN (SELECT object_id FROM region WHERE region_id IN "
     "(SELECT id FROM temp.export_region))",
     NULL, false},
    {"lineage",
     "WHERE t.lineage_id IN (SELECT lineage_id FROM region WHERE region_id IN "
     "(SELECT id FROM temp.export_region))",
     NULL, false},
    {"label", OF_PROCESS, "t.process_id", false},
    {"region",
     "CROSS JOIN lineage l ON l.lineage_id = t.lineage_id "
     "WHERE t.region_id IN (SELECT id FROM temp.export_region)",
     "l.process_id", false},
    {"recording",
     "WHERE t.recording_id IN (SELECT recording_id FROM traced_process WHERE traced_process_id IN "
     "(SELECT id FROM temp.export_traced))",
     NULL, false},
    {"traced_process", OF_TRACED, NULL, false},
    {"thread", OF_TRACED, NULL, false},
    {"frame",
     "LEFT JOIN temp.export_frame f ON f.frame_id = t.frame_id WHERE t.frame_id IN "
     "(SELECT k.frame_id FROM stack k WHERE k.stack_id IN (SELECT stack_id FROM "
     "temp.export_stack))",
     "f.space", false},
    {"stack", "WHERE t.stack_id > 0 AND t.stack_id IN (SELECT stack_id FROM temp.export_stack)",
     NULL, false},
    {"call",
     "CROSS JOIN thread h ON h.thread_id = t.thread_id "
     "CROSS JOIN temp.export_traced e ON e.id = h.traced_process_id",
     "e.space", false},
    {"extent", OF_TRACED, "e.space", false},
    {"foreign_extent", OF_TRACED, "e.space", false},
    {"rare_fields", "WHERE t.rare_fields_id IN (SELECT id FROM temp.export_rare)", NULL, false},
    {"mapping_version", SHOWN, NULL, false},
    {"category_version", SHOWN, NULL, false},
    {"rule_set", "", NULL, true}, /* in place of the new store's own */
};
const size_t pm_export_n_tables = sizeof pm_export_tables / sizeof *pm_export_tables;
