/* import_explain: pmapdb import --explain: shows how each block of text that looks like a capture
 * is read. Stores nothing. */
#include "cli/output.h"
#include "cli/words.h"

#include "api/blocks.h"
#include <inttypes.h>
#include <stdlib.h>

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
static pm_value joined(pm_words *words, pm_text lines)
{
    FILE *out = pm_words_begin(words);

    for (size_t i = 0; i < lines.len; i++)
        if (lines.data[i] == '\n')
            fputs("; ", out);
        else
            fputc(lines.data[i], out);
    return pm_value_text(pm_words_end(words).len ? words->data : NULL);
}

/* Fills in what applies: a capture has everything, a block without a capture no state and no sums,
 * and an error about a whole file only the error. */
static void read_values(const pm_found_block *found, pm_words *notes, pm_value values[N_COLUMNS])
{
    const pm_block *b = &found->capture.block;

    for (int i = 0; i < N_COLUMNS; i++)
        values[i] = (pm_value){.kind = PM_VALUE_NULL};
    values[PATH] = pm_value_text(found->path);
    values[ERROR] = pm_value_text(found->error);
    if (found->number == PMAPDB_UNKNOWN)
        return;
    values[FIRST] = pm_value_int((int64_t)b->first_line);
    values[LAST] = pm_value_int((int64_t)b->last_line);
    values[PID] = pm_value_int(found->capture.pid);
    if (b->dialect != PM_DIALECT_COUNT)
        values[DIALECT] = pm_value_text(pm_dialect_name(b->dialect));
    values[NOTES] = joined(notes, b->notes);
    if (found->error)
        return;
    values[STATE] = pm_value_text(pm_state_name(b->state));
    values[CHECKED] = pm_value_text(pm_checked_name(b->checked));
    values[MISSING] = pm_value_text(*b->missing.data ? b->missing.data : NULL);
    values[MAPPINGS] = pm_value_int(pm_total_known(b->totals.v[PM_TOTAL_MAPPINGS]));
    values[SIZE] = pm_value_int(pm_total_known(b->totals.v[PM_TOTAL_SIZE]));
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
            pm_render_kib(values[i].i, true, number);
        if (values[i].kind)
            pm_flow_labelled(&f, 12, i == SIZE ? "size" : columns[i].name,
                             values[i].kind == PM_VALUE_TEXT ? values[i].t : pm_text_of(number));
    }
    pm_flow_free(&f);
}

static void write_block(pm_output *out, const pm_found_block *found)
{
    pm_words notes = {0};
    pm_value values[N_COLUMNS];

    read_values(found, &notes, values);
    if (out->render)
        pm_output_row(out, values);
    else
        write_lines(out, values);
    free(notes.data);
}

int pm_cli_explain(const pm_cli *cli, const char *const *paths, size_t n_paths,
                   const pmapdb_import_options *import)
{
    const pm_blocks_options how = {.paths = paths,
                                   .n_paths = n_paths,
                                   .dialect = import->dialect,
                                   .max_memory = import->max_memory};
    pm_blocks *blocks = NULL;
    pm_found_block *found = NULL;
    uint64_t trouble;
    pm_output out;
    pmapdb_error err = {0};

    pm_output_open(&out, cli);
    if (cli->format != PM_FORMAT_TABLE)
        pm_output_rows(&out, columns, N_COLUMNS, NULL);
    pm_cli_must(pm_blocks_new(&how, &blocks, &err), &err);
    do {
        found = NULL;
        pm_cli_must(pm_blocks_next(blocks, &found, &err), &err);
        if (found)
            write_block(&out, found);
        pm_found_block_free(found);
    } while (found && !pm_output_failed(&out));
    trouble = pm_blocks_trouble(blocks);
    pm_blocks_free(blocks);
    pm_output_end(&out);
    return trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
