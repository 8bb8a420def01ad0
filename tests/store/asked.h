/* asked: the rows of a named query as text. */
#ifndef TESTS_STORE_ASKED_H
#define TESTS_STORE_ASKED_H

#include "kit.h"

#include "store/read/query.h"

static inline const char *asked_value(const pmapdb_rows *rows, const char *column)
{
    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        if (strcmp(column, pmapdb_rows_name(rows, i)) == 0) {
            const char *text = pmapdb_rows_text(rows, i, NULL);

            return text ? text : "?";
        }
    fail_msg("no column %s", column);
    return "";
}

/* Names of parameters and their values. */
#define GIVEN(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Checks the named columns, separated by blanks, one line per row. `given`: GIVEN, or NULL. `key`:
 * only rows with this value in column `key`; NULL: all rows. */
static inline void rows_of_key_are(const kit *k, const char *query, const char *const *given,
                                   const char *key, const char *columns, const char *wanted)
{
    pmapdb_rows *rows = kit_ask(k, query);
    pm_buf got = {0};

    for (; given && *given; given += 2)
        kit_bind(rows, given[0], given[1]);
    while (kit_next(rows)) {
        char names[256], *rest = names;

        snprintf(names, sizeof names, "%s", columns);
        for (char *name;
             (!key || strcmp(asked_value(rows, "key"), key) == 0) && (name = strsep(&rest, " "));)
            pm_buf_addf(&got, NULL, "%s%s", asked_value(rows, name), rest ? " " : "\n");
    }
    pmapdb_rows_close(rows);
    if (strcmp(pm_buf_text(&got).data, wanted) != 0)
        print_error("%s: %s\n", query, columns);
    assert_string_equal(pm_buf_text(&got).data, wanted);
    pm_buf_free(&got);
}

static inline void rows_are(const kit *k, const char *query, const char *const *given,
                            const char *columns, const char *wanted)
{
    rows_of_key_are(k, query, given, NULL, columns, wanted);
}

#endif
