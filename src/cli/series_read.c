/* series_read: series of a CSV file, with what is known of them and what was measured beside them.
 */
#include "cli/series.h"

#include "base/buf.h"
#include "cli/cli.h"
#include "parse/csv_table.h"
#include "source/source.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* All of them are in memory: 1 KiB of a series, 24 bytes of a value. */
#define SERIES_MAX 1000000
#define POINTS_MAX 50000000
#define BAD_SHOWN 10 /* of one file; the others are counted */
#define A_TIME "seconds (not milliseconds) since 1970 or an ISO 8601 time"

typedef struct reading {
    pm_series_set *set;
    const char *path;
    size_t n_bad;
} reading;

/* ---- bad rows ---- */

static pmapdb_status say_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    reading *r = ctx;

    (void)err;
    r->set->n_bad++;
    if (r->n_bad++ < BAD_SHOWN)
        pm_cli_say("%s:%llu: %s", r->path, (unsigned long long)line, what);
    return PMAPDB_OK;
}

static pmapdb_status say_field(reading *r, uint64_t line, const char *column, pm_text field,
                               const char *wanted)
{
    char what[256];

    snprintf(what, sizeof what, "%s is '%.*s', not %s: the row is left out", column,
             (int)(field.len < 64 ? field.len : 64), field.data, wanted);
    return say_bad(r, line, what, NULL);
}

/* ---- one file ---- */

/* A compressed file is one of its bytes; an archive or a folder is not one file. */
static pmapdb_status feed_file(pm_csv *csv, const char *path, pmapdb_error *err)
{
    const pm_source_entry *entry = NULL;
    pm_source *source = NULL;
    const char *bytes;
    size_t n = 1;
    pmapdb_status st = pm_source_new(&path, 1, &source, err);

    if (st == PMAPDB_OK)
        st = pm_source_next(source, &entry, err);
    if (st == PMAPDB_OK && (!entry || entry->in_archive || (!entry->named && !entry->is_stdin)))
        st = pm_fail(err, PMAPDB_USAGE, "'%s' is not one file of CSV", path);
    while (st == PMAPDB_OK && n) {
        st = pm_source_read(source, &bytes, &n, err);
        if (st == PMAPDB_OK)
            st = pm_csv_feed(csv, bytes, n, err);
    }
    pm_source_free(source);
    return st;
}

typedef pmapdb_status (*take_row)(void *ctx, uint64_t line, const pm_text *field,
                                  pmapdb_error *err);

static pmapdb_status read_file(pm_series_set *set, const char *path, const pm_csv_column *columns,
                               size_t n_columns, take_row row, pmapdb_error *err)
{
    reading r = {.set = set, .path = strcmp(path, PM_SOURCE_STDIN) == 0 ? "standard input" : path};
    pm_csv_options options = {.path = r.path,
                              .columns = columns,
                              .n_columns = n_columns,
                              .ctx = &r,
                              .row = row,
                              .bad = say_bad};
    pm_csv *csv = NULL;
    pmapdb_status st = pm_csv_new(&options, &csv, err);

    if (st == PMAPDB_OK)
        st = feed_file(csv, path, err);
    if (st == PMAPDB_OK)
        st = pm_csv_finish(csv, err);
    pm_csv_free(csv);
    if (r.n_bad > BAD_SHOWN)
        pm_cli_say("%s: %zu more bad rows", r.path, r.n_bad - BAD_SHOWN);
    return st;
}

/* ---- series ---- */

/* NULL where there is none of that id. */
static pmapdb_status find(pm_series_set *set, pm_text id, pm_series_one **out, pmapdb_error *err)
{
    uint32_t at;
    pmapdb_status st = pm_pool_text(set->ids, id, &at, err);

    *out = st == PMAPDB_OK && at && at <= set->n ? &set->one[at - 1] : NULL;
    return st;
}

/* The series of that id, which is added where it is new. */
static pmapdb_status find_or_add(pm_series_set *set, pm_text id, pm_series_one **out,
                                 pmapdb_error *err)
{
    uint32_t at;
    pmapdb_status st = pm_pool_text(set->ids, id, &at, err);

    if (st == PMAPDB_OK && at > SERIES_MAX)
        st = pm_fail(err, PMAPDB_INPUT, "more than %d series: judge them in parts", SERIES_MAX);
    if (st == PMAPDB_OK && at > set->n) {
        st = pm_grow(&set->one, &set->cap, set->n, sizeof *set->one, err);
        if (st == PMAPDB_OK)
            set->one[set->n++] = (pm_series_one){.page = NAN, .limit = NAN};
    }
    if (st == PMAPDB_OK)
        *out = &set->one[at - 1];
    return st;
}

static pmapdb_status add_point(reading *r, const pm_text *field, pm_series_point point,
                               pmapdb_error *err)
{
    pm_series_one *one;
    uint32_t life = 0;
    pmapdb_status st = find_or_add(r->set, field[0], &one, err);

    if (st == PMAPDB_OK && ++r->set->n_points > POINTS_MAX)
        return pm_fail(err, PMAPDB_INPUT, "more than %d values: judge them in parts", POINTS_MAX);
    if (st == PMAPDB_OK && field[3].data)
        st = pm_pool_text(r->set->words, field[3], &life, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&one->points, &one->cap, one->n, sizeof *one->points, err);
    if (st != PMAPDB_OK)
        return st;
    point.life = (int32_t)life;
    point.order = (uint32_t)one->n;
    one->points[one->n++] = point;
    return PMAPDB_OK;
}

static pmapdb_status take_point(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    pm_series_point point = {.value = NAN};
    reading *r = ctx;

    if (!field[0].len)
        return say_field(r, line, "series_id", field[0], "the name of a series");
    if (!pm_csv_moment(field[1], &point.ms))
        return say_field(r, line, "ts", field[1], A_TIME);
    if (field[2].len && !pm_csv_number(field[2], &point.value))
        return say_field(r, line, "kb", field[2], "a number of KiB");
    return add_point(r, field, point, err);
}

pmapdb_status pm_series_read(pm_series_set *set, const char *path, pmapdb_error *err)
{
    static const pm_csv_column columns[] = {
        {"series_id", true}, {"ts", true}, {"kb", true}, {"pid", false}};

    pmapdb_status st =
        read_file(set, path, columns, sizeof columns / sizeof *columns, take_point, err);

    if (st == PMAPDB_OK && set->n == 0)
        st = pm_fail(err, PMAPDB_INPUT, "'%s' has no series: not a single good row", path);
    return st;
}

/* ---- what is known of them ---- */

static bool read_size(pm_text field, double *out)
{
    double v;

    if (!field.len)
        return true;
    if (!pm_csv_number(field, &v))
        return false;
    *out = v > 0 ? v : NAN; /* 0 stands for none */
    return true;
}

static pmapdb_status take_meta(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    reading *r = ctx;
    pm_series_one *one;
    pmapdb_status st = find(r->set, field[0], &one, err);

    if (!one)
        return st;
    if (!read_size(field[3], &one->page))
        return say_field(r, line, "page_kb", field[3], "a number of KiB");
    if (!read_size(field[4], &one->limit))
        return say_field(r, line, "limit_kb", field[4], "a number of KiB");
    st = pm_pool_text(r->set->words, field[1], &one->category, err);
    if (st == PMAPDB_OK)
        st = pm_pool_text(r->set->words, field[2], &one->metric, err);
    if (st == PMAPDB_OK)
        st = pm_pool_text(r->set->ids, field[5], &one->companion, err);
    return st;
}

pmapdb_status pm_series_read_meta(pm_series_set *set, const char *path, pmapdb_error *err)
{
    static const pm_csv_column columns[] = {{"series_id", true}, {"category", false},
                                            {"metric", false},   {"page_kb", false},
                                            {"limit_kb", false}, {"companion", false}};

    return read_file(set, path, columns, sizeof columns / sizeof *columns, take_meta, err);
}

/* ---- what was measured beside them ---- */

static pmapdb_status take_more(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    static const char *const names[] = {"size_kb", "private_kb", "mappings"};
    double value[] = {NAN, NAN, NAN};
    reading *r = ctx;
    pm_series_one *one;
    int64_t ms;
    pmapdb_status st = find(r->set, field[0], &one, err);

    if (!one)
        return st;
    if (!pm_csv_moment(field[1], &ms))
        return say_field(r, line, "ts", field[1], A_TIME);
    for (size_t i = 0; i < 3; i++)
        if (field[2 + i].len && !pm_csv_number(field[2 + i], &value[i]))
            return say_field(r, line, names[i], field[2 + i], "a number");
    st = pm_grow(&one->more, &one->more_cap, one->n_more, sizeof *one->more, err);
    if (st != PMAPDB_OK)
        return st;
    one->more[one->n_more] = (pm_series_more){ms, value[0], value[1], value[2], one->n_more};
    one->n_more++;
    return PMAPDB_OK;
}

pmapdb_status pm_series_read_context(pm_series_set *set, const char *path, pmapdb_error *err)
{
    static const pm_csv_column columns[] = {{"series_id", true},
                                            {"ts", true},
                                            {"size_kb", true},
                                            {"private_kb", true},
                                            {"mappings", false}};

    return read_file(set, path, columns, sizeof columns / sizeof *columns, take_more, err);
}

/* ---- the set ---- */

pmapdb_status pm_series_new(pm_series_set *set, pmapdb_error *err)
{
    pmapdb_status st = pm_pool_new(&set->ids, err);

    return st == PMAPDB_OK ? pm_pool_new(&set->words, err) : st;
}

void pm_series_free(pm_series_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->one[i].points);
        free(set->one[i].more);
    }
    free(set->one);
    pm_pool_free(set->ids);
    pm_pool_free(set->words);
}

pm_text pm_series_id(const pm_series_set *set, size_t i)
{
    return pm_pool_text_get(set->ids, (uint32_t)i + 1);
}
