/* usage: what argp and getopt print: of a wrong command line, harmless on a terminal; and help. */
#include "cli/usage.h"

#include "cli/cli.h"
#include "render/terminal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_all(const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(STDERR_FILENO, p, n);

        if (done < 0 && errno != EINTR)
            return;
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

/* Behind the message, in lines of their own, argp says where help is: "Try `pmapdb --help' ...".
 * The last such words are its own. */
static size_t message_of(const char *text, size_t n)
{
    static const char help[] = "\nTry `";
    const char *at = text, *last = NULL;

    while ((at = memmem(at, n - (size_t)(at - text), help, sizeof help - 1)))
        last = at++;
    if (last)
        return (size_t)(last - text);
    return n && text[n - 1] == '\n' ? n - 1 : n;
}

/* One message, as a rule: the stream's buffer is flushed at the end. A newline in a word is part of
 * that word, and is escaped with it. */
static ssize_t put(void *cookie, const char *text, size_t n)
{
    static const char no_memory[] = "pmapdb: out of memory\n";
    size_t message = message_of(text, n);
    pm_buf shown = {0};

    (void)cookie;
    if (pm_terminal_escape((pm_text){text, message}, &shown, NULL) == PMAPDB_OK) {
        write_all(pm_buf_text(&shown).data, shown.len);
        write_all(text + message, n - message);
    } else {
        write_all(no_memory, sizeof no_memory - 1);
    }
    pm_buf_free(&shown);
    return (ssize_t)n;
}

FILE *pm_usage_begin(void)
{
    FILE *before = stderr;
    FILE *escaped = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});

    if (!escaped)
        return before;
    setvbuf(escaped, NULL, _IOFBF, (size_t)64 << 10);
    stderr = escaped; /* glibc's is a variable, and getopt knows no other stream */
    return before;
}

void pm_usage_end(FILE *before)
{
    if (stderr != before)
        fclose(stderr);
    stderr = before;
}

/* ---- help ---- */

/* A reader that went away, as head does, is no trouble. */
static void check_output(void)
{
    char why[128];

    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return;
    pm_cli_say("cannot write standard output: %s", strerror_r(errno, why, sizeof why));
    fflush(stderr); /* which argp may have left escaped */
    _exit(argp_err_exit_status);
}

void pm_usage_watch_output(void)
{
    /* Help is written in one piece: of a write that failed before the last nobody could say why.
     * glibc gives a buffer of its own the size that it likes. */
    static char whole[64 << 10];

    setvbuf(stdout, whole, _IOFBF, sizeof whole);
    if (atexit(check_output) != 0)
        pm_cli_no_memory();
}
