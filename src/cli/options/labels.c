/* labels: the labels of a host, from the command line and the configuration. */
#include "cli/options/labels.h"

#include "cli/options/config.h"
#include <stdlib.h>
#include <string.h>

#define PREFIX "label."
#define VALUE_MOST 1024

const char *pm_cli_read_label(const char *arg, void *value)
{
    const char *equals = strchr(arg, '=');

    if (!equals || equals == arg || !equals[1])
        return "KEY=VALUE, such as build=2.3.1";
    pm_cli_list_add(value, arg);
    return NULL;
}

/* Reads the value of a line of the configuration: a text, the first line of a file (<), or the
 * first line that a shell command prints within 5 s (!). */
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
    unsetenv("PMAPDB_LABEL"); /* a command of `pmapdb run` does not inherit it */
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

/* True if one of --label from item `from` on has the key. */
static bool is_given(const pm_cli_list *given, size_t from, pm_text key)
{
    for (size_t i = from; i < given->n; i++)
        if (pm_text_equal((pm_text){given->item[i], strcspn(given->item[i], "=")}, key))
            return true;
    return false;
}

/* True if line i is a label that holds: no later line and no --label has its key. */
static bool is_label(const pm_config *c, size_t i, const pm_cli_list *given)
{
    const char *key = c->line[i].key;

    if (c->line[i].section || strncmp(key, PREFIX, strlen(PREFIX)) != 0)
        return false;
    for (size_t k = i + 1; k < c->n; k++)
        if (!c->line[k].section && strcmp(c->line[k].key, key) == 0)
            return false;
    return !is_given(given, 0, pm_text_of(key + strlen(PREFIX)));
}

static void add(pmapdb_label *label, pm_text key, const char *value)
{
    *label = (pmapdb_label){.key = pm_cli_memory(pm_text_copy(key)),
                            .value = pm_cli_memory(strdup(value))};
}

void pm_cli_store_labels(const pm_cli *cli, pmapdb_store *store, const char *host, bool own,
                         int64_t at_ms, const pm_cli_list *given)
{
    const pm_config *c = cli->config;
    size_t n_lines = own ? c->n : 0, n = 0;
    pmapdb_label *label = pm_cli_memory(calloc(n_lines + given->n + 1, sizeof *label));
    char line[VALUE_MOST];
    pmapdb_error err;

    for (size_t i = 0; i < n_lines; i++)
        if (is_label(c, i, given) && read_value(cli, &c->line[i], line))
            add(&label[n++], pm_text_of(c->line[i].key + strlen(PREFIX)), line);
    for (size_t i = 0; i < given->n; i++) {
        pm_text value = pm_text_of(given->item[i]), key = pm_text_cut(&value, '=');

        if (!is_given(given, i + 1, key))
            add(&label[n++], key, value.data);
    }
    if (n)
        pm_cli_must(pmapdb_label_host(store, host, at_ms, label, n, &err), &err);
    while (n--) {
        free((char *)label[n].key);
        free((char *)label[n].value);
    }
    free(label);
}
