/* leak_cards: verdicts as cards. */
#include "cli/leak_cards.h"

#include "base/num.h"
#include "cli/leak_group.h"
#include "cli/leak_words.h"
#include "cli/who_top.h"
#include "render/flow.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HEALTHY_LINES 3 /* processes without a finding that get a line of their own */
#define NAMED_MAX 4     /* keys that did not stay as they were */

typedef struct cards {
    pm_flow flow;
    const pm_leak_rows *rows;
    pmapdb_store *store; /* with recordings, or NULL */
    size_t *finding;     /* rows, the worst first */
    size_t n_findings, n_leaks, n_processes, n_found, n_too_few, n_quiet;
    size_t n_blind;   /* quiet ones of which it is unknown what is resident */
    size_t n_unknown; /* processes without a snapshot that gives the metric */
    pm_text unknown;  /* that metric */
    int64_t longest;  /* snapshots of those with too few */
    const char *by;
    bool human;
    pm_buf part; /* of a line, while it is put together */
} cards;

/* ---- what is a finding ---- */

static bool is_kib(const pm_leak_row *r)
{
    return pm_text_equal(r->unit, PM_TEXT("KiB"));
}

/* Leaks first, then what costs most. */
static int compare_findings(const void *x, const void *y, void *rows)
{
    size_t i = *(const size_t *)x, k = *(const size_t *)y;
    const pm_leak_row *a = (const pm_leak_row *)rows + i, *b = (const pm_leak_row *)rows + k;

    if (a->verdict != b->verdict)
        return a->verdict > b->verdict ? -1 : 1;
    if (is_kib(a) != is_kib(b))
        return is_kib(a) ? -1 : 1;
    if (a->rate != b->rate && !isnan(a->rate) && !isnan(b->rate))
        return a->rate > b->rate ? -1 : 1;
    return i < k ? -1 : i > k;
}

static pmapdb_status collect(cards *c, pmapdb_error *err)
{
    c->finding = calloc(c->rows->n + 1, sizeof *c->finding);
    if (!c->finding)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < c->rows->n;) {
        pm_leak_group p = pm_leak_group_at(c->rows, i);

        for (const pm_leak_row *r = p.begin; r < p.end; r++)
            if (pm_leak_group_finds(&p, r)) {
                c->finding[c->n_findings++] = (size_t)(r - c->rows->row);
                c->n_leaks += r->verdict == PM_VERDICT_LEAK;
            }
        c->n_processes++;
        c->n_found += p.leaks + p.suspects > 0;
        if (p.steady + p.plateau + p.shrinking + p.leaks + p.suspects == 0) {
            c->n_too_few += p.begin->snapshots > 0;
            c->n_unknown += p.begin->snapshots == 0;
            if (p.begin->snapshots == 0)
                c->unknown = p.begin->metric;
            if (p.begin->snapshots > c->longest)
                c->longest = p.begin->snapshots;
        }
        if (p.leaks + p.suspects == 0 && p.steady + p.plateau + p.shrinking > 0) {
            c->n_quiet++;
            c->n_blind += pm_leak_row_blind(p.begin);
        }
        i = (size_t)(p.end - c->rows->row);
    }
    qsort_r(c->finding, c->n_findings, sizeof *c->finding, compare_findings, c->rows->row);
    return PMAPDB_OK;
}

/* ---- a card ---- */

typedef pmapdb_status (*add_words)(pm_buf *out, const pm_leak_row *row, bool human,
                                   pmapdb_error *err);

static void put_part(cards *c, size_t gap, const pm_leak_row *r, add_words add)
{
    pm_buf_clear(&c->part);
    if (c->flow.st == PMAPDB_OK)
        c->flow.st = add(&c->part, r, c->human, c->flow.err);
    pm_flow_words(&c->flow, gap, pm_buf_text(&c->part));
}

/* A lineage's number says nothing by itself, and an object can be of several categories. */
static void put_key(cards *c, const pm_leak_row *r)
{
    pm_text what = r->is_lineage && r->path.len ? r->path : r->category;

    if (r->whole) {
        pm_flow_say(&c->flow, 2, "the whole process");
        return;
    }
    if (r->is_lineage)
        pm_flow_put(&c->flow, 2, PM_FLOW_BOLD, PM_TEXT("lineage"));
    pm_flow_put(&c->flow, r->is_lineage ? 1 : 2, PM_FLOW_BOLD, r->key);
    if (what.len && !pm_text_equal(r->key, what))
        pm_flow_say(&c->flow, 1, "(%.*s)", (int)what.len, what.data);
}

static void put_head(cards *c, const pm_leak_row *r)
{
    bool leak = r->verdict == PM_VERDICT_LEAK;
    char who[192];

    pm_leak_row_who(r, who, sizeof who);
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_put(&c->flow, 0, PM_FLOW_BOLD, pm_text_of(who));
    put_key(c, r);
    pm_flow_put(&c->flow, 2, leak ? PM_FLOW_BAD : PM_FLOW_WARN,
                leak ? PM_TEXT("LEAK") : PM_TEXT("SUSPECT"));
    put_part(c, 2, r, pm_leak_add_rate);
    put_part(c, 2, r, pm_leak_add_shape);
    pm_flow_end(&c->flow);
}

/* Of the newest life, of which the process's number is; an object is of no one category. */
static void put_who(cards *c, pm_leak_row *r)
{
    uint64_t lineage = 0;
    bool one = r->is_lineage && !r->whole && pm_num_all(r->key, &lineage);
    pm_who_of of = {.process_id = r->process_id,
                    .lineage = one ? (int64_t)lineage : PMAPDB_UNKNOWN,
                    .category = r->whole ? (pm_text){NULL, 0} : r->category,
                    .dialect = r->dialect};

    if (!c->store || (!one && !r->whole && !pm_text_equal(r->key, r->category)))
        return;
    if (r->lives == 1)
        of.from = r->since;
    pm_buf_clear(&c->part);
    if (c->flow.st == PMAPDB_OK)
        c->flow.st = pm_who_add_top(&c->part, c->store, &of, c->flow.err);
    r->recorded = c->part.len > 0;
    if (!r->recorded)
        return;
    pm_flow_begin(&c->flow, 4, 9);
    pm_flow_say(&c->flow, 0, "who:");
    pm_flow_words(&c->flow, 1, pm_buf_text(&c->part));
    pm_flow_end(&c->flow);
}

static void put_card(cards *c, const pm_leak_row *row)
{
    pm_leak_row own = *row, *r = &own;

    put_head(c, r);
    pm_flow_begin(&c->flow, 4, 9);
    pm_flow_say(&c->flow, 0, "why:");
    pm_flow_words(&c->flow, 1, r->reason);
    if (r->reason.len)
        pm_flow_put(&c->flow, 0, PM_FLOW_PLAIN, PM_TEXT(";"));
    put_part(c, 1, r, pm_leak_add_course);
    pm_flow_end(&c->flow);
    if ((is_kib(r) && r->verdict == PM_VERDICT_LEAK) || !isnan(r->limit)) {
        pm_flow_begin(&c->flow, 4, 11);
        pm_flow_say(&c->flow, 0, "limit:");
        put_part(c, 1, r, pm_leak_add_limit);
        pm_flow_end(&c->flow);
    }
    if (!isnan(r->detectable)) {
        pm_flow_begin(&c->flow, 4, 9);
        pm_flow_say(&c->flow, 0, "could have seen:");
        put_part(c, 1, r, pm_leak_add_detectable);
        pm_flow_say(&c->flow, 1, "and more");
        pm_flow_end(&c->flow);
    }
    put_who(c, r);
    pm_flow_begin(&c->flow, 4, 9);
    pm_flow_say(&c->flow, 0, "next:");
    put_part(c, 1, r, pm_leak_add_next);
    pm_flow_end(&c->flow);
}

/* ---- the healthy rest ---- */

static const char *plural(const char *by, size_t n)
{
    if (strcmp(by, "category") == 0)
        return n == 1 ? "category" : "categories";
    if (strcmp(by, "object") == 0)
        return n == 1 ? "object" : "objects";
    return n == 1 ? "lineage" : "lineages";
}

/* The least growth that would have shown in every steady part. */
static const pm_leak_row *least_seen(const pm_leak_group *p)
{
    const pm_leak_row *worst = NULL;

    for (const pm_leak_row *r = p->begin; r < p->end; r++)
        if (!r->whole && is_kib(r) && r->verdict == PM_VERDICT_STEADY && !isnan(r->detectable) &&
            (!worst || r->detectable > worst->detectable))
            worst = r;
    return worst;
}

/* "; 2 plateau: heap, shared-memory" */
static void put_named(cards *c, const pm_leak_group *p, pm_verdict verdict, size_t n)
{
    size_t shown = 0;

    if (!n)
        return;
    pm_flow_put(&c->flow, 0, PM_FLOW_PLAIN, PM_TEXT(";"));
    pm_flow_say(&c->flow, 1, "%zu %s:", n, pm_verdict_name(verdict));
    for (const pm_leak_row *r = p->begin; r < p->end && shown < NAMED_MAX; r++) {
        if (r->whole != (p->end - p->begin == 1) || r->verdict != verdict)
            continue;
        pm_flow_put(&c->flow, 1, PM_FLOW_PLAIN, r->key);
        if (++shown < n)
            pm_flow_put(&c->flow, 0, PM_FLOW_PLAIN, PM_TEXT(","));
    }
    if (shown < n)
        pm_flow_say(&c->flow, 1, "...");
}

/* "11 categories: 9 steady, none above 0.2 MiB/h; 2 plateau: heap, shared-memory" */
static void put_healthy(cards *c, const pm_leak_group *p)
{
    size_t n = p->steady + p->plateau + p->shrinking + p->too_few;
    const pm_leak_row *worst = least_seen(p);

    pm_flow_say(&c->flow, 1, "%zu %s: %zu steady", n, plural(c->by, n), p->steady);
    if (worst) {
        pm_flow_say(&c->flow, 0, ", none above");
        put_part(c, 1, worst, pm_leak_add_detectable);
    }
    put_named(c, p, PM_VERDICT_PLATEAU, p->plateau);
    put_named(c, p, PM_VERDICT_SHRINKING, p->shrinking);
    put_named(c, p, PM_VERDICT_TOO_FEW, p->too_few);
}

/* Of what leaks in several places; the limit is nearer than each of them says. */
static void put_altogether(cards *c, const pm_leak_group *p)
{
    char who[192];

    if (p->leaks < 2 || !p->begin->whole)
        return;
    pm_leak_row_who(p->begin, who, sizeof who);
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_put(&c->flow, 0, PM_FLOW_BOLD, pm_text_of(who));
    pm_flow_say(&c->flow, 2, "altogether: %.*s", (int)p->begin->metric.len, p->begin->metric.data);
    put_part(c, 1, p->begin, pm_leak_add_rate);
    if (!isnan(p->begin->limit)) {
        pm_flow_say(&c->flow, 0, ", limit:");
        put_part(c, 1, p->begin, pm_leak_add_limit);
    }
    pm_flow_end(&c->flow);
}

static void put_rest_of(cards *c, const pm_leak_group *p)
{
    char who[192];

    if (p->leaks + p->suspects && p->steady + p->plateau + p->shrinking == 0)
        return;
    pm_leak_row_who(p->begin, who, sizeof who);
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_put(&c->flow, 0, PM_FLOW_BOLD, pm_text_of(who));
    if (p->leaks + p->suspects)
        pm_flow_say(&c->flow, 2, "also looked at:");
    else
        pm_flow_say(&c->flow, 2,
                    pm_leak_row_blind(p->begin) ? "nothing known grows, resident memory is unknown:"
                    : p->too_few                ? "nothing known grows:"
                                                : "nothing grows:");
    put_healthy(c, p);
    pm_flow_end(&c->flow);
}

static void put_quiet(cards *c)
{
    if (c->n_quiet <= HEALTHY_LINES)
        return;
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_say(&c->flow, 0, "%zu%s processes: nothing grows", c->n_quiet,
                c->n_findings ? " other" : "");
    if (c->n_blind)
        pm_flow_say(&c->flow, 0, ", as far as known: of %zu resident memory is unknown",
                    c->n_blind);
    pm_flow_end(&c->flow);
}

static void put_unjudged(cards *c)
{
    if (c->n_unknown) {
        pm_flow_begin(&c->flow, 0, 4);
        pm_flow_say(&c->flow, 0, "%zu process%s whose captures do not give %.*s", c->n_unknown,
                    c->n_unknown == 1 ? "" : "es", (int)c->unknown.len, c->unknown.data);
        pm_flow_end(&c->flow);
    }
    if (!c->n_too_few)
        return;
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_say(&c->flow, 0, "%zu process%s", c->n_too_few, c->n_too_few == 1 ? " has" : "es have");
    if (c->longest < PM_TREND_MIN)
        pm_flow_say(&c->flow, 1, "fewer than %d snapshots: %s%lld more needed", PM_TREND_MIN,
                    c->n_too_few == 1 ? "" : "at least ", (long long)(PM_TREND_MIN - c->longest));
    else
        pm_flow_say(&c->flow, 1, "no life that is long enough for a verdict");
    pm_flow_end(&c->flow);
}

static void put_rest(cards *c)
{
    for (size_t i = 0; i < c->rows->n;) {
        pm_leak_group p = pm_leak_group_at(c->rows, i);
        size_t healthy = p.steady + p.plateau + p.shrinking;
        bool found = p.leaks + p.suspects > 0;

        put_altogether(c, &p);
        if (healthy && (found || c->n_quiet <= HEALTHY_LINES))
            put_rest_of(c, &p);
        i = (size_t)(p.end - c->rows->row);
    }
    put_quiet(c);
    put_unjudged(c);
}

/* ---- the whole ---- */

static void put_summary(cards *c)
{
    size_t suspects = c->n_findings - c->n_leaks;

    pm_flow_begin(&c->flow, 0, 4);
    if (!c->n_processes) {
        pm_flow_say(&c->flow, 0, "no verdict: there are no snapshots to judge");
        pm_flow_end(&c->flow);
        return;
    }
    if (!c->n_findings) {
        pm_flow_put(&c->flow, 0, c->n_blind ? PM_FLOW_WARN : PM_FLOW_GOOD,
                    c->n_blind   ? PM_TEXT("no known leak")
                    : c->n_quiet ? PM_TEXT("no leak")
                                 : PM_TEXT("no verdict"));
    } else {
        if (c->n_leaks)
            pm_flow_say(&c->flow, 0, "%zu leak%s%s", c->n_leaks, c->n_leaks == 1 ? "" : "s",
                        suspects ? "," : "");
        if (suspects)
            pm_flow_say(&c->flow, 1, "%zu suspect%s", suspects, suspects == 1 ? "" : "s");
        pm_flow_say(&c->flow, 1, "in %zu of", c->n_found);
    }
    pm_flow_say(&c->flow, 1, "%s%zu process%s", c->n_findings ? "" : "in ", c->n_processes,
                c->n_processes == 1 ? "" : "es");
    pm_flow_end(&c->flow);
}

static void put_cards(cards *c, size_t top)
{
    size_t n = top && top < c->n_findings ? top : c->n_findings;

    for (size_t i = 0; i < n; i++)
        put_card(c, &c->rows->row[c->finding[i]]);
    if (n == c->n_findings)
        return;
    pm_flow_begin(&c->flow, 0, 4);
    pm_flow_say(&c->flow, 0, "[%zu more finding%s]", c->n_findings - n,
                c->n_findings - n == 1 ? "" : "s");
    pm_flow_end(&c->flow);
}

pmapdb_status pm_leak_cards(const pm_leak_rows *rows, pmapdb_store *store, const char *by,
                            const pm_render_options *how, const pm_sink *sink, pmapdb_error *err)
{
    cards c = {.flow = {.sink = sink, .err = err, .width = how->width, .color = how->color},
               .rows = rows,
               .store = store,
               .by = by,
               .human = how->human};

    c.flow.st = collect(&c, err);
    if (c.flow.st == PMAPDB_OK) {
        put_summary(&c);
        put_cards(&c, how->top);
        put_rest(&c);
    }
    pm_flow_free(&c.flow);
    pm_buf_free(&c.part);
    free(c.finding);
    return c.flow.st;
}
