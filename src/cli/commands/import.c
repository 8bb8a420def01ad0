/* import: pmapdb import PATH... : stores captures, or with --explain shows how each is read. */
#include "api/blocks.h"
#include "api/check.h" /* checks the options before a store is created */
#include "base/num.h"
#include "cli/commands/capture_log.h"
#include "cli/options/labels.h"
#include "cli/output.h"
#include "store/file/store.h" /* pm_store_lookaside */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct import_command {
    pm_capture_log log;
    pm_cli *cli;
    pmapdb_import_options o;
    pmapdb_open_options open;
    pm_cli_list keep_cmdline, labels;
    int64_t first_ms; /* of the captures; PMAPDB_UNKNOWN: none yet */
    bool explain, verbose;
} import_command;

#define AT(field) offsetof(import_command, field)

static const char *read_bytes(const char *arg, void *value)
{
    int64_t kib;

    if (!pm_num_size(pm_text_of(arg), &kib))
        return "a size like 10M";
    *(uint64_t *)value = (uint64_t)kib << 10;
    return NULL;
}

static const pm_option options[] = {
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "The host that the captures are from"},
    {"name", 0, PM_OPT_NAME, AT(o.name), "NAME", "Name of the process (default: as captured)"},
    {"names", 0, PM_OPT_WORD, AT(o.names), "FILE", "Names by rules, lines of NAME EXPR"},
    {"pid", 0, PM_OPT_PID, AT(o.pid), "N", "The pid of captures that do not contain one"},
    {"at", 0, PM_OPT_TIME, AT(o.at_ms), "TIME", "When they were taken"},
    {"time-from", 0, PM_OPT_TEXT, AT(o.time_from), "WHAT",
     "name or mtime (default: a date line before the capture, the file's name, its mtime)"},
    {"every", 0, PM_OPT_SPAN, AT(o.every_ms), "SPAN",
     "Step of a log without times; counted back from its mtime"},
    {"first", 0, PM_OPT_TIME, AT(o.first_ms), "TIME", "First capture of a log without times"},
    {"sweep", 0, PM_OPT_SPAN, AT(o.sweep_ms), "SPAN",
     "Captures of one name this close are one moment (1s)"},
    {"dialect", 0, PM_OPT_TEXT, AT(o.dialect), "NAME",
     "Read rows only as this (pmapdb dialects lists them)"},
    {"explain", 0, PM_OPT_FLAG, AT(explain), NULL, "Store nothing: say how each is read, and why"},
    {"verbose", 'v', PM_OPT_FLAG, AT(verbose), NULL, "A line for each capture"},
    {"strict", 0, PM_OPT_FLAG, AT(o.strict), NULL, "A capture without a pid is an error"},
    {"keep-cmdline", 0, PM_OPT_LIST, AT(keep_cmdline), "REGEX",
     "Also store what it matches of command lines, not only the program"},
    {"max-memory", 0, PM_OPT_CUSTOM, AT(o.max_memory), "SIZE", "Memory that one file may need (2G)",
     read_bytes},
    {"max-unpacked", 0, PM_OPT_CUSTOM, AT(o.max_unpacked), "SIZE",
     "Most bytes to unpack from one file (64G; from 1G on, at most 1,000 times its size)",
     read_bytes},
    PM_LABEL_OPTION(AT(labels)),
    {"mode", 0, PM_OPT_MODE, AT(open.file_mode), "MODE", "Permissions of a new store (0600)"},
    {"group", 0, PM_OPT_NAME, AT(open.group), "NAME", "Group of a new store"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "PATH..."};

/* ---- --explain: how each block of text that looks like a capture is read ---- */

enum { PATH, FIRST, LAST, PID, DIALECT, STATE, CHECKED, MAPPINGS, SIZE };
enum { NOTES = SIZE + 1, MISSING, ERROR, N_COLUMNS };

static const pm_column columns[N_COLUMNS] = {
    [PATH] = {"path", PM_UNIT_TEXT},       [FIRST] = {"first_line", PM_UNIT_INT},
    [LAST] = {"last_line", PM_UNIT_INT},   [PID] = {"pid", PM_UNIT_INT},
    [DIALECT] = {"dialect", PM_UNIT_TEXT}, [STATE] = {"state", PM_UNIT_TEXT},
    [CHECKED] = {"checked", PM_UNIT_TEXT}, [MAPPINGS] = {"mappings", PM_UNIT_COUNT},
    [SIZE] = {"size_kib", PM_UNIT_KIB},    [NOTES] = {"notes", PM_UNIT_TEXT},
    [MISSING] = {"missing", PM_UNIT_TEXT}, [ERROR] = {"error", PM_UNIT_TEXT}};

/* Returns lines joined to one line; an empty text is unknown. */
static pm_value joined(pm_buf *line, pm_text lines)
{
    for (size_t i = 0; i < lines.len; i++)
        pm_buf_addf(line, NULL, lines.data[i] == '\n' ? "; " : "%c", lines.data[i]);
    return pm_value_text(line->len ? pm_cli_text(line) : NULL);
}

/* Fills in what applies: a capture has everything, a block without a capture no state and no sums,
 * and an error about a whole file only the error. */
static void read_values(const pm_found_block *found, pm_buf *notes, pm_value values[N_COLUMNS])
{
    const pm_block *b = found->capture ? &found->capture->block : NULL;

    for (int i = 0; i < N_COLUMNS; i++)
        values[i] = (pm_value){.kind = PM_VALUE_NULL};
    values[PATH] = pm_value_text(found->path);
    values[ERROR] = pm_value_text(found->error);
    if (!b)
        return;
    values[FIRST] = pm_value_int((int64_t)b->first_line);
    values[LAST] = pm_value_int((int64_t)b->last_line);
    values[PID] = pm_value_int(found->capture->pid);
    if (b->dialect != PM_DIALECT_COUNT)
        values[DIALECT] = pm_value_text(pm_dialect_names[b->dialect]);
    values[NOTES] = joined(notes, b->notes);
    if (found->error)
        return;
    values[STATE] = pm_value_text(pm_state_names[b->state]);
    values[CHECKED] = pm_value_text(pm_checked_names[b->checked]);
    values[MISSING] = pm_value_text(*b->missing.data ? b->missing.data : NULL);
    values[MAPPINGS] = pm_value_int(b->totals.v[PM_TOTAL_MAPPINGS]);
    values[SIZE] = pm_value_int(b->totals.v[PM_TOTAL_SIZE]);
}

/* Writes "x.log:3-63" and below it what is known, each value with its name. */
static void write_lines(pm_output *out, const pm_value values[N_COLUMNS])
{
    const char *path = values[PATH].kind ? values[PATH].t.data : "";
    pm_flow f = pm_output_flow(out);
    char number[32];

    if (values[FIRST].kind)
        pm_output_line(out, "%s:%" PRId64 "-%" PRId64, path, values[FIRST].i, values[LAST].i);
    else if (*path)
        pm_output_line(out, "%s", path);
    for (int i = PID; i < N_COLUMNS; i++) {
        snprintf(number, sizeof number, "%" PRId64, values[i].i);
        if (i == SIZE)
            pm_render_kib(values[i].i, number);
        if (values[i].kind)
            pm_flow_labelled(&f, 12, i == SIZE ? "size" : columns[i].name,
                             values[i].kind == PM_VALUE_TEXT ? values[i].t : pm_text_of(number));
    }
    pm_flow_free(&f);
}

static void write_block(pm_output *out, const pm_found_block *found)
{
    pm_buf notes = {0};
    pm_value values[N_COLUMNS];

    read_values(found, &notes, values);
    if (out->render)
        pm_output_row(out, values);
    else
        write_lines(out, values);
    pm_buf_free(&notes);
}

static int explain(const pm_cli *cli, const char *const *paths, size_t n_paths,
                   const pmapdb_import_options *import)
{
    const pm_blocks_options how = {.paths = paths,
                                   .n_paths = n_paths,
                                   .dialect = import->dialect,
                                   .max_memory = import->max_memory,
                                   .max_unpacked = import->max_unpacked};
    pm_blocks *blocks = NULL;
    pm_found_block *found = NULL;
    bool trouble = false;
    pm_output out;
    pmapdb_error err = {0};

    pm_output_open(&out, cli);
    if (cli->format != PM_FORMAT_TABLE)
        pm_output_rows(&out, columns, N_COLUMNS, NULL);
    pm_cli_must(pm_blocks_new(&how, &blocks, &err), &err);
    do {
        found = NULL;
        pm_cli_must(pm_blocks_next(blocks, &found, &err), &err);
        trouble |= found && found->trouble;
        if (found && (found->capture || found->damage.status || !found->n_blocks))
            write_block(&out, found);
        pm_found_block_free(found);
    } while (found && !pm_output_failed(&out));
    pm_blocks_free(blocks);
    pm_output_end(&out);
    return trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

/* ---- the run ---- */

static void on_event(void *ctx, const pmapdb_import_event *event)
{
    import_command *i = ctx;

    if (!event->error && (i->first_ms == PMAPDB_UNKNOWN || event->taken_ms < i->first_ms))
        i->first_ms = event->taken_ms;
    pm_capture_log_event(&i->log,
                         &(pmapdb_capture_event){.news = *event, .read_us = PMAPDB_UNKNOWN});
}

static void say_summary(const pm_cli *cli, const pmapdb_import_result *r)
{
    if (cli->quiet)
        return;
    fprintf(stderr, "pmapdb: %llu %s stored", (unsigned long long)r->stored,
            r->stored == 1 ? "capture" : "captures");
    pm_capture_log_count(r->labels, "list of a JVM's own names", "lists of a JVM's own names");
    pm_capture_log_count(r->duplicates, "known", "known");
    pm_capture_log_count(r->partial, "partial", "partial");
    pm_capture_log_count(r->refused, "refused", "refused");
    pm_capture_log_count(r->empty, "without mappings (kernel threads, denied, gone)",
                         "without mappings (kernel threads, denied, gone)");
    pm_capture_log_count(r->skipped, "other file skipped", "other files skipped");
    fputc('\n', stderr);
}

static int run(import_command *i, const char *const *paths, size_t n_paths, pmapdb_store *store)
{
    pmapdb_import_result result = {0};
    pmapdb_error err = {0};
    pmapdb_status st;

    if (i->cli->output)
        pm_output_keep_apart(i->cli, paths, n_paths, "reads");
    pm_capture_log_open(&i->log, i->cli, false, i->verbose);
    i->o.ctx = i;
    i->o.on_event = on_event;
    i->o.on_progress = pm_progress_step;
    st = pmapdb_import(store, paths, n_paths, &i->o, &result, &err);
    pm_capture_log_close(&i->log);
    if (st == PMAPDB_STOPPED && pm_stop_asked())
        pm_cli_die("stopped by a signal; what was stored stays, import again for the rest");
    pm_cli_must(st, &err);
    say_summary(i->cli, &result);
    return result.new_trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

int pm_cli_import(pm_cli *cli, int argc, char **argv)
{
    import_command i = {.cli = cli, .open = {.mode = PMAPDB_WRITE}, .first_ms = PMAPDB_UNKNOWN};
    const char *const *paths = (const char *const *)(argv + 1);
    pmapdb_store *store = NULL;
    pmapdb_error err;
    size_t n_paths;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_import_defaults(&i.o);
    n_paths = (size_t)pm_options_parse(cli, &syntax, &i, argc, argv);
    if (!n_paths)
        pm_cli_usage(cli, "import what? Files, directories, archives, or - for standard input");
    if (i.labels.n && !i.o.host)
        pm_cli_usage(cli, "--label is of a host: name it with --host");
    i.o.keep_cmdline = i.keep_cmdline.item;
    i.o.n_keep_cmdline = i.keep_cmdline.n;
    if (i.explain) {
        exit_code = explain(cli, paths, n_paths, &i.o);
    } else {
        pm_store_lookaside();
        pm_cli_must(pm_import_check(&i.o, &err), &err);
        store = pm_cli_store_with(cli, &i.open);
        exit_code = run(&i, paths, n_paths, store);
        if (i.labels.n && i.first_ms != PMAPDB_UNKNOWN)
            pm_cli_store_labels(cli, store, i.o.host, false, i.first_ms, &i.labels);
        pmapdb_close(store);
    }
    free(i.keep_cmdline.item);
    free(i.labels.item);
    return exit_code;
}
