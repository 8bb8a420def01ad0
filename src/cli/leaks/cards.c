/* cards: shows the verdicts of pmapdb leaks to people. */
#include "cli/leaks/leaks.h"
#include "cli/leaks/phrases.h"

#include "cli/advice/next_steps.h"
#include "cli/who/who.h"
#include "cli/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define HEALTHY_LINES 3 /* up to so many processes without a finding get a line of their own */
#define NAMED_MAX 4     /* how many keys to name after "2 plateau:" */

typedef struct cards {
    pm_flow flow;
    pm_words words; /* the line that is being built */
    pmapdb_store *store;
    const char *by;
    bool human;
    pm_leak_group *groups;
    const pm_leak_row **findings; /* the worst first */
    size_t n_groups, n_findings, n_leaks, n_found, n_quiet;
    size_t n_blind; /* quiet processes with unknown resident memory */
} cards;

/* ---- findings ---- */

/* Orders leaks before suspects, then by rate; equal findings keep the order of the query. */
static int compare_findings(const void *x, const void *y)
{
    const pm_leak_row *a = *(const pm_leak_row *const *)x, *b = *(const pm_leak_row *const *)y;

    if (a->verdict != b->verdict)
        return a->verdict > b->verdict ? -1 : 1;
    if (pm_leak_row_is_kib(a) != pm_leak_row_is_kib(b))
        return pm_leak_row_is_kib(a) ? -1 : 1;
    if (a->rate != b->rate && !isnan(a->rate) && !isnan(b->rate))
        return a->rate > b->rate ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void collect(cards *c, const pm_leak_rows *rows)
{
    c->groups = calloc(rows->n + 1, sizeof *c->groups);
    c->findings = calloc(rows->n + 1, sizeof *c->findings);
    if (!c->groups || !c->findings)
        pm_cli_no_memory();
    for (const pm_leak_row *r = rows->row; r < rows->row + rows->n;) {
        pm_leak_group g = pm_leak_group_at(rows, r);

        for (; r < g.end; r++)
            if (r->verdict >= PM_VERDICT_SUSPECT && (!r->whole || g.alone)) {
                c->findings[c->n_findings++] = r;
                c->n_leaks += r->verdict == PM_VERDICT_LEAK;
            }
        c->groups[c->n_groups++] = g;
        c->n_found += pm_leak_group_found(&g) > 0;
        if (!pm_leak_group_found(&g) && pm_leak_group_healthy(&g)) {
            c->n_quiet++;
            c->n_blind += pm_leak_row_blind(g.begin);
        }
    }
    qsort(c->findings, c->n_findings, sizeof *c->findings, compare_findings);
}

/* ---- lines ---- */

/* Prints commands that the user can type, depending on what grows. */
static void print_next(FILE *out, const pm_leak_row *r, bool recorded)
{
    const pm_next_steps next = {
        .category = r->category,
        .name = r->name,
        .pid = r->pid,
        .process_id = r->process_id,
        .lives = r->lives > 1,
        .recorded = recorded,
        .count = pm_text_equal(r->unit, PM_TEXT("mappings")),
        .lineage = r->lineage,
        /* A moment before the newest restart is not a moment of the newest life. */
        .from = r->lives == 1 ? r->since : PM_TEXT("")};

    pm_next_steps_print(out, &next);
}

static FILE *begin(cards *c)
{
    return pm_words_begin(&c->words);
}

/* Ends the words and adds them to the current line. */
static void end_words(cards *c, size_t gap)
{
    pm_flow_words(&c->flow, gap, pm_words_end(&c->words));
    free(c->words.data);
}

/* Ends the words and writes them as a line of their own. */
static void end_line(cards *c, size_t first, size_t indent)
{
    pm_flow_begin(&c->flow, first, indent);
    end_words(c, 0);
    pm_flow_end(&c->flow);
}

static void put_words(cards *c, size_t gap, const pm_leak_row *r,
                      void (*print)(FILE *out, const pm_leak_row *r, bool human))
{
    print(begin(c), r, c->human);
    end_words(c, gap);
}

static void begin_process(cards *c, const pm_leak_row *r)
{
    char who[192];

    pm_leak_row_who(r, who, sizeof who);
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_put(&c->flow, 0, PM_FLOW_BOLD, pm_text_of(who));
}

/* ---- a card ---- */

/* Names what grows. A lineage's number alone means nothing to people, and an object can have
 * several categories, so the path or category follows. */
static void put_key(cards *c, const pm_leak_row *r)
{
    bool lineage = r->lineage != PMAPDB_UNKNOWN;
    pm_text what = lineage && r->path.len ? r->path : r->category;

    if (r->whole) {
        pm_flow_say(&c->flow, 2, "the whole process");
        return;
    }
    if (lineage)
        pm_flow_put(&c->flow, 2, PM_FLOW_BOLD, PM_TEXT("lineage"));
    pm_flow_put(&c->flow, lineage ? 1 : 2, PM_FLOW_BOLD, r->key);
    if (what.len && !pm_text_equal(r->key, what))
        pm_flow_say(&c->flow, 1, "(%.*s)", (int)what.len, what.data);
}

static void put_head(cards *c, const pm_leak_row *r)
{
    bool leak = r->verdict == PM_VERDICT_LEAK;

    begin_process(c, r);
    put_key(c, r);
    pm_flow_put(&c->flow, 2, leak ? PM_FLOW_BAD : PM_FLOW_WARN,
                leak ? PM_TEXT("LEAK") : PM_TEXT("SUSPECT"));
    put_words(c, 2, r, pm_leak_print_rate);
    put_words(c, 2, r, pm_leak_print_shape);
    pm_flow_end(&c->flow);
}

/* Writes who allocated the growth, and returns true if perf recorded it. process_id is that of the
 * newest life. Does not ask about objects, because an object can have several categories. */
static bool put_who(cards *c, const pm_leak_row *r)
{
    const pm_who_of of = {.process_id = r->process_id,
                          .lineage = r->lineage,
                          .category = r->whole ? PM_TEXT("") : r->category,
                          .dialect = r->dialect,
                          .from = r->lives == 1 ? r->since : PM_TEXT("")};
    bool asks = r->lineage != PMAPDB_UNKNOWN || r->whole || pm_text_equal(r->key, r->category);
    FILE *out;

    if (!c->store || !asks)
        return false;
    out = begin(c);
    fputs("who: ", out);
    if (pm_who_top(out, c->store, &of)) {
        end_line(c, 4, 9);
        return true;
    }
    pm_words_end(&c->words);
    free(c->words.data);
    return false;
}

static void put_card(cards *c, const pm_leak_row *r)
{
    bool recorded;
    FILE *out;

    put_head(c, r);
    out = begin(c);
    fprintf(out, "why: %.*s%s", (int)r->reason.len, r->reason.data, r->reason.len ? "; " : "");
    pm_leak_print_course(out, r, c->human);
    end_line(c, 4, 9);
    if (r->touched.len) {
        fprintf(begin(c), "touched: %.*s", (int)r->touched.len, r->touched.data);
        end_line(c, 4, 9);
    }
    if ((pm_leak_row_is_kib(r) && r->verdict == PM_VERDICT_LEAK) || !isnan(r->limit)) {
        out = begin(c);
        fputs("limit: ", out);
        pm_leak_print_limit(out, r, c->human);
        end_line(c, 4, 11);
    }
    if (!isnan(r->detectable)) {
        out = begin(c);
        fputs("could have seen: ", out);
        pm_leak_print_detectable(out, r, c->human);
        fputs(" and more", out);
        end_line(c, 4, 9);
    }
    recorded = put_who(c, r);
    out = begin(c);
    fputs("next: ", out);
    print_next(out, r, recorded);
    end_line(c, 4, 9);
}

/* ---- the healthy parts ---- */

static const char *plural(const char *by, size_t n)
{
    if (strcmp(by, "category") == 0)
        return n == 1 ? "category" : "categories";
    if (strcmp(by, "object") == 0)
        return n == 1 ? "object" : "objects";
    return n == 1 ? "lineage" : "lineages";
}

/* Returns the steady part that could hide the most growth; NULL: no part is steady. */
static const pm_leak_row *least_seen(const pm_leak_group *g)
{
    const pm_leak_row *worst = NULL;

    for (const pm_leak_row *r = g->begin; r < g->end; r++)
        if (!r->whole && pm_leak_row_is_kib(r) && r->verdict == PM_VERDICT_STEADY &&
            !isnan(r->detectable) && (!worst || r->detectable > worst->detectable))
            worst = r;
    return worst;
}

/* Writes "; 2 plateau: heap, shared-memory". */
static void put_named(cards *c, const pm_leak_group *g, pm_verdict verdict)
{
    size_t n = g->n[verdict], shown = 0;

    if (!n)
        return;
    pm_flow_put(&c->flow, 0, PM_FLOW_PLAIN, PM_TEXT(";"));
    pm_flow_say(&c->flow, 1, "%zu %s:", n, pm_verdict_name(verdict));
    for (const pm_leak_row *r = g->begin; r < g->end && shown < NAMED_MAX; r++) {
        if (r->whole != (g->end - g->begin == 1) || r->verdict != verdict)
            continue;
        pm_flow_put(&c->flow, 1, PM_FLOW_PLAIN, r->key);
        if (++shown < n)
            pm_flow_put(&c->flow, 0, PM_FLOW_PLAIN, PM_TEXT(","));
    }
    if (shown < n)
        pm_flow_say(&c->flow, 1, "...");
}

/* Writes "redis/4711  no leak: 11 categories: 9 steady, none above 0.2 MiB/h; 2 plateau:
 * heap". */
static void put_rest_of(cards *c, const pm_leak_group *g)
{
    size_t n = pm_leak_group_healthy(g) + g->n[PM_VERDICT_TOO_FEW];
    const pm_leak_row *worst = least_seen(g);

    begin_process(c, g->begin);
    pm_flow_say(&c->flow, 2, "%s",
                pm_leak_group_found(g)        ? "also looked at:"
                : pm_leak_row_blind(g->begin) ? "no leak is known, resident memory is unknown:"
                : g->n[PM_VERDICT_TOO_FEW]    ? "no leak is known:"
                                              : "no leak:");
    pm_flow_say(&c->flow, 1, "%zu %s: %zu steady", n, plural(c->by, n), g->n[PM_VERDICT_STEADY]);
    if (worst &&
        !(worst->detectable > g->begin->last)) { /* more than all in an hour tells nothing */
        pm_flow_say(&c->flow, 0, ", none above");
        put_words(c, 1, worst, pm_leak_print_detectable);
    }
    put_named(c, g, PM_VERDICT_PLATEAU);
    put_named(c, g, PM_VERDICT_SHRINKING);
    put_named(c, g, PM_VERDICT_TOO_FEW);
    put_words(c, 0, g->begin, pm_leak_print_as_of);
    pm_flow_end(&c->flow);
}

/* Writes the sum of several leaks; each of their cards has its limit. */
static void put_altogether(cards *c, const pm_leak_group *g)
{
    if (g->n[PM_VERDICT_LEAK] < 2 || !g->begin->whole)
        return;
    begin_process(c, g->begin);
    pm_flow_say(&c->flow, 2, "altogether: %.*s", (int)g->begin->metric.len, g->begin->metric.data);
    put_words(c, 1, g->begin, pm_leak_print_rate);
    pm_flow_end(&c->flow);
}

static void put_quiet(cards *c)
{
    FILE *out = begin(c);

    fprintf(out, "%zu%s processes: no leak", c->n_quiet, c->n_findings ? " other" : "");
    if (c->n_blind)
        fprintf(out, ", as far as known: the resident memory of %zu is unknown", c->n_blind);
    end_line(c, 0, 4);
}

/* Writes how many processes have no verdict, because their captures lack the metric or are too
 * few. */
static void put_unjudged(cards *c)
{
    size_t n_unknown = 0, n_too_few = 0;
    pm_text metric = PM_TEXT("");
    int64_t longest = 0;
    FILE *out;

    for (const pm_leak_group *g = c->groups; g < c->groups + c->n_groups; g++) {
        if (pm_leak_group_healthy(g) + pm_leak_group_found(g))
            continue;
        n_too_few += g->begin->snapshots > 0;
        n_unknown += g->begin->snapshots == 0;
        if (g->begin->snapshots == 0)
            metric = g->begin->metric;
        if (g->begin->snapshots > longest)
            longest = g->begin->snapshots;
    }
    if (n_unknown) {
        fprintf(begin(c), "%zu process%s whose captures do not give %.*s", n_unknown,
                n_unknown == 1 ? "" : "es", (int)metric.len, metric.data);
        end_line(c, 0, 4);
    }
    if (!n_too_few)
        return;
    out = begin(c);
    fprintf(out, "%zu process%s ", n_too_few, n_too_few == 1 ? " has" : "es have");
    if (longest < PM_TREND_MIN)
        fprintf(out, "fewer than %d snapshots: %s%lld more needed", PM_TREND_MIN,
                n_too_few == 1 ? "" : "at least ", (long long)(PM_TREND_MIN - longest));
    else
        fputs("no life that is long enough for a verdict", out);
    end_line(c, 0, 4);
}

/* ---- all cards ---- */

/* Writes "2 leaks, 1 suspect in 3 of 7 processes". */
static void put_summary(cards *c)
{
    size_t suspects = c->n_findings - c->n_leaks;

    pm_flow_begin(&c->flow, 0, 4);
    if (!c->n_groups) {
        pm_flow_say(&c->flow, 0, "no verdict: there are no snapshots to judge");
        pm_flow_end(&c->flow);
        return;
    }
    if (!c->n_findings)
        pm_flow_put(&c->flow, 0, c->n_blind ? PM_FLOW_WARN : PM_FLOW_GOOD,
                    c->n_blind   ? PM_TEXT("no known leak")
                    : c->n_quiet ? PM_TEXT("no leak")
                                 : PM_TEXT("no verdict"));
    if (c->n_leaks)
        pm_flow_say(&c->flow, 0, "%zu leak%s%s", c->n_leaks, c->n_leaks == 1 ? "" : "s",
                    suspects ? "," : "");
    if (suspects)
        pm_flow_say(&c->flow, 1, "%zu suspect%s", suspects, suspects == 1 ? "" : "s");
    if (c->n_findings)
        pm_flow_say(&c->flow, 1, "in %zu of", c->n_found);
    pm_flow_say(&c->flow, 1, "%s%zu process%s", c->n_findings ? "" : "in ", c->n_groups,
                c->n_groups == 1 ? "" : "es");
    pm_flow_end(&c->flow);
}

void pm_leak_cards(pm_output *out, const pm_leak_rows *rows, pmapdb_store *store, const char *by)
{
    pm_render_options how = pm_cli_render_options(out->cli);
    cards c = {.flow = pm_output_flow(out), .store = store, .by = by, .human = how.human};
    size_t shown;

    collect(&c, rows);
    shown = how.top && how.top < c.n_findings ? how.top : c.n_findings;
    put_summary(&c);
    for (size_t i = 0; i < shown; i++)
        put_card(&c, c.findings[i]);
    if (shown < c.n_findings) {
        fprintf(begin(&c), "[%zu more finding%s]", c.n_findings - shown,
                c.n_findings - shown == 1 ? "" : "s");
        end_line(&c, 0, 4);
    }
    for (const pm_leak_group *g = c.groups; g < c.groups + c.n_groups; g++) {
        put_altogether(&c, g);
        if (pm_leak_group_healthy(g) && (pm_leak_group_found(g) || c.n_quiet <= HEALTHY_LINES))
            put_rest_of(&c, g);
    }
    if (c.n_quiet > HEALTHY_LINES)
        put_quiet(&c);
    put_unjudged(&c);
    pm_flow_free(&c.flow);
    free(c.groups);
    free(c.findings);
}
