/* config_command: pmapdb config: the lines of the configuration files, and which of them hold. */
#include "cli/options/config.h"
#include "cli/options/options.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

static const pm_column columns[] = {{"process", PM_UNIT_TEXT},
                                    {"key", PM_UNIT_TEXT},
                                    {"value", PM_UNIT_TEXT},
                                    {"from", PM_UNIT_TEXT},
                                    {"instead", PM_UNIT_TEXT}};

static const pm_syntax syntax = {};

static bool is_same_key(const pm_config_line *a, const pm_config_line *b)
{
    const char *x = a->section ? a->section : "", *y = b->section ? b->section : "";

    return strcmp(a->key, b->key) == 0 && strcmp(x, y) == 0 &&
           (strchr(a->key, '.') || pm_config_command(a).len == 0);
}

static void place_of(const pm_config_line *line, char *out, size_t size)
{
    snprintf(out, size, "%s:%d", line->file, line->number);
}

/* Writes what holds instead of line i; "" if the line holds. */
static void replaced_by(const pm_cli *cli, size_t i, char *out, size_t size)
{
    const pm_config *c = cli->config;
    const pm_config_line *line = &c->line[i];
    const char *variable = line->section ? NULL : pm_config_environment(line->key);

    *out = '\0';
    for (size_t k = c->n; k-- > i + 1;)
        if (is_same_key(&c->line[k], line)) {
            place_of(&c->line[k], out, size);
            break;
        }
    if (variable)
        snprintf(out, size, "$%s", variable);
    if (!line->section && strcmp(line->key, "db") == 0 && cli->db && !*out &&
        strcmp(cli->db, line->value) != 0)
        snprintf(out, size, "--db");
}

/* A line of the configuration; its place is `from`. */
static void put(pm_output *out, const pm_config_line *line, const char *from, const char *instead)
{
    pm_output_row(out, (pm_value[]){pm_value_text(line->section), pm_value_text(line->key),
                                    pm_value_text(line->value), pm_value_text(from),
                                    pm_value_text(*instead ? instead : NULL)});
}

int pm_cli_config(pm_cli *cli, int argc, char **argv)
{
    char store[PM_CLI_PATH], from[PM_CLI_PATH + 32], instead[PM_CLI_PATH + 32];
    const pm_config *c = cli->config;
    bool listed = false;
    pm_output out;

    pm_options_parse(cli, &syntax, NULL, argc, argv);
    pm_cli_find_store(cli, false, store);
    for (size_t i = 0; i < c->n; i++)
        listed |= cli->db == c->line[i].value;
    pm_output_open(&out, cli);
    pm_output_rows(&out, columns, sizeof columns / sizeof *columns, NULL);
    if (!listed)
        put(&out, &(pm_config_line){.key = "db", .value = store},
            cli->db                       ? "--db"
            : pm_config_environment("db") ? "$PMAPDB"
                                          : "default",
            "");
    for (size_t i = 0; i < c->n; i++) {
        place_of(&c->line[i], from, sizeof from);
        replaced_by(cli, i, instead, sizeof instead);
        put(&out, &c->line[i], from, instead);
    }
    pm_output_end(&out);
    for (int i = 0; i < 2; i++)
        if (c->file[i] && *c->file[i] && !c->found[i])
            pm_cli_note(cli, "no file %s", c->file[i]);
    return PM_EXIT_OK;
}
