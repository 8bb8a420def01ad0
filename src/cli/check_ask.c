/* check_ask: what pmapdb check asks the store: the verdicts, and the newest snapshots. */
#include "cli/check.h"
#include "cli/leak_words.h"
#include "cli/side.h"

#include "base/buf.h"
#include "base/clock.h"
#include "render/number.h"
#include <math.h>
#include <stdio.h>

/* ---- verdicts ---- */

/* What leaks most of a process. */
static const pm_leak_row *largest_part(const pm_leak_rows *rows, const pm_leak_row *whole)
{
    const pm_leak_row *most = NULL;

    for (const pm_leak_row *r = whole + 1;
         r < rows->row + rows->n && r->process_id == whole->process_id; r++)
        if (r->verdict == PM_VERDICT_LEAK && (!most || r->rate > most->rate))
            most = r;
    return most ? most : whole;
}

static void judge_rate(pm_check *c, const pm_leak_row *whole, const pm_leak_row *most,
                       const char *who)
{
    char what[400], rate[PM_NUMBER_TEXT];

    if (!pm_text_equal(whole->unit, PM_TEXT("KiB")) || isnan(whole->rate))
        return;
    pm_number_size(whole->rate, rate);
    if (most == whole) /* nothing is known of its parts */
        snprintf(what, sizeof what, "%s leaks %s/h", who, rate);
    else
        snprintf(what, sizeof what, "%s leaks %s/h, most of it %.*s", who, rate,
                 (int)(most->key.len < 64 ? most->key.len : 64), most->key.data);
    pm_check_judge(c, PM_CHECK_RATE, whole->rate, what);
}

static void judge_eta(pm_check *c, const pm_leak_row *whole, const char *who)
{
    char what[400], limit[PM_NUMBER_TEXT], span[PM_NUMBER_TEXT];

    if (!c->asked[PM_CHECK_ETA])
        return;
    if (isnan(whole->eta_h)) {
        pm_check_unknown(c, "%s leaks and no limit is known: give --limit", who);
        return;
    }
    if (pm_text_equal(whole->unit, PM_TEXT("KiB")))
        pm_number_size(whole->limit, limit);
    else
        pm_number_brief(whole->limit, limit);
    pm_number_span(whole->eta_h * 3600000, span);
    snprintf(what, sizeof what, "%s leaks and reaches %s%s in %s", who, pm_leak_limit_words(whole),
             limit, span);
    pm_check_judge(c, PM_CHECK_ETA, whole->eta_h, what);
}

/* What leaked in a process that is gone is history. */
static bool is_alive(const pm_check *c, int64_t process_id)
{
    for (size_t i = 0; i < c->n_processes; i++)
        if (c->alive[i] == process_id)
            return true;
    return false;
}

/* Another metric than rss was asked for. */
static bool sizes_will_do(const pm_check *c)
{
    const char *metric = NULL;

    for (int i = 0; i < c->args.info->n_params; i++)
        if (pm_text_equal(c->args.info->param[i].name, PM_TEXT("metric")))
            metric = c->args.value[i];
    return metric && strcmp(metric, "joint") != 0 && strcmp(metric, "rss") != 0;
}

static void judge_leaks(pm_check *c, const pm_leak_rows *rows)
{
    int64_t longest = 0;
    size_t judged = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const pm_leak_row *whole = &rows->row[i];
        char who[192];

        if (!whole->whole || !is_alive(c, whole->process_id))
            continue;
        judged += whole->verdict != PM_VERDICT_TOO_FEW;
        if (whole->snapshots > longest)
            longest = whole->snapshots;
        pm_leak_row_who(whole, who, sizeof who);
        if (whole->verdict != PM_VERDICT_LEAK && pm_leak_row_blind(whole))
            snprintf(c->blind, sizeof c->blind, "%s", who);
        if (whole->verdict != PM_VERDICT_LEAK)
            continue;
        c->n_leaks++;
        judge_rate(c, whole, largest_part(rows, whole), who);
        judge_eta(c, whole, who);
    }
    if (!judged && longest >= PM_TREND_MIN)
        pm_check_unknown(c, "no life is long enough for a verdict, of %lld snapshots",
                         (long long)longest);
    else if (!judged)
        pm_check_unknown(c, "too few snapshots for a verdict: %lld of the %d that are needed",
                         (long long)longest, PM_TREND_MIN);
    else if (c->blind[0] && !sizes_will_do(c))
        pm_check_unknown(c, "what is resident of %s is unknown, and so whether it leaks", c->blind);
    else if (isnan(c->value[PM_CHECK_RATE]))
        c->value[PM_CHECK_RATE] = 0;
}

static pmapdb_status ask_leaks(pm_check *c, pmapdb_store *store, pmapdb_error *err)
{
    pm_leak_rows held = {0};
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_query(store, "leaks", &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(&c->args, rows, err);
    if (st == PMAPDB_OK)
        st = pm_leak_rows_read(&held, rows, err);
    if (st == PMAPDB_OK)
        judge_leaks(c, &held);
    pm_leak_rows_free(&held);
    pmapdb_rows_close(rows);
    return st;
}

/* ---- the newest snapshots ---- */

/* The name and whether rows are missing; the latest moment of all. */
static bool read_texts(pm_check *c, const pmapdb_rows *rows, pm_text *process)
{
    bool partial = false;
    int64_t taken;

    for (int i = 0; i < pmapdb_rows_columns(rows); i++) {
        const char *name = pmapdb_rows_name(rows, i);
        pm_text t = {"", 0};

        if (pmapdb_rows_type(rows, i) == PMAPDB_TEXT)
            t.data = pmapdb_rows_text(rows, i, &t.len);
        if (strcmp(name, "name") == 0)
            *process = t;
        else if (strcmp(name, "state") == 0)
            partial = pm_text_equal(t, PM_TEXT("partial"));
        else if (strcmp(name, "taken_at") == 0 && pm_clock_parse(t, &taken) && taken > c->newest_ms)
            c->newest_ms = taken;
    }
    return partial;
}

static pmapdb_status take_process(pm_check *c, const pmapdb_rows *rows, pmapdb_error *err)
{
    int64_t rss = pm_side_int(rows, "rss_kib"), mappings = pm_side_int(rows, "mappings");
    pm_leak_row row = {.pid = pm_side_int(rows, "pid")};
    char who[192], what[400], size[PM_NUMBER_TEXT];
    bool partial = read_texts(c, rows, &row.name);
    pmapdb_status st = pm_grow(&c->alive, &c->alive_cap, c->n_processes, sizeof *c->alive, err);

    if (st != PMAPDB_OK)
        return st;
    c->alive[c->n_processes++] = pm_side_int(rows, "process_id");
    pm_leak_row_who(&row, who, sizeof who);
    snprintf(c->quiet, sizeof c->quiet, "%s", who);
    if (!partial && rss == PMAPDB_UNKNOWN)
        snprintf(c->blind, sizeof c->blind, "%s", who);
    if (!partial && rss != PMAPDB_UNKNOWN) {
        pm_number_size((double)rss, size);
        snprintf(what, sizeof what, "%s has %s resident", who, size);
        pm_check_judge(c, PM_CHECK_RSS, (double)rss, what);
    }
    if (!partial && mappings != PMAPDB_UNKNOWN) {
        snprintf(what, sizeof what, "%s has %lld mappings", who, (long long)mappings);
        pm_check_judge(c, PM_CHECK_MAPPINGS, (double)mappings, what);
    }
    return PMAPDB_OK;
}

static pmapdb_status ask_newest(pm_check *c, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    bool has;
    pmapdb_status st = pmapdb_query(store, "by-process", &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(&c->args, rows, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has)
        st = take_process(c, rows, err);
    pmapdb_rows_close(rows);
    if (st == PMAPDB_OK && !c->n_processes)
        return pm_fail(err, PMAPDB_NOTFOUND, "no snapshots in the store");
    return st;
}

/* ---- the whole ---- */

#define AHEAD_MS 60000 /* clocks of two hosts */

/* Old captures say nothing of now, nor do those of another time. */
static void judge_age(pm_check *c)
{
    int64_t age = pm_clock_now() - c->newest_ms;
    char at[PM_CLOCK_TEXT], span[PM_NUMBER_TEXT];

    if (c->max_age_ms == PMAPDB_UNKNOWN || (age >= -AHEAD_MS && age <= c->max_age_ms))
        return;
    pm_clock_format(c->newest_ms, at);
    pm_number_span((double)age, span);
    c->state = PM_CHECK_OK;
    c->n_findings = 0;
    if (age < 0)
        pm_check_unknown(
            c, "the newest snapshot is of %s, which is still to come: a clock is or was wrong", at);
    else
        pm_check_unknown(c, "the newest snapshot is of %s, %s ago", at, span);
}

pmapdb_status pm_check_ask(pm_check *c, pmapdb_store *store, pmapdb_error *err)
{
    static const char *const names[] = {
        [PM_CHECK_RSS] = "resident memory", [PM_CHECK_MAPPINGS] = "the number of mappings"};
    pmapdb_status st = ask_newest(c, store, err);

    if (st == PMAPDB_OK && (c->asked[PM_CHECK_RATE] || c->asked[PM_CHECK_ETA]))
        st = ask_leaks(c, store, err);
    if (st != PMAPDB_OK)
        return st;
    for (int m = PM_CHECK_RSS; m <= PM_CHECK_MAPPINGS; m++)
        if (c->asked[m] && isnan(c->value[m]))
            pm_check_unknown(c, "%s is not known of the newest snapshot", names[m]);
    judge_age(c);
    return PMAPDB_OK;
}
