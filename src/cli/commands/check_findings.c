/* check_findings: queries the store for pmapdb check: the newest snapshots and the verdicts. */
#include "cli/commands/check.h"
#include "cli/leaks/phrases.h"
#include "cli/words.h"

#include "base/num.h"
#include "render/number.h"
#include "stats/leaks/leaks.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

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
    c->part[0] = '\0';
    return true;
}

/* ---- the newest snapshots ---- */

static void take_at(pm_check *c, pm_text at)
{
    snprintf(c->at, sizeof c->at, "%.*s", (int)at.len, at.data);
    if (c->state == PM_CHECK_OK && *c->at && (!*c->as_of || strcmp(c->at, c->as_of) < 0))
        memcpy(c->as_of, c->at, sizeof c->at);
}

/* Judges how much the process grew since the last snapshot before the span, or since its first. */
static void judge_growth(pm_check *c, int64_t process_id, int64_t rss, int64_t taken_ms)
{
    char sql[512], answer[64], size[PM_NUMBER_TEXT], span[PM_NUMBER_TEXT];
    uint64_t was_ms = 0, was_kib = 0;
    pm_text words;

    snprintf(sql, sizeof sql,
             "SELECT taken_ms || ' ' || coalesce(rss_kib, tool_rss_kib) FROM snapshot "
             "WHERE process_id = %" PRId64 " AND taken_ms < %" PRId64
             " AND taken_ms <= max(%" PRId64
             ", (SELECT min(taken_ms) FROM snapshot WHERE process_id = %" PRId64 ")) AND "
             "coalesce(rss_kib, tool_rss_kib) IS NOT NULL ORDER BY taken_ms DESC LIMIT 1",
             process_id, taken_ms, taken_ms - c->growth_ms, process_id);
    if (!pm_run_ask(c->args.store, sql, answer, sizeof answer))
        return;
    words = pm_text_of(answer);
    words = pm_text_from(words, pm_num_dec(words.data, words.data + words.len, &was_ms) + 1);
    pm_num_dec(words.data, words.data + words.len, &was_kib);
    pm_number_span((double)(taken_ms - (int64_t)was_ms), span);
    rss -= (int64_t)was_kib;
    pm_number_size((double)rss, size);
    find(c, judge(c, PM_CHECK_GROWTH, (double)rss), "%s grew %s in %s", c->who, size, span);
}

static void take_process(pm_check *c, const pmapdb_rows *row)
{
    int64_t rss = pm_answer_int(row, "rss_kib"), mappings = pm_answer_int(row, "mappings"), taken;
    char found[16], name[129], at[PM_CLOCK_TEXT], size[PM_NUMBER_TEXT];

    if (pm_grow(&c->alive, &c->alive_cap, c->n_processes, sizeof *c->alive, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    c->alive[c->n_processes++] = pm_answer_int(row, "process_id");
    pm_answer_text(row, "name", name, sizeof name);
    pm_leak_row_who(&(pm_leak_row){.name = pm_text_of(name), .pid = pm_answer_int(row, "pid")},
                    c->who, sizeof c->who);
    pm_answer_text(row, "taken_at", at, sizeof at);
    take_at(c, pm_text_of(at));
    if (pm_clock_parse(pm_text_of(at), &taken) && taken > c->newest_ms) {
        c->newest_ms = taken;
        c->newest = c->alive[c->n_processes - 1];
    }
    pm_answer_text(row, "state", found, sizeof found);
    if (strcmp(found, "partial") == 0)
        return;
    if (rss == PMAPDB_UNKNOWN)
        snprintf(c->blind, sizeof c->blind, "%s", c->who);
    pm_number_size((double)rss, size);
    if (rss != PMAPDB_UNKNOWN && c->of[PM_CHECK_GROWTH].asked &&
        pm_clock_parse(pm_text_of(at), &taken))
        judge_growth(c, c->alive[c->n_processes - 1], rss, taken);
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

/* Names the part of the process that leaks most. */
static void name_part(pm_check *c, const pm_leak_group *g)
{
    double most = NAN;

    for (const pm_leak_row *r = g->begin + 1; r < g->end; r++)
        if (r->verdict == PM_VERDICT_LEAK && !(r->rate <= most)) {
            most = r->rate;
            snprintf(c->part, sizeof c->part, "%.*s", (int)r->key.len, r->key.data);
        }
}

/* Judges a process by its own row of `leaks`. */
static void judge_process(pm_check *c, const pm_leak_group *g)
{
    const pm_leak_row *row = g->begin;
    char who[192], rate[PM_NUMBER_TEXT], limit[PM_NUMBER_TEXT];
    pm_words left = {0};
    int64_t at_ms;
    bool sizes = pm_leak_row_is_kib(row);

    pm_leak_row_who(row, who, sizeof who);
    pm_number_size(row->rate, rate);
    c->n_leaks++;
    if (sizes && !isnan(row->rate) &&
        find(c, judge(c, PM_CHECK_RATE, row->rate), "%s leaks %s/h", who, rate))
        name_part(c, g);
    if (!c->of[PM_CHECK_ETA].asked)
        return;
    if (isnan(row->eta_h)) {
        find(c, PM_CHECK_UNKNOWN, "%s leaks and no limit is known: give --limit", who);
        return;
    }
    (sizes ? pm_number_size : pm_number_brief)(row->limit, limit);
    pm_leak_print_left(pm_words_begin(&left), row);
    pm_words_end(&left);
    find(c, judge(c, PM_CHECK_ETA, pm_leak_left(row, &at_ms)), "%s leaks and reaches %s%s%s", who,
         pm_leak_limit_words(row), limit, left.data);
    free(left.data);
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

static void ask_leaks(pm_check *c)
{
    pmapdb_rows *rows = pm_run_query(&c->args, "leaks");
    const char *metric = pm_run_given(&c->args, "metric");
    bool sizes_will_do = metric && strcmp(metric, "joint") != 0 && strcmp(metric, "rss") != 0;
    int64_t longest = 0, judged = 0;
    pm_leak_rows held = {0};

    pm_leak_rows_read(&held, rows);
    pmapdb_rows_close(rows);
    for (const pm_leak_row *r = held.row; r < held.row + held.n;) {
        pm_leak_group g = pm_leak_group_at(&held, r);

        if (is_alive(c, r->process_id)) {
            judged += r->verdict != PM_VERDICT_TOO_FEW;
            longest = r->snapshots > longest ? r->snapshots : longest;
            take_at(c, r->last_at);
            if (r->verdict == PM_VERDICT_SUSPECT) {
                c->n_suspects++;
                if (pm_leak_row_is_kib(r) && !(r->rate <= c->suspected))
                    c->suspected = r->rate;
            }
            if (r->verdict == PM_VERDICT_LEAK)
                judge_process(c, &g);
            else if (pm_leak_row_blind(r))
                pm_leak_row_who(r, c->blind, sizeof c->blind);
        }
        r = g.end;
    }
    pm_leak_rows_free(&held);
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
    else if (isnan(c->of[PM_CHECK_RATE].value) && !c->n_suspects)
        c->of[PM_CHECK_RATE].value = 0;
}

/* ---- age ---- */

#define AHEAD_MS 60000 /* the clocks of two hosts may differ by this */
#define USUAL_MS 60000 /* no monitor needs to know earlier that captures stopped */

/* Returns how old the newest snapshot may be without --max-age: three steps of the last captures. A
 * single capture is of no series: a day. */
static int64_t usual_age(const pm_check *c)
{
    char sql[256], step[32];

    snprintf(sql, sizeof sql,
             "SELECT (max(t) - min(t)) / (count(*) - 1) FROM (SELECT DISTINCT moment_ms AS t FROM "
             "snapshot WHERE process_id = %" PRId64 " ORDER BY taken_ms DESC LIMIT 20)",
             c->newest);
    if (!pm_run_ask(c->args.store, sql, step, sizeof step) || !*step)
        return 86400000;
    return (int64_t)fmax(3 * strtod(step, NULL), USUAL_MS);
}

/* Replaces all findings by UNKNOWN if the newest snapshot is too old, or dated in the future: then
 * it says nothing about the current state. */
static void judge_age(pm_check *c)
{
    int64_t age = pm_clock_now() - c->newest_ms;
    int64_t most = c->max_age_ms != PMAPDB_UNKNOWN ? c->max_age_ms : usual_age(c);
    char at[PM_CLOCK_TEXT], span[PM_NUMBER_TEXT];

    if (age >= -AHEAD_MS && age <= most)
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
        find(c, PM_CHECK_UNKNOWN, "no captures for %s: the newest snapshot is of %s, %s", span, at,
             c->max_age_ms != PMAPDB_UNKNOWN ? "older than --max-age"
                                             : "older than three steps; --max-age allows more");
}

void pm_check_ask(pm_check *c)
{
    static const char *const words[] = {[PM_CHECK_RSS] = "resident memory",
                                        [PM_CHECK_GROWTH] = "growth, which takes two snapshots,",
                                        [PM_CHECK_MAPPINGS] = "the number of mappings"};

    ask_newest(c);
    if (c->of[PM_CHECK_RATE].asked || c->of[PM_CHECK_ETA].asked)
        ask_leaks(c);
    for (int m = PM_CHECK_RSS; m <= PM_CHECK_MAPPINGS; m++)
        if (c->of[m].asked && isnan(c->of[m].value))
            find(c, PM_CHECK_UNKNOWN, "%s is not known of the newest snapshot", words[m]);
    judge_age(c);
}
