/* push: pmapdb push: sends the store to a server of ClickHouse, or writes its rows into a folder.
 */
#include "api/push/push.h"
#include "base/clock/clock.h"
#include "cli/options/labels.h"
#include "cli/push/connection.h"
#include "cli/run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LATER 3 /* exit status: the next run may succeed */

typedef struct push {
    pm_progress progress;
    pm_cli *cli;
    pm_connection connection;
    pm_push_to to;
    const char *folder;
    pm_cli_list labels;
} push;

#define AT(field) offsetof(push, field)

static const pm_option options[] = {
    {"to", 0, PM_OPT_WORD, AT(folder), "DIR",
     "Into files TABLE/HOST-STORE-N.tsv of this folder; -f csv, -f ndjson"},
    {"gz", 0, PM_OPT_FLAG, AT(to.gzip), NULL, "Pack the files with gzip"},
    {"pss", 0, PM_OPT_FLAG, AT(to.push.pss), NULL,
     "Also Pss of each process: twice as many rows, it moves with other processes"},
    {"redact", 0, PM_OPT_FLAG, AT(to.push.redact), NULL, "Replace names, as export does"},
    {"rewind", 0, PM_OPT_TIME, AT(to.push.from_ms), "TIME", "Send again what was captured since"},
    {"now", 0, PM_OPT_FLAG, AT(to.now), NULL, "Also in the pause after failures"},
    PM_LABEL_OPTION(AT(labels)),
    PM_CONNECTION_OPTIONS(push, connection),
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "URL\n--to DIR"};

static void on_warning(void *ctx, const char *warning)
{
    push *p = ctx;

    pm_progress_clear(&p->progress);
    pm_cli_note(p->cli, "%s", warning);
}

static bool is_here(const char *host)
{
    char here[HOST_NAME_MAX + 1] = "";

    return gethostname(here, HOST_NAME_MAX) == 0 && strcmp(host, here) == 0;
}

/* Finds the host whose labels are stored: the only one, or this machine. */
static bool find_host(pmapdb_store *store, char host[HOST_NAME_MAX + 1])
{
    pmapdb_rows *rows = pm_answer_sql(store, "SELECT name FROM host");
    bool found = false;
    int n = 0;

    while (!found && pm_run_next(rows)) {
        n++;
        snprintf(host, HOST_NAME_MAX + 1, "%s", pmapdb_rows_text(rows, 0, NULL));
        found = is_here(host);
    }
    pmapdb_rows_close(rows);
    return found || n == 1;
}

/* Makes the folder, if it does not exist, and returns its full path. */
static char *find_folder(const char *path)
{
    char *folder;

    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        pm_cli_die("cannot make '%s': %s", path, strerror(errno));
    folder = realpath(path, NULL);
    if (!folder)
        pm_cli_die("no folder '%s': %s", path, strerror(errno));
    return folder;
}

/* Returns the name of the target. With --redact it is another one, because other names are sent. */
static char *name_target(const push *p, const char *url, const char *folder)
{
    char *target = NULL;

    if (asprintf(&target, "%s%s%s%s", folder ? folder : url, folder ? "" : " ",
                 folder ? "" : p->connection.database, p->to.push.redact ? " --redact" : "") < 0)
        pm_cli_no_memory();
    return target;
}

static int finish(push *p, pmapdb_status st, const pm_push_result *r, const pmapdb_error *err)
{
    char at[PM_CLOCK_TEXT] = "";

    pm_progress_clear(&p->progress);
    if (st == PMAPDB_STOPPED)
        pm_cli_die("stopped by a signal; what was sent counts, push again for the rest");
    if (r->later && st != PMAPDB_OK) {
        pm_cli_say("%s; nothing is lost, the next push goes on", err->text);
        return LATER;
    }
    pm_cli_must(st, err);
    if (r->through_ms != PMAPDB_UNKNOWN)
        pm_clock_format(r->through_ms, at);
    pm_cli_note(p->cli, "%lld rows in %lld %s sent%s%s", (long long)r->rows, (long long)r->batches,
                r->batches == 1 ? "batch" : "batches", *at ? ", complete up to " : "", at);
    return PM_EXIT_OK;
}

static int run(push *p, const char *url)
{
    char host[HOST_NAME_MAX + 1];
    char *folder = p->folder ? find_folder(p->folder) : NULL;
    char *target = name_target(p, url, folder);
    pm_push_result result = {0};
    pmapdb_store *store;
    pmapdb_error err = {0};
    pmapdb_status st;
    int exit_code;

    p->to.push.target = target;
    p->to.push.now_ms = pm_clock_now();
    p->to.database = p->connection.database;
    p->to.folder = folder;
    p->to.format = p->cli->format == PM_FORMAT_CSV      ? PM_PUSH_CSV
                   : p->cli->format == PM_FORMAT_NDJSON ? PM_PUSH_NDJSON
                                                        : PM_PUSH_TSV;
    p->connection.http.url = url;
    if (url)
        pm_cli_must(pm_http_open(&p->connection.http, &p->to.http, &err), &err);
    p->to.ctx = p;
    p->to.on_warning = on_warning;
    p->to.on_progress = pm_progress_step;
    store = pm_cli_store(p->cli, PMAPDB_CHANGE);
    if (find_host(store, host))
        pm_cli_store_labels(p->cli, store, host, is_here(host), p->to.push.now_ms, &p->labels);
    else if (p->labels.n)
        pm_cli_usage(p->cli, "--label is for a store of one host, or of this machine");
    p->progress = pm_progress_begin(p->cli, NULL);
    st = pm_push_run(store, &p->to, &result, &err);
    exit_code = finish(p, st, &result, &err);
    pm_http_close(p->to.http);
    pmapdb_close(store);
    free(target);
    free(folder);
    return exit_code;
}

int pm_cli_push(pm_cli *cli, int argc, char **argv)
{
    push p = {.cli = cli,
              .connection = {.database = PM_CONNECTION_DATABASE},
              .to = {.push = {.from_ms = PMAPDB_UNKNOWN}}};
    int n = pm_options_parse(cli, &syntax, &p, argc, argv), exit_code;

    if (n + (p.folder != NULL) != 1)
        pm_cli_usage(cli, "push where to? The URL of a server, or --to DIR");
    exit_code = run(&p, n ? argv[1] : NULL);
    free(p.labels.item);
    return exit_code;
}
