/* who_show: what pmapdb who says. */
#include "cli/who_show.h"

#include "cli/write.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct showing {
    const pm_who_show *w;
    int64_t growth, covered, older, live, allocations, frees; /* sums of the rows; KiB, calls */
    int64_t headless; /* of covered, what no function but an allocator's called for */
    size_t n_recordings, n_dated;
    int64_t late_ms, early_ms; /* of the recording that begins first, and that ends last */
    pm_buf lines;              /* about the recordings, for people */
    pm_buf warnings;
} showing;

/* ---- rows ---- */

static int64_t known(int64_t v)
{
    return v == PMAPDB_UNKNOWN ? 0 : v;
}

static void sum_row(showing *s, const pmapdb_rows *rows)
{
    int64_t growth = known(pm_side_int(rows, "growth_kib"));
    char kind[16], function[8];

    pm_side_text(rows, "kind", kind, sizeof kind);
    pm_side_text(rows, "function", function, sizeof function);
    s->growth += growth;
    if (strcmp(kind, "older") == 0)
        s->older += growth;
    if (strcmp(kind, "stack") != 0)
        return;
    s->covered += growth;
    if (!function[0])
        s->headless += growth;
    s->live += known(pm_side_int(rows, "live_kib"));
    s->allocations += known(pm_side_int(rows, "allocations"));
    s->frees += known(pm_side_int(rows, "frees"));
}

static pm_value total_value(const showing *s, const pm_column *column)
{
    const struct {
        const char *name;
        int64_t sum;
    } sums[] = {{"growth_kib", s->growth},
                {"live_kib", s->live},
                {"allocations", s->allocations},
                {"frees", s->frees}};
    pm_value v = {.kind = PM_VALUE_TEXT, .t = PM_TEXT("")};

    if (strcmp(column->name, "stack") == 0)
        v.t = PM_TEXT("TOTAL");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strcmp(column->name, sums[i].name) == 0)
            v = (pm_value){.kind = PM_VALUE_INT, .i = sums[i].sum};
    return v;
}

static pmapdb_status write_rows(showing *s, const pm_sink *sink, pmapdb_error *err)
{
    const pm_cli *cli = s->w->cli;
    pmapdb_rows *rows = s->w->rows;
    pm_render_options how = pm_cli_render_options(cli);
    pm_column columns[PM_QUERY_ITEMS];
    pm_value values[PM_QUERY_ITEMS];
    bool keep[PM_QUERY_ITEMS], has = false;
    int n = pm_run_columns(cli, rows, keep, columns);
    pm_render *render = NULL;
    pm_cli_about said;
    pmapdb_status st;

    pm_cli_describe(rows, keep, &said);
    how.about = &said.about;
    st = pm_render_new(&how, sink, columns, n, &render, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has) {
        pm_run_values(rows, keep, values);
        sum_row(s, rows);
        st = pm_render_row(render, values, err);
    }
    for (int i = 0; i < n; i++)
        values[i] = total_value(s, &columns[i]);
    if (st == PMAPDB_OK && pm_cli_is_for_people(cli))
        st = pm_render_total(render, values, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(cli, render);
    pm_render_free(render);
    return st;
}

/* ---- recordings ---- */

static pmapdb_status add_clock(showing *s, const char *clock, int64_t slack_ms, pmapdb_error *err)
{
    static const struct {
        const char *clock, *words;
    } known_clocks[] = {{"clocks", "clock as the live captures have it"},
                        {"given", "clock as given"},
                        {"events", "clock by what captures and calls saw alike"}};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < sizeof known_clocks / sizeof *known_clocks; i++)
        if (strcmp(clock, known_clocks[i].clock) == 0)
            st = pm_buf_addf(&s->lines, err, ", %s", known_clocks[i].words);
    if (st == PMAPDB_OK && slack_ms > 0)
        st = pm_buf_addf(&s->lines, err, ", within %lld ms", (long long)slack_ms);
    return st;
}

static pmapdb_status add_lost(showing *s, int64_t lost, pmapdb_error *err)
{
    return lost == PMAPDB_UNKNOWN ? pm_buf_addf(&s->lines, err, ", lost ?\n")
                                  : pm_buf_addf(&s->lines, err, ", lost %lld\n", (long long)lost);
}

/* One that is not used: nothing tells when it was, or whose. */
static pmapdb_status add_unused(showing *s, const pmapdb_rows *rows, int64_t id, pmapdb_error *err)
{
    int64_t pid = pm_side_int(rows, "pid");

    if (pm_side_int(rows, "linked") != 1)
        return pm_buf_addf(&s->warnings, err,
                           "recording %lld of pid %lld is not known to be of this process: it was "
                           "not recorded while it was captured\n",
                           (long long)id, (long long)pid);
    return pm_buf_addf(&s->warnings, err,
                       "nothing tells when recording %lld was: import it again with "
                       "--clock-offset\n",
                       (long long)id);
}

static pmapdb_status add_recording(showing *s, const pmapdb_rows *rows, pmapdb_error *err)
{
    int64_t id = pm_side_int(rows, "recording_id"), lost = pm_side_int(rows, "lost");
    int64_t late = pm_side_int(rows, "late_ms"), early = pm_side_int(rows, "early_ms");
    char first[40], last[40], clock[16], file[512];
    pmapdb_status st;

    pm_side_text(rows, "first_at", first, sizeof first);
    pm_side_text(rows, "last_at", last, sizeof last);
    pm_side_text(rows, "clock", clock, sizeof clock);
    pm_side_text(rows, "file", file, sizeof file);
    s->n_recordings++;
    if (!first[0] || pm_side_int(rows, "linked") != 1)
        return add_unused(s, rows, id, err);
    if (!s->n_dated++ || late < s->late_ms)
        s->late_ms = late;
    if (s->n_dated == 1 || early < s->early_ms)
        s->early_ms = early;
    st = pm_buf_addf(&s->lines, err, "recording %lld (%s): %s to %s", (long long)id, file, first,
                     last);
    if (st == PMAPDB_OK)
        st = add_clock(s, clock, pm_side_int(rows, "slack_ms"), err);
    if (st == PMAPDB_OK)
        st = add_lost(s, lost, err);
    if (st == PMAPDB_OK && lost > 0)
        st = pm_buf_addf(&s->warnings, err,
                         "perf lost %lld events of recording %lld: what is live is not certain\n",
                         (long long)lost, (long long)id);
    return st;
}

static pmapdb_status read_recordings(showing *s, pmapdb_error *err)
{
    bool has = false;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (st = pmapdb_next(s->w->recordings, &has, err)) == PMAPDB_OK && has)
        st = add_recording(s, s->w->recordings, err);
    return st;
}

/* ---- how far it can be relied on ---- */

static void say_span(const showing *s)
{
    /* Captures have their time in seconds at worst. */
    if (s->late_ms != PMAPDB_UNKNOWN && s->late_ms > 1000)
        pm_cli_say("the recording begins %lld s behind the older snapshot: what grew before it is "
                   "not covered",
                   (long long)s->late_ms / 1000);
    if (s->early_ms != PMAPDB_UNKNOWN && s->early_ms > 1000)
        pm_cli_say("the recording ends %lld s before the newer snapshot: what grew behind it is "
                   "not covered",
                   (long long)s->early_ms / 1000);
}

static void say_warnings(const showing *s)
{
    const char *at = s->warnings.data;

    if (s->w->cli->quiet)
        return;
    for (const char *end; at && (end = strchr(at, '\n')); at = end + 1)
        pm_cli_say("%.*s", (int)(end - at), at);
    if (!s->n_recordings)
        pm_cli_say("there is no recording of it: pmapdb import-perf --help tells how to record");
    else if (s->n_dated)
        say_span(s);
    if (s->covered > 0 && s->headless > s->covered / 2)
        pm_cli_say(
            "call chains end in libc: recorded with frame pointers; --call-graph dwarf shows "
            "callers");
}

/* ---- for people ---- */

static pmapdb_status write_line(const pm_sink *sink, pm_buf *line, pmapdb_error *err)
{
    pmapdb_status st = pm_render_line(sink, pm_buf_text(line), err);

    pm_buf_clear(line);
    return st;
}

static pmapdb_status add_course(const showing *s, pm_buf *line, const char *what,
                                const int64_t kib[2], pmapdb_error *err)
{
    bool human = pm_cli_render_options(s->w->cli).human;
    bool known_both = kib[0] != PMAPDB_UNKNOWN && kib[1] != PMAPDB_UNKNOWN;
    int64_t grown = known_both ? kib[1] - kib[0] : PMAPDB_UNKNOWN;
    char older[32], newer[32], delta[32];

    pm_render_kib(kib[0], human, older);
    pm_render_kib(kib[1], human, newer);
    pm_render_kib(grown, human, delta);
    return pm_buf_addf(line, err, "%s %s -> %s (%s%s%s)", what, older, newer,
                       known_both && grown > 0 ? "+" : "", delta,
                       human || !known_both ? "" : " KiB");
}

static pmapdb_status write_title(const showing *s, const pm_sink *sink, pmapdb_error *err)
{
    const pm_who_ask *ask = s->w->ask;
    char a[256], b[256];
    pm_buf line = {0};
    pmapdb_status st;

    pm_side_describe(ask->older, a, sizeof a);
    pm_side_describe(ask->newer, b, sizeof b);
    st = pm_buf_addf(&line, err, "%s -> %s", a, b);
    if (st == PMAPDB_OK)
        st = write_line(sink, &line, err);
    for (size_t i = 0; i < ask->n_words && st == PMAPDB_OK; i++)
        st = pm_buf_addf(&line, err, "%s%s", i ? ", " : "", ask->word[i]);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, "%s: ", ask->n_words ? "" : "all mappings");
    if (st == PMAPDB_OK)
        st = add_course(s, &line, "size", s->w->what->size, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, ", ");
    if (st == PMAPDB_OK)
        st = add_course(s, &line, "rss", s->w->what->rss, err);
    if (st == PMAPDB_OK)
        st = write_line(sink, &line, err);
    pm_buf_free(&line);
    return st;
}

/* "99.9 % of the growth is covered"; of what did not grow there is no share. */
static pmapdb_status write_cover(const showing *s, const pm_sink *sink, pmapdb_error *err)
{
    bool human = pm_cli_render_options(s->w->cli).human;
    char covered[32], growth[32], older[32];
    pm_buf line = {0};
    pmapdb_status st;

    pm_render_kib(s->covered, human, covered);
    pm_render_kib(s->growth, human, growth);
    pm_render_kib(-s->older, human, older);
    if (s->growth > 0)
        st = pm_buf_addf(&line, err, "covered: %.1f %% of the growth",
                         100.0 * (double)s->covered / (double)s->growth);
    else
        st = pm_buf_addf(&line, err, "covered: %s of %s%s", covered, growth, human ? "" : " KiB");
    if (st == PMAPDB_OK && s->older)
        st = pm_buf_addf(&line, err, "; freed, from before the recording: %s%s", older,
                         human ? "" : " KiB");
    if (st == PMAPDB_OK)
        st = write_line(sink, &line, err);
    for (const char *at = s->lines.data, *end; st == PMAPDB_OK && at && (end = strchr(at, '\n'));
         at = end + 1)
        st = pm_render_line(sink, (pm_text){at, (size_t)(end - at)}, err);
    pm_buf_free(&line);
    return st;
}

static pmapdb_status write_all(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    showing *s = ctx;
    bool table = s->w->cli->format == PM_FORMAT_TABLE, md = s->w->cli->format == PM_FORMAT_MD;
    pmapdb_status st = table || md ? write_title(s, sink, err) : PMAPDB_OK;

    if (st == PMAPDB_OK && md)
        st = pm_render_line(sink, PM_TEXT(""), err); /* Markdown's tables stand alone */
    if (st == PMAPDB_OK)
        st = write_rows(s, sink, err);
    if (st == PMAPDB_OK && md)
        st = pm_render_line(sink, PM_TEXT(""), err);
    return st == PMAPDB_OK && (table || md) ? write_cover(s, sink, err) : st;
}

/* ---- flame graphs ---- */

static pmapdb_status write_stack(const pmapdb_rows *rows, const pm_sink *sink, pmapdb_error *err)
{
    int64_t growth = known(pm_side_int(rows, "growth_kib"));
    pm_buf line = {0};
    char kind[16], name[128];
    size_t n = 0;
    const char *chain = "";
    pmapdb_status st;

    pm_side_text(rows, "kind", kind, sizeof kind);
    pm_side_text(rows, "name", name, sizeof name);
    if (strcmp(kind, "stack") != 0 || growth <= 0)
        return PMAPDB_OK;
    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        if (strcmp(pmapdb_rows_name(rows, i), "stack") == 0)
            chain = pmapdb_rows_text(rows, i, &n);
    st = pm_buf_addf(&line, err, "%s;%.*s %lld", name, (int)n, chain, (long long)growth * 1024);
    if (st == PMAPDB_OK)
        st = pm_render_line(sink, pm_buf_text(&line), err);
    pm_buf_free(&line);
    return st;
}

static pmapdb_status write_folded(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    showing *s = ctx;
    bool has = false;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (st = pmapdb_next(s->w->rows, &has, err)) == PMAPDB_OK && has) {
        sum_row(s, s->w->rows);
        st = write_stack(s->w->rows, sink, err);
    }
    return st;
}

/* ---- both ---- */

static pmapdb_status show(const pm_who_show *w, pm_cli_writer write, pmapdb_error *err)
{
    showing s = {.w = w};
    pmapdb_status st = read_recordings(&s, err);

    if (st == PMAPDB_OK)
        st = pm_cli_write_with(w->cli, write, &s, err);
    if (st == PMAPDB_OK)
        say_warnings(&s);
    pm_buf_free(&s.lines);
    pm_buf_free(&s.warnings);
    return st;
}

pmapdb_status pm_who_show_rows(const pm_who_show *w, pmapdb_error *err)
{
    return show(w, write_all, err);
}

pmapdb_status pm_who_show_folded(const pm_who_show *w, pmapdb_error *err)
{
    return show(w, write_folded, err);
}
