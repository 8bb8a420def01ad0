/* rules_csv: reads CSV files of rules in full and reports all mistakes. */
#include "store/rules/rules_csv.h"

#include "base/near.h"
#include "base/utf8.h"
#include <stdio.h>

typedef struct reading {
    const pm_rules_csv *csv;
    pm_rules_report *report;
} reading;

/* ---- mistakes ---- */

pmapdb_status pm_rules_mistake(pm_rules_report *report, const char *label, uint64_t line,
                               const char *why, pmapdb_error *err)
{
    if (report->n_mistakes++ >= PM_RULES_MISTAKES_SHOWN)
        return PMAPDB_OK;
    if (line == 0)
        return pm_buf_addf(&report->mistakes, err, "%s: %s\n", label, why);
    return pm_buf_addf(&report->mistakes, err, "%s:%llu: %s\n", label, (unsigned long long)line,
                       why);
}

pmapdb_status pm_rules_verdict(pm_rules_report *report, const char *label, pmapdb_error *err)
{
    size_t n = report->n_mistakes,
           more = n > PM_RULES_MISTAKES_SHOWN ? n - PM_RULES_MISTAKES_SHOWN : 0;
    const char *first = pm_buf_text(&report->mistakes).data;
    int len = (int)strcspn(first, "\n");

    if (n == 0)
        return PMAPDB_OK;
    if (n == 1)
        return pm_fail(err, PMAPDB_INPUT, "%.*s", len, first);
    pm_fail(err, PMAPDB_INPUT, "%.*s (and %zu more mistakes)", len < 400 ? len : 400, first, n - 1);
    if (more &&
        pm_buf_addf(&report->mistakes, err, "%s: %zu more mistakes\n", label, more) != PMAPDB_OK)
        return PMAPDB_NOMEM;
    return PMAPDB_INPUT;
}

void pm_rules_report_free(pm_rules_report *report)
{
    pm_buf_free(&report->mistakes);
    pm_buf_free(&report->warnings);
    *report = (pm_rules_report){0};
}

/* ---- rows ---- */

static pmapdb_status on_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const reading *r = ctx;

    return pm_rules_mistake(r->report, r->csv->label, line, what, err);
}

static pmapdb_status on_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    const reading *r = ctx;
    pmapdb_error why;
    pmapdb_status st = r->csv->row(r->csv->ctx, line, field, &why);

    if (st == PMAPDB_INPUT)
        return pm_rules_mistake(r->report, r->csv->label, line, why.text, err);
    if (st != PMAPDB_OK && err)
        *err = why;
    return st;
}

/* ---- the text ---- */

static pm_text next_line(pm_text *rest)
{
    const char *end = memchr(rest->data, '\n', rest->len);
    pm_text line = {rest->data, end ? (size_t)(end - rest->data) : rest->len};

    *rest = pm_text_from(*rest, line.len + (end != NULL));
    return line;
}

/* Checks the bytes. Stops at the first bad line: the other lines are probably as bad. */
static pmapdb_status check_bytes(const reading *r, pmapdb_error *err)
{
    pm_text rest = r->csv->text;

    if (rest.len > PM_RULES_FILE_MAX)
        return pm_fail(err, PMAPDB_INPUT, "%s: larger than 1 MiB", r->csv->label);
    for (uint64_t line = 1; rest.len; line++) {
        pm_text text = next_line(&rest);

        if (memchr(text.data, '\0', text.len))
            return pm_fail(err, PMAPDB_INPUT, "%s:%llu: a NUL byte", r->csv->label,
                           (unsigned long long)line);
        if (!pm_utf8_valid(text))
            return pm_fail(err, PMAPDB_INPUT, "%s:%llu: bytes that are no UTF-8", r->csv->label,
                           (unsigned long long)line);
    }
    return PMAPDB_OK;
}

static pm_text bare(pm_text t)
{
    while (t.len && pm_char_in(t.data[0], " \t\""))
        t = pm_text_from(t, 1);
    while (t.len && pm_char_in(t.data[t.len - 1], " \t\"\r"))
        t.len--;
    return t;
}

/* Rejects an unknown column: its condition would be ignored. */
static pmapdb_status check_column(const reading *r, uint64_t line, pm_text name, pmapdb_error *err)
{
    char why[160];
    pm_near near;

    for (size_t i = 0; i < r->csv->n_columns; i++)
        if (pm_text_equal(name, pm_text_of(r->csv->columns[i].name)))
            return PMAPDB_OK;
    pm_near_start(&near, name);
    for (size_t i = 0; i < r->csv->n_columns; i++)
        pm_near_try(&near, pm_text_of(r->csv->columns[i].name));
    snprintf(why, sizeof why, "there is no column '%.*s'%s", (int)(name.len < 40 ? name.len : 40),
             name.data, near.best[0] ? pm_near_hint(&near) : "");
    return pm_rules_mistake(r->report, r->csv->label, line, why, err);
}

static pmapdb_status check_header(const reading *r, uint64_t line, pm_text header,
                                  pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    const char *comma;

    if (pm_text_starts(header, PM_TEXT("\xef\xbb\xbf")))
        header = pm_text_from(header, 3);
    do {
        comma = header.len ? memchr(header.data, ',', header.len) : NULL;
        st = check_column(
            r, line,
            bare((pm_text){header.data, comma ? (size_t)(comma - header.data) : header.len}), err);
        if (comma)
            header = pm_text_from(header, (size_t)(comma - header.data) + 1);
    } while (comma && st == PMAPDB_OK);
    return st;
}

/* Comments become empty lines, so that lines keep their numbers. Inside quotes, that is, after an
 * odd number of them, a # begins no comment. */
static pmapdb_status feed(const reading *r, pm_csv *table, pmapdb_error *err)
{
    pm_text rest = r->csv->text;
    bool quoted = false, header = false;
    pmapdb_status st = PMAPDB_OK;

    for (uint64_t line = 1; rest.len && st == PMAPDB_OK; line++) {
        pm_text text = next_line(&rest);

        if (!quoted && text.len && text.data[0] == '#')
            text.len = 0;
        if (!header && bare(text).len) {
            header = true;
            st = check_header(r, line, text, err);
        }
        for (size_t i = 0; i < text.len; i++)
            quoted ^= text.data[i] == '"';
        if (st == PMAPDB_OK)
            st = pm_csv_feed(table, text.data, text.len, err);
        if (st == PMAPDB_OK)
            st = pm_csv_feed(table, "\n", 1, err);
    }
    return st == PMAPDB_OK ? pm_csv_finish(table, err) : st;
}

pmapdb_status pm_rules_csv_read(const pm_rules_csv *csv, pm_rules_report *report, pmapdb_error *err)
{
    reading r = {csv, report};
    const pm_csv_options options = {.path = csv->label,
                                    .columns = csv->columns,
                                    .n_columns = csv->n_columns,
                                    .ctx = &r,
                                    .row = on_row,
                                    .bad = on_bad};
    pm_csv *table = NULL;
    pmapdb_error why;
    pmapdb_status st = check_bytes(&r, &why);

    if (st == PMAPDB_OK)
        st = pm_csv_new(&options, &table, &why);
    if (st == PMAPDB_OK)
        st = feed(&r, table, &why);
    pm_csv_free(table);
    if (st == PMAPDB_INPUT) { /* of the first line or the file; the text names the file */
        report->n_mistakes++;
        st = pm_buf_addf(&report->mistakes, &why, "%s\n", why.text);
    }
    if (st != PMAPDB_OK && err)
        *err = why;
    return st == PMAPDB_OK ? pm_rules_verdict(report, csv->label, err) : st;
}
