/* cmd_explain: pmapdb explain CATEGORY: the page of a category, or the list of them. */
#include "cli/write.h"

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

static pmapdb_status write_row(pm_render *render, const pm_page *page, pmapdb_error *err)
{
    texts t = {0};
    pm_value values[N_COLUMNS];
    pmapdb_status st = read_texts(page, &t, err);

    for (int i = 0; i < N_COLUMNS; i++)
        values[i] = (pm_value){.kind = t.of[i].len ? PM_VALUE_TEXT : PM_VALUE_NULL,
                               .t = pm_buf_text(&t.of[i])};
    if (st == PMAPDB_OK)
        st = pm_render_row(render, values, err);
    free_texts(&t);
    return st;
}

/* For people a line each; programs get all. */
static pmapdb_status write_rows(const explain_args *a, const pm_sink *sink, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(a->cli);
    bool brief = pm_cli_is_for_people(a->cli) && !a->cli->wide && !a->category;
    pm_page_walk walk = {0};
    pm_render *render = NULL;
    pm_page page;
    pmapdb_status st =
        pm_render_new(&how, sink, columns, brief ? WHAT + 1 : N_COLUMNS, &render, err);

    if (a->category && st == PMAPDB_OK)
        st = write_row(render, &a->page, err);
    while (!a->category && st == PMAPDB_OK && pm_page_next(&walk, &page))
        st = write_row(render, &page, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(a->cli, render);
    pm_render_free(render);
    return st;
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

static pmapdb_status write_page(const explain_args *a, const pm_sink *sink, pmapdb_error *err)
{
    static const char *const labels[N_COLUMNS] = {
        [KNOWN] = "known", [GROWTH] = "growth", [NEXT] = "next", [MORE] = "more"};
    pm_render_options how = pm_cli_render_options(a->cli);
    pm_flow f = {.sink = sink, .err = err, .width = how.width, .color = how.color};
    texts t = {0};

    f.st = read_texts(&a->page, &t, err);
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
    return f.st;
}

static pmapdb_status write_all(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    const explain_args *a = ctx;

    return a->category && a->cli->format == PM_FORMAT_TABLE && !a->cli->wide
               ? write_page(a, sink, err)
               : write_rows(a, sink, err);
}

/* ---- the run ---- */

/* A file of that name is what import --explain is for. */
static int say_unknown(const explain_args *a)
{
    pm_page_walk walk = {0};
    pm_page page;
    pm_near near;

    if (access(a->category, F_OK) == 0) {
        pm_cli_say("no category '%s', but a file: pmapdb import --explain says how it is read",
                   a->category);
        return PM_EXIT_TROUBLE;
    }
    pm_near_start(&near, pm_text_of(a->category));
    while (pm_page_next(&walk, &page))
        pm_near_try(&near, page.category);
    pm_cli_say("no category '%s'%s pmapdb explain lists them", a->category, pm_near_hint(&near));
    return PM_EXIT_TROUBLE;
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
    explain_args *a = state->input;

    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = a->cli;
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (a->category)
        argp_error(state, "one category at a time");
    a->category = arg;
    return 0;
}

int pm_cli_explain_category(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        "[CATEGORY]",
        "What a category is, how it is known, what growth in it usually means, and what to do "
        "next; without one, all of them. It asks no store.\v"
        "Columns:\n"
        "  category                category anonymous/NAME: one for each name\n"
        "  what                    text     What it is\n"
        "  known                   text     How it is known\n"
        "  growth                  text     What growth in it usually means\n"
        "  next                    text     What to do then; leaks and diff say it of what grows\n"
        "  more                    text     Further commands and settings\n"
        "\nman pmapdb-categories has all pages. How the captures in a file are read is another "
        "question: pmapdb import --explain FILE.",
        children,
        NULL,
        NULL};
    explain_args a = {.cli = cli};
    pmapdb_error err;
    pmapdb_status st;

    pm_cli_parse(&argp, argc, argv, 0, &a);
    if (a.category && !pm_page_find(pm_text_of(a.category), &a.page))
        return say_unknown(&a);
    if (a.category)
        say_which(&a);
    st = pm_cli_write_with(cli, write_all, &a, &err);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
}
