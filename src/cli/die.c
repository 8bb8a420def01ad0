/* die: messages on standard error, and the end of a program that cannot continue. */
#include "cli/die.h"

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "render/terminal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The exit code after an error. Only pm_cli_die_as() changes it, before any error can occur. */
static int trouble = PM_EXIT_TROUBLE;
static void (*last_words)(const char *why);

void pm_cli_die_as(int exit_code, void (*say_why)(const char *why))
{
    trouble = exit_code;
    last_words = say_why;
}

/* Escapes control characters: names come from captures and file systems and must not control a
 * terminal. */
__attribute__((format(printf, 2, 0))) static void say(const char *before, const char *format,
                                                      va_list args)
{
    char text[2048];
    pm_buf shown = {0};

    vsnprintf(text, sizeof text, format, args);
    if (pm_terminal_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        fprintf(stderr, "%s: %s\n", before, shown.data);
    else
        fputs("pmapdb: out of memory\n", stderr);
    pm_buf_free(&shown);
}

void pm_cli_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say("pmapdb", format, args);
    va_end(args);
}

void pm_cli_note(const pm_cli *cli, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!cli->quiet)
        say("pmapdb", format, args);
    va_end(args);
}

static void end(int exit_code) __attribute__((noreturn));
static void end(int exit_code)
{
    pm_output_file_abandon();
    exit(exit_code);
}

void pm_cli_die(const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (last_words)
        last_words(text);
    else
        pm_cli_say("%s", text);
    end(trouble);
}

void pm_cli_usage(const pm_cli *cli, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(cli->title, format, args);
    va_end(args);
    fprintf(stderr, "Try '%s --help' for more information.\n", cli->title);
    if (last_words)
        last_words("wrong usage, standard error says more");
    end(trouble);
}

void pm_cli_no_memory(void)
{
    pm_cli_die("out of memory");
}

void *pm_cli_memory(void *p)
{
    if (!p)
        pm_cli_no_memory();
    return p;
}

void pm_cli_fail(pmapdb_status status, const pmapdb_error *err)
{
    if (status == PMAPDB_STOPPED && pm_stop_asked())
        pm_cli_die("stopped by a signal; a question changes nothing");
    if (status == PMAPDB_STOPPED)
        end(PM_EXIT_OK);
    pm_cli_die("%s", err->text);
}
