/* health: what the checks of pmapdb_doctor() share; private to health*.c.
 *
 * health.c        opens the store, goes through the checks
 * health_tell.c   a finding, from numbers and words
 * health_file.c   the file: whole, of which schema, how large, on what disk
 * health_proof.c  every snapshot read, its sums proved
 * health_kept.c   what the store holds: gaps, refusals, growth
 * health_live.c   live captures: whether they arrive, and what they cost
 *
 * A check that cannot be made is a finding, too: a damaged store must not end the run.
 */
#ifndef PM_STORE_HEALTH_H
#define PM_STORE_HEALTH_H

#include "store/query.h"

#define PM_DAY_MS ((int64_t)86400000)
#define PM_WEEK_MS (7 * PM_DAY_MS)

typedef struct pm_health {
    const char *path;
    const pmapdb_doctor_options *options;
    pmapdb_doctor_result *result;
    pmapdb_store *store;
    int64_t now_ms;
    int64_t oldest_ms, newest_ms; /* of the snapshots; PMAPDB_UNKNOWN: there are none */
    int64_t since_ms;             /* a week before; likewise */
    int64_t size_kib;             /* of the file and its -wal */
    int64_t free_kib;             /* on its disk, for this user */
    bool damaged;                 /* SQLite says so */
    bool nomem;                   /* a check ended so: what it did not see is not told as damage */
} pm_health;

/* ---- health_tell.c ---- */

/* A number with its unit (KiB and ms in words of their own), and a text behind it. */
void pm_health_tell(pm_health *h, const char *check, pmapdb_health state, double number,
                    const char *unit, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* A word for a value. */
void pm_health_word(pm_health *h, const char *check, pmapdb_health state, const char *value,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
/* How much of the message to show: the rest sends to the doctor, which is here already. */
int pm_health_reason(const pmapdb_error *err);
/* The check could not be made. */
void pm_health_lost(pm_health *h, const char *check, const pmapdb_error *err);

/* "2026-11-21T02:05:32Z" */
typedef struct pm_health_text {
    char text[40];
} pm_health_text;
pm_health_text pm_health_at(int64_t ms);
pm_health_text pm_health_span(double ms);
pm_health_text pm_health_size(double kib);

/* "" of one, "s" of any other number. */
static inline const char *pm_health_s(double n)
{
    return n >= 1 && n <= 1 ? "" : "s";
}

/* Runs a built-in query and hands out its rows. `since_ms` goes to its parameter `since`;
 * PMAPDB_UNKNOWN: it is not given. `max_size` likewise, in KiB. */
typedef void (*pm_health_row)(void *ctx, const pmapdb_rows *rows);
pmapdb_status pm_health_ask(const pm_health *h, const char *query, int64_t since_ms,
                            int64_t max_size_kib, pm_health_row row, void *ctx, pmapdb_error *err);

/* Of the row at hand; not a number, "" where it is unknown. */
double pm_health_number(const pmapdb_rows *rows, const char *column);
pm_text pm_health_column(const pmapdb_rows *rows, const char *column);

/* ---- the checks ---- */

/* The store does not open, for that reason. */
void pm_health_closed(pm_health *h, const pmapdb_error *why);
void pm_health_whole(pm_health *h);
/* What to do with a damaged one. */
void pm_health_rescue(pm_health *h);
void pm_health_file(pm_health *h);
void pm_health_proof(pm_health *h);
void pm_health_kept(pm_health *h);
void pm_health_live(pm_health *h);

#endif
