/* label: names that a program gives its own memory (parse/labels.h), kept in table label, and what
 * they make of the categories of its process.
 *
 * A report names lineages that the capture nearest to it in time shows: one whose row is covered by
 * names of one category to nine tenths gets that category for its life; lineage.rule is then
 * PM_RULE_LABEL, and no rule is asked of it again. So does one that rules take for what such a name
 * would cover, and of which less than half is covered at all. What lies between is memory of
 * several owners: it keeps its category.
 *
 * Of two reports that name a lineage the one that was said later wins, whichever was stored first;
 * of the same moment NMT, the more exact one, before System.map. What the same source says of the
 * same moment once more takes the place of what it said before: what that alone had named is asked
 * of the rules again. */
#ifndef PM_STORE_LABEL_H
#define PM_STORE_LABEL_H

#include "parse/labels.h"
#include "store/file/store.h"

#define PM_LABEL_PIDS 3
/* A map further from a report than this one is not named by it. */
#define PM_LABEL_FAR_MS 3600000

typedef struct pm_label_put {
    const pm_labels *labels;
    int64_t pid[PM_LABEL_PIDS]; /* tried in turn until the ranges fit the map of one;
                                   PMAPDB_UNKNOWN: none. In a container a JVM names another than the
                                   host does. */
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
 * hosts; or it fits the map of none. */
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

/* ---- names: label_name.c ---- */

/* How many rows of a capture are covered to half of them or more. */
pmapdb_status pm_label_fits(pm_sql *sql, const pm_labels *labels, int64_t snapshot_id,
                            int64_t *rows, pmapdb_error *err);

/* Names what the capture shows. anew: not only by this report, but by all that are stored of the
 * process, which stop naming whatever none of them does. */
pmapdb_status pm_label_name(pm_sql *sql, const pm_labels *labels, bool anew, pm_label_stored *out,
                            pmapdb_error *err);

/* ---- table label: label_table.c ---- */

typedef struct pm_label_key {
    int64_t process_id, taken_ms;
    pm_labels_source source;
} pm_label_key;

/* out->n 0: there is none. Of what it lacks only that is known. */
pmapdb_status pm_label_read(pm_sql *sql, const pm_label_key *key, pm_labels *out,
                            pmapdb_error *err);
/* In place of what is there. */
pmapdb_status pm_label_write(pm_sql *sql, const pm_label_key *key, const pm_labels *l,
                             pmapdb_error *err);
bool pm_label_equal(const pm_labels *a, const pm_labels *b);

/* Every report of a process, the one that wins last. */
typedef pmapdb_status (*pm_label_fn)(void *ctx, const pm_label_key *key, pm_labels *l,
                                     pmapdb_error *err);
pmapdb_status pm_label_each(pm_sql *sql, int64_t process_id, pm_label_fn fn, void *ctx,
                            pmapdb_error *err);
/* *out: no stored one wins over this. */
pmapdb_status pm_label_last(pm_sql *sql, const pm_label_key *key, bool *out, pmapdb_error *err);

#endif
