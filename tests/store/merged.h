/* merged: several stores in one test, merged into each other. */
#ifndef TESTS_STORE_MERGED_H
#define TESTS_STORE_MERGED_H

#include "kit.h"

#include "store/copy/merge.h"

static inline pm_merge_counts merge(const kit *into, const kit *from)
{
    pmapdb_merge_options options = {.sweep_ms = KIT_SWEEP};
    pm_merge_counts counts;
    pmapdb_error err = {0};
    bool theirs;

    kit_ok(pm_merge_store(into->store, from->store, &options, &counts, &theirs, &err), &err);
    return counts;
}

#endif
