/* capture_log: what an import or a live capture prints. */
#include "cli/commands/capture_log.h"

#include <inttypes.h>

#define WARNINGS_MAX 32
/* In a directory with all processes of a host, each process could repeat the same warning. */
#define TIMES_OF_A_WARNING 3

/* ---- one capture ---- */

static void add_number(pm_buf *line, const char *before, int64_t n, const char *unknown)
{
    if (n == PMAPDB_UNKNOWN)
        pm_buf_addf(line, NULL, "%s", unknown);
    else
        pm_buf_addf(line, NULL, "%s%" PRId64, before, n);
}

/* Writes "stored @7 2026-11-21T02:05:32Z redis/4711 pmap-x complete, proved by footer, 122
 * mappings, rss 80 MiB: PATH", or for the ranges that a JVM names: "named @7 ..., 151 ranges name
 * 140 mappings, 280 MiB: PATH". */
static void write_line(pm_capture_log *log, const pmapdb_capture_event *l)
{
    const pmapdb_import_event *e = &l->news;
    bool proved = strcmp(e->checked, "none") != 0;
    bool resident = e->rss_kib != PMAPDB_UNKNOWN;
    char taken[PM_CLOCK_TEXT], size[32];
    pm_buf line = {0};

    pm_clock_format(e->taken_ms, taken);
    pm_render_kib(resident ? e->rss_kib : e->size_kib, size);
    pm_buf_addf(&line, NULL, e->duplicate ? "known  " : e->labels ? "named  " : "stored ");
    add_number(&line, "@", e->snapshot_id, "pruned");
    pm_buf_addf(&line, NULL, " %s %s/", taken, e->name);
    add_number(&line, "", e->pid, "?");
    pm_buf_addf(&line, NULL, " %s %s", e->dialect, e->state);
    if (e->labels) {
        pm_buf_addf(&line, NULL, ", %" PRIu64 " ranges", e->labels);
        if (e->mappings != PMAPDB_UNKNOWN)
            pm_buf_addf(&line, NULL, " name %" PRId64 " mappings, %s", e->mappings, size);
    } else {
        pm_buf_addf(&line, NULL, "%s%s, ", proved ? ", proved by " : "", proved ? e->checked : "");
        add_number(&line, "", e->mappings, "?");
        pm_buf_addf(&line, NULL, " mappings, %s%s", resident ? "rss " : "size ", size);
    }
    pm_buf_addf(&line, NULL, ": %s", e->path);
    if (log->live)
        pm_buf_addf(&line, NULL, " in %.1f ms%s%s", (double)l->read_us / 1000,
                    !l->degraded                      ? ""
                    : strcmp(e->dialect, "maps") == 0 ? "; sizes only: "
                                                      : "; without pss: ",
                    l->degraded ? l->degraded : "");
    pm_output_line(&log->out, "%s", pm_cli_text(&line));
    pm_buf_free(&line);
}

#define AT(field) offsetof(pmapdb_capture_event, field)

static const pm_member fields[] = {{{"path", PM_UNIT_TEXT}, AT(news.path)},
                                   {{"snapshot_id", PM_UNIT_SNAPSHOT}, AT(news.snapshot_id)},
                                   {{"pid", PM_UNIT_INT}, AT(news.pid)},
                                   {{"name", PM_UNIT_TEXT}, AT(news.name)},
                                   {{"taken_at", PM_UNIT_TIME}, AT(news.taken_ms)},
                                   {{"dialect", PM_UNIT_TEXT}, AT(news.dialect)},
                                   {{"state", PM_UNIT_TEXT}, AT(news.state)},
                                   {{"checked", PM_UNIT_TEXT}, AT(news.checked)},
                                   {{"mappings", PM_UNIT_COUNT}, AT(news.mappings)},
                                   {{"size_kib", PM_UNIT_KIB}, AT(news.size_kib)},
                                   {{"rss_kib", PM_UNIT_KIB}, AT(news.rss_kib)},
                                   {{"duplicate", PM_UNIT_BOOL}, AT(news.duplicate)},
                                   {{"error", PM_UNIT_TEXT}, AT(news.error)},
                                   {{"read_us", PM_UNIT_INT}, AT(read_us)},
                                   {{"predicted_us", PM_UNIT_INT}, AT(predicted_us)},
                                   {{"degraded", PM_UNIT_TEXT}, AT(degraded)}};

/* Only live captures have the columns after the error. */
enum { ERROR = 12, N_FIELDS = sizeof fields / sizeof *fields };

static void write_row(pm_capture_log *log, const pmapdb_capture_event *l)
{
    pm_value values[N_FIELDS];
    char taken[PM_CLOCK_TEXT];

    for (int i = 0; i < N_FIELDS; i++) {
        bool known = !l->news.error || i == 0 || i >= ERROR;

        values[i] = known ? pm_member_value(&fields[i], l, taken) : pm_value_text(NULL);
    }
    pm_output_row(&log->out, values);
}

/* Collects in one list: what is missing, the warnings, the notes. */
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

/* Writes an object. With an error it has only path and error; otherwise it has all columns, with
 * warnings and labels in place of the error. */
static void write_object(pm_capture_log *log, const pmapdb_capture_event *l)
{
    const pmapdb_import_event *e = &l->news;
    const char *warnings[WARNINGS_MAX];
    char taken[PM_CLOCK_TEXT];
    pm_pair pairs[N_FIELDS + 1];
    size_t n = 0;
    pmapdb_error err;

    for (int i = 0; i < (log->live ? N_FIELDS : ERROR + 1); i++) {
        if (i == ERROR && !e->error) {
            pairs[n++] =
                (pm_pair){.key = "warnings", .list = warnings, .n_list = all_warnings(e, warnings)};
            pairs[n++] =
                (pm_pair){.key = "labels",
                          .value = pm_value_int(e->labels ? (int64_t)e->labels : PMAPDB_UNKNOWN)};
        } else if (!e->error || i == 0 || i == ERROR) {
            pairs[n++] = (pm_pair){.key = fields[i].column.name,
                                   .value = pm_member_value(&fields[i], l, taken),
                                   .boolean = fields[i].column.unit == PM_UNIT_BOOL};
        }
    }
    pm_output_check(&log->out, pm_render_object(&log->out.sink, pairs, n, &err), &err);
}

/* ---- trouble ---- */

/* False if the text was printed `times` times in this run. Ignores digits: "58 doubled rows" in one
 * capture and "60 doubled rows" in the next count as the same text. */
static bool may_say(pm_capture_log *log, const char *text, int times)
{
    pm_buf bare = {0};
    const char *from = pm_buf_text(&log->said).data;

    pm_buf_addf(&bare, NULL, "\n");
    for (; *text; text++)
        if (*text < '0' || *text > '9')
            pm_buf_add(&bare, text, 1, NULL);
    pm_buf_addf(&bare, NULL, "\n");
    while (times > 0 && (from = strstr(from, pm_cli_text(&bare)))) {
        times--;
        from += bare.len;
    }
    if (times > 0)
        pm_buf_add(&log->said, bare.data, bare.len, NULL);
    pm_buf_free(&bare);
    return times > 0;
}

/* True if the error must be printed: a known error only if it is trouble, and not with --quiet. */
static bool is_error_said(pm_capture_log *log, const pmapdb_import_event *e)
{
    bool quiet = log->cli->quiet;

    if (!e->error || (e->known && (!e->trouble || quiet)))
        return false;
    return e->trouble || (!quiet && may_say(log, e->error, TIMES_OF_A_WARNING));
}

/* Writes errors, warnings and notes to standard error, in every format. */
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

void pm_capture_log_count(uint64_t n, const char *one, const char *many)
{
    if (n)
        fprintf(stderr, ", %" PRIu64 " %s", n, n == 1 ? one : many);
}

/* ---- the log ---- */

void pm_capture_log_event(pm_capture_log *log, const pmapdb_capture_event *l)
{
    if (pm_output_failed(&log->out))
        return;
    pm_progress_clear(&log->progress);
    say_trouble(log, &l->news);
    if (log->cli->format == PM_FORMAT_NDJSON)
        write_object(log, l);
    else if (log->out.render)
        write_row(log, l);
    else if (log->verbose && !l->news.error)
        write_line(log, l);
}

static void open_output(pm_capture_log *log)
{
    pm_format format = log->cli->format;

    pm_output_open(&log->out, log->cli);
    log->out.file.page = false; /* the output grows while the user watches it */
    if (format != PM_FORMAT_TABLE && format != PM_FORMAT_NDJSON)
        pm_output_fields(&log->out, fields, log->live ? N_FIELDS : ERROR + 1);
}

void pm_capture_log_open(pm_capture_log *log, const pm_cli *cli, bool live, bool verbose)
{
    *log = (pm_capture_log){.cli = cli, .live = live, .verbose = verbose && !cli->quiet};
    log->writes = log->verbose || cli->output || cli->format != PM_FORMAT_TABLE;
    if (log->writes)
        open_output(log);
    log->progress = pm_progress_begin(cli, &log->out);
}

static void end(pm_capture_log *log)
{
    pm_progress_clear(&log->progress);
    pm_buf_free(&log->said);
}

void pm_capture_log_drop(pm_capture_log *log)
{
    end(log);
    if (log->writes)
        pm_output_drop(&log->out);
}

void pm_capture_log_close(pm_capture_log *log)
{
    end(log);
    if (log->writes)
        pm_output_end(&log->out);
}
