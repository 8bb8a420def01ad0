/* csv: the rows of a CSV file as JSON. */
#include "cli/csv.h"

#include "api/one_file.h"
#include "base/clock/clock.h"
#include "cli/cli.h"
#include <stdio.h>

#define FIELDS_MAX 16
#define BAD_SHOWN 10 /* rows to print; the others are only counted */
#define JSON_MOST ((size_t)512 << 20)

static const char *name_of(const pm_csv_file *f)
{
    return strcmp(f->path, PM_SOURCE_STDIN) == 0 ? "standard input" : f->path;
}

static pmapdb_status refuse_row(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    pm_csv_file *f = ctx;

    if (!f->lenient)
        return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", name_of(f), (unsigned long long)line,
                       what);
    if (f->n_bad++ < BAD_SHOWN)
        pm_cli_say("%s:%llu: %s", name_of(f), (unsigned long long)line, what);
    return PMAPDB_OK;
}

/* Reads a value by its kind. `time` holds the text of a moment. False: the value is bad. */
static bool read_value(const pm_csv_field *field, pm_text text, pm_value *value,
                       char time[PM_CLOCK_TEXT])
{
    double number = 0;
    int64_t ms = 0;
    bool good = field->kind == PM_CSV_TEXT     ? true
                : field->kind == PM_CSV_NUMBER ? pm_csv_number(text, &number)
                                               : pm_csv_moment(text, &ms);

    if (!text.len)
        return !field->filled;
    if (good && field->kind == PM_CSV_TIME)
        pm_clock_format(ms, time);
    *value = field->kind == PM_CSV_TEXT     ? (pm_value){.kind = PM_VALUE_TEXT, .t = text}
             : field->kind == PM_CSV_NUMBER ? pm_value_real(number)
             : field->kind == PM_CSV_MS     ? pm_value_int(ms)
                                            : pm_value_text(time);
    return good;
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *text, pmapdb_error *err)
{
    static const char *const wants[] = {
        [PM_CSV_TEXT] = "a text",
        [PM_CSV_NUMBER] = "a number",
        [PM_CSV_MS] = "seconds (not milliseconds) since 1970 or an ISO 8601 time",
        [PM_CSV_TIME] = "seconds (not milliseconds) since 1970 or an ISO 8601 time"};
    pm_csv_file *f = ctx;
    const pm_sink sink = {f->json, pm_sink_add};
    pm_pair pairs[FIELDS_MAX] = {{0}};
    char times[FIELDS_MAX][PM_CLOCK_TEXT], what[256];

    for (size_t i = 0; i < f->n_fields; i++) {
        const pm_csv_field *field = &f->field[i];

        pairs[i].key = field->name;
        if (read_value(field, text[i], &pairs[i].value, times[i]))
            continue;
        snprintf(what, sizeof what, "%s is '%.*s', not %s%s", field->name,
                 (int)(text[i].len < 64 ? text[i].len : 64), text[i].data ? text[i].data : "",
                 field->wants ? field->wants : wants[field->kind],
                 f->lenient ? ": the row is left out" : "");
        return refuse_row(f, line, what, err);
    }
    if (f->ordered && f->n && pairs[0].value.i < f->last_ms)
        return refuse_row(f, line, "its time is before that of the row above", err);
    f->last_ms = pairs[0].value.i;
    if (f->json->len > JSON_MOST)
        return pm_fail(err, PMAPDB_USAGE, "'%s' has more than %zu million rows", f->path,
                       f->n / 1000000);
    pm_buf_add(f->json, ",", f->n++ > 0, NULL);
    return pm_render_object(&sink, pairs, f->n_fields, err);
}

void pm_csv_json(pm_csv_file *f, pm_buf *json)
{
    pm_csv_column columns[FIELDS_MAX];
    const pm_csv_options options = {.path = name_of(f),
                                    .columns = columns,
                                    .n_columns = f->n_fields,
                                    .ctx = f,
                                    .row = take_row,
                                    .bad = refuse_row};
    pmapdb_error err;

    for (size_t i = 0; i < f->n_fields; i++)
        columns[i] = (pm_csv_column){f->field[i].name, f->field[i].needed};
    f->json = json;
    pm_cli_must(pm_buf_add(json, "[", 1, &err), &err);
    pm_cli_must(pm_one_file_csv(f->path, &options, &err), &err);
    pm_cli_must(pm_buf_add(json, "]", 1, &err), &err);
    if (f->n_bad > BAD_SHOWN)
        pm_cli_say("%s: %zu more bad rows", name_of(f), f->n_bad - BAD_SHOWN);
}
