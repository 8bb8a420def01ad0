/* labels: the labels of a host, from the command line and the configuration. */
#include "cli/options/labels.h"

#include "base/buf.h"
#include "cli/options/config.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "label."
#define PROGRAM_MS 5000 /* how long a program may take for its first line */
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

/* ---- the first line of a file or a program ---- */

/* Reads up to the first newline, or until ms have passed. */
static size_t read_line(int fd, int ms, char line[VALUE_MOST])
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    size_t n = 0;
    ssize_t got = 1;

    while (got > 0 && n < VALUE_MOST - 1 && !memchr(line, '\n', n)) {
        int ready = poll(&wait, 1, ms);

        if (ready < 0 && errno == EINTR)
            continue;
        got = ready > 0 ? read(fd, line + n, VALUE_MOST - 1 - n) : 0;
        n += got > 0 ? (size_t)got : 0;
    }
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strlen(line);
}

static bool read_file(const char *path, char line[VALUE_MOST])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool any = fd >= 0 && read_line(fd, 0, line);

    if (fd >= 0)
        close(fd);
    return any;
}

static void run(char *const *words, int out)
{
    int null = open("/dev/null", O_RDWR);

    signal(SIGPIPE, SIG_DFL);
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
        _exit(127);
    execvp(words[0], words);
    _exit(127);
}

static bool read_program(char *const *words, char line[VALUE_MOST])
{
    int ends[2];
    bool any;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid = fork();
    if (pid == 0)
        run(words, ends[1]);
    close(ends[1]);
    any = pid > 0 && read_line(ends[0], PROGRAM_MS, line);
    close(ends[0]);
    if (pid > 0 && !any)
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return any;
}

/* Reads the value of a line of the configuration. */
static bool read_value(const pm_cli *cli, const pm_config_line *from, char line[VALUE_MOST])
{
    pm_config_line rest = *from;
    char **words = NULL;
    int n;
    bool any;

    if (!pm_char_in(*from->value, "<!"))
        return snprintf(line, VALUE_MOST, "%s", from->value) > 0;
    rest.value = from->value + 1;
    n = pm_config_words(cli->config, &rest, &words);
    any = n && (*from->value == '<' ? read_file(words[0], line) : read_program(words, line));
    free(words);
    if (!any)
        pm_cli_note(cli, "%s:%d: no label %s: '%s' gives no line", from->file, from->number,
                    from->key + strlen(PREFIX), rest.value);
    return any;
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
