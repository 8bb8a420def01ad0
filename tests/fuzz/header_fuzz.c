/* header_fuzz: the comment at the head of a query file. */
#include "kit.h"

#include "store/read/catalog.h"

static bool is_within(pm_text part, const pm_query_info *q)
{
    return part.len == 0 ||
           (part.data >= q->text && part.data + part.len <= q->text + strlen(q->text));
}

static void check_info(const pm_query_info *q)
{
    FUZZ_CHECK(q->name.len && is_within(q->name, q), "name");
    FUZZ_CHECK(is_within(q->title, q) && is_within(q->about, q) && is_within(q->table, q), "texts");
    FUZZ_CHECK(q->n_columns > 0 && q->n_columns <= PM_QUERY_ITEMS, "%d columns", q->n_columns);
    FUZZ_CHECK(q->n_params >= 0 && q->n_params <= PM_QUERY_ITEMS, "%d parameters", q->n_params);
    for (int i = 0; i < q->n_columns; i++)
        FUZZ_CHECK(q->column[i].name.len && is_within(q->column[i].name, q) &&
                       is_within(q->column[i].help, q) &&
                       q->column[i].unit < PM_UNIT_COUNT_OF_UNITS,
                   "column %d", i);
    for (int i = 0; i < q->n_params; i++)
        FUZZ_CHECK(q->param[i].name.len && is_within(q->param[i].name, q) &&
                       is_within(q->param[i].fallback, q) && is_within(q->param[i].help, q) &&
                       q->param[i].unit < PM_UNIT_COUNT_OF_UNITS,
                   "parameter %d", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_alone(data, size);
    pm_query_info *q = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pm_catalog_parse("x.sql", (pm_text){bytes, size}, &q, &err);

    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_USAGE, "status %d: %s", (int)st, err.text);
    if (st == PMAPDB_OK)
        check_info(q);
    else
        fuzz_message(&err);
    pm_catalog_free(q);
    free(bytes);
    return 0;
}
