/* rules_file: sets of rules as CSV. */
#include "store/rules/rules_file.h"

#include "parse/files/csv_table.h"
#include "store/file/embedded.h"
#include <stdio.h>

#define MISTAKES_SHOWN 20

extern const pm_embedded pm_embedded_rules[];

const char *const pm_rules_builtins[] = {"default", "pmap-dotnet", NULL};

typedef struct reading {
    const char *label;
    pm_text text;
    pm_rules *set;
    pm_rules_report *report;
} reading;

pm_text pm_rules_builtin(pm_text name)
{
    for (const pm_embedded *e = pm_embedded_rules; e->name; e++)
        if (pm_text_equal(name, pm_text_of(e->name)))
            return (pm_text){e->text, e->len};
    return (pm_text){0};
}

/* ---- the report ---- */

/* Adds a mistake in a line; line 0: in the whole file. */
static pmapdb_status add_mistake(const reading *r, uint64_t line, const char *why,
                                 pmapdb_error *err)
{
    pm_rules_report *report = r->report;

    if (report->n_mistakes++ >= MISTAKES_SHOWN)
        return PMAPDB_OK;
    if (line == 0)
        return pm_buf_addf(&report->mistakes, err, "%s: %s\n", r->label, why);
    return pm_buf_addf(&report->mistakes, err, "%s:%llu: %s\n", r->label, (unsigned long long)line,
                       why);
}

/* PMAPDB_OK if there is no mistake so far. */
static pmapdb_status verdict(const reading *r, pmapdb_error *err)
{
    pm_rules_report *report = r->report;
    size_t n = report->n_mistakes, more = n > MISTAKES_SHOWN ? n - MISTAKES_SHOWN : 0;
    const char *first = pm_buf_text(&report->mistakes).data;
    int len = (int)strcspn(first, "\n");

    if (n == 0)
        return PMAPDB_OK;
    if (n == 1)
        return pm_fail(err, PMAPDB_INPUT, "%.*s", len, first);
    pm_fail(err, PMAPDB_INPUT, "%.*s (and %zu more mistakes)", len < 400 ? len : 400, first, n - 1);
    if (more &&
        pm_buf_addf(&report->mistakes, err, "%s: %zu more mistakes\n", r->label, more) != PMAPDB_OK)
        return PMAPDB_NOMEM;
    return PMAPDB_INPUT;
}

void pm_rules_report_free(pm_rules_report *report)
{
    pm_buf_free(&report->mistakes);
    *report = (pm_rules_report){0};
}

/* ---- rows ---- */

static pmapdb_status on_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    return add_mistake(ctx, line, what, err);
}

static pmapdb_status on_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    const reading *r = ctx;
    pmapdb_error why;
    pmapdb_status st = pm_rules_add(r->set, field, &why);

    if (st == PMAPDB_INPUT)
        return add_mistake(r, line, why.text, err);
    if (st != PMAPDB_OK && err)
        *err = why;
    return st;
}

/* ---- the text ---- */

static pmapdb_status read_text(reading *r, pmapdb_error *err)
{
    pm_csv_column columns[PM_RULE_COLUMNS];
    const pm_csv_options options = {.path = r->label,
                                    .columns = columns,
                                    .n_columns = PM_RULE_COLUMNS,
                                    .strict = true,
                                    .ctx = r,
                                    .row = on_row,
                                    .bad = on_bad};
    pmapdb_error why;
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < PM_RULE_COLUMNS; i++)
        columns[i] = (pm_csv_column){pm_rule_columns[i], i <= PM_RULE_CATEGORY};
    if (r->text.len > PM_RULES_FILE_MAX)
        st = pm_fail(&why, PMAPDB_INPUT, "%s: larger than 1 MiB", r->label);
    PM_STEP(st, pm_csv_read(r->text, &options, &why));
    if (st == PMAPDB_INPUT) { /* about the first line or the whole file; the text names the file */
        r->report->n_mistakes++;
        st = pm_buf_addf(&r->report->mistakes, &why, "%s\n", why.text);
    }
    if (st != PMAPDB_OK && err)
        *err = why;
    return st == PMAPDB_OK ? verdict(r, err) : st;
}

static pmapdb_status finish(const reading *r, pmapdb_error *err)
{
    pmapdb_error why;
    pmapdb_status st = pm_rules_finish(r->set, &why);

    if (st == PMAPDB_INPUT)
        st = add_mistake(r, 0, why.text, err);
    else if (st != PMAPDB_OK)
        st = pm_fail_nomem(err);
    return st == PMAPDB_OK ? verdict(r, err) : st;
}

pmapdb_status pm_rules_read(pm_text text, const char *label, pm_rules_report *report,
                            pm_rules **out, pmapdb_error *err)
{
    reading r = {.label = label, .text = text, .report = report};
    pmapdb_status st = pm_rules_new(&r.set, err);

    PM_STEP(st, read_text(&r, err));
    PM_STEP(st, finish(&r, err));
    if (st == PMAPDB_OK)
        *out = r.set;
    else
        pm_rules_free(r.set);
    return st;
}
