/* apply_work: one process while other rules are applied to it: apply_read.c reads it, apply_ask.c
 * asks the rules, apply_write.c writes what they decided, apply_sums.c makes sums of versions,
 * apply_change.c tells what is different. */
#ifndef PM_STORE_APPLY_WORK_H
#define PM_STORE_APPLY_WORK_H

#include "store/epoch.h"
#include "store/rules/apply.h"
#include "store/timeline.h"

#define PM_NOWHERE SIZE_MAX

typedef struct pm_apply_lineage {
    int64_t id, category_id;
    char *rule;    /* as stored, or NULL */
    size_t first;  /* index of its first capture in the timeline, or PM_NOWHERE */
    size_t judge;  /* ... of the one that decides */
    int64_t start; /* of its lowest region in the first one */
    int64_t own;   /* and that region's object's category */
    bool asked;    /* what it is now is for the rules to say */
    pm_ruling now; /* before it is decided: as stored */
} pm_apply_lineage;

typedef struct pm_apply_region {
    int64_t id, size_kib;
    size_t lineage; /* index */
    pm_place at;    /* kept: as stored */
    bool moved;     /* from one category to another */
} pm_apply_region;

/* Which lineages the rules are asked of. */
typedef enum pm_apply_asked {
    PM_ASK_RULED,    /* all but those that are named by the program itself */
    PM_ASK_LABELLED, /* those alone */
    PM_ASK_ALL,
    PM_ASK_CHOSEN /* those that say so */
} pm_apply_asked;

typedef struct pm_applying {
    pm_apply_within in;
    pm_apply_asked which;
    pm_apply_region *region; /* by id */
    size_t n_regions, cap_regions;
    pm_apply_lineage *lineage; /* by id */
    size_t n_lineages, cap_lineages;
    pm_timeline line;
    size_t *by_place; /* indexes of line, by (epoch, off) */
    int64_t since;    /* lineages are decided that snapshots from this id on judge */
    bool sums;        /* and those have none by category yet */
    size_t changed_lineages, changed_snapshots;
} pm_applying;

/* All but the versions, from which it knows `first` and `judge` of lineages. */
pmapdb_status pm_applying_read(pm_applying *a, pmapdb_error *err);
void pm_applying_free(pm_applying *a);

/* Index in by_place behind the last capture of the epoch that by_place[from] is in. */
size_t pm_applying_epoch_end(const pm_applying *a, size_t from);
pm_apply_region *pm_applying_region(const pm_applying *a, int64_t region_id);
pm_apply_lineage *pm_applying_lineage(const pm_applying *a, int64_t lineage_id);

/* Asks the rules. */
pmapdb_status pm_applying_ask(pm_applying *a, pmapdb_error *err);

/* What a lineage counts as from now on. */
static inline int64_t pm_apply_category(const pm_apply_lineage *l)
{
    return l->now.kept ? l->now.kept : l->own;
}

/* Writes what is decided where it is different. */
pmapdb_status pm_applying_write(pm_applying *a, pmapdb_error *err);

/* ---- sums ---- */

/* What a version of rows adds to a category. */
typedef struct pm_share {
    int64_t category_id;
    int64_t first, last; /* last PMAPDB_UNKNOWN: to the end */
    pm_totals totals;    /* -1 is unknown */
} pm_share;

/* The versions of the sums by category of n captures, into out->saved; sorts the shares. */
pmapdb_status pm_share_sums(pm_share *share, size_t n_shares, size_t n, pm_strip *out,
                            pmapdb_error *err);

/* ---- differences ---- */

typedef struct pm_apply_changes {
    struct pm_apply_step {
        int64_t from, to; /* category_id */
        const char *rule;
        int64_t lineages, mappings, size_kib, rss_kib;
        char *from_text, *to_text;
    } * step;
    size_t n, cap;
} pm_apply_changes;

void pm_apply_changes_free(pm_apply_changes *c);

/* What is decided of a process and not written yet. */
pmapdb_status pm_apply_changes_add(pm_apply_changes *c, const pm_applying *a, pmapdb_error *err);

/* One for each (from, to, rule), largest rss first, with their texts. */
pmapdb_status pm_apply_changes_finish(pm_apply_changes *c, pm_sql *sql, pmapdb_error *err);

#endif
