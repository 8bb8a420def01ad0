/* help: what `pmapdb WORDS --help` says, in its parts. */
#include "cli/help.h"

#include "cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 32

/* ---- asking the program ---- */

static pmapdb_status read_all(int fd, pm_buf *out, pmapdb_error *err)
{
    char chunk[4096];
    ssize_t n;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (n = read(fd, chunk, sizeof chunk)) != 0)
        if (n > 0)
            st = pm_buf_add(out, chunk, (size_t)n, err);
        else if (errno != EINTR)
            st = pm_fail_io(err, errno, "cannot read the help");
    return st;
}

/* Never returns: argp ends the program behind its help. Each option is on one line: argp takes the
 * margins from the environment. */
static void be_asked(int argc, char **argv, int out)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 ||
        setenv("ARGP_HELP_FMT", "rmargin=30000,opt-doc-col=60,no-dup-args-note", 1) != 0)
        _exit(PM_EXIT_TROUBLE);
    exit(pm_cli_main(argc, argv));
}

/* A copy of this program answers; no other one is ever run. */
static pmapdb_status run(int argc, char **argv, pm_buf *out, pmapdb_error *err)
{
    int ends[2], status = 0;
    pid_t pid;
    pmapdb_status st;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return pm_fail_io(err, errno, "cannot make a pipe");
    fflush(NULL); /* else the copy writes it once more */
    pid = fork();
    if (pid == 0)
        be_asked(argc, argv, ends[1]);
    close(ends[1]);
    st = pid < 0 ? pm_fail_io(err, errno, "cannot run pmapdb") : read_all(ends[0], out, err);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (st == PMAPDB_OK && status != 0)
        st = pm_fail(err, PMAPDB_NOTFOUND, "no help of '%s'", argv[1]);
    return st == PMAPDB_OK ? pm_buf_add(out, "", 1, err) : st;
}

/* ---- taking the text apart ---- */

bool pm_help_line(pm_text *rest, pm_text *line)
{
    const char *end;

    if (rest->len == 0)
        return false;
    end = memchr(rest->data, '\n', rest->len);
    *line = (pm_text){rest->data, end ? (size_t)(end - rest->data) : rest->len};
    *rest = pm_text_from(*rest, line->len + (end ? 1 : 0));
    return true;
}

static pm_text trim(pm_text t)
{
    while (t.len && (*t.data == ' ' || *t.data == '\n'))
        t = pm_text_from(t, 1);
    while (t.len && (t.data[t.len - 1] == ' ' || t.data[t.len - 1] == '\n'))
        t.len--;
    return t;
}

static size_t span_to(pm_text t, const char *stops)
{
    size_t n = 0;

    while (n < t.len && !strchr(stops, t.data[n]))
        n++;
    return n;
}

/* "  -f, --format=FORMAT   help", "      --name[=VALUE]   help" */
static bool parse_option(pm_text line, bool common, pm_help *h)
{
    pm_help_option o = {.common = common};
    size_t n;

    if (h->n_options == PM_HELP_OPTIONS || line.len < 9 || memcmp(line.data + 6, "--", 2) != 0)
        return false;
    if (line.data[2] == '-')
        o.letter = line.data[3];
    line = pm_text_from(line, 8);
    n = span_to(line, "[= ");
    o.name = (pm_text){line.data, n};
    line = pm_text_from(line, n);
    o.optional = pm_text_starts(line, PM_TEXT("["));
    if (line.len && *line.data != ' ') {
        line = pm_text_from(line, o.optional ? 2 : 1);
        n = span_to(line, o.optional ? "]" : " ");
        o.arg = (pm_text){line.data, n};
        line = pm_text_from(line, n + (o.optional && n < line.len ? 1 : 0));
    }
    o.help = trim(line);
    h->option[h->n_options++] = o;
    return true;
}

/* Usage lines, a paragraph, options under headings, and the rest. */
static void parse(pm_help *h)
{
    pm_text rest = pm_text_of(pm_buf_text(&h->text).data), line, before;
    bool common = false;
    const char *about = NULL;

    while (before = rest, pm_help_line(&rest, &line)) {
        bool usage =
            pm_text_starts(line, PM_TEXT("Usage: ")) || pm_text_starts(line, PM_TEXT("  or:  "));

        if (!about && usage && h->n_usages < PM_HELP_USAGES) {
            h->usage[h->n_usages++] = pm_text_from(line, 7);
            continue;
        }
        if (!about)
            about = line.data;
        if (parse_option(line, common, h)) {
            if (h->n_options == 1 && !h->about.len)
                h->about = trim((pm_text){about, (size_t)(line.data - about)});
        } else if (pm_text_equal(line, PM_TEXT(" Everywhere:"))) {
            common = true;
            if (h->n_options == 0)
                h->about = trim((pm_text){about, (size_t)(line.data - about)});
        } else if (h->n_options && line.len) {
            h->after = before;
            return;
        }
    }
}

pmapdb_status pm_help_ask(const char *const *words, size_t n_words, pm_help *out, pmapdb_error *err)
{
    char *argv[WORDS + 3] = {(char *)"pmapdb"};
    pm_help help = {.n_usages = 0};
    pmapdb_status st;

    if (n_words > WORDS)
        return pm_fail(err, PMAPDB_USAGE, "more than %d words", WORDS);
    for (size_t i = 0; i < n_words; i++)
        argv[i + 1] = (char *)words[i];
    argv[n_words + 1] = (char *)"--help";
    st = run((int)n_words + 2, argv, &help.text, err);
    if (st != PMAPDB_OK) {
        pm_help_free(&help);
        return st;
    }
    parse(&help);
    *out = help;
    return PMAPDB_OK;
}

void pm_help_free(pm_help *help)
{
    pm_buf_free(&help->text);
}

/* ---- looking things up ---- */

const pm_help_option *pm_help_find(const pm_help *help, pm_text name)
{
    for (size_t i = 0; i < help->n_options; i++)
        if (pm_text_equal(help->option[i].name, name))
            return &help->option[i];
    return NULL;
}

const pm_help_option *pm_help_find_letter(const pm_help *help, char letter)
{
    for (size_t i = 0; letter && i < help->n_options; i++)
        if (help->option[i].letter == letter)
            return &help->option[i];
    return NULL;
}

pm_text pm_help_args(pm_text usage)
{
    const char *options = memmem(usage.data, usage.len, "[OPTION...]", 11);

    return options ? trim(pm_text_from(usage, (size_t)(options - usage.data) + 11))
                   : (pm_text){NULL, 0};
}

bool pm_help_command(pm_text *rest, pm_text *name, pm_text *help)
{
    pm_text line;

    while (pm_help_line(rest, &line) && line.len) {
        size_t n;

        if (!pm_text_starts(line, PM_TEXT("  ")))
            continue; /* the heading */
        line = trim(line);
        n = span_to(line, " ");
        *name = (pm_text){line.data, n};
        *help = trim(pm_text_from(line, n));
        if (*name->data != '_')
            return true;
    }
    return false;
}
