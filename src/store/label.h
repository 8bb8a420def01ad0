/* label: names that a program gives its own memory (parse/labels.h), kept in table label, and what
 * they make of the categories of its process.
 *
 * Lineages that the capture nearest in time shows, and that are covered by one name to half of a
 * row at least, get the category of that name for their life: lineage.rule is then PM_RULE_LABEL.
 * So do those that rules take for what such a name would cover, and none does. No rule is asked of
 * them again, and no later label: the first one stored stays. */
#ifndef PM_STORE_LABEL_H
#define PM_STORE_LABEL_H

#include "parse/labels.h"
#include "store/store.h"

#define PM_LABEL_PIDS 3

typedef struct pm_label_put {
    const pm_labels *labels;
    int64_t pid[PM_LABEL_PIDS]; /* tried in turn; PMAPDB_UNKNOWN: none. In a container a JVM names
                                   another than the host does. */
    const char *host;           /* NULL: whichever has a process of that pid */
    int64_t taken_ms;
    int64_t since; /* snapshots with a greater id are new: they are named by what is known, too */
} pm_label_put;

typedef struct pm_label_stored {
    int64_t process_id, pid;
    int64_t snapshot_id, snapshot_ms; /* the capture nearest in time */
    bool duplicate;                   /* it was stored before */
    int64_t mappings, size_kib; /* that a name covers; PMAPDB_UNKNOWN: a duplicate, not asked */
    int64_t lineages;           /* that got one */
} pm_label_stored;

/* In a transaction of its own. PMAPDB_INPUT: there is no such process, or one on each of several
 * hosts. */
pmapdb_status pm_label_store(pmapdb_store *s, const pm_label_put *put, pm_label_stored *out,
                             pmapdb_error *err);

/* The greatest id of a snapshot. */
pmapdb_status pm_label_newest(pmapdb_store *s, int64_t *since, pmapdb_error *err);

/* Takes over what the process `there` of the store `from` says, for the process `here` of `into`;
 * in the caller's transaction. What a writer remembers is then out of date. */
pmapdb_status pm_label_take(pm_sql *from, int64_t there, pm_sql *into, int64_t here,
                            pmapdb_error *err);

/* ---- parts, in the caller's transaction ---- */

/* Fills process_id, snapshot_id, snapshot_ms by what lies nearest to the moment. */
pmapdb_status pm_label_nearest(pm_sql *sql, int64_t process_id, int64_t taken_ms,
                               pm_label_stored *out, pmapdb_error *err);

/* Stores them, and names what the capture shows unless both are known. */
pmapdb_status pm_label_settle(pm_sql *sql, const pm_label_put *put, pm_label_stored *out,
                              pmapdb_error *err);

/* Names what the capture shows. */
pmapdb_status pm_label_name(pm_sql *sql, const pm_labels *labels, pm_label_stored *out,
                            pmapdb_error *err);

#endif
