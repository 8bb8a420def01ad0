/* capture_log: what an import or a live capture prints. */
#include "cli/capture_log.h"

#include "base/clock.h"
#include "cli/stop.h"
#include "cli/value.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARNINGS_MAX 32
/* A directory of a host's processes would repeat one warning for each process. */
#define TIMES_OF_A_WARNING 3
#define N_LIVE 3 /* the last columns and keys are of live captures alone */

bool pm_capture_log_goes_on(const pm_capture_log *log)
{
    return !pm_stop_asked() && !pm_output_failed(&log->out);
}

/* ---- one capture ---- */

static void put_number(FILE *line, const char *before, int64_t n, const char *unknown)
{
    if (n == PMAPDB_UNKNOWN)
        fputs(unknown, line);
    else
        fprintf(line, "%s%lld", before, (long long)n);
}

/* "stored @7 2026-11-21T02:05:32Z redis/4711 pmap-x complete, proved by footer, 122 mappings, 80
 * MiB: PATH", or, of the ranges that a JVM names, "named @7 ..., 151 ranges name 140 mappings, 280
 * MiB: PATH" */
static void put_line(FILE *line, const void *ctx)
{
    const pmapdb_capture_event *l = ctx;
    const pmapdb_import_event *e = &l->news;
    bool proved = strcmp(e->checked, "none") != 0;
    char taken[PM_CLOCK_TEXT], size[32];

    pm_clock_format(e->taken_ms, taken);
    pm_render_kib(e->size_kib, true, size);
    fputs(e->duplicate ? "known  " : e->labels ? "named  " : "stored ", line);
    put_number(line, "@", e->snapshot_id, "pruned");
    fprintf(line, " %s %s/", taken, e->name);
    put_number(line, "", e->pid, "?");
    fprintf(line, " %s %s", e->dialect, e->state);
    if (e->labels) {
        fprintf(line, ", %llu ranges", (unsigned long long)e->labels);
        if (e->mappings != PMAPDB_UNKNOWN)
            fprintf(line, " name %lld mappings, %s", (long long)e->mappings, size);
    } else {
        fprintf(line, "%s%s, ", proved ? ", proved by " : "", proved ? e->checked : "");
        put_number(line, "", e->mappings, "?");
        fprintf(line, " mappings, %s", size);
    }
    fprintf(line, ": %s", e->path);
    if (l->read_us != PMAPDB_UNKNOWN) /* a live capture */
        fprintf(line, " in %.1f ms%s%s", (double)l->read_us / 1000, l->degraded ? "; " : "",
                l->degraded ? l->degraded : "");
}

/* One list: what is missing, warnings, notes. */
static size_t all_warnings(const pmapdb_import_event *e, const char *all[WARNINGS_MAX])
{
    size_t n = 0;

    if (e->missing)
        all[n++] = e->missing;
    for (size_t i = 0; i < e->n_warnings && n < WARNINGS_MAX; i++)
        all[n++] = e->warnings[i];
    for (size_t i = 0; i < e->n_notes && n < WARNINGS_MAX; i++)
        all[n++] = e->notes[i];
    return n;
}

static void write_object(pm_capture_log *log, const pmapdb_capture_event *l, const char *taken)
{
    const pmapdb_import_event *e = &l->news;
    const char *warnings[WARNINGS_MAX];
    size_t n_warnings = all_warnings(e, warnings);
    int64_t labels = e->labels ? (int64_t)e->labels : PMAPDB_UNKNOWN;
    pm_pair stored[] = {{.key = "path", .value = pm_value_text(e->path)},
                        {.key = "snapshot_id", .value = pm_value_int(e->snapshot_id)},
                        {.key = "pid", .value = pm_value_int(e->pid)},
                        {.key = "name", .value = pm_value_text(e->name)},
                        {.key = "taken_at", .value = pm_value_text(taken)},
                        {.key = "dialect", .value = pm_value_text(e->dialect)},
                        {.key = "state", .value = pm_value_text(e->state)},
                        {.key = "checked", .value = pm_value_text(e->checked)},
                        {.key = "mappings", .value = pm_value_int(e->mappings)},
                        {.key = "size_kib", .value = pm_value_int(e->size_kib)},
                        {.key = "duplicate", .value = pm_value_int(e->duplicate), .boolean = true},
                        {.key = "warnings", .list = warnings, .n_list = n_warnings},
                        {.key = "labels", .value = pm_value_int(labels)},
                        {.key = "read_us", .value = pm_value_int(l->read_us)},
                        {.key = "predicted_us", .value = pm_value_int(l->predicted_us)},
                        {.key = "degraded", .value = pm_value_text(l->degraded)}};
    pm_pair failed[] = {{.key = "path", .value = pm_value_text(e->path)},
                        {.key = "error", .value = pm_value_text(e->error)}};
    size_t n = e->error ? 2 : sizeof stored / sizeof *stored - (log->live ? 0 : N_LIVE);
    pmapdb_error err;

    pm_output_check(&log->out,
                    pm_render_object(&log->out.sink, e->error ? failed : stored, n, &err), &err);
}

static const pm_column row_columns[] = {
    {"path", PM_UNIT_TEXT},    {"snapshot_id", PM_UNIT_SNAPSHOT}, {"pid", PM_UNIT_INT},
    {"name", PM_UNIT_TEXT},    {"taken_at", PM_UNIT_TIME},        {"dialect", PM_UNIT_TEXT},
    {"state", PM_UNIT_TEXT},   {"checked", PM_UNIT_TEXT},         {"mappings", PM_UNIT_COUNT},
    {"size_kib", PM_UNIT_KIB}, {"duplicate", PM_UNIT_BOOL},       {"error", PM_UNIT_TEXT},
    {"read_us", PM_UNIT_INT},  {"predicted_us", PM_UNIT_INT},     {"degraded", PM_UNIT_TEXT}};

static void write_row(pm_capture_log *log, const pmapdb_capture_event *l, const char *taken)
{
    const pmapdb_import_event *e = &l->news;
    bool bad = e->error != NULL;
    pm_value values[] = {pm_value_text(e->path),
                         pm_value_int(bad ? PMAPDB_UNKNOWN : e->snapshot_id),
                         pm_value_int(bad ? PMAPDB_UNKNOWN : e->pid),
                         pm_value_text(e->name),
                         pm_value_text(bad ? NULL : taken),
                         pm_value_text(e->dialect),
                         pm_value_text(e->state),
                         pm_value_text(e->checked),
                         pm_value_int(bad ? PMAPDB_UNKNOWN : e->mappings),
                         pm_value_int(bad ? PMAPDB_UNKNOWN : e->size_kib),
                         pm_value_int(bad ? PMAPDB_UNKNOWN : e->duplicate),
                         pm_value_text(e->error),
                         pm_value_int(l->read_us),
                         pm_value_int(l->predicted_us),
                         pm_value_text(l->degraded)};

    pm_output_row(&log->out, values);
}

/* ---- trouble ---- */

/* False if a text was already said `times` in this run. Numbers do not count: 58 doubled rows in
 * one capture, 60 in the next. */
static bool may_say(pm_capture_log *log, const char *text, int times)
{
    pm_buf bare = {0};
    const char *from = log->said.data, *end = from + log->said.len;
    pmapdb_status st = pm_buf_add(&bare, "\n", 1, NULL);

    for (const char *p = text; *p && st == PMAPDB_OK; p++)
        if (*p < '0' || *p > '9')
            st = pm_buf_add(&bare, p, 1, NULL);
    if (st == PMAPDB_OK)
        st = pm_buf_add(&bare, "\n", 1, NULL);
    while (st == PMAPDB_OK && times > 0 && from && from < end &&
           (from = memmem(from, (size_t)(end - from), bare.data, bare.len))) {
        times--;
        from += bare.len;
    }
    if (times > 0 && st == PMAPDB_OK)
        pm_buf_add(&log->said, bare.data, bare.len, NULL);
    pm_buf_free(&bare);
    return times > 0;
}

/* A known error is said again only if it is trouble. */
static bool is_error_said(pm_capture_log *log, const pmapdb_import_event *e)
{
    bool quiet = log->cli->quiet;

    if (!e->error || (e->known && (!e->trouble || quiet)))
        return false;
    return e->trouble || (!quiet && may_say(log, e->error, TIMES_OF_A_WARNING));
}

/* Trouble goes to standard error, whatever the format. */
static void say_trouble(pm_capture_log *log, const pmapdb_import_event *e)
{
    bool quiet = log->cli->quiet;
    bool names_path = e->error && *e->error == '\'';

    if (is_error_said(log, e))
        pm_cli_say("%s%s%s", names_path ? "" : e->path, names_path || !*e->path ? "" : ": ",
                   e->error);
    if (e->missing && !e->duplicate)
        pm_cli_say("%s: %s", e->path, e->missing);
    for (size_t w = 0; w < e->n_warnings && !e->duplicate && !quiet; w++)
        if (may_say(log, e->warnings[w], TIMES_OF_A_WARNING))
            pm_cli_say("%s: %s", e->path, e->warnings[w]);
    for (size_t n = 0; n < e->n_notes && !quiet; n++)
        if (may_say(log, e->notes[n], 1))
            pm_cli_say("%s: %s", e->path, e->notes[n]);
}

/* ---- the log ---- */

void pm_capture_log_event(pm_capture_log *log, const pmapdb_capture_event *l)
{
    char taken[PM_CLOCK_TEXT] = "";

    if (pm_output_failed(&log->out))
        return;
    pm_progress_clear(&log->progress);
    say_trouble(log, &l->news);
    if (!l->news.error)
        pm_clock_format(l->news.taken_ms, taken);
    if (log->cli->format == PM_FORMAT_NDJSON)
        write_object(log, l, taken);
    else if (log->out.render)
        write_row(log, l, taken);
    else if (!log->cli->quiet && !l->news.error)
        pm_output_line(&log->out, put_line, l);
}

void pm_capture_log_open(pm_capture_log *log, const pm_cli *cli, bool live)
{
    int n = (int)(sizeof row_columns / sizeof *row_columns) - (live ? 0 : N_LIVE);

    *log = (pm_capture_log){.cli = cli, .live = live};
    pm_output_open(&log->out, cli);
    if (cli->format != PM_FORMAT_TABLE && cli->format != PM_FORMAT_NDJSON)
        pm_output_rows(&log->out, row_columns, n, NULL);
    log->progress = pm_progress_begin(cli);
}

void pm_capture_log_drop(pm_capture_log *log)
{
    pm_progress_clear(&log->progress);
    pm_buf_free(&log->said);
    pm_output_drop(&log->out);
}

void pm_capture_log_close(pm_capture_log *log)
{
    pm_progress_clear(&log->progress);
    pm_buf_free(&log->said);
    pm_output_end(&log->out);
}
