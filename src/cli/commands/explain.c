/* explain: pmapdb explain CATEGORY: prints the page of a category, or the list of categories. */
#include "cli/options/options.h"
#include "cli/output.h"

#include "base/near.h"
#include "cli/next_steps.h"
#include "cli/page.h"
#include "cli/words.h"
#include <stdlib.h>
#include <unistd.h>

/* A page, each text as one line; NULL: the page does not have this text. */
typedef struct texts {
    char *category, *what, *known, *growth, *next, *more;
} texts;

static const pm_member columns[] = {
    {{"category", PM_UNIT_CATEGORY}, offsetof(texts, category)},
    {{"what", PM_UNIT_TEXT}, offsetof(texts, what)},
    {{"known", PM_UNIT_TEXT}, offsetof(texts, known)},
    {{"growth", PM_UNIT_TEXT}, offsetof(texts, growth)},
    {{"next", PM_UNIT_TEXT}, offsetof(texts, next)},
    {{"more", PM_UNIT_TEXT}, offsetof(texts, more)},
};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct explain_args {
    pm_cli *cli;
    const char *category; /* NULL: all */
    pm_page page;         /* of this category */
} explain_args;

/* Ends the words and returns them, or NULL if they are empty. The caller frees them. */
static char *taken(pm_words *w)
{
    if (pm_words_end(w).len)
        return w->data;
    free(w->data);
    return NULL;
}

static char *line_of(pm_text text)
{
    pm_words w = {0};

    pm_page_print(pm_words_begin(&w), text, PMAPDB_UNKNOWN);
    return taken(&w);
}

static texts read_texts(const pm_page *page)
{
    const pm_next_steps next = {.category = page->category,
                                .pid = PMAPDB_UNKNOWN,
                                .process_id = PMAPDB_UNKNOWN,
                                .lineage = PMAPDB_UNKNOWN};
    pm_words name = {0}, commands = {0};

    pm_page_print_name(pm_words_begin(&name), page);
    pm_next_steps_print(pm_words_begin(&commands), &next);
    return (texts){.category = taken(&name),
                   .what = line_of(page->what),
                   .known = line_of(page->known),
                   .growth = line_of(page->growth),
                   .next = taken(&commands),
                   .more = line_of(page->more)};
}

static void free_texts(texts *t)
{
    free(t->category);
    free(t->what);
    free(t->known);
    free(t->growth);
    free(t->next);
    free(t->more);
}

/* ---- rows ---- */

/* People get one line for each page; programs get all texts. */
static void write_rows(const explain_args *a, pm_output *out)
{
    bool brief = pm_cli_is_for_people(a->cli) && !a->cli->wide && !a->category;
    int n = brief ? 2 : N_COLUMNS;
    pm_page_walk walk = {0};
    pm_page page = a->page;

    pm_output_fields(out, columns, n);
    while (a->category || pm_page_next(&walk, &page)) {
        texts t = read_texts(&page);

        pm_output_struct(out, columns, n, &t);
        free_texts(&t);
        if (a->category)
            return;
    }
}

/* ---- a page ---- */

static void put(pm_flow *f, const char *label, const char *text)
{
    if (!text)
        return;
    pm_flow_begin(f, 4, 12);
    pm_flow_say(f, 0, "%s:", label);
    pm_flow_words(f, 8 - strlen(label) - 1, pm_text_of(text));
    pm_flow_end(f);
}

/* Prints the names of the categories that refine this one. */
static void put_parts(pm_flow *f, pm_text category)
{
    pm_words names = {0};
    FILE *out = pm_words_begin(&names);
    const char *comma = "";
    pm_page_walk walk = {0};
    pm_page page;
    char *text;

    while (pm_page_next(&walk, &page))
        if (!pm_text_equal(page.category, category) &&
            pm_text_equal(pm_page_first_word(page.category), category)) {
            fputs(comma, out);
            pm_page_print_name(out, &page);
            comma = ", ";
        }
    text = taken(&names);
    put(f, "parts", text);
    free(text);
}

static void write_page(const explain_args *a, pm_output *out)
{
    pm_flow f = pm_output_flow(out);
    texts t = read_texts(&a->page);

    pm_flow_begin(&f, 0, 4);
    pm_flow_put(&f, 0, PM_FLOW_BOLD, pm_text_of(t.category));
    pm_flow_put(&f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_words(&f, 1, pm_text_of(t.what));
    pm_flow_end(&f);
    put(&f, "known", t.known);
    put(&f, "growth", t.growth);
    put(&f, "next", t.next);
    put(&f, "more", t.more);
    put_parts(&f, a->page.category);
    pm_flow_free(&f);
    free_texts(&t);
}

/* ---- the run ---- */

/* Refuses a category without a page. If a file has that name, points to import --explain. */
static void refuse(const explain_args *a)
{
    pm_page_walk walk = {0};
    pm_page page;
    pm_near near;

    if (access(a->category, F_OK) == 0)
        pm_cli_die("no category '%s', but a file: pmapdb import --explain says how it is read",
                   a->category);
    pm_near_start(&near, pm_text_of(a->category));
    while (pm_page_next(&walk, &page))
        pm_near_try(&near, page.category);
    pm_cli_die("no category '%s'%s pmapdb explain lists them", a->category, pm_near_hint(&near));
}

/* Warns if the page is not exactly that of the category (but, say, that of its first word), or if a
 * file has the same name. */
static void say_which(const explain_args *a)
{
    pm_text category = pm_text_of(a->category);
    bool exact = pm_text_equal(a->page.category, category);
    bool template = memchr(a->page.category.data, '%', a->page.category.len);
    pm_near near;
    const char *word = exact ? NULL : pm_page_near(category, &near);

    if (access(a->category, F_OK) == 0)
        pm_cli_say("'%s' is a file as well: pmapdb import --explain says how it is read",
                   a->category);
    if (word)
        pm_cli_say("did you mean '%.*s/%s'?", (int)pm_page_first_word(category).len, a->category,
                   word);
    if (!exact && !template)
        pm_cli_say("no page of '%s': this is the one of '%.*s'", a->category,
                   (int)a->page.category.len, a->page.category.data);
}

static const pm_syntax syntax = {.operands = "[CATEGORY]"};

int pm_cli_explain_category(pm_cli *cli, int argc, char **argv)
{
    explain_args a = {.cli = cli};
    pm_output out;
    int n = pm_options_parse(cli, &syntax, &a, argc, argv);

    if (n > 1)
        pm_cli_usage(cli, "one category at a time");
    a.category = n ? argv[1] : NULL;
    if (a.category && !pm_page_find(pm_text_of(a.category), &a.page))
        refuse(&a);
    if (a.category)
        say_which(&a);
    pm_output_open(&out, cli);
    if (a.category && cli->format == PM_FORMAT_TABLE && !cli->wide)
        write_page(&a, &out);
    else
        write_rows(&a, &out);
    pm_output_end(&out);
    return PM_EXIT_OK;
}
