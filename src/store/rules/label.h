/* label: names that a program gives its own memory (parse/files/labels.h), kept in table label, and
 * what they make of the categories of its process.
 *
 * A report names lineages that the capture nearest to it in time shows (label-cover.sql), for their
 * life; lineage.rule is then PM_RULE_LABEL, and no rule is matched for them again.
 *
 * If two reports name a lineage, the report of the later moment wins, whichever was stored first. A
 * report replaces the one that the same source made at the same moment: the rules then decide the
 * lineages that only the replaced report named. */
#ifndef PM_STORE_LABEL_H
#define PM_STORE_LABEL_H

#include "parse/files/labels.h"
#include "store/file/store.h"

#define PM_LABEL_PIDS 3

typedef struct pm_label_put {
    const pm_labels *labels;
    int64_t pid[PM_LABEL_PIDS]; /* tried in turn until the ranges fit the map of one;
                                   PMAPDB_UNKNOWN: none. In a container a JVM knows another pid than
                                   the host does. */
    const char *host;           /* NULL: whichever has a process of that pid */
    int64_t taken_ms;
    int64_t since; /* snapshots with a greater id are new: a known report names them, too */
} pm_label_put;

typedef struct pm_label_stored {
    int64_t process_id, pid;
    char name[256];                   /* of the process; may be cut */
    int64_t snapshot_id, snapshot_ms; /* the capture nearest in time */
    bool duplicate;                   /* it was stored before */
    int64_t mappings, size_kib; /* that a name covers; PMAPDB_UNKNOWN: a duplicate, not asked */
} pm_label_stored;

/* Runs in its own transaction. PMAPDB_INPUT: no process has such a pid, processes of several hosts
 * have it, or the ranges fit the map of none. */
pmapdb_status pm_label_store(pmapdb_store *s, const pm_label_put *put, pm_label_stored *out,
                             pmapdb_error *err);

/* Gives the names of all stored reports of a process again, in the caller's transaction; what a
 * writer remembers is then out of date. */
void pm_label_again(pm_sql *sql, int64_t process_id);

/* Stores the reports in temp table label_new (label-begin.sql) for a process, in the caller's
 * transaction. True: what a writer remembers is then out of date. */
bool pm_label_take(pm_sql *sql, int64_t process_id);

#endif
