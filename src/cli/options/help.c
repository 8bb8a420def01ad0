/* help: prints --help, help COMMAND and --usage from a table of options. */
#include "cli/options/options.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 79
#define HELP_AT 29 /* the column where the description of an option begins */

void pm_options_wrap(FILE *out, pm_text words, size_t at, size_t indent)
{
    bool first = true;
    pm_text word;

    while ((word = pm_text_word(&words, " \n")).len) {
        if (pm_text_equal(word, PM_TEXT("--"))) /* the lines are comments of SQL */
            continue;
        if (!first && at + 1 + word.len > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        at += (size_t)fprintf(out, "%s%.*s", first ? "" : " ", (int)word.len, word.data);
        first = false;
    }
    fputc('\n', out);
}

/* Returns how many bytes a paragraph has: up to an empty line, or one that begins with a blank. */
static size_t paragraph(pm_text t)
{
    size_t n = 0;

    while (*t.data != '\n' && n < t.len &&
           (t.data[n] != '\n' || (n + 1 < t.len && !pm_char_in(t.data[n + 1], " \n"))))
        n++;
    return n;
}

void pm_options_text(FILE *out, const char *text)
{
    pm_text rest = pm_text_of(text);

    while (rest.len) {
        size_t n = *rest.data == ' ' ? strcspn(rest.data, "\n") : paragraph(rest);

        if (*rest.data == ' ')
            fprintf(out, "%.*s\n", (int)n, rest.data);
        else
            pm_options_wrap(out, (pm_text){rest.data, n}, 0, 0);
        rest = pm_text_from(rest, n + 1);
    }
}

static void put_option(FILE *out, const pm_option *o)
{
    int n = o->letter ? fprintf(out, "  -%c, --%s", o->letter, o->name)
                      : fprintf(out, "      --%s", o->name);

    if (o->arg)
        n += fprintf(out, "=%s", o->arg);
    if (n >= HELP_AT) {
        fprintf(out, "\n");
        n = 0;
    }
    fprintf(out, "%*s", HELP_AT - n, "");
    pm_options_wrap(out, pm_text_of(o->help), HELP_AT, HELP_AT);
}

static void put_usage(FILE *out, const pm_cli *cli, const pm_syntax *s)
{
    const char *operands = s->operands ? s->operands : "";
    const char *start = "Usage:";

    do {
        size_t n = strcspn(operands, "\n");

        fprintf(out, "%s %s [OPTION...]%s%.*s\n", start, cli->title, n ? " " : "", (int)n,
                operands);
        start = "  or: ";
        operands += n + (operands[n] == '\n');
    } while (*operands);
}

void pm_options_put(FILE *out, const pm_option *o)
{
    for (; o && o->name; o++)
        if (o->help)
            put_option(out, o);
}

static void put_more(FILE *out, const pm_cli *cli)
{
    const char *blank = strchr(cli->title, ' ');
    char line[160];

    snprintf(line, sizeof line,
             "See pmapdb help %s; for every command pmapdb help options, help times.",
             blank ? blank + 1 : "COMMAND");
    fputc('\n', out);
    pm_options_text(out, line);
}

void pm_options_help(const pm_cli *cli, const pm_syntax *s, FILE *out, bool all)
{
    put_usage(out, cli, s);
    if (s->about)
        pm_options_text(out, s->about);
    if ((s->options && s->options->name) || (s->params && s->params->name))
        fputc('\n', out);
    pm_options_put(out, s->params);
    pm_options_put(out, s->options);
    if (s->after && all) {
        fputc('\n', out);
        pm_options_text(out, s->after);
    }
    if (s->more) {
        fputc('\n', out);
        s->more(out, s->ctx, all);
    }
    if (s->examples)
        fprintf(out, "\nExamples:\n%s", s->examples);
    if (!all)
        put_more(out, cli);
}

void pm_options_usage(const pm_cli *cli, const pm_syntax *s, FILE *out)
{
    const pm_option *tables[] = {s->params, s->options, pm_cli_options};

    put_usage(out, cli, s);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const pm_option *o = tables[t]; o && o->name; o++)
            if (o->help)
                fprintf(out, "  --%s%s%s\n", o->name, o->arg ? "=" : "", o->arg ? o->arg : "");
    if (s->words)
        s->words(out, cli);
}
