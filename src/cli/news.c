/* news: what an import or a live capture prints. */
#include "cli/news.h"

#include "base/clock.h"
#include "cli/stop.h"
#include "cli/value.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WARNINGS_MAX 32
/* A directory of a host's processes would say the same of each. */
#define TIMES_OF_A_WARNING 3
#define LINE 1024

static void clear_progress(pm_news *i)
{
    if (i->progress && i->shown_ms)
        fputs("\r\033[K", stderr);
}

bool pm_news_go_on(void *ctx)
{
    const pm_news *i = ctx;

    return !pm_stop_asked() && i->st == PMAPDB_OK;
}

bool pm_news_progress(void *ctx, const pmapdb_import_progress *p)
{
    pm_news *i = ctx;
    int64_t now;

    if (!pm_news_go_on(i))
        return false;
    if (!i->progress)
        return true;
    now = pm_clock_now();
    if (now - i->shown_ms < 200)
        return true;
    i->shown_ms = now;
    if (p->to_store)
        fprintf(stderr, "\r\033[Kstored %llu of %llu captures", (unsigned long long)p->stored,
                (unsigned long long)p->to_store);
    else
        fprintf(stderr, "\r\033[Kread %llu files, %.1f MiB, %llu captures",
                (unsigned long long)p->files, (double)p->bytes / 1048576,
                (unsigned long long)p->captures);
    return true;
}

/* Behind the path: what reading it took, and why it was not read as it was to be. */
static void end_line(pm_news *i, const pmapdb_capture_event *l)
{
    char text[512] = "\n";

    if (i->live)
        snprintf(text, sizeof text, " in %.1f ms%s%s\n", (double)l->read_us / 1000,
                 l->degraded ? "; " : "", l->degraded ? l->degraded : "");
    i->st = i->sink.write(i->sink.ctx, text, strlen(text), &i->err);
}

/* "151 ranges name 140 mappings, 280 MiB"; of a known one only that it has them. */
static int say_labels(const pmapdb_import_event *e, const char *taken, const char *pid,
                      const char *size, char line[LINE])
{
    int n = snprintf(line, LINE, "%s @%lld %s %s/%s %s %s, %llu ranges",
                     e->duplicate ? "known " : "named ", (long long)e->snapshot_id, taken, e->name,
                     pid, e->dialect, e->state, (unsigned long long)e->labels);

    if (n < LINE && e->mappings != PMAPDB_UNKNOWN)
        n += snprintf(line + n, (size_t)(LINE - n), " name %lld mappings, %s",
                      (long long)e->mappings, size);
    if (n < LINE)
        n += snprintf(line + n, (size_t)(LINE - n), ": ");
    return n;
}

/* One line of the default output. */
static void write_line(pm_news *i, const pmapdb_capture_event *l)
{
    const pmapdb_import_event *e = &l->news;
    char line[LINE], taken[PM_CLOCK_TEXT], size[32], pid[24] = "?", mappings[24] = "?";
    char id[24] = "pruned";
    int n;

    pm_clock_format(e->taken_ms, taken);
    pm_render_kib(e->size_kib, true, size);
    if (e->pid != PMAPDB_UNKNOWN)
        snprintf(pid, sizeof pid, "%lld", (long long)e->pid);
    if (e->mappings != PMAPDB_UNKNOWN)
        snprintf(mappings, sizeof mappings, "%lld", (long long)e->mappings);
    if (e->snapshot_id != PMAPDB_UNKNOWN)
        snprintf(id, sizeof id, "@%lld", (long long)e->snapshot_id);
    if (e->labels)
        n = say_labels(e, taken, pid, size, line);
    else
        n = snprintf(line, sizeof line, "%s %s %s %s/%s %s %s%s%s, %s mappings, %s: ",
                     e->duplicate ? "known " : "stored", id, taken, e->name, pid, e->dialect,
                     e->state, strcmp(e->checked, "none") == 0 ? "" : ", proved by ",
                     strcmp(e->checked, "none") == 0 ? "" : e->checked, mappings, size);
    n = n < (int)sizeof line ? n : (int)sizeof line - 1;
    i->st = pm_render_escaped(&i->sink, (pm_text){line, (size_t)n}, &i->err);
    if (i->st == PMAPDB_OK)
        i->st = pm_render_escaped(&i->sink, pm_text_of(e->path), &i->err);
    if (i->st == PMAPDB_OK)
        end_line(i, l);
}

/* The contract has one list: what is missing, what is to be watched, what was made good. */
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

#define N_LIVE 3 /* the last of what follows are of live captures alone */

static void write_object(pm_news *i, const pmapdb_capture_event *l, const char *taken)
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
    size_t n = e->error ? 2 : sizeof stored / sizeof *stored - (i->live ? 0 : N_LIVE);

    i->st = pm_render_object(&i->sink, e->error ? failed : stored, n, &i->err);
}

static const pm_column row_columns[] = {
    {"path", PM_UNIT_TEXT},    {"snapshot_id", PM_UNIT_SNAPSHOT}, {"pid", PM_UNIT_INT},
    {"name", PM_UNIT_TEXT},    {"taken_at", PM_UNIT_TIME},        {"dialect", PM_UNIT_TEXT},
    {"state", PM_UNIT_TEXT},   {"checked", PM_UNIT_TEXT},         {"mappings", PM_UNIT_COUNT},
    {"size_kib", PM_UNIT_KIB}, {"duplicate", PM_UNIT_BOOL},       {"error", PM_UNIT_TEXT},
    {"read_us", PM_UNIT_INT},  {"predicted_us", PM_UNIT_INT},     {"degraded", PM_UNIT_TEXT}};

static void write_row(pm_news *i, const pmapdb_capture_event *l, const char *taken)
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

    i->st = pm_render_row(i->render, values, &i->err);
}

/* False once a text was said `times` in this run. Numbers do not count: 58 doubled rows in one
 * capture, 60 in the next. */
static bool may_say(pm_news *i, const char *text, int times)
{
    pm_buf bare = {0};
    const char *from = i->said.data, *end = from + i->said.len;
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
        pm_buf_add(&i->said, bare.data, bare.len, NULL);
    pm_buf_free(&bare);
    return times > 0;
}

/* What went wrong goes to standard error too, whatever the format. */
static void say_trouble(pm_news *i, const pmapdb_import_event *e)
{
    bool named = e->error && *e->error == '\''; /* what is said begins with the path */
    const char *path = named ? "" : e->path, *separator = *path ? ": " : "";

    if (e->error && (!e->known || (e->trouble && !i->cli->quiet)) &&
        (e->trouble || (!i->cli->quiet && may_say(i, e->error, TIMES_OF_A_WARNING))))
        pm_cli_say("%s%s%s", path, separator, e->error);
    if (e->missing && !e->duplicate)
        pm_cli_say("%s: %s", e->path, e->missing);
    for (size_t w = 0; w < e->n_warnings && !e->duplicate && !i->cli->quiet; w++)
        if (may_say(i, e->warnings[w], TIMES_OF_A_WARNING))
            pm_cli_say("%s: %s", e->path, e->warnings[w]);
    for (size_t n = 0; n < e->n_notes && !i->cli->quiet; n++)
        if (may_say(i, e->notes[n], 1))
            pm_cli_say("%s: %s", e->path, e->notes[n]);
}

void pm_news_live(void *ctx, const pmapdb_capture_event *l)
{
    pm_news *i = ctx;
    const pmapdb_import_event *e = &l->news;
    char taken[PM_CLOCK_TEXT] = "";

    if (i->st != PMAPDB_OK)
        return;
    clear_progress(i);
    say_trouble(i, e);
    if (!e->error)
        pm_clock_format(e->taken_ms, taken);
    if (i->cli->format == PM_FORMAT_NDJSON)
        write_object(i, l, taken);
    else if (i->render)
        write_row(i, l, taken);
    else if (!i->cli->quiet && !e->error)
        write_line(i, l);
}

void pm_news_event(void *ctx, const pmapdb_import_event *e)
{
    pm_news_live(ctx, &(pmapdb_capture_event){.news = *e});
}

void pm_news_flush(pm_news *i)
{
    if (i->st == PMAPDB_OK)
        i->st = pm_cli_out_flush(i->out, &i->err);
}

pmapdb_status pm_news_open(pm_news *i, const pm_cli *cli, bool live, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(cli);
    pmapdb_status st;

    *i = (pm_news){.cli = cli, .live = live, .progress = isatty(STDERR_FILENO) && !cli->quiet};
    st = pm_cli_out_open(cli->output, &i->out, err);
    if (st != PMAPDB_OK)
        return st;
    i->sink = pm_cli_out_sink(i->out);
    if (how.format != PM_FORMAT_TABLE && how.format != PM_FORMAT_NDJSON)
        st = pm_render_new(&how, &i->sink, row_columns,
                           (int)(sizeof row_columns / sizeof *row_columns) - (live ? 0 : N_LIVE),
                           &i->render, err);
    if (st != PMAPDB_OK) {
        pm_cli_out_close(i->out);
        return st;
    }
    pm_stop_catch();
    return PMAPDB_OK;
}

void pm_news_close(pm_news *i)
{
    clear_progress(i);
    if (i->render && i->st == PMAPDB_OK)
        i->st = pm_render_end(i->render, &i->err);
    if (i->st == PMAPDB_OK)
        i->st = pm_cli_out_commit(i->out, &i->err);
    pm_render_free(i->render);
    pm_cli_out_close(i->out);
    pm_buf_free(&i->said);
}

void pm_news_summary(const pm_cli *cli, const pmapdb_import_result *r)
{
    if (cli->quiet)
        return;
    fprintf(stderr, "pmapdb: %llu %s stored", (unsigned long long)r->stored,
            r->stored == 1 ? "capture" : "captures");
    if (r->labels)
        fprintf(stderr, ", %llu %s of a JVM's own names", (unsigned long long)r->labels,
                r->labels == 1 ? "list" : "lists");
    if (r->duplicates)
        fprintf(stderr, ", %llu known", (unsigned long long)r->duplicates);
    if (r->partial)
        fprintf(stderr, ", %llu partial", (unsigned long long)r->partial);
    if (r->refused)
        fprintf(stderr, ", %llu refused", (unsigned long long)r->refused);
    if (r->empty)
        fprintf(stderr, ", %llu without mappings (kernel threads, denied, gone)",
                (unsigned long long)r->empty);
    if (r->skipped)
        fprintf(stderr, ", %llu other %s skipped", (unsigned long long)r->skipped,
                r->skipped == 1 ? "file" : "files");
    fputc('\n', stderr);
}
