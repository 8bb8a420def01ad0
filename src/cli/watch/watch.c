/* watch: pmapdb watch: a live screen of processes, through the same captures and verdicts as every
 * other command, in a store in memory. */
#include "cli/watch/watch.h"

#include "base/clock/clock.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cli/options/options.h"
#include "cli/progress.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#define AT(field) offsetof(pm_watch, field)

static const char *read_every(const char *arg, void *value)
{
    return !pm_option_read_every(arg, value) && *(int64_t *)value >= 100
               ? NULL
               : "a span from 100ms, like 2s";
}

static const pm_option options[] = {
    {"match", 0, PM_OPT_TEXT, AT(capture.match), "EXPR", "Only processes that it matches"},
    {"every", 0, PM_OPT_CUSTOM, AT(every_ms), "SPAN", "How often to look (2s)", read_every},
    {"limit", 0, PM_OPT_TEXT, AT(limit), "SIZE", "What the rss of a process cannot exceed"},
    {0}};

/* ---- captures ---- */

static bool goes_on(void *ctx, const pmapdb_progress *progress)
{
    (void)ctx;
    (void)progress;
    return !pm_stop_asked();
}

static void capture(pm_watch *w)
{
    pmapdb_capture_result result;
    pmapdb_error err;
    int64_t begun = pm_clock_now();
    pmapdb_status st = pmapdb_capture(w->store, &w->capture, &result, &err);

    w->read_ms = pm_clock_now() - begun;
    w->next_ms = begun + w->every_ms;
    if (st != PMAPDB_OK && st != PMAPDB_STOPPED)
        snprintf(w->message, sizeof w->message, "%s", err.text);
    else if (st == PMAPDB_OK && !result.stored)
        snprintf(w->message, sizeof w->message,
                 "no such process is alive, or this user may not read it");
    if (pm_clock_now() >= w->judged_ms + 10 * w->judging_ms)
        pm_watch_judge(w);
}

/* ---- keys ---- */

/* Copies the store to a new file in the current folder. */
static void save(pm_watch *w)
{
    pmapdb_export_options how;
    pmapdb_export_result result;
    pmapdb_error err;
    char path[64], at[PM_CLOCK_TEXT];
    struct stat info;

    pm_clock_format(pm_clock_now(), at);
    snprintf(path, sizeof path, "watch-%.10s-%.2s%.2s%.2s.db", at, at + 11, at + 14, at + 17);
    pmapdb_export_defaults(&how);
    if (pmapdb_export(w->store, path, &how, &result, &err) != PMAPDB_OK)
        snprintf(w->message, sizeof w->message, "%s", err.text);
    else
        snprintf(w->message, sizeof w->message,
                 "saved: pmapdb --db %s leaks (%" PRIu64 " snapshots)",
                 stat(path, &info) == 0 ? path : "?", result.snapshots);
}

static void type(pm_watch *w, int key)
{
    size_t n = strlen(w->filter);

    if (key == '\n' || key == '\r' || key == PM_KEY_ESCAPE)
        w->typing = false;
    if (key == PM_KEY_ESCAPE)
        n = 0;
    else if ((key == PM_KEY_ERASE || key == '\b') && n)
        n = pm_utf8_head(pm_text_of(w->filter), n - 1).len;
    else if (key >= ' ' && key < 256 && key != PM_KEY_ERASE && n + 1 < sizeof w->filter)
        w->filter[n++] = (char)key;
    w->filter[n] = '\0';
    pm_watch_judge(w);
}

/* Goes into the process, or lists those of the name. */
static void enter(pm_watch *w, const pm_watch_row *row)
{
    if (row->n == 1) {
        w->process_id = row->process_id;
        return;
    }
    snprintf(w->filter, sizeof w->filter, "%.62s/", row->name);
    w->by_name = false;
    w->chosen = 0;
    pm_watch_judge(w);
}

static void press_in_list(pm_watch *w, int key)
{
    if ((key == 'j' || key == PM_KEY_DOWN) && w->chosen + 1 < w->n_rows)
        w->chosen++;
    else if ((key == 'k' || key == PM_KEY_UP) && w->chosen)
        w->chosen--;
    else if ((key == '\n' || key == '\r') && w->n_rows)
        enter(w, &w->row[w->chosen]);
    else if (key == '/')
        w->typing = true;
    else if (key == 'g') {
        w->by_name = !w->by_name;
        pm_watch_judge(w);
    } else if (key == '<' || key == '>') {
        w->order = (w->order + (key == '>' ? 1 : PM_WATCH_ORDERS - 1)) % PM_WATCH_ORDERS;
        pm_watch_judge(w);
    }
}

static void press_in_process(pm_watch *w, int key)
{
    if (key == PM_KEY_ESCAPE)
        w->process_id = w->a = w->b = 0;
    else if (key == '\n' || key == '\r')
        w->each = !w->each;
    else if (key == PM_KEY_LEFT)
        w->b = w->before;
    else if (key == PM_KEY_RIGHT)
        w->b = w->after;
    else if (key == 'a')
        w->a = w->a == w->shown ? 0 : w->shown;
    else if (key == 'm')
        w->metric = (w->metric + 1) % PM_WATCH_METRICS;
}

/* False: the program ends. */
static bool press(pm_watch *w, int key)
{
    *w->message = '\0';
    if (key == PM_KEY_GONE || (key == 'q' && !w->typing))
        return false;
    if (w->typing)
        type(w, key);
    else if (key == 'p')
        w->paused = !w->paused;
    else if (key == 's')
        save(w);
    else if (w->process_id)
        press_in_process(w, key);
    else
        press_in_list(w, key);
    return true;
}

/* ---- the run ---- */

/* Takes a pid, or a name for pm_cli_match_name(). */
static void choose(pm_watch *w, const char *word, int64_t *pid, pm_buf *match)
{
    uint64_t number;

    if (word && w->capture.match)
        pm_cli_usage(w->cli, "a process and --match do not go together");
    w->capture.all = !word && !w->capture.match;
    if (word && pm_num_all(pm_text_of(word), &number)) {
        *pid = (int64_t)number;
        w->capture.pids = pid;
        w->capture.n_pids = 1;
    } else if (word) {
        pm_cli_match_name(match, word);
        w->capture.match = pm_cli_text(match);
    }
}

static void run(pm_watch *w)
{
    bool on = true;

    capture(w);
    if (w->n_rows == 1 && !w->capture.all)
        w->process_id = w->row[0].process_id;
    while (on && !pm_stop_asked()) {
        int64_t left = w->paused ? 1000 : w->next_ms - pm_clock_now();
        int key;

        pm_watch_show(w);
        key = pm_screen_key(&w->screen, left > 0 ? (int)left : 0);
        if (key != PM_KEY_NONE)
            on = press(w, key);
        if (on && !w->paused && pm_clock_now() >= w->next_ms)
            capture(w);
    }
}

int pm_cli_watch(pm_cli *cli, int argc, char **argv)
{
    static const pm_syntax syntax = {
        .options = options, .operands = "[PROCESS]\n--match EXPR", .most = 1};
    pm_watch w = {.cli = cli, .every_ms = 2000};
    pm_buf match = {0};
    int64_t pid;
    int n;

    pmapdb_capture_defaults(&w.capture);
    n = pm_options_parse(cli, &syntax, &w, argc, argv);
    choose(&w, n ? argv[1] : NULL, &pid, &match);
    w.capture.on_progress = goes_on;
    pm_screen_open(&w.screen, cli);
    w.store = pm_cli_store_in_memory(cli);
    run(&w);
    pmapdb_close(w.store);
    pm_screen_close(&w.screen);
    pm_watch_forget(&w);
    free(w.row);
    pm_buf_free(&match);
    return PM_EXIT_OK;
}
