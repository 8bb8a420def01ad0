/* timeline: the snapshots of one process in their order, and what each takes its lineages from.
 * Only those with mappings: captures that give sums only are in no beat.
 *
 * Order: (taken_ms, dialect, ordinal, hash), never the order of import. Captures of one process
 * within `sweep` after the first, each dialect once, are a beat; the complete one with most fields
 * leads it. The leaders form the spine: lineage is decided along it, each leader against the one
 * before. Every other capture borrows the lineages of its beat's leader, or of the leader before,
 * or, where there is none, continues its own stream.
 */
#ifndef PM_STORE_TIMELINE_H
#define PM_STORE_TIMELINE_H

#include "store/file/sql.h"

#define PM_NO_BASE SIZE_MAX

typedef struct pm_beat_item {
    int64_t snapshot_id;
    int64_t taken_ms, ordinal;
    int64_t hash;
    int64_t epoch_id, off;
    size_t base; /* index of the item whose lineages it takes, or PM_NO_BASE */
    pm_dialect dialect;
    pm_state state;
    bool leads; /* like base, set by pm_timeline_derive */
} pm_beat_item;

typedef struct pm_timeline {
    pm_beat_item *item;
    size_t n, cap;
    bool whole; /* false: only the last beats were read */
} pm_timeline;

void pm_timeline_free(pm_timeline *t);

/* Reads at least the last two beats, with a leader among them, or everything. */
pmapdb_status pm_timeline_load_tail(pm_sql *sql, int64_t process_id, int64_t sweep_ms,
                                    pm_timeline *out, pmapdb_error *err);
pmapdb_status pm_timeline_load(pm_sql *sql, int64_t process_id, pm_timeline *out,
                               pmapdb_error *err);

/* Puts an item at its place; *at is its index. Derived members are then out of date. */
pmapdb_status pm_timeline_insert(pm_timeline *t, const pm_beat_item *item, size_t *at,
                                 pmapdb_error *err);

/* The capture's neighbours in its stream (dialect and state): at most one before, one behind. All
 * that one of sums only is put between. */
pmapdb_status pm_timeline_load_neighbours(pm_sql *sql, int64_t process_id, const pm_beat_item *item,
                                          pm_timeline *out, pmapdb_error *err);

/* Sets leads and base of every item. */
void pm_timeline_derive(pm_timeline *t, int64_t sweep_ms);

/* Of one stream: of the same dialect and state. */
static inline bool pm_timeline_same_stream(const pm_beat_item *a, const pm_beat_item *b)
{
    return a->dialect == b->dialect && a->state == b->state;
}

/* Which of two tells more of the neighbours of a mapping: complete before partial, then the dialect
 * with most fields; negative: a. */
int pm_timeline_compare_worth(const pm_beat_item *a, const pm_beat_item *b);

/* The last item before `at` of its stream, or PM_NO_BASE. */
size_t pm_timeline_before_in_stream(const pm_timeline *t, size_t at);

#endif
