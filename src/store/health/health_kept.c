/* health_kept: what the store holds: how much, of when, what is missing, how fast it grows. */
#include "store/health/health.h"

#include "base/clock.h"
#include "store/categories.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_file.h"
#include <math.h>
#include <stdio.h>

#define DAYS_TROUBLE 3
#define DAYS_NOTE 30
#define AHEAD_MS 60000 /* clocks of two hosts differ by less */

/* ---- snapshots ---- */

static void tell_snapshots(pm_health *h, sqlite3_stmt *stmt)
{
    int64_t n = pm_col_int(stmt, 0), first = pm_col_ms(stmt, 1), partial = pm_col_int(stmt, 3);
    bool ahead;

    h->oldest_ms = first;
    h->newest_ms = pm_col_ms(stmt, 2);
    if (h->newest_ms != PMAPDB_UNKNOWN)
        h->since_ms = h->newest_ms > PM_WEEK_MS ? h->newest_ms - PM_WEEK_MS : 0;
    ahead = h->newest_ms != PMAPDB_UNKNOWN && h->newest_ms > h->now_ms + AHEAD_MS;
    if (n == 0)
        pm_health_tell(h, "snapshots", PMAPDB_HEALTH_NOTE, 0, "snapshots", "nothing is stored yet");
    else
        pm_health_tell(h, "snapshots", ahead ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, (double)n,
                       "snapshots", "of %lld process%s, %s to %s%s", (long long)pm_col_int(stmt, 4),
                       pm_col_int(stmt, 4) == 1 ? "" : "es", pm_health_at(first).text,
                       pm_health_at(h->newest_ms).text,
                       ahead ? ", which is still to come: a clock is or was wrong" : "");
    pm_health_tell(h, "partial", partial > 0 ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK,
                   partial > 0 ? (double)partial : 0, "snapshots", "%s",
                   partial > 0 ? "lack rows: pmapdb snapshots --state partial" : "lack rows");
}

static void check_snapshots(pm_health *h)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_error err;
    pmapdb_status st = pm_sql_rows(h->store->sql,
                                   "SELECT count(*), min(taken_ms), max(taken_ms), "
                                   "sum(state = 'partial'), count(DISTINCT process_id) "
                                   "FROM snapshot",
                                   PM_NO_ARGS, &stmt, &err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(h->store->sql, stmt, &has, &err);
    if (st != PMAPDB_OK) {
        pm_health_lost(h, "snapshots", &err);
        return;
    }
    tell_snapshots(h, stmt);
    pm_sql_done(stmt);
}

/* "smaps 400, pmap-x 12" */
static void check_dialects(pm_health *h)
{
    sqlite3_stmt *stmt;
    pm_buf words = {0};
    size_t n = 0;
    bool has;
    pmapdb_error err;
    pmapdb_status st = pm_sql_rows(h->store->sql,
                                   "SELECT dialect, count(*) FROM snapshot GROUP BY dialect "
                                   "ORDER BY count(*) DESC, dialect",
                                   PM_NO_ARGS, &stmt, &err);

    while (st == PMAPDB_OK && (st = pm_sql_step(h->store->sql, stmt, &has, &err)) == PMAPDB_OK &&
           has) {
        pm_text name = pm_col_text(stmt, 0);

        pm_buf_addf(&words, NULL, "%s%.*s %lld", n++ ? ", " : "", (int)name.len, name.data,
                    (long long)pm_col_int(stmt, 1));
    }
    if (st == PMAPDB_OK)
        pm_health_tell(h, "dialects", PMAPDB_HEALTH_OK, (double)n, "dialects", "%s",
                       pm_buf_text(&words).data);
    else
        pm_health_lost(h, "dialects", &err);
    pm_buf_free(&words);
}

/* ---- what is missing ---- */

/* Rows of a week, counted from the newest snapshot, and the largest of them. */
typedef struct found {
    const pm_health *h;
    size_t n;
    double most;
    char words[160];
} found;

static void see_gap(void *ctx, const pmapdb_rows *rows)
{
    found *f = ctx;
    double gap = pm_health_number(rows, "gap");
    pm_text name = pm_health_column(rows, "name"), at = pm_health_column(rows, "to_at");
    int64_t to_ms;

    if (!pm_clock_parse(at, &to_ms) || to_ms < f->h->since_ms)
        return;
    f->n++;
    if (gap <= f->most)
        return;
    f->most = gap;
    snprintf(f->words, sizeof f->words, "longest: %s of %.*s, to %.*s", pm_health_span(gap).text,
             name.len < 64 ? (int)name.len : 64, name.data, (int)at.len, at.data);
}

static void check_gaps(pm_health *h)
{
    found f = {.h = h};
    pmapdb_error err;

    if (pm_health_ask(h, "gaps", PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, see_gap, &f, &err) != PMAPDB_OK)
        pm_health_lost(h, "gaps", &err);
    else
        pm_health_tell(h, "gaps", f.n ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, (double)f.n, "gaps",
                       f.n ? "in the last 7 days of the store; %s: pmapdb gaps"
                           : "in the last 7 days of the store%s",
                       f.words);
}

static void see_refusal(void *ctx, const pmapdb_rows *rows)
{
    found *f = ctx;
    pm_text reason = pm_health_column(rows, "reason");

    if (!f->n++)
        snprintf(f->words, sizeof f->words, "%.*s", reason.len < 150 ? (int)reason.len : 150,
                 reason.data);
}

static void check_refusals(pm_health *h)
{
    found f = {.h = h};
    int64_t all = 0;
    pmapdb_error err;
    pmapdb_status st =
        pm_health_ask(h, "refusals", h->now_ms - PM_WEEK_MS, PMAPDB_UNKNOWN, see_refusal, &f, &err);

    if (st == PMAPDB_OK)
        st = pm_sql_int(h->store->sql, "SELECT count(*) FROM refused", PM_NO_ARGS, 0, &all, &err);
    if (st != PMAPDB_OK)
        pm_health_lost(h, "refused", &err);
    else
        pm_health_tell(h, "refused", f.n ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, (double)f.n,
                       "captures",
                       f.n ? "new in 7 days, of %lld; newest: %s: pmapdb refusals"
                           : "new in 7 days, of %lld%s",
                       (long long)all, f.words);
}

static void see_field(void *ctx, const pmapdb_rows *rows)
{
    found *f = ctx;
    size_t used = strlen(f->words);
    pm_text field = pm_health_column(rows, "field");

    f->n++;
    snprintf(f->words + used, sizeof f->words - used, "%s%.*s", used ? ", " : "", (int)field.len,
             field.data);
}

static void check_fields(pm_health *h)
{
    found f = {.h = h};
    pmapdb_error err;

    if (pm_health_ask(h, "unknown-fields", PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, see_field, &f, &err) !=
        PMAPDB_OK)
        pm_health_lost(h, "fields", &err);
    else
        pm_health_tell(h, "fields", f.n ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, (double)f.n,
                       "fields", f.n ? "kept, but not known: %s" : "not known%s", f.words);
}

/* ---- how fast it grows ---- */

typedef struct pace {
    double week_kib, days_left;
} pace;

static void see_day(void *ctx, const pmapdb_rows *rows)
{
    *(pace *)ctx = (pace){pm_health_number(rows, "week_kib"), pm_health_number(rows, "days_left")};
}

static void tell_pace(pm_health *h, const pace *p, int64_t limit_kib)
{
    pmapdb_health state = p->days_left < DAYS_TROUBLE ? PMAPDB_HEALTH_TROUBLE
                          : p->days_left < DAYS_NOTE  ? PMAPDB_HEALTH_NOTE
                                                      : PMAPDB_HEALTH_OK;

    if (isnan(p->days_left))
        pm_health_tell(h, "growth", PMAPDB_HEALTH_OK, p->week_kib, "KiB", "a day, of the last 7");
    else
        pm_health_tell(h, "growth", state, p->week_kib, "KiB",
                       "a day, of the last 7: %.0f day%s until %s%s", floor(p->days_left),
                       pm_health_s(floor(p->days_left)), pm_health_size((double)limit_kib).text,
                       state == PMAPDB_HEALTH_OK ? "" : ": pmapdb prune");
}

static void check_growth(pm_health *h)
{
    int64_t given = h->options->max_size_kib, disk = h->size_kib + h->free_kib;
    int64_t limit = given != PMAPDB_UNKNOWN && (!h->free_kib || given < disk) ? given : disk;
    pace p = {NAN, NAN};
    pmapdb_error err;
    pmapdb_status st = pm_health_ask(h, "store-growth", PMAPDB_UNKNOWN,
                                     limit ? limit : PMAPDB_UNKNOWN, see_day, &p, &err);

    if (st != PMAPDB_OK)
        pm_health_lost(h, "growth", &err);
    else if (given != PMAPDB_UNKNOWN && h->size_kib >= given)
        pm_health_tell(h, "growth", PMAPDB_HEALTH_TROUBLE, p.week_kib, "KiB",
                       "a day, of the last 7; the store is larger than %s already: pmapdb prune",
                       pm_health_size((double)given).text);
    else if (h->newest_ms != PMAPDB_UNKNOWN && h->newest_ms < h->now_ms - PM_WEEK_MS)
        pm_health_tell(h, "growth", PMAPDB_HEALTH_OK, 0, "KiB", "a day: nothing newer than %s",
                       pm_health_at(h->newest_ms).text);
    else if (h->newest_ms != PMAPDB_UNKNOWN && h->newest_ms < h->oldest_ms + PM_DAY_MS)
        pm_health_tell(h, "growth", PMAPDB_HEALTH_OK, NAN, "KiB",
                       "a day: not known yet, the store holds less than a day");
    else
        tell_pace(h, &p, limit);
}

static void check_pins(pm_health *h)
{
    int64_t n = 0;
    pmapdb_error err;

    if (pm_sql_int(h->store->sql, "SELECT count(*) FROM pin", PM_NO_ARGS, 0, &n, &err) != PMAPDB_OK)
        pm_health_lost(h, "pins", &err);
    else
        pm_health_tell(h, "pins", PMAPDB_HEALTH_OK, (double)n, "snapshots",
                       "that no prune removes");
}

/* A store keeps its rules when another version of the program brings others of that name. */
static void tell_rules(pm_health *h, const pm_rule_text *text)
{
    pm_text built_in = pm_rules_builtin(pm_buf_text(&text->name));
    const char *name = pm_buf_text(&text->name).data;

    if (!built_in.data)
        pm_health_word(h, "rules", PMAPDB_HEALTH_OK, name, "of a file, applied at %s",
                       pm_health_at(text->applied_ms).text);
    else if (pm_rule_text_hash(built_in, pm_buf_text(&text->application)) == text->hash)
        pm_health_word(h, "rules", PMAPDB_HEALTH_OK, name, "as built in");
    else
        pm_health_word(h, "rules", PMAPDB_HEALTH_NOTE, name,
                       "this pmapdb has others of that name: pmapdb rules --diff %s", name);
}

/* Captures cannot be stored where they cannot be read. */
static void check_rules(pm_health *h)
{
    pm_rule_text text = {0};
    pm_rule_set *set = NULL;
    const pm_rules *rules;
    pmapdb_error err;
    pmapdb_status st = pm_rule_text_load(h->store->sql, &text, &err);

    if (st == PMAPDB_OK)
        st = pm_rule_set_new(h->store->sql, &set, &err);
    if (st == PMAPDB_OK)
        st = pm_rule_set_rules(set, &rules, &err);
    if (st == PMAPDB_OK)
        tell_rules(h, &text);
    else
        pm_health_word(h, "rules", PMAPDB_HEALTH_TROUBLE, "?", "%s", err.text);
    pm_rule_set_free(set);
    pm_rule_text_free(&text);
}

/* Rules that name each file may run out of them. */
static void check_names(pm_health *h)
{
    int64_t n;
    pmapdb_error err;

    if (pm_sql_int(h->store->sql, "SELECT count(*) FROM category", PM_NO_ARGS, 0, &n, &err) !=
        PMAPDB_OK)
        pm_health_lost(h, "names", &err);
    else if (n >= PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT)
        pm_health_tell(h, "names", PMAPDB_HEALTH_NOTE, (double)n, "categories",
                       "and no room for more names from captures: they go by their slugs; rules of "
                       "which fewer come: pmapdb rules --apply");
    else
        pm_health_tell(h, "names", PMAPDB_HEALTH_OK, (double)n, "categories", "of at most %d",
                       PM_CATEGORIES_MAX);
}

void pm_health_kept(pm_health *h)
{
    check_snapshots(h);
    check_dialects(h);
    check_fields(h);
    check_gaps(h);
    check_refusals(h);
    check_growth(h);
    check_pins(h);
    check_rules(h);
    check_names(h);
}
