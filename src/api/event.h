/* event: what imports and captures report about a capture. */
#ifndef PM_API_EVENT_H
#define PM_API_EVENT_H

#include "store/write/put.h"

/* The event of a stored capture, without warnings and notes. Its texts are those of the arguments.
 */
static inline pmapdb_import_event pm_event_of(const pm_capture *c, const pm_stored *stored,
                                              const char *path)
{
    const pm_block *b = &c->block;

    return (pmapdb_import_event){
        .path = path,
        .snapshot_id = stored->pruned ? PMAPDB_UNKNOWN : stored->snapshot_id,
        .pid = c->pid,
        .name = stored->name,
        .taken_ms = c->taken_ms,
        .dialect = pm_dialect_names[b->dialect],
        .state = pm_state_names[b->state],
        .checked = pm_checked_names[b->checked],
        .mappings = b->totals.v[PM_TOTAL_MAPPINGS],
        .size_kib = b->totals.v[PM_TOTAL_SIZE],
        .rss_kib = b->totals.v[PM_TOTAL_RSS] < 0 ? b->tool_rss_kib : b->totals.v[PM_TOTAL_RSS],
        .duplicate = stored->duplicate,
        .missing = b->state == PM_STATE_PARTIAL ? c->missing : NULL,
    };
}

#endif
