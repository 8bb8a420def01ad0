/* categories: the dictionary of categories. */
#include "store/dict/categories.h"

#include "base/hash.h"
#include "classify/classify.h"

void pm_category_ids_anew(pm_sql *sql, pm_category_ids *ids)
{
    ids->anew = ids->asks = true;
    pm_sql_do(sql,
              "CREATE TEMP TABLE IF NOT EXISTS category_new (category_id INTEGER PRIMARY KEY, "
              "category TEXT NOT NULL)",
              PM_NO_ARGS);
    pm_sql_do(sql, "DELETE FROM category_new", PM_NO_ARGS);
}

void pm_category_ids_turn(pm_category_ids *ids)
{
    ids->asks = false;
    for (size_t i = 0; i < ids->index.size; i++)
        if (ids->index.slot[i].value != PMAPDB_UNKNOWN)
            ids->index.slot[i].value = 0;
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
    if (ids->asks) {
        int64_t id = -1 - (int64_t)ids->index.used;

        pm_sql_do(sql, "INSERT INTO category_new (category_id, category) VALUES (?1, ?2)",
                  PM_ARGS(PM_I(id), PM_T(category)));
        return id;
    }
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
