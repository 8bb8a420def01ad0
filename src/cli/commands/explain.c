/* explain: pmapdb explain CATEGORY: prints the page of a category, or the list of categories. */
#include "cli/options/options.h"
#include "cli/output.h"

#include "base/near.h"
#include "cli/advice/page.h"
#include "cli/run.h"

static void write_page(const pm_cli *cli, pmapdb_rows *rows)
{
    static const char *const parts[] = {"known", "growth", "next", "more"};
    pm_output out;
    pm_flow f;

    pm_output_open(&out, cli);
    f = pm_output_flow(&out);
    pm_flow_begin(&f, 0, 4);
    pm_run_next(rows);
    pm_flow_put(&f, 0, PM_FLOW_BOLD, pm_answer_bytes(rows, "category"));
    pm_flow_put(&f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_words(&f, 1, pm_answer_bytes(rows, "what"));
    pm_flow_end(&f);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (pm_answer_bytes(rows, parts[i]).len)
            pm_flow_labelled(&f, 8, parts[i], pm_answer_bytes(rows, parts[i]));
    pm_flow_free(&f);
    pm_output_end(&out);
    pmapdb_rows_close(rows);
}

static void refuse(pmapdb_rows *pages, const char *category)
{
    pm_near near;

    pm_near_start(&near, pm_text_of(category));
    while (pm_run_next(pages))
        pm_near_try(&near, pm_answer_bytes(pages, "category"));
    pm_cli_die("no category '%s'%s pmapdb explain lists them", category, pm_near_hint(&near));
}

static const pm_syntax syntax = {.operands = "[CATEGORY]", .most = 1};

int pm_cli_explain_category(pm_cli *cli, int argc, char **argv)
{
    int n = pm_options_parse(cli, &syntax, NULL, argc, argv);
    bool people = cli->format == PM_FORMAT_TABLE && !cli->wide && !cli->columns;
    pmapdb_store *store = pm_cli_store_in_memory(cli);
    pmapdb_rows *rows = pm_page_ask(store);

    if (n && !pm_page_exists(store, argv[1]))
        refuse(rows, argv[1]);
    pm_answer_bind(rows, "category", n ? argv[1] : NULL);
    if (!cli->columns && (n || cli->wide || !pm_cli_is_for_people(cli)))
        cli->columns = "category,what,known,growth,next,more";
    if (n && people)
        write_page(cli, rows);
    else
        pm_answer_write(cli, rows, NULL, NULL);
    pmapdb_close(store);
    return PM_EXIT_OK;
}
