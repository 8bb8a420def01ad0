/* category: the category of a mapping that is not in a store. */
#include "sqlite/category.h"

#include "store/rules/rules_file.h"
#include <stdio.h>

SQLITE_EXTENSION_INIT3

void pm_categorizer_free(pm_categorizer *r)
{
    pm_rules_free(r->rules);
    pm_buf_free(&r->category);
}

/* ---- the rules ---- */

static pmapdb_status read_rules(pm_categorizer *r, pm_text text, const char *name,
                                const char *application, pmapdb_error *err)
{
    pm_rules_report report = {0};
    pmapdb_status st = pm_rules_read(text, name, application, &report, &r->rules, err);

    pm_rules_report_free(&report);
    return st;
}

/* Without a store the table is missing; a store without rules has an empty table. */
static pmapdb_status load_rules(pm_categorizer *r, pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const char *application;
    pm_text text = {0};
    pmapdb_status st;

    if (sqlite3_prepare_v2(r->db, "SELECT text, name, application FROM main.rule_set", -1, &stmt,
                           NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        text = (pm_text){(const char *)sqlite3_column_text(stmt, 0),
                         (size_t)sqlite3_column_bytes(stmt, 0)};
    if (text.len) {
        application = (const char *)sqlite3_column_text(stmt, 2);
        st = read_rules(r, text, (const char *)sqlite3_column_text(stmt, 1),
                        application && *application ? application : NULL, err);
    } else {
        st = read_rules(r, pm_rules_builtin(pm_text_of(pm_rules_builtins[0])), pm_rules_builtins[0],
                        NULL, err);
    }
    sqlite3_finalize(stmt);
    return st;
}

/* ---- the category ---- */

/* The texts of *out point into the mapping and `device`. */
static void rule_row_of(pm_found_block *h, const pm_mapping *m, char device[24], pm_rule_row *out)
{
    *out = (pm_rule_row){.start = m->start,
                         .length = m->end - m->start,
                         .path = m->path,
                         .flags = m->flags,
                         .perms = m->perms,
                         .device = pm_has(m, PM_HAS_DEVICE) ? device : NULL,
                         .base = pm_found_block_base(h, m),
                         .has_flags = pm_has(m, PM_HAS_FLAGS)};
    snprintf(device, 24, "%02x:%02x", m->dev_major, m->dev_minor);
}

static void find_facts(const pm_categorizer *r, pm_found_block *h)
{
    for (size_t i = 0; i < h->capture.n_rows; i++) {
        char device[24];
        pm_rule_row row;

        rule_row_of(h, pm_capture_row(&h->capture, i), device, &row);
        h->facts |= pm_rules_facts(r->rules, &row);
    }
    h->has_facts = true;
}

static size_t match(const pm_categorizer *r, pm_found_block *h, size_t at, const pm_rule_row *row)
{
    const pm_pool *pool = h->capture.pool;
    bool has_below = at > 0, has_above = at + 1 < h->capture.n_rows;
    char lower[24], upper[24];
    pm_rule_row below, above;

    if (has_below)
        rule_row_of(h, pm_pool_get(pool, h->places[at - 1].id), lower, &below);
    if (has_above)
        rule_row_of(h, pm_pool_get(pool, h->places[at + 1].id), upper, &above);
    return pm_rules_match(r->rules, h->facts, has_below ? &below : NULL, row,
                          has_above ? &above : NULL);
}

pmapdb_status pm_categorizer_ask(pm_categorizer *r, pm_found_block *h, const pm_mapping *m,
                                 const char **out, pmapdb_error *err)
{
    char device[24];
    pm_rule_row row;
    size_t at;
    pmapdb_status st = r->rules ? PMAPDB_OK : load_rules(r, err);

    if (st == PMAPDB_OK)
        st = pm_found_block_place_of(h, m, &at, err);
    if (st != PMAPDB_OK)
        return st;
    if (!h->has_facts)
        find_facts(r, h);
    rule_row_of(h, m, device, &row);
    pm_buf_clear(&r->category);
    st = pm_rules_category(r->rules, match(r, h, at, &row), &row, &r->category, err);
    *out = pm_buf_text(&r->category).data;
    return st;
}
