/* series: pmapdb leaks --series FILE.csv: judges series that are not in a store: the query
 * leaks-series answers. */
#include "cli/leaks/leaks.h"

#include "cli/csv.h"

int pm_leaks_series(pm_leaks_cmd *l)
{
    static const char *const of_store[] = {"process", "since", "dialect", "by"},
                             *const of_both[] = {"metric", "limit", "sensitivity"};
    static const char kib[] = "a number of KiB";
    static const pm_csv_field fields[] = {
        {"series_id", PM_CSV_TEXT, true, true, "the name of a series"},
        {"ts", PM_CSV_MS, true, true},
        {"kb", PM_CSV_NUMBER, true, false, kib},
        {"size_kb", PM_CSV_NUMBER, false, false, kib},
        {"private_kb", PM_CSV_NUMBER, false, false, kib},
        {"mappings", PM_CSV_NUMBER},
        {"limit_kb", PM_CSV_NUMBER, false, false, kib},
        {"pid", PM_CSV_TEXT},
        {"category", PM_CSV_TEXT}};
    pm_csv_file file = {.path = l->series,
                        .field = fields,
                        .n_fields = sizeof fields / sizeof *fields,
                        .lenient = true};
    pmapdb_store *store = pm_cli_store_in_memory(l->cli);
    pmapdb_rows *rows;
    pm_buf json = {0};

    for (size_t i = 0; i < sizeof of_store / sizeof *of_store; i++)
        if (pm_run_given(&l->args, of_store[i]))
            pm_cli_die("--%s asks the store, --series a file: not both", of_store[i]);
    pm_output_keep_apart(l->cli, &l->series, 1, "reads");
    rows = pm_answer_ask(store, "leaks-series", (pm_answer_arg[]){{NULL, NULL}});
    for (size_t i = 0; i < sizeof of_both / sizeof *of_both; i++)
        pm_answer_bind(rows, of_both[i], pm_run_given(&l->args, of_both[i]));
    pm_csv_json(&file, &json);
    if (!file.n)
        pm_cli_die("'%s' has no series: not a single good row", l->series);
    pm_answer_bind(rows, "series", json.data);
    pm_buf_free(&json);
    pm_answer_write(l->cli, rows, pm_leaks_see, l);
    pmapdb_rows_close(rows);
    pmapdb_close(store);
    return file.n_bad ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
