/* explain: pmapdb explain CATEGORY: prints the page of a category, or the list of categories. */
#include "cli/options/options.h"
#include "cli/output.h"

#include "base/near.h"
#include "cli/advice/next_steps.h"
#include "cli/advice/page.h"
#include "cli/words.h"
#include <stdlib.h>

enum { CATEGORY, WHAT, KNOWN, GROWTH, NEXT, MORE, N_COLUMNS };

static const pm_column columns[N_COLUMNS] = {[CATEGORY] = {"category", PM_UNIT_CATEGORY},
                                             [WHAT] = {"what", PM_UNIT_TEXT},
                                             [KNOWN] = {"known", PM_UNIT_TEXT},
                                             [GROWTH] = {"growth", PM_UNIT_TEXT},
                                             [NEXT] = {"next", PM_UNIT_TEXT},
                                             [MORE] = {"more", PM_UNIT_TEXT}};

/* Prints the text of a page in a column, as one line. */
static void print_text(FILE *out, const pm_page *page, int column)
{
    const pm_text texts[N_COLUMNS] = {
        [WHAT] = page->what, [KNOWN] = page->known, [GROWTH] = page->growth, [MORE] = page->more};
    const pm_next_steps next = {.category = page->category,
                                .pid = PMAPDB_UNKNOWN,
                                .process_id = PMAPDB_UNKNOWN,
                                .lineage = PMAPDB_UNKNOWN};

    if (column == CATEGORY)
        pm_page_print_name(out, page);
    else if (column == NEXT)
        pm_next_steps_print(out, &next);
    else
        pm_page_print(out, texts[column], PMAPDB_UNKNOWN);
}

/* Fills in the first n columns; an empty text is unknown. The caller frees the texts. */
static void read_texts(const pm_page *page, int n, pm_words words[N_COLUMNS],
                       pm_value values[N_COLUMNS])
{
    for (int i = 0; i < n; i++) {
        words[i] = (pm_words){0};
        print_text(pm_words_begin(&words[i]), page, i);
        values[i] = pm_value_text(pm_words_end(&words[i]).len ? words[i].data : NULL);
    }
}

static void write_row(pm_output *out, const pm_page *page, int n)
{
    pm_words words[N_COLUMNS];
    pm_value values[N_COLUMNS];

    read_texts(page, n, words, values);
    pm_output_row(out, values);
    for (int i = 0; i < n; i++)
        free(words[i].data);
}

/* People get one line for each page; programs get all texts. */
static void write_all(pm_output *out)
{
    int n = pm_cli_is_for_people(out->cli) && !out->cli->wide ? WHAT + 1 : N_COLUMNS;
    pm_page_walk walk = {0};
    pm_page page;

    pm_output_rows(out, columns, n, NULL);
    while (pm_page_next(&walk, &page))
        write_row(out, &page, n);
}

static void write_page(pm_output *out, const pm_page *page)
{
    pm_flow f = pm_output_flow(out);
    pm_words words[N_COLUMNS];
    pm_value values[N_COLUMNS];

    read_texts(page, N_COLUMNS, words, values);
    pm_flow_begin(&f, 0, 4);
    pm_flow_put(&f, 0, PM_FLOW_BOLD, values[CATEGORY].t);
    pm_flow_put(&f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_words(&f, 1, values[WHAT].t);
    pm_flow_end(&f);
    for (int i = KNOWN; i < N_COLUMNS; i++)
        if (values[i].t.len)
            pm_flow_labelled(&f, 8, columns[i].name, values[i].t);
    pm_flow_free(&f);
    for (int i = 0; i < N_COLUMNS; i++)
        free(words[i].data);
}

static void refuse(const char *category)
{
    pm_page_walk walk = {0};
    pm_page page;
    pm_near near;

    pm_near_start(&near, pm_text_of(category));
    while (pm_page_next(&walk, &page))
        pm_near_try(&near, page.category);
    pm_cli_die("no category '%s'%s pmapdb explain lists them", category, pm_near_hint(&near));
}

static const pm_syntax syntax = {.operands = "[CATEGORY]"};

int pm_cli_explain_category(pm_cli *cli, int argc, char **argv)
{
    int n = pm_options_parse(cli, &syntax, NULL, argc, argv);
    pm_page page;
    pm_output out;

    if (n > 1)
        pm_cli_usage(cli, "one category at a time");
    if (n && !pm_page_find(pm_text_of(argv[1]), &page))
        refuse(argv[1]);
    pm_output_open(&out, cli);
    if (!n) {
        write_all(&out);
    } else if (cli->format == PM_FORMAT_TABLE && !cli->wide) {
        write_page(&out, &page);
    } else {
        pm_output_rows(&out, columns, N_COLUMNS, NULL);
        write_row(&out, &page, N_COLUMNS);
    }
    pm_output_end(&out);
    return PM_EXIT_OK;
}
