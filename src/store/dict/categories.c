/* categories: the dictionary of categories. */
#include "store/dict/categories.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "classify/classify.h"
#include <stdlib.h>

typedef struct entry {
    int64_t id;
    char *text;
    size_t len;
} entry;

struct pm_category_ids {
    pm_sql *sql;
    entry *item;
    size_t used, cap;
    pm_map index; /* hash of the text -> index in item */
    bool anew;    /* true: only `used` entries count; false: all rows of the store */
    bool asks;    /* true: new categories go to temp table category_new */
    int64_t n; /* the number that counts; 0: not known yet. No other connection writes meanwhile */
};

pm_category_ids *pm_category_ids_new(pm_sql *sql)
{
    pm_category_ids *ids = calloc(1, sizeof *ids);

    if (ids)
        ids->sql = sql;
    else
        PM_SQL_STEP(sql, pm_fail_nomem(&err));
    return ids;
}

pm_category_ids *pm_category_ids_anew(pm_sql *sql)
{
    pm_category_ids *ids = pm_category_ids_new(sql);

    if (ids)
        ids->anew = ids->asks = true;
    pm_sql_do(sql,
              "CREATE TEMP TABLE IF NOT EXISTS category_new (category_id INTEGER PRIMARY KEY, "
              "category TEXT NOT NULL)",
              PM_NO_ARGS);
    pm_sql_do(sql, "DELETE FROM category_new", PM_NO_ARGS);
    return ids;
}

void pm_category_ids_turn(pm_category_ids *ids)
{
    ids->asks = false;
    for (size_t i = 0; i < ids->used; i++)
        ids->item[i].id = 0;
}

void pm_category_ids_free(pm_category_ids *ids)
{
    if (!ids)
        return;
    for (size_t i = 0; i < ids->used; i++)
        free(ids->item[i].text);
    free(ids->item);
    pm_map_free(&ids->index);
    free(ids);
}

typedef struct wanted {
    const pm_category_ids *ids;
    pm_text category;
} wanted;

static bool is_wanted(const void *of, int64_t at)
{
    const wanted *w = of;
    const entry *e = &w->ids->item[at];

    return pm_text_equal((pm_text){e->text, e->len}, w->category);
}

static pmapdb_status keep(pm_category_ids *ids, pm_text category, int64_t id, pmapdb_error *err)
{
    entry e = {id, pm_text_copy(category), category.len};
    pmapdb_status st = pm_grow(&ids->item, &ids->cap, ids->used, sizeof *ids->item, err);

    if (st == PMAPDB_OK && !e.text)
        st = pm_fail_nomem(err);
    PM_STEP(st,
            pm_map_add(&ids->index, pm_hash(category.data, category.len), (int64_t)ids->used, err));
    if (st != PMAPDB_OK) {
        free(e.text);
        return st;
    }
    ids->item[ids->used++] = e;
    return PMAPDB_OK;
}

/* Returns the id of the category named by the first word of a refinement; 0 if the text is not a
 * refinement. */
static int64_t parent_of(pm_text category)
{
    const char *slash = memchr(category.data, '/', category.len);
    pm_text first = {category.data, slash ? (size_t)(slash - category.data) : 0};

    for (int i = 0; i < PM_CATEGORY_TOTAL; i++)
        if (pm_text_equal(first, pm_text_of(pm_categories[i].slug)))
            return i + 1;
    return 0;
}

/* True if one more category would be too many. */
static bool is_full(pm_category_ids *ids, bool of_data)
{
    if (ids->anew)
        ids->n = (int64_t)ids->used;
    else if (!ids->n)
        ids->n = pm_sql_value(ids->sql, "SELECT count(*) FROM category", PM_NO_ARGS, 0);
    return ids->n >= (of_data ? PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT : PM_CATEGORIES_MAX);
}

static int64_t insert(pm_category_ids *ids, pm_text category, pm_text about)
{
    int64_t parent = parent_of(category);

    if (ids->asks) {
        int64_t id = -1 - (int64_t)ids->used;

        pm_sql_do(ids->sql, "INSERT INTO category_new (category_id, category) VALUES (?1, ?2)",
                  PM_ARGS(PM_I(id), PM_T(category)));
        return id;
    }
    pm_sql_do(ids->sql,
              "INSERT INTO category (category_id, category, description, parent_id) "
              "SELECT id, ?1, ?2, coalesce(?3, id) "
              "FROM (SELECT max(category_id) + 1 AS id FROM category)",
              PM_ARGS(PM_T(category), PM_T(about.len ? about : PM_TEXT("")),
                      PM_I(parent ? parent : PMAPDB_UNKNOWN)));
    ids->n++;
    return pm_sql_last_id(ids->sql);
}

int64_t pm_category_id(pm_category_ids *ids, pm_text category, pm_text about, bool of_data)
{
    const wanted w = {ids, category};
    int64_t at, id;
    bool known = pm_map_find(&ids->index, pm_hash(category.data, category.len), is_wanted, &w, &at);

    if (known && ids->item[at].id)
        return ids->item[at].id;
    id = pm_sql_value(ids->sql, "SELECT category_id FROM category WHERE category = ?1",
                      PM_ARGS(PM_T(category)), 0);
    if (!id && (known || !is_full(ids, of_data)))
        id = insert(ids, category, about);
    if (known)
        ids->item[at].id = id;
    else if (id)
        PM_SQL_STEP(ids->sql, keep(ids, category, id, &err));
    return id;
}

void pm_category_ids_built_in(pm_sql *sql)
{
    for (int i = 0; i < PM_CATEGORY_COUNT; i++) {
        int64_t parent = parent_of(pm_text_of(pm_categories[i].slug));

        pm_sql_do(sql,
                  "INSERT OR IGNORE INTO category (category_id, category, description, parent_id) "
                  "VALUES (?1, ?2, ?3, ?4)",
                  PM_ARGS(PM_I(i + 1), PM_S(pm_categories[i].slug),
                          PM_S(pm_categories[i].description), PM_I(parent ? parent : i + 1)));
    }
}

void pm_dialects_add(pm_sql *sql)
{
    for (int i = 0; i < PM_DIALECT_COUNT; i++)
        pm_sql_do(sql,
                  "INSERT INTO dialect (name, rank) VALUES (?1, ?2) "
                  "ON CONFLICT (name) DO UPDATE SET rank = ?2",
                  PM_ARGS(PM_S(pm_dialect_name((pm_dialect)i)), PM_I(i)));
}

void pm_category_remove_unused(pm_sql *sql)
{
    pm_sql_script(sql, "unused-categories", PM_PARAMS({":built_in", PM_I(PM_CATEGORY_COUNT)}));
}
