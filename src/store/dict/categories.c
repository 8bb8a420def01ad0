/* categories: the dictionary of what mappings count as. */
#include "store/dict/categories.h"

#include "classify/classify.h"
#include <stdlib.h>
#include <xxhash.h>

#define FIRST_SLOTS 64

typedef struct entry {
    int64_t id; /* 0: free */
    char *text;
    size_t len;
} entry;

struct pm_category_ids {
    pm_sql *sql;
    entry *slot;       /* open addressing, by the hash of the text */
    size_t size, used; /* a power of two */
    bool anew;         /* `used` of them count, else all that the store has */
    int64_t n;         /* that count; 0: not known yet. Nobody else writes while it is looked at */
};

pmapdb_status pm_category_ids_new(pm_sql *sql, pm_category_ids **out, pmapdb_error *err)
{
    pm_category_ids *ids = calloc(1, sizeof *ids);

    if (!ids)
        return pm_fail_nomem(err);
    ids->sql = sql;
    *out = ids;
    return PMAPDB_OK;
}

pmapdb_status pm_category_ids_anew(pm_sql *sql, pm_category_ids **out, pmapdb_error *err)
{
    pmapdb_status st = pm_category_ids_new(sql, out, err);

    if (st == PMAPDB_OK)
        (*out)->anew = true;
    return st;
}

void pm_category_ids_free(pm_category_ids *ids)
{
    if (!ids)
        return;
    for (size_t i = 0; i < ids->size; i++)
        free(ids->slot[i].text);
    free(ids->slot);
    free(ids);
}

/* The entry of the text, or the free one where it belongs. */
static entry *slot_of(pm_category_ids *ids, pm_text category)
{
    size_t at = XXH3_64bits(category.data, category.len) & (ids->size - 1);

    while (ids->slot[at].id &&
           !pm_text_equal((pm_text){ids->slot[at].text, ids->slot[at].len}, category))
        at = (at + 1) & (ids->size - 1);
    return &ids->slot[at];
}

/* Room for one more. */
static pmapdb_status grow(pm_category_ids *ids, pmapdb_error *err)
{
    pm_category_ids old = *ids;

    if (ids->used * 2 < ids->size)
        return PMAPDB_OK;
    ids->size = old.size ? old.size * 2 : FIRST_SLOTS;
    ids->slot = calloc(ids->size, sizeof *ids->slot);
    if (!ids->slot) {
        *ids = old;
        return pm_fail_nomem(err);
    }
    for (size_t i = 0; i < old.size; i++)
        if (old.slot[i].id)
            *slot_of(ids, (pm_text){old.slot[i].text, old.slot[i].len}) = old.slot[i];
    free(old.slot);
    return PMAPDB_OK;
}

/* What the first word of a refinement says, of those that mappings get; 0: it is no refinement. */
static int64_t parent_of(pm_text category)
{
    const char *slash = memchr(category.data, '/', category.len);
    pm_text first = {category.data, slash ? (size_t)(slash - category.data) : 0};

    for (int i = 0; i < PM_CATEGORY_TOTAL; i++)
        if (pm_text_equal(first, pm_text_of(pm_categories[i].slug)))
            return i + 1;
    return 0;
}

/* Whether one more would be too many. */
static pmapdb_status is_full(pm_category_ids *ids, bool of_data, bool *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (ids->anew)
        ids->n = (int64_t)ids->used;
    else if (!ids->n)
        st = pm_sql_int(ids->sql, "SELECT count(*) FROM category", PM_NO_ARGS, 0, &ids->n, err);
    *out = ids->n >= (of_data ? PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT : PM_CATEGORIES_MAX);
    return st;
}

static pmapdb_status insert(pm_category_ids *ids, pm_text category, pm_text about, bool of_data,
                            int64_t *out, pmapdb_error *err)
{
    int64_t parent = parent_of(category);
    bool full;
    pmapdb_status st = is_full(ids, of_data, &full, err);

    if (st != PMAPDB_OK || full)
        return st;
    st = pm_sql_run(ids->sql,
                    "INSERT INTO category (category_id, category, description, parent_id) "
                    "SELECT id, ?1, ?2, coalesce(?3, id) "
                    "FROM (SELECT max(category_id) + 1 AS id FROM category)",
                    PM_ARGS(PM_T(category), PM_T(about.len ? about : PM_TEXT("")),
                            PM_I(parent ? parent : PMAPDB_UNKNOWN)),
                    err);
    *out = pm_sql_last_id(ids->sql);
    ids->n++;
    return st;
}

pmapdb_status pm_category_id(pm_category_ids *ids, pm_text category, pm_text about, bool of_data,
                             int64_t *out, pmapdb_error *err)
{
    pmapdb_status st = grow(ids, err);
    entry *e;

    if (st != PMAPDB_OK)
        return st;
    e = slot_of(ids, category);
    *out = e->id;
    if (e->id)
        return PMAPDB_OK;
    st = pm_sql_int(ids->sql, "SELECT category_id FROM category WHERE category = ?1",
                    PM_ARGS(PM_T(category)), 0, out, err);
    if (st == PMAPDB_OK && !*out)
        st = insert(ids, category, about, of_data, out, err);
    if (st != PMAPDB_OK || !*out)
        return st;
    e->text = pm_text_copy(category);
    if (!e->text)
        return pm_fail_nomem(err);
    e->len = category.len;
    e->id = *out;
    ids->used++;
    return PMAPDB_OK;
}

pmapdb_status pm_category_ids_built_in(pm_sql *sql, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < PM_CATEGORY_COUNT && st == PMAPDB_OK; i++) {
        int64_t parent = parent_of(pm_text_of(pm_categories[i].slug));

        st = pm_sql_run(sql,
                        "INSERT OR IGNORE INTO category (category_id, category, description, "
                        "parent_id) VALUES (?1, ?2, ?3, ?4)",
                        PM_ARGS(PM_I(i + 1), PM_S(pm_categories[i].slug),
                                PM_S(pm_categories[i].description), PM_I(parent ? parent : i + 1)),
                        err);
    }
    return st;
}
