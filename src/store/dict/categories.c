/* categories: the dictionary of categories. */
#include "store/dict/categories.h"

#include "base/hash.h"
#include "classify/classify.h"

/* Rows must be found again: another program may have removed some. */
static void forget_rows(pm_category_ids *ids, bool asks)
{
    ids->asks = asks;
    for (size_t i = 0; i < ids->index.size; i++)
        if (ids->index.slot[i].value != PMAPDB_UNKNOWN)
            ids->index.slot[i].value = 0;
}

void pm_category_ids_anew(pm_sql *sql, pm_category_ids *ids)
{
    ids->anew = true;
    forget_rows(ids, true);
    pm_sql_script(sql, "category-new", NULL, 0);
}

void pm_category_ids_insert(pm_sql *sql, pm_category_ids *ids)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql,
                                    "SELECT category FROM category_new WHERE category NOT IN "
                                    "(SELECT category FROM category) ORDER BY category_id DESC",
                                    PM_NO_ARGS);

    forget_rows(ids, false);
    while (pm_sql_next(sql, stmt))
        pm_category_id(sql, ids, pm_col_text(stmt, 0), false);
}

/* Returns the first word of a refinement, or a text that is not a refinement. */
static pm_text parent_of(pm_text category)
{
    const char *slash = memchr(category.data, '/', category.len);
    pm_text first = {category.data, slash ? (size_t)(slash - category.data) : 0};

    for (int i = 0; i < PM_CATEGORY_TOTAL; i++)
        if (pm_text_equal(first, pm_text_of(pm_categories[i].slug)))
            return first;
    return category;
}

/* True if one more category would be too many. */
static bool is_full(pm_sql *sql, pm_category_ids *ids, bool of_data)
{
    if (ids->anew)
        ids->n = (int64_t)ids->index.used;
    else if (!ids->n)
        ids->n = pm_sql_value(sql, "SELECT count(*) FROM category", PM_NO_ARGS, 0);
    return ids->n >= (of_data ? PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT : PM_CATEGORIES_MAX);
}

static int64_t insert(pm_sql *sql, pm_category_ids *ids, pm_text category)
{
    if (ids->asks)
        return pm_sql_do(sql,
                         "INSERT INTO category_new (category_id, category) "
                         "SELECT min(ifnull(min(category_id), 0), 0) - 1, ?1 FROM category_new",
                         PM_ARGS(PM_T(category)));
    ids->n++;
    return pm_sql_do(sql,
                     "INSERT INTO category (category_id, category, description, parent) "
                     "SELECT max(category_id) + 1, ?1, '', ?2 FROM category",
                     PM_ARGS(PM_T(category), PM_T(parent_of(category))));
}

int64_t pm_category_id(pm_sql *sql, pm_category_ids *ids, pm_text category, bool of_data)
{
    uint64_t hash = pm_hash(category.data, category.len, 0);
    int64_t id = 0;
    bool known = pm_map_get(&ids->index, hash, &id);

    if (id)
        return id;
    id = pm_sql_value(sql, "SELECT category_id FROM category WHERE category = ?1",
                      PM_ARGS(PM_T(category)), 0);
    if (id && ids->asks)
        pm_sql_do(sql, "INSERT INTO category_new (category_id, category) VALUES (?1, ?2)",
                  PM_ARGS(PM_I(id), PM_T(category)));
    if (!id && (known || !is_full(sql, ids, of_data)))
        id = insert(sql, ids, category);
    if (id)
        PM_SQL_STEP(sql, pm_map_put(&ids->index, hash, id, &err));
    return id;
}

void pm_category_ids_built_in(pm_sql *sql)
{
    for (int i = 0; i < PM_CATEGORY_COUNT; i++)
        pm_sql_do(sql,
                  "INSERT OR IGNORE INTO category (category_id, category, description, parent) "
                  "VALUES (?1, ?2, ?3, ?4)",
                  PM_ARGS(PM_I(i + 1), PM_S(pm_categories[i].slug),
                          PM_S(pm_categories[i].description),
                          PM_T(parent_of(pm_text_of(pm_categories[i].slug)))));
}

void pm_dialects_add(pm_sql *sql)
{
    for (int i = 0; i < PM_DIALECT_COUNT; i++)
        pm_sql_do(sql,
                  "INSERT INTO dialect (name, rank) VALUES (?1, ?2) "
                  "ON CONFLICT (name) DO UPDATE SET rank = ?2",
                  PM_ARGS(PM_S(pm_dialect_names[i]), PM_I(i)));
}

void pm_category_remove_unused(pm_sql *sql)
{
    pm_sql_script(sql, "unused-categories", PM_PARAMS({":built_in", PM_I(PM_CATEGORY_COUNT)}));
}
