/* config: reads the configuration files; pmapdb config: their lines, and which of them hold. */
#include "cli/options/config.h"
#include "base/buf.h"
#include "base/num.h"
#include "cli/die.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_FILE "/etc/pmapdb/config"
#define BLANKS " \t\r"

void pm_config_refuse(const pm_config_line *line, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pm_cli_die("%s:%d: %s", line->file, line->number, text);
}

/* Keeps an allocated text until the end. */
static char *keep(pm_config *c, char *text)
{
    if (!text || pm_grow(&c->text, &c->cap_texts, c->n_texts, sizeof *c->text, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    return c->text[c->n_texts++] = text;
}

void pm_config_free(pm_config *c)
{
    for (size_t i = 0; i < c->n_texts; i++)
        free(c->text[i]);
    free(c->text);
    free(c->line);
}

/* ---- keys ---- */

static bool is_own_key(const pm_config_line *line)
{
    return line->section
               ? strcmp(line->key, "limit") == 0 || strcmp(line->key, "alias") == 0
               : strncmp(line->key, "as.", 3) == 0 || strncmp(line->key, "label.", 6) == 0;
}

static const pm_option *common_option(const char *key)
{
    for (const pm_option *o = pm_cli_options; o->name; o++)
        if (strcmp(o->name, key) == 0)
            return o;
    return NULL;
}

pm_text pm_config_command(const pm_config_line *line)
{
    if (is_own_key(line) || (!line->section && common_option(line->key)))
        return PM_TEXT("");
    return (pm_text){line->key, strcspn(line->key, ".")};
}

const char *pm_config_environment(const char *key)
{
    static const char *const variables[][2] = {{"db", "PMAPDB"}, {"tz", "TZ"}};

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i][1]);

        if (strcmp(variables[i][0], key) == 0 && value && *value)
            return variables[i][1];
    }
    return NULL;
}

/* ---- values ---- */

int pm_config_words(pm_config *c, const pm_config_line *line, char ***words)
{
    const char *in = line->value;
    char *out = keep(c, malloc(strlen(in) + 1));
    size_t n = 0, cap = 0;

    *words = NULL;
    for (;;) {
        char quote = '\0';

        in += strspn(in, BLANKS);
        if (pm_grow(words, &cap, n, sizeof **words, NULL) != PMAPDB_OK)
            pm_cli_no_memory();
        (*words)[n] = *in ? out : NULL;
        if (!*in)
            return (int)n;
        for (; *in && (quote || !strchr(BLANKS, *in)); in++) {
            if (quote ? *in == quote : *in == '\'' || *in == '"')
                quote = quote ? '\0' : *in;
            else
                *out++ = *in;
        }
        if (quote)
            pm_config_refuse(line, "the quote %c is not closed", quote);
        *out++ = '\0';
        n++;
    }
}

const char *pm_config_process(pm_config *c, const char *word)
{
    size_t n = strcspn(word, "/");

    for (size_t i = 0; i < c->n; i++) {
        const pm_config_line *line = &c->line[i];
        pm_buf whole = {0};

        if (!line->section || strcmp(line->key, "alias") != 0 ||
            !pm_text_has(pm_text_of(line->value), " \t,", (pm_text){word, n}))
            continue;
        pm_buf_addf(&whole, NULL, "%s%s", line->section, word + n);
        return keep(c, whole.data);
    }
    return word;
}

const char *pm_config_limits(pm_config *c)
{
    pm_buf json = {0};

    for (size_t i = c->n; i-- > 0;) { /* of equal keys SQLite takes the first */
        int64_t kib;

        if (!c->line[i].section || strcmp(c->line[i].key, "limit") != 0 ||
            !pm_num_size(pm_text_of(c->line[i].value), &kib))
            continue;
        pm_buf_addf(&json, NULL, json.len ? ",\"" : "{\"");
        pm_buf_add_json(&json, pm_text_of(c->line[i].section));
        pm_buf_addf(&json, NULL, "\":%lld", (long long)kib);
    }
    if (!json.len)
        return NULL;
    pm_buf_addf(&json, NULL, "}");
    pm_cli_text(&json);
    return keep(c, json.data);
}

/* ---- files ---- */

/* Cuts the blanks off both ends of a text in place. */
static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && strchr(BLANKS, end[-1]))
        *--end = '\0';
    return text + strspn(text, BLANKS);
}

/* Replaces "~" at the beginning of a path by the home directory. */
static char *at_home(pm_config *c, char *value)
{
    const char *home = getenv("HOME");
    pm_buf path = {0};

    if (strncmp(value, "~/", 2) != 0 || !home)
        return value;
    pm_buf_addf(&path, NULL, "%s%s", home, value + 1);
    return keep(c, path.data);
}

/* Checks what can be known without the command. */
static void check(const pm_config_line *line)
{
    int64_t kib;

    if (!*line->value)
        pm_config_refuse(line, "'%s' has no value", line->key);
    if (line->section && strcmp(line->key, "limit") == 0 &&
        !pm_num_size(pm_text_of(line->value), &kib))
        pm_config_refuse(line, "limit wants a size like 4G, not '%s'", line->value);
}

static void add(pm_config *c, pm_config_line *line, char *text)
{
    char *equals = strchr(text, '=');

    if (*text == '[') {
        char *end = strchr(text, ']');

        if (!end || end[1] || end == text + 1)
            pm_config_refuse(line, "a section is [NAME of a process], not '%s'", text);
        *end = '\0';
        line->section = trim(text + 1);
        return;
    }
    if (!equals)
        pm_config_refuse(line, "'%s' is not KEY = VALUE, [NAME] or a # comment", text);
    *equals = '\0';
    line->key = trim(text);
    line->value = at_home(c, trim(equals + 1));
    check(line);
    if (pm_grow(&c->line, &c->cap, c->n, sizeof *c->line, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    c->line[c->n++] = *line;
}

static bool read_file(pm_config *c, const char *path)
{
    FILE *in;
    pm_config_line line = {.file = path};
    char *text = NULL;
    size_t size = 0;

    while (!(in = fopen(path, "re")) && errno == EINTR)
        continue;
    if (!in && errno != ENOENT && errno != ENOTDIR && errno != EACCES)
        pm_cli_die("cannot read '%s': %s", path, strerror(errno));
    while (in && getline(&text, &size, in) > 0) {
        char *start;

        text[strcspn(text, "\n")] = '\0';
        start = trim(keep(c, text));
        text = NULL;
        size = 0;
        line.number++;
        if (*start && *start != '#' && *start != ';')
            add(c, &line, start);
    }
    free(text);
    if (in && !feof(in)) /* also if getline() lacks memory */
        pm_cli_die("cannot read '%s': %s", path, strerror(errno));
    if (in)
        fclose(in);
    return in != NULL;
}

/* Returns the path of the user's file; NULL without a home. */
static const char *user_file(pm_config *c)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool xdg = config && *config == '/';
    pm_buf path = {0};

    if (!xdg && !(home && *home == '/'))
        return NULL;
    pm_buf_addf(&path, NULL, "%s%s/pmapdb/config", xdg ? config : home, xdg ? "" : "/.config");
    return keep(c, path.data);
}

void pm_config_read(pm_config *c)
{
    const char *given = getenv("PMAPDB_CONFIG");

    *c = (pm_config){0};
    c->file[0] = given ? NULL : SYSTEM_FILE;
    c->file[1] = given ? given : user_file(c);
    for (int i = 0; i < 2; i++)
        c->found[i] = c->file[i] && *c->file[i] && read_file(c, c->file[i]);
    if (given && *given && !c->found[1])
        pm_cli_die("PMAPDB_CONFIG: no file '%s'", given);
}

/* ---- the command ---- */

static const pm_column columns[] = {{"process", PM_UNIT_TEXT},
                                    {"key", PM_UNIT_TEXT},
                                    {"value", PM_UNIT_TEXT},
                                    {"from", PM_UNIT_TEXT},
                                    {"instead", PM_UNIT_TEXT}};

static bool is_same_key(const pm_config_line *a, const pm_config_line *b)
{
    const char *x = a->section ? a->section : "", *y = b->section ? b->section : "";

    return strcmp(a->key, b->key) == 0 && strcmp(x, y) == 0 &&
           (strchr(a->key, '.') || pm_config_command(a).len == 0);
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
            snprintf(out, size, "%s:%d", c->line[k].file, c->line[k].number);
            break;
        }
    if (variable)
        snprintf(out, size, "$%s", variable);
    if (!line->section && strcmp(line->key, "db") == 0 && cli->db && !*out &&
        strcmp(cli->db, line->value) != 0)
        snprintf(out, size, "--db");
}

/* Writes a row about a line of the configuration; `from` is the file and number of the line. */
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

    pm_options_parse(cli, &(pm_syntax){0}, NULL, argc, argv);
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
        snprintf(from, sizeof from, "%s:%d", c->line[i].file, c->line[i].number);
        replaced_by(cli, i, instead, sizeof instead);
        put(&out, &c->line[i], from, instead);
    }
    pm_output_end(&out);
    for (int i = 0; i < 2; i++)
        if (c->file[i] && *c->file[i] && !c->found[i])
            pm_cli_note(cli, "no file %s", c->file[i]);
    return PM_EXIT_OK;
}
