/* options_roff: a table of options as a part of a man page. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

/* Text in which no byte means anything to roff. */
static void put_words(FILE *out, const char *text, size_t n)
{
    static const char *const special[] = {
        ['\\'] = "\\e",  ['-'] = "\\-",   ['\''] = "\\(aq", ['`'] = "\\(ga",
        ['^'] = "\\(ha", ['~'] = "\\(ti", ['"'] = "\\(dq"};

    if (n && *text == '.')
        fputs("\\&", out);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        const char *as = c < sizeof special / sizeof *special ? special[c] : NULL;

        if (as)
            fputs(as, out);
        else
            fputc(c, out);
    }
}

/* Paragraphs; lines that begin with a blank stay as they are, from the left margin on. */
static void put_text(FILE *out, const char *text)
{
    bool fixed = false, paragraph = true;

    while (text && *text) {
        size_t n = strcspn(text, "\n");
        bool blank = *text == ' ';

        if (n && blank != fixed)
            fputs(blank ? ".PP\n.in 0\n.nf\n" : ".fi\n.in\n", out);
        if (n && !blank && (paragraph || fixed))
            fputs(".PP\n", out);
        put_words(out, text, n);
        if (n)
            fputc('\n', out);
        paragraph = n == 0;
        fixed = n ? blank : fixed;
        text += n + (text[n] == '\n');
    }
    if (fixed)
        fputs(".fi\n.in\n", out);
}

static void put_table(FILE *out, const pm_option *o)
{
    for (; o && o->name; o++) {
        if (!o->help)
            continue;
        fputs(".TP\n\\fB", out);
        if (o->letter)
            fprintf(out, "\\-%c, ", o->letter);
        put_words(out, "--", 2);
        put_words(out, o->name, strlen(o->name));
        if (o->arg)
            fputc('=', out);
        put_words(out, o->arg ? o->arg : "", o->arg ? strlen(o->arg) : 0);
        fputs("\\fP\n", out);
        put_words(out, o->help, strlen(o->help));
        fputc('\n', out);
    }
}

static void put_usage(FILE *out, const pm_cli *cli, const pm_syntax *s)
{
    const char *operands = s->operands ? s->operands : "";

    do {
        size_t n = strcspn(operands, "\n");

        put_words(out, cli->title, strlen(cli->title));
        fputs(" [OPTION...] ", out);
        put_words(out, operands, n);
        operands += n + (operands[n] == '\n');
        fputs(*operands ? "\n.br\n" : "\n", out);
    } while (*operands);
}

static void put_more(FILE *out, const pm_syntax *s)
{
    char *text = NULL;
    size_t n;
    FILE *memory = open_memstream(&text, &n);

    if (!memory)
        pm_cli_no_memory();
    s->more(memory, s->ctx);
    if (ferror(memory) | fclose(memory))
        pm_cli_no_memory();
    put_text(out, text);
    free(text);
}

void pm_options_roff(const pm_cli *cli, const pm_syntax *s, FILE *out)
{
    const char *name = strchr(cli->title, ' ');

    if (!name) { /* of pmapdb itself, what every command takes */
        put_table(out, pm_cli_options);
        put_table(out, pm_help_options);
        return;
    }
    fputs(".SS ", out);
    put_words(out, name + 1, strlen(name + 1));
    fputc('\n', out);
    put_usage(out, cli, s);
    put_text(out, s->about);
    put_table(out, s->params);
    put_table(out, s->options);
    put_text(out, s->after);
    if (s->more)
        put_more(out, s);
    put_text(out, s->examples);
}
