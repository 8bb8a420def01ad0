/* category: the category of a mapping that is not in a store. */
#include "sqlite/category.h"

#include "store/rules/rules_file.h"

SQLITE_EXTENSION_INIT3

void pm_categorizer_free(pm_categorizer *r)
{
    pm_categorizer_forget(r);
    pm_rules_free(r->rules);
    pm_buf_free(&r->category);
}

/* ---- the rules ---- */

static pmapdb_status read_rules(pm_categorizer *r, pm_text text, const char *name,
                                pmapdb_error *err)
{
    pm_rules_report report = {0};
    pmapdb_status st = pm_rules_read(text, name, &report, &r->rules, err);

    pm_rules_report_free(&report);
    return st;
}

/* Without a store the table is missing; a store without rules has an empty table. */
static pmapdb_status load_rules(pm_categorizer *r, pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    pm_text text = {0};
    pmapdb_status st;

    if (sqlite3_prepare_v2(r->db, "SELECT text, name FROM main.rule_set", -1, &stmt, NULL) ==
            SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        text = (pm_text){(const char *)sqlite3_column_text(stmt, 0),
                         (size_t)sqlite3_column_bytes(stmt, 0)};
    if (text.len)
        st = read_rules(r, text, (const char *)sqlite3_column_text(stmt, 1), err);
    else
        st = read_rules(r, pm_rules_builtin(pm_text_of(pm_rules_builtins[0])), pm_rules_builtins[0],
                        err);
    sqlite3_finalize(stmt);
    return st;
}

/* ---- the category ---- */

void pm_categorizer_forget(pm_categorizer *r)
{
    pm_categorize_end(&r->rows);
    r->prepared = false;
}

pm_category pm_categorizer_base(pm_categorizer *r, const pm_capture *capture, const pm_mapping *m)
{
    if (!r->prepared)
        pm_classify_prepare(capture, &r->context);
    r->prepared = true;
    return pm_classify_mapping(&r->context, m);
}

pmapdb_status pm_categorizer_ask(pm_categorizer *r, const pm_capture *capture, const pm_mapping *m,
                                 const char **out, pmapdb_error *err)
{
    size_t rule;
    pmapdb_status st = r->rules ? PMAPDB_OK : load_rules(r, err);

    if (!r->rows.row)
        PM_STEP(st, pm_categorize_begin(&r->rows, r->rules, capture, err));
    pm_buf_clear(&r->category);
    PM_STEP(st, pm_categorize_row(&r->rows, m, &rule, &r->category, err));
    *out = pm_buf_text(&r->category).data;
    return st;
}
