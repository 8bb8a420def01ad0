/* health: pmapdb_doctor(): the story of a store, check by check. */
#include "store/health/health.h"

#include "base/clock.h"
#include "store/keep/tidy.h"

void pmapdb_doctor_defaults(pmapdb_doctor_options *options)
{
    *options = (pmapdb_doctor_options){.max_size_kib = PMAPDB_UNKNOWN};
}

static void tell_compacted(pm_health *h, const pmapdb_compact_result *r)
{
    bool stays = r->held || r->wants_vacuum;

    pm_health_tell(h, "compact", stays ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK,
                   (double)r->kib_after, "KiB", "of %s; %llu pieces of %llu%s",
                   pm_health_size((double)r->kib_before).text, (unsigned long long)r->epochs_after,
                   (unsigned long long)r->epochs_before,
                   r->held           ? "; a reader keeps the file from shrinking until it ends"
                   : r->wants_vacuum ? "; made without auto_vacuum: only a VACUUM makes it smaller"
                                     : "");
}

/* The only thing that writes, and only where the file is whole. */
static void compact(pm_health *h)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_CHANGE};
    pmapdb_compact_options options = {0};
    pmapdb_compact_result result = {0};
    pmapdb_store *store = NULL;
    pmapdb_error err = {0};
    pmapdb_status st;

    if (h->damaged) {
        pm_health_word(h, "compact", PMAPDB_HEALTH_TROUBLE, "no",
                       "what is damaged is not written to");
        return;
    }
    st = pmapdb_open(h->path, &open_options, &store, &err);
    if (st == PMAPDB_OK)
        st = pm_store_compact(store, &options, &result, &err);
    if (st == PMAPDB_OK)
        tell_compacted(h, &result);
    else
        pm_health_lost(h, "compact", &err);
    pmapdb_close(store);
}

/* What is damaged is proved snapshot by snapshot, asked for or not: that says what is left. */
static void examine(pm_health *h)
{
    pm_health_whole(h);
    if (h->options->compact)
        compact(h);
    if (h->options->deep || h->damaged)
        pm_health_proof(h);
    pm_health_file(h);
    pm_health_kept(h);
    pm_health_live(h);
    if (h->damaged)
        pm_health_rescue(h);
}

pmapdb_status pmapdb_doctor(const char *path, const pmapdb_doctor_options *options,
                            pmapdb_doctor_result *result, pmapdb_error *err)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_READ};
    pm_health h = {.path = path,
                   .options = options,
                   .result = result,
                   .now_ms = pm_clock_now(),
                   .oldest_ms = PMAPDB_UNKNOWN,
                   .newest_ms = PMAPDB_UNKNOWN,
                   .since_ms = PMAPDB_UNKNOWN};
    pmapdb_error why = {0};
    pmapdb_status st = pmapdb_open(path, &open_options, &h.store, &why);

    *result = (pmapdb_doctor_result){0};
    if (st == PMAPDB_NOTFOUND || st == PMAPDB_NOMEM) {
        if (err)
            *err = why;
        return st;
    }
    if (st == PMAPDB_OK)
        examine(&h);
    else
        pm_health_closed(&h, &why);
    pmapdb_close(h.store);
    return h.nomem ? pm_fail_nomem(err) : PMAPDB_OK;
}
