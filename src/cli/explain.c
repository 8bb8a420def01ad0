/* explain: pmapdb explain CATEGORY: the page of a category, or the list of them. */
#include "cli/complete.h"
#include "cli/output.h"

#include "base/near.h"
#include "cli/next.h"
#include "cli/page.h"
#include "render/flow.h"
#include <unistd.h>

enum { NAME, WHAT, KNOWN, GROWTH, NEXT, MORE, N_COLUMNS };

static const pm_column columns[N_COLUMNS] = {
    [NAME] = {"category", PM_UNIT_CATEGORY}, [WHAT] = {"what", PM_UNIT_TEXT},
    [KNOWN] = {"known", PM_UNIT_TEXT},       [GROWTH] = {"growth", PM_UNIT_TEXT},
    [NEXT] = {"next", PM_UNIT_TEXT},         [MORE] = {"more", PM_UNIT_TEXT}};

typedef struct explain_args {
    pm_cli *cli;
    const char *category; /* NULL: all */
    pm_page page;         /* its */
} explain_args;

/* The texts of a page, in the order of the columns, each in one line. */
typedef struct texts {
    pm_buf of[N_COLUMNS];
} texts;

static void free_texts(texts *t)
{
    for (int i = 0; i < N_COLUMNS; i++)
        pm_buf_free(&t->of[i]);
}

static pmapdb_status read_texts(const pm_page *page, texts *t, pmapdb_error *err)
{
    const pm_text plain[N_COLUMNS] = {
        [WHAT] = page->what, [KNOWN] = page->known, [GROWTH] = page->growth, [MORE] = page->more};
    pm_next next = {.category = page->category,
                    .pid = PMAPDB_UNKNOWN,
                    .process_id = PMAPDB_UNKNOWN,
                    .lineage = PMAPDB_UNKNOWN};
    pmapdb_status st = pm_page_add_name(&t->of[NAME], page, err);

    for (int i = 0; i < N_COLUMNS && st == PMAPDB_OK; i++)
        st = pm_page_add(&t->of[i], plain[i], err);
    return st == PMAPDB_OK ? pm_next_add(&t->of[NEXT], &next, err) : st;
}

/* ---- rows ---- */

static void write_row(pm_output *out, const pm_page *page)
{
    texts t = {0};
    pm_value values[N_COLUMNS];
    pmapdb_error err;

    pm_output_check(out, read_texts(page, &t, &err), &err);
    for (int i = 0; i < N_COLUMNS; i++)
        values[i] = (pm_value){.kind = t.of[i].len ? PM_VALUE_TEXT : PM_VALUE_NULL,
                               .t = pm_buf_text(&t.of[i])};
    pm_output_row(out, values);
    free_texts(&t);
}

/* For people a line each; programs get all. */
static void write_rows(const explain_args *a, pm_output *out)
{
    bool brief = pm_cli_is_for_people(a->cli) && !a->cli->wide && !a->category;
    pm_page_walk walk = {0};
    pm_page page;

    pm_output_rows(out, columns, brief ? WHAT + 1 : N_COLUMNS, NULL);
    if (a->category)
        write_row(out, &a->page);
    while (!a->category && pm_page_next(&walk, &page))
        write_row(out, &page);
}

/* ---- a page ---- */

static void put(pm_flow *f, const char *label, const pm_buf *text)
{
    if (!text->len)
        return;
    pm_flow_begin(f, 4, 12);
    pm_flow_say(f, 0, "%s:", label);
    pm_flow_words(f, 8 - strlen(label) - 1, pm_buf_text(text));
    pm_flow_end(f);
}

/* What refines the category, by their names. */
static void put_refined(pm_flow *f, pm_text category)
{
    pm_page_walk walk = {0};
    pm_page page;
    size_t n = 0;

    while (f->st == PMAPDB_OK && pm_page_next(&walk, &page)) {
        pm_buf name = {0};

        if (pm_text_equal(page.category, category) ||
            !pm_text_equal(pm_page_first_word(page.category), category))
            continue;
        if (n)
            pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(","));
        else {
            pm_flow_begin(f, 4, 12);
            pm_flow_say(f, 0, "parts:");
        }
        f->st = pm_page_add_name(&name, &page, f->err);
        pm_flow_put(f, n++ ? 1 : 2, PM_FLOW_PLAIN, pm_buf_text(&name));
        pm_buf_free(&name);
    }
    if (n)
        pm_flow_end(f);
}

static void write_page(const explain_args *a, pm_output *out)
{
    static const char *const labels[N_COLUMNS] = {
        [KNOWN] = "known", [GROWTH] = "growth", [NEXT] = "next", [MORE] = "more"};
    pm_render_options how = pm_cli_render_options(a->cli);
    pmapdb_error err;
    pm_flow f = {.sink = &out->sink, .err = &err, .width = how.width, .color = how.color};
    texts t = {0};

    f.st = read_texts(&a->page, &t, &err);
    pm_flow_begin(&f, 0, 4);
    pm_flow_put(&f, 0, PM_FLOW_BOLD, pm_buf_text(&t.of[NAME]));
    pm_flow_put(&f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_words(&f, 1, pm_buf_text(&t.of[WHAT]));
    pm_flow_end(&f);
    for (int i = KNOWN; i < N_COLUMNS; i++)
        put(&f, labels[i], &t.of[i]);
    put_refined(&f, a->page.category);
    pm_flow_free(&f);
    free_texts(&t);
    pm_output_check(out, f.st, &err);
}

/* ---- the run ---- */

/* A file of that name is what import --explain is for. */
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

/* The page is that of a template, or of the first word; or there is a file of that name too. */
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

/* A category that a rule makes by a template has no name yet. */
static void offer_pages(const pm_cli *cli, const pm_offer *o)
{
    pm_page_walk walk = {0};
    pm_page page;

    (void)cli;
    while (pm_page_next(&walk, &page))
        if (!memchr(page.category.data, '%', page.category.len))
            pm_offer_word(o, page.category, page.what);
}

static const pm_syntax syntax = {
    .operands = "[CATEGORY]",
    .offer = offer_pages,
    .about = "What a category is, how it is known, what growth in it usually means, and what to do "
             "next; without one, all of them. It asks no store.",
    .after =
        "Columns:\n"
        "  category                category anonymous/NAME: one for each name\n"
        "  what                    text     What it is\n"
        "  known                   text     How it is known\n"
        "  growth                  text     What growth in it usually means\n"
        "  next                    text     What to do then; leaks and diff say it, too\n"
        "  more                    text     Further commands and settings\n"
        "\nman pmapdb-categories has all pages. How the captures in a file are read is another "
        "question: pmapdb import --explain FILE.",
    .examples = "  pmapdb explain anonymous/glibc-arena\n"
                "  pmapdb explain -f csv\n"};

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
