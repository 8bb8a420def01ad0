/* work: a counter of the work that a server has done. */
#include "cli/compare/compare.h"

#include "api/one_file.h"
#include "cli/die.h"

enum { TIME, COUNT, N_FIELDS };

static const pm_csv_column fields[N_FIELDS] = {[TIME] = {"time", true}, [COUNT] = {"count", true}};

typedef struct counter {
    const char *path;
    pm_buf *json;
    int64_t ms; /* of the row before */
    double count;
    double before; /* the last counts of the earlier parts, added up */
    int part, rows;
} counter;

static pmapdb_status refuse_row(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const counter *c = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", c->path, (unsigned long long)line, what);
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    counter *c = ctx;
    double count;
    int64_t ms;

    if (!pm_csv_moment(field[TIME], &ms))
        return refuse_row(c, line, "time wants seconds since 1970 or an ISO 8601 time", err);
    if (!pm_csv_number(field[COUNT], &count))
        return refuse_row(c, line, "count wants a number", err);
    if (c->rows && ms < c->ms)
        return refuse_row(c, line, "its time is before that of the row above", err);
    if (c->rows && count < c->count) {
        c->before += c->count;
        c->part++;
    }
    c->ms = ms;
    c->count = count;
    return pm_buf_addf(c->json, err, "%s[%lld,%.17g,%d]", c->rows++ ? "," : "[", (long long)ms,
                       c->before + count, c->part);
}

void pm_work_read(const char *path, pm_buf *json)
{
    counter c = {.path = path, .json = json};
    const pm_csv_options options = {.path = path,
                                    .columns = fields,
                                    .n_columns = N_FIELDS,
                                    .ctx = &c,
                                    .row = take_row,
                                    .bad = refuse_row};
    pmapdb_error err;

    pm_cli_must(pm_one_file_csv(path, &options, &err), &err);
    if (c.rows < 2)
        pm_cli_die("'%s' has %d row%s: a counter of work has two at least", path, c.rows,
                   c.rows == 1 ? "" : "s");
    pm_cli_must(pm_buf_add(json, "]", 1, &err), &err);
}
