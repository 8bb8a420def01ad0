/* health_live: live captures: whether they still arrive, how many were missed, what could not be
 * read, and what reading costs. */
#include "store/health/health.h"

#include "base/clock.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define LATE_STEPS 3
#define LATE_MS 60000       /* but never so soon */
#define MUCH_STALL_US 50000 /* what --max-stall allows by itself */
#define MOST_HOSTS 64

/* ---- whether they arrive ---- */

/* A host's newest job; rows come with the newest first. */
typedef struct arrivals {
    const pm_health *h;
    char here[65], host[MOST_HOSTS][65];
    size_t n_hosts;
    /* the worst: */
    pmapdb_health state;
    double age;
    char words[320];
    /* of all jobs: */
    double expected, kept, missed, absent, vanished, changed, took_max, unreadable;
} arrivals;

static bool is_new(arrivals *a, pm_text host)
{
    for (size_t i = 0; i < a->n_hosts; i++)
        if (pm_text_equal(pm_text_of(a->host[i]), host))
            return false;
    if (a->n_hosts < MOST_HOSTS)
        snprintf(a->host[a->n_hosts++], sizeof *a->host, "%.*s", host.len < 64 ? (int)host.len : 64,
                 host.data);
    return true;
}

/* What ran for a day was meant to go on. A run of some minutes ended as it should, a silence of a
 * week is known by now, and captures of other hosts come when they are merged. */
static pmapdb_health judge(const arrivals *a, const pmapdb_rows *rows, double age, int64_t last_ms)
{
    double step = pm_health_number(rows, "step");
    pm_text host = pm_health_column(rows, "host");
    int64_t first_ms;
    bool service;

    if (isnan(step) || age <= fmax(LATE_STEPS * step, LATE_MS))
        return PMAPDB_HEALTH_OK;
    service = pm_clock_parse(pm_health_column(rows, "first_at"), &first_ms) &&
              last_ms - first_ms >= PM_DAY_MS;
    return service && age < (double)PM_WEEK_MS && pm_text_equal(host, pm_text_of(a->here))
               ? PMAPDB_HEALTH_TROUBLE
               : PMAPDB_HEALTH_NOTE;
}

static void see_arrival(arrivals *a, const pmapdb_rows *rows)
{
    pm_text host = pm_health_column(rows, "host"), what = pm_health_column(rows, "selection");
    double age, step = pm_health_number(rows, "step");
    pmapdb_health state;
    int64_t last_ms;

    if (!pm_clock_parse(pm_health_column(rows, "last_at"), &last_ms) || !is_new(a, host))
        return;
    if (a->n_hosts == 1)
        a->unreadable = pm_health_number(rows, "unreadable");
    age = (double)(a->h->now_ms - last_ms);
    state = judge(a, rows, age, last_ms);
    if (a->words[0] && (state < a->state || (state == a->state && age <= a->age)))
        return;
    a->state = state;
    a->age = age;
    snprintf(a->words, sizeof a->words, "since the last beat of %.*s on %.*s%s%s",
             what.len < 120 ? (int)what.len : 120, what.data, host.len < 64 ? (int)host.len : 64,
             host.data, isnan(step) ? "" : ", which has a step of ",
             isnan(step) ? "" : pm_health_span(step).text);
}

static void see_job(void *ctx, const pmapdb_rows *rows)
{
    arrivals *a = ctx;

    see_arrival(a, rows);
    a->expected += pm_health_number(rows, "expected");
    a->kept += pm_health_number(rows, "kept");
    a->missed += pm_health_number(rows, "missed");
    a->absent += pm_health_number(rows, "absent");
    a->vanished += pm_health_number(rows, "vanished");
    a->changed += pm_health_number(rows, "changed");
    a->took_max = fmax(a->took_max, pm_health_number(rows, "took_max"));
}

static void tell_arrivals(pm_health *h, const arrivals *a)
{
    double lost = a->missed + a->absent;

    pm_health_tell(h, "capture", a->state, a->age, "ms", "%s%s", a->words,
                   a->state == PMAPDB_HEALTH_OK ? "" : ": has it ended?");
    pm_health_tell(h, "beats", lost > 0 ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, a->kept, "beats",
                   "of %.0f in 7 days; %.0f missed, %.0f while no capture ran; the slowest took %s",
                   a->expected, a->missed, a->absent, pm_health_span(a->took_max).text);
    pm_health_tell(h, "unreadable", a->unreadable > 0 ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK,
                   a->unreadable, "processes", "%s",
                   a->unreadable > 0 ? "in the last beat, to its user; root and CAP_SYS_PTRACE may"
                                     : "in the last beat");
    pm_health_tell(h, "vanished", PMAPDB_HEALTH_OK, a->vanished, "processes",
                   "in 7 days ended while they were read");
    pm_health_tell(h, "changed", a->changed > 0 ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, a->changed,
                   "processes", "in 7 days changed their map too quickly to be read");
}

/* ---- whether they find anything ---- */

/* Of the newest job of each selection on a host, the beats behind its last snapshot. One that left
 * processes out, or could not read them, had found them. */
static const char empty_beats[] =
    "WITH tick AS (SELECT w.schedule_id, w.started_ms, CASE WHEN "
    "w.unreadable + w.vanished + w.unmoved + w.changed > 0 OR w.capture_id IN "
    "(SELECT s.capture_id FROM snapshot s WHERE s.taken_ms >= ?1) THEN w.started_ms END "
    "AS found_ms FROM beat w WHERE w.started_ms >= ?1), "
    "told AS (SELECT *, max(found_ms) OVER (PARTITION BY schedule_id) AS newest_ms FROM tick), "
    "counted AS (SELECT schedule_id, max(started_ms) AS last_ms, "
    "sum(started_ms > coalesce(newest_ms, -9e15)) AS n FROM told GROUP BY schedule_id), "
    "newest AS (SELECT j.selection, k.n, max(k.last_ms) AS last_ms FROM counted k "
    "CROSS JOIN schedule j ON j.schedule_id = k.schedule_id "
    "GROUP BY j.host_id, j.selection, coalesce(j.every_ms, 0)) "
    "SELECT selection, n, count(*) OVER () FROM newest WHERE n > 0 "
    "ORDER BY n DESC, last_ms DESC, selection";

static void check_empty(pm_health *h)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_error err;
    pmapdb_status st =
        pm_sql_rows(h->store->sql, empty_beats, PM_ARGS(PM_BITS(h->since_ms)), &stmt, &err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(h->store->sql, stmt, &has, &err);
    if (st != PMAPDB_OK) {
        pm_health_lost(h, "empty", &err);
    } else if (!has) {
        pm_health_tell(h, "empty", PMAPDB_HEALTH_OK, 0, "beats",
                       "found no process since the last that found one");
    } else {
        pm_text what = pm_col_text(stmt, 0);
        int64_t others = pm_col_int(stmt, 2) - 1;
        char more[64] = "";

        if (others > 0)
            snprintf(more, sizeof more, "; likewise %lld other%s", (long long)others,
                     pm_health_s((double)others));
        pm_health_tell(h, "empty", PMAPDB_HEALTH_NOTE, (double)pm_col_int(stmt, 1), "beats",
                       "found no process: %.*s%s", what.len < 160 ? (int)what.len : 160, what.data,
                       more);
        pm_sql_done(stmt);
    }
}

/* ---- what it costs ---- */

typedef struct costs {
    size_t n;
    double most, degraded;
    char words[240], reason[200];
} costs;

/* The worst comes first. */
static void see_cost(void *ctx, const pmapdb_rows *rows)
{
    costs *c = ctx;
    pm_text name = pm_health_column(rows, "name"), reason = pm_health_column(rows, "reason");
    double share = 100 * pm_health_number(rows, "cpu_share");
    size_t used;

    c->degraded += pm_health_number(rows, "degraded");
    if (!c->reason[0] && reason.len)
        snprintf(c->reason, sizeof c->reason, "; %.*s: %.*s", name.len < 48 ? (int)name.len : 48,
                 name.data, reason.len < 128 ? (int)reason.len : 128, reason.data);
    if (c->n++)
        return;
    c->most = pm_health_number(rows, "longest_us_max");
    snprintf(c->words, sizeof c->words,
             "worst %.*s/%.0f: one read %.0f / %.0f / %.0f us, a map %.0f / %.0f / %.0f us "
             "(median, 99 %%, most)",
             name.len < 48 ? (int)name.len : 48, name.data, pm_health_number(rows, "pid"),
             pm_health_number(rows, "longest_us_p50"), pm_health_number(rows, "longest_us_p99"),
             c->most, pm_health_number(rows, "read_us_p50"), pm_health_number(rows, "read_us_p99"),
             pm_health_number(rows, "read_us_max"));
    used = strlen(c->words);
    if (!isnan(share))
        snprintf(c->words + used, sizeof c->words - used, ", CPU %.2g %% of a core", share);
}

/* What took longer than predicted, but not long, says nothing: it may have been the scheduler. */
static void check_predictions(pm_health *h)
{
    int64_t n = 0;
    pmapdb_error err;

    if (pm_sql_int(h->store->sql,
                   "SELECT count(*) FROM snapshot s CROSS JOIN live_reading g ON g.snapshot_id = "
                   "s.snapshot_id WHERE s.taken_ms >= ?1 AND g.degraded IS NULL "
                   "AND g.longest_us > ?2 AND g.longest_us > g.predicted_us",
                   PM_ARGS(PM_BITS(h->since_ms), PM_I(MUCH_STALL_US)), 0, &n, &err) != PMAPDB_OK)
        pm_health_lost(h, "underestimated", &err);
    else
        pm_health_tell(h, "underestimated", n ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, (double)n,
                       "snapshots", "in 7 days stalled longer than predicted, and than %d ms",
                       MUCH_STALL_US / 1000);
}

static void check_costs(pm_health *h)
{
    costs c = {0};
    pmapdb_error err;

    if (pm_health_ask(h, "read-cost", h->since_ms, PMAPDB_UNKNOWN, see_cost, &c, &err) !=
        PMAPDB_OK) {
        pm_health_lost(h, "stall", &err);
        return;
    }
    if (c.n)
        pm_health_tell(h, "stall", c.most > MUCH_STALL_US ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK,
                       c.most / 1000, "ms", "at most, in 7 days; %s", c.words);
    check_predictions(h);
    pm_health_tell(h, "degraded", c.degraded > 0 ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK,
                   c.degraded, "snapshots", "in 7 days have sizes only%s", c.reason);
}

/* ---- clocks ---- */

typedef struct jumps {
    size_t jumps, reboots;
    double most;
    char words[120];
} jumps;

static void see_jump(void *ctx, const pmapdb_rows *rows)
{
    jumps *j = ctx;
    double jump = pm_health_number(rows, "jump");
    pm_text at = pm_health_column(rows, "to_at"), host = pm_health_column(rows, "host");

    if (isnan(jump)) {
        j->reboots++;
        return;
    }
    if (j->jumps++ && fabs(jump) <= fabs(j->most))
        return;
    j->most = jump;
    snprintf(j->words, sizeof j->words, "; the largest %s on %.*s at %.*s",
             pm_health_span(jump).text, host.len < 48 ? (int)host.len : 48, host.data, (int)at.len,
             at.data);
}

static void check_clock(pm_health *h)
{
    jumps j = {0};
    pmapdb_error err;

    if (pm_health_ask(h, "clock-jumps", h->since_ms, PMAPDB_UNKNOWN, see_jump, &j, &err) !=
        PMAPDB_OK)
        pm_health_lost(h, "clock", &err);
    else
        pm_health_tell(h, "clock", j.jumps ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, (double)j.jumps,
                       "jumps", "in 7 days, %zu reboot%s%s", j.reboots, j.reboots == 1 ? "" : "s",
                       j.words);
}

void pm_health_live(pm_health *h)
{
    arrivals a = {.h = h, .took_max = NAN};
    pmapdb_error err;

    gethostname(a.here, sizeof a.here - 1);
    if (pm_health_ask(h, "sweeps", h->since_ms, PMAPDB_UNKNOWN, see_job, &a, &err) != PMAPDB_OK) {
        pm_health_lost(h, "capture", &err);
        return;
    }
    if (!a.n_hosts) {
        pm_health_word(h, "capture", PMAPDB_HEALTH_OK, "none",
                       "no live captures in the last 7 days of the store");
        return;
    }
    tell_arrivals(h, &a);
    check_empty(h);
    check_costs(h);
    check_clock(h);
}
