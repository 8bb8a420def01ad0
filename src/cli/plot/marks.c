/* marks: reads --mark and --marks. */
#include "cli/plot/plot.h"

#include "api/one_file.h"
#include "base/clock/clock.h"
#include "base/utf8.h"
#include "parse/files/csv_table.h"
#include <stdio.h>
#include <stdlib.h>

static void add(pm_marks *m, int64_t ms, pm_text text)
{
    pmapdb_error err;

    pm_cli_must(pm_grow(&m->item, &m->cap, m->n, sizeof *m->item, &err), &err);
    text = pm_utf8_head(text, sizeof m->item->text - 1);
    m->item[m->n].ms = ms;
    snprintf(m->item[m->n].text, sizeof m->item->text, "%.*s", (int)text.len, text.data);
    m->n++;
}

static pmapdb_status say_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    pm_marks *m = ctx;

    (void)err;
    m->bad++;
    pm_cli_say("%s:%llu: %s: the mark is left out", m->file, (unsigned long long)line, what);
    return PMAPDB_OK;
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    int64_t ms;

    if (!pm_csv_moment(field[0], &ms))
        return say_bad(ctx, line, "time is not a moment like 2026-11-21T02:05:00Z", err);
    add(ctx, ms, field[1]);
    return PMAPDB_OK;
}

static void read_file(pm_marks *m)
{
    static const pm_csv_column columns[] = {{"time", true}, {"text", true}};
    const pm_csv_options options = {.path = m->file,
                                    .columns = columns,
                                    .n_columns = 2,
                                    .ctx = m,
                                    .row = take_row,
                                    .bad = say_bad};
    pmapdb_error err;

    pm_cli_must(pm_one_file_csv(m->file, &options, &err), &err);
}

void pm_marks_read(pm_marks *m, const pm_cli *cli)
{
    for (size_t i = 0; i < m->given.n; i++) {
        pm_clock_line at;

        if (pm_clock_read_line(pm_text_of(m->given.item[i]), &at) != PM_CLOCK_MOMENT ||
            !at.rest.len)
            pm_cli_usage(cli,
                         "--mark wants a time and words, like '2026-11-21T02:05:00Z "
                         "deploy 2.3', not '%s'",
                         m->given.item[i]);
        add(m, at.ms, at.rest);
    }
    if (m->file)
        read_file(m);
}

void pm_marks_free(pm_marks *m)
{
    free(m->given.item);
    free(m->item);
}
