/* check_findings: queries the store for pmapdb check: the newest snapshots and the verdicts. */
#include "cli/commands/check.h"
#include "cli/leaks/phrases.h"

#include "render/number.h"
#include "stats/leaks/leaks.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

/* ---- findings ---- */

/* Returns how far the value is beyond the threshold, as a ratio; -1: not beyond it. */
static double ratio_beyond(int metric, double value, double limit)
{
    if (isnan(limit))
        return -1;
    if (metric == PM_CHECK_ETA)
        return value <= limit ? limit / (value > 0.001 ? value : 0.001) : -1;
    return value >= limit ? value / (limit > 0 ? limit : 1) : -1;
}

/* Returns the state that one process's value causes. */
static pm_check_state judge(pm_check *c, int metric, double value)
{
    pm_check_threshold *t = &c->of[metric];
    double critical = ratio_beyond(metric, value, t->critical);
    double warning = ratio_beyond(metric, value, t->warning);

    if (isnan(t->value) || (metric == PM_CHECK_ETA ? value < t->value : value > t->value))
        t->value = value;
    c->beyond = critical >= 0 ? critical : warning;
    if (!t->asked || c->beyond < 0)
        return PM_CHECK_OK;
    c->n_findings++;
    return critical >= 0 ? PM_CHECK_CRITICAL : PM_CHECK_WARNING;
}

/* Stores the text and returns true if this is the worst finding so far, or the first reason why
 * something that was asked for is unknown. */
static bool find(pm_check *c, pm_check_state found, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool find(pm_check *c, pm_check_state found, const char *format, ...)
{
    static const int weight[] = {
        [PM_CHECK_OK] = 0, [PM_CHECK_UNKNOWN] = 1, [PM_CHECK_WARNING] = 2, [PM_CHECK_CRITICAL] = 3};
    va_list args;

    if (found == PM_CHECK_OK || weight[c->state] > weight[found] ||
        (c->state == found && (found == PM_CHECK_UNKNOWN || c->worst >= c->beyond)))
        return false;
    c->state = found;
    c->worst = c->beyond;
    memcpy(c->as_of, c->at, sizeof c->at);
    va_start(args, format);
    vsnprintf(c->text, sizeof c->text, format, args);
    va_end(args);
    c->part_of = PMAPDB_UNKNOWN;
    c->part[0] = '\0';
    return true;
}

/* ---- the newest snapshots ---- */

/* Prints "redis/4711", or "redis" if the pid is unknown. */
static void read_who(const pmapdb_rows *row, char *out, size_t size)
{
    int64_t pid = pm_answer_int(row, "pid");
    char name[129];

    pm_answer_text(row, "name", name, sizeof name);
    if (pid == PMAPDB_UNKNOWN)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s/%" PRId64, name, pid);
}

static void read_at(pm_check *c, const pmapdb_rows *row, const char *column)
{
    pm_answer_text(row, column, c->at, sizeof c->at);
    if (c->state == PM_CHECK_OK && *c->at && (!*c->as_of || strcmp(c->at, c->as_of) < 0))
        memcpy(c->as_of, c->at, sizeof c->at);
}

static void take_process(pm_check *c, const pmapdb_rows *row)
{
    int64_t rss = pm_answer_int(row, "rss_kib"), mappings = pm_answer_int(row, "mappings"), taken;
    char found[16], size[PM_NUMBER_TEXT];

    if (pm_grow(&c->alive, &c->alive_cap, c->n_processes, sizeof *c->alive, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    c->alive[c->n_processes++] = pm_answer_int(row, "process_id");
    read_who(row, c->who, sizeof c->who);
    read_at(c, row, "taken_at");
    if (pm_clock_parse(pm_text_of(c->at), &taken) && taken > c->newest_ms)
        c->newest_ms = taken;
    pm_answer_text(row, "state", found, sizeof found);
    if (strcmp(found, "partial") == 0)
        return;
    if (rss == PMAPDB_UNKNOWN)
        snprintf(c->blind, sizeof c->blind, "%s", c->who);
    pm_number_size((double)rss, size);
    if (rss != PMAPDB_UNKNOWN)
        find(c, judge(c, PM_CHECK_RSS, (double)rss), "%s has %s resident", c->who, size);
    if (mappings != PMAPDB_UNKNOWN)
        find(c, judge(c, PM_CHECK_MAPPINGS, (double)mappings), "%s has %" PRId64 " mappings",
             c->who, mappings);
}

static void ask_newest(pm_check *c)
{
    pmapdb_rows *rows = pm_run_query(&c->args, "by-process");

    while (pm_run_next(rows))
        take_process(c, rows);
    pmapdb_rows_close(rows);
    if (!c->n_processes)
        pm_cli_die("no snapshots in the store");
}

/* ---- verdicts ---- */

/* Judges a process by its own row of `leaks`, the one with key "total". */
static void judge_process(pm_check *c, const pmapdb_rows *row)
{
    double per_h = pm_answer_real(row, "rate_per_h"), eta_h = pm_answer_real(row, "eta_h");
    double limit_kib = pm_answer_real(row, "limit");
    char who[192], unit[16], limit_by[32], rate[PM_NUMBER_TEXT], limit[PM_NUMBER_TEXT],
        span[PM_NUMBER_TEXT];
    bool sizes;

    read_who(row, who, sizeof who);
    pm_answer_text(row, "unit", unit, sizeof unit);
    pm_answer_text(row, "limit_by", limit_by, sizeof limit_by);
    sizes = strcmp(unit, "KiB") == 0;
    pm_number_size(per_h, rate);
    c->n_leaks++;
    if (sizes && !isnan(per_h) &&
        find(c, judge(c, PM_CHECK_RATE, per_h), "%s leaks %s/h", who, rate))
        c->part_of = pm_answer_int(row, "process_id");
    if (!c->of[PM_CHECK_ETA].asked)
        return;
    if (isnan(eta_h)) {
        find(c, PM_CHECK_UNKNOWN, "%s leaks and no limit is known: give --limit", who);
        return;
    }
    (sizes ? pm_number_size : pm_number_brief)(limit_kib, limit);
    pm_number_span(eta_h * 3600000, span);
    find(c, judge(c, PM_CHECK_ETA, eta_h), "%s leaks and reaches %s%s in %s", who,
         pm_leak_limit_words(&(pm_leak_row){.limit_by = pm_text_of(limit_by)}), limit, span);
}

/* Notes the process as blind if its resident memory is unknown. */
static void see_blind(pm_check *c, const pmapdb_rows *row)
{
    char rss_from[16];

    pm_answer_text(row, "rss_from", rss_from, sizeof rss_from);
    if (strcmp(rss_from, pm_leak_rss_name(PM_RSS_UNKNOWN)) == 0)
        read_who(row, c->blind, sizeof c->blind);
}

/* Takes the row of a part of a process; it follows the process's own row. */
static void see_part(pm_check *c, const pmapdb_rows *row)
{
    double rate = pm_answer_real(row, "rate_per_h");

    if (c->part_of != pm_answer_int(row, "process_id") || (*c->part && !(rate > c->part_rate)))
        return;
    c->part_rate = rate;
    pm_answer_text(row, "key", c->part, sizeof c->part);
}

/* True if the process is in the newest moment. Leaks of processes that have ended no longer
 * matter. */
static bool is_alive(const pm_check *c, int64_t process_id)
{
    for (size_t i = 0; i < c->n_processes; i++)
        if (c->alive[i] == process_id)
            return true;
    return false;
}

/* The first row of each process is about the process itself; the rows of its parts follow. */
static void ask_leaks(pm_check *c)
{
    pmapdb_rows *rows = pm_run_query(&c->args, "leaks");
    const char *metric = pm_run_given(&c->args, "metric");
    bool sizes_will_do = metric && strcmp(metric, "joint") != 0 && strcmp(metric, "rss") != 0;
    int64_t longest = 0, judged = 0;
    int64_t current = PMAPDB_UNKNOWN;

    while (pm_run_next(rows)) {
        int64_t process_id = pm_answer_int(rows, "process_id");
        int64_t snapshots = pm_answer_int(rows, "snapshots");
        char verdict[16];
        bool leaks;

        if (!is_alive(c, process_id))
            continue;
        pm_answer_text(rows, "verdict", verdict, sizeof verdict);
        leaks = strcmp(verdict, "leak") == 0;
        if (process_id == current) {
            if (leaks)
                see_part(c, rows);
            continue;
        }
        current = process_id;
        judged += strcmp(verdict, "too-few") != 0;
        longest = snapshots > longest ? snapshots : longest;
        read_at(c, rows, "last_at");
        if (leaks)
            judge_process(c, rows);
        else
            see_blind(c, rows);
    }
    pmapdb_rows_close(rows);
    if (!judged && longest >= PM_TREND_MIN)
        find(c, PM_CHECK_UNKNOWN, "no life is long enough for a verdict, of %" PRId64 " snapshots",
             longest);
    else if (!judged)
        find(c, PM_CHECK_UNKNOWN,
             "too few snapshots for a verdict: %" PRId64 " of the %d that are needed", longest,
             PM_TREND_MIN);
    else if (c->blind[0] && !sizes_will_do)
        find(c, PM_CHECK_UNKNOWN,
             "the resident memory of %s is unknown, and so is whether it leaks", c->blind);
    else if (isnan(c->of[PM_CHECK_RATE].value))
        c->of[PM_CHECK_RATE].value = 0;
}

/* ---- age ---- */

#define AHEAD_MS 60000 /* the clocks of two hosts may differ by this */

/* Replaces all findings by UNKNOWN if the newest snapshot is too old, or dated in the future: then
 * it says nothing about the current state. */
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
        find(c, PM_CHECK_UNKNOWN,
             "the newest snapshot is of %s, which is in the future: a clock is or was "
             "wrong",
             at);
    else
        find(c, PM_CHECK_UNKNOWN, "the newest snapshot is of %s, %s ago", at, span);
}

void pm_check_ask(pm_check *c)
{
    static const char *const words[] = {
        [PM_CHECK_RSS] = "resident memory", [PM_CHECK_MAPPINGS] = "the number of mappings"};

    ask_newest(c);
    if (c->of[PM_CHECK_RATE].asked || c->of[PM_CHECK_ETA].asked)
        ask_leaks(c);
    for (int m = PM_CHECK_RSS; m <= PM_CHECK_MAPPINGS; m++)
        if (c->of[m].asked && isnan(c->of[m].value))
            find(c, PM_CHECK_UNKNOWN, "%s is not known of the newest snapshot", words[m]);
    judge_age(c);
}
