/* labels: the labels of a host, from the command line and the configuration. */
#include "cli/options/labels.h"

#include "base/buf.h"
#include "cli/options/config.h"
#include <stdlib.h>
#include <string.h>

#define PREFIX "label."
#define VALUE_MOST 1024

typedef struct found {
    const pm_cli *cli;
    pmapdb_label *label;
    size_t n, cap;
} found;

/* Returns where the value begins; NULL if there is none. */
static const char *value_in(const char *item)
{
    const char *equals = strchr(item, '=');

    return equals && equals > item && equals[1] ? equals + 1 : NULL;
}

void pm_cli_check_labels(const pm_cli *cli, const pm_cli_list *given)
{
    for (size_t i = 0; i < given->n; i++)
        if (!value_in(given->item[i]))
            pm_cli_usage(cli, "--label wants KEY=VALUE, such as build=2.3.1, not '%s'",
                         given->item[i]);
}

/* Reads the value of a line of the configuration: a text, the first line of a file (<), or the
 * first line that a command of the shell prints within some seconds (!). */
static bool read_value(const pm_cli *cli, const pm_config_line *from, char line[VALUE_MOST])
{
    const char *value = from->value + 1 + strspn(from->value + 1, " \t");
    bool program = *from->value == '!';
    FILE *in;

    if (!pm_char_in(*from->value, "<!"))
        return snprintf(line, VALUE_MOST, "%s", from->value) > 0;
    setenv("PMAPDB_LABEL", value, 1);
    in = program
             ? popen("exec 2>/dev/null </dev/null timeout -s KILL 5 sh -c \"$PMAPDB_LABEL\"", "re")
             : fopen(value, "re");
    if (!in || !fgets(line, VALUE_MOST, in))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (in && program)
        pclose(in);
    else if (in)
        fclose(in);
    if (!*line)
        pm_cli_note(cli, "%s:%d: no label %s: '%s' gives no line", from->file, from->number,
                    from->key + strlen(PREFIX), value);
    return *line != '\0';
}

/* ---- all labels ---- */

/* A later one of a key wins. */
static void add(found *f, const char *key, size_t key_length, const char *value)
{
    size_t i = 0;

    while (i < f->n &&
           (strncmp(f->label[i].key, key, key_length) != 0 || f->label[i].key[key_length]))
        i++;
    if (i == f->n) {
        if (pm_grow(&f->label, &f->cap, f->n, sizeof *f->label, NULL) != PMAPDB_OK)
            pm_cli_no_memory();
        f->label[f->n++] = (pmapdb_label){.key = strndup(key, key_length)};
    }
    free((char *)f->label[i].value);
    f->label[i].value = strdup(value);
    if (!f->label[i].key || !f->label[i].value)
        pm_cli_no_memory();
}

static bool is_given(const pm_cli_list *given, const char *key)
{
    for (size_t i = 0; i < given->n; i++)
        if (strncmp(given->item[i], key, strlen(key)) == 0 && given->item[i][strlen(key)] == '=')
            return true;
    return false;
}

static void add_configured(found *f, const pm_cli_list *given)
{
    const pm_config *c = f->cli->config;

    for (size_t i = 0; c && i < c->n; i++) {
        const char *key = c->line[i].key + strlen(PREFIX);
        char line[VALUE_MOST];

        if (!c->line[i].section && strncmp(c->line[i].key, PREFIX, strlen(PREFIX)) == 0 &&
            !is_given(given, key) && read_value(f->cli, &c->line[i], line))
            add(f, key, strlen(key), line);
    }
}

void pm_cli_store_labels(const pm_cli *cli, pmapdb_store *store, const char *host, bool own,
                         int64_t at_ms, const pm_cli_list *given)
{
    found f = {.cli = cli};
    pmapdb_error err;

    if (own)
        add_configured(&f, given);
    for (size_t i = 0; i < given->n; i++)
        add(&f, given->item[i], (size_t)(strchr(given->item[i], '=') - given->item[i]),
            value_in(given->item[i]));
    if (f.n)
        pm_cli_must(pmapdb_label_host(store, host, at_ms, f.label, f.n, &err), &err);
    for (size_t i = 0; i < f.n; i++) {
        free((char *)f.label[i].key);
        free((char *)f.label[i].value);
    }
    free(f.label);
}
