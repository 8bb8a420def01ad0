/* object: the dictionary of the properties that mappings share. */
#include "store/dict/object.h"

#include "base/buf.h"
#include "base/hash.h"
#include <stdlib.h>

void pm_objects_free(pm_objects *objects)
{
    for (size_t i = 0; i < objects->n; i++)
        free(objects->item[i]);
    free(objects->item);
    pm_map_free(&objects->by_id);
    pm_map_free(&objects->by_hash);
    *objects = (pm_objects){0};
}

static pm_object *find(const pm_objects *objects, const pm_map *map, uint64_t key)
{
    int64_t at;

    return pm_map_get(map, key, &at) ? objects->item[at] : NULL;
}

/* Fills in both hashes; all other fields must be set. */
static void set_hashes(pm_object *o)
{
    int64_t numbers[8] = {o->category_id, o->inferred, o->name_cut,     o->has_flags,
                          o->kernel_page, o->mmu_page, o->thp_eligible, o->protection_key};
    uint64_t h = pm_hash(o->perms, 4, 0);

    h = pm_hash(o->device, strlen(o->device), h + o->has_device);
    h = pm_hash(&o->inode, sizeof o->inode, h + o->has_inode);
    o->who = pm_hash(o->path.data, o->path.len, h);
    h = pm_hash(o->flags.data, o->flags.len, o->who);
    o->hash = pm_hash(numbers, sizeof numbers, h);
}

static char *write_hex(char *p, uint32_t v)
{
    int digits = 2;

    while (digits < 8 && v >> (4 * digits))
        digits++;
    for (int i = digits; i > 0; i--, v >>= 4)
        p[i - 1] = "0123456789abcdef"[v & 15];
    return p + digits;
}

/* Describes the object of a mapping. Borrows the texts of the mapping. */
static void describe(const pm_mapping *m, pm_category category, bool inferred, pm_object *o)
{
    *o = (pm_object){
        .category_id = (int64_t)category + 1,
        .inferred = inferred,
        .name_cut = m->name_cut,
        .has_device = pm_has(m, PM_HAS_DEVICE),
        .has_inode = pm_has(m, PM_HAS_INODE),
        .has_flags = pm_has(m, PM_HAS_FLAGS),
        .inode = m->inode,
        .path = m->path.data ? m->path : PM_TEXT(""),
        .flags = m->flags.data ? m->flags : PM_TEXT(""),
        .kernel_page = pm_mapping_value(m, PM_KERNEL_PAGE),
        .mmu_page = pm_mapping_value(m, PM_MMU_PAGE),
        .thp_eligible = pm_mapping_value(m, PM_THP_ELIGIBLE),
        .protection_key = pm_mapping_value(m, PM_PROTECTION_KEY),
    };
    memcpy(o->perms, m->perms, sizeof o->perms);
    if (o->has_device) { /* "%02x:%02x"; printf would be the most expensive part of a row */
        char *p = write_hex(o->device, m->dev_major);

        *p = ':';
        *write_hex(p + 1, m->dev_minor) = '\0';
    }
    set_hashes(o);
}

/* Keeps a copy; its texts follow it in one allocation. */
static pmapdb_status keep(pm_objects *objects, const pm_object *like, pmapdb_error *err)
{
    int64_t at = (int64_t)objects->n;
    pm_object *o = malloc(sizeof *o + like->path.len + like->flags.len);
    char *texts = (char *)(o + 1);
    pmapdb_status st;

    if (!o)
        return pm_fail_nomem(err);
    *o = *like;
    o->path.data = memcpy(texts, like->path.data, like->path.len);
    o->flags.data = memcpy(texts + like->path.len, like->flags.data, like->flags.len);
    st = pm_grow(&objects->item, &objects->cap, objects->n, sizeof(pm_object *), err);
    PM_STEP(st, pm_map_put(&objects->by_id, (uint64_t)like->id, at, err));
    PM_STEP(st, pm_map_put(&objects->by_hash, like->hash, at, err));
    if (st == PMAPDB_OK)
        objects->item[objects->n++] = o;
    else
        free(o);
    return st;
}

#define COLUMNS                                                                       \
    "object_id, category_id, inferred, name_cut, perms, device, inode, path, flags, " \
    "kernel_page_kib, mmu_page_kib, thp_eligible, protection_key"

/* Reads COLUMNS. The texts of the object are valid until the next step of the statement. */
static void read_object(sqlite3_stmt *stmt, pm_object *o)
{
    pm_text perms = pm_col_text(stmt, 4), device = pm_col_text(stmt, 5);
    int64_t inode = pm_col_int(stmt, 6);

    *o = (pm_object){
        .id = pm_col_int(stmt, 0),
        .category_id = pm_col_int(stmt, 1),
        .inferred = pm_col_int(stmt, 2) != 0,
        .name_cut = pm_col_int(stmt, 3) != 0,
        .has_device = device.data != NULL,
        .has_inode = inode != PMAPDB_UNKNOWN,
        .inode = inode != PMAPDB_UNKNOWN ? (uint64_t)inode : 0,
        .path = pm_col_text(stmt, 7),
        .flags = pm_col_text(stmt, 8),
        .kernel_page = pm_col_int(stmt, 9),
        .mmu_page = pm_col_int(stmt, 10),
        .thp_eligible = pm_col_int(stmt, 11),
        .protection_key = pm_col_int(stmt, 12),
    };
    o->has_flags = o->flags.data != NULL;
    if (perms.data && perms.len == 4)
        memcpy(o->perms, perms.data, 4);
    if (device.data && device.len < sizeof o->device)
        memcpy(o->device, device.data, device.len);
    if (!o->path.data)
        o->path = PM_TEXT("");
    if (!o->flags.data)
        o->flags = PM_TEXT("");
    set_hashes(o);
}

/* Keeps all rows of a statement that selects COLUMNS. The category must be one that a mapping gets
 * without rules: arrays are indexed by it. */
static void keep_rows(pm_sql *sql, pm_objects *objects, sqlite3_stmt *stmt)
{
    pm_object o;

    while (pm_sql_next(sql, stmt)) {
        read_object(stmt, &o);
        if (o.category_id < 1 || o.category_id > PM_CATEGORY_ANONYMOUS + 1)
            PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_DATABASE,
                                     "object %lld has an impossible category; the store is damaged",
                                     (long long)o.id));
        if (!find(objects, &objects->by_id, (uint64_t)o.id))
            PM_SQL_STEP(sql, keep(objects, &o, &err));
    }
}

static void load_range(pm_sql *sql, pm_objects *objects, int64_t first, int64_t last)
{
    if (first > last)
        return;
    keep_rows(sql, objects,
              pm_sql_ask(sql, "SELECT " COLUMNS " FROM object WHERE object_id BETWEEN ?1 AND ?2",
                         PM_ARGS(PM_I(first), PM_I(last))));
}

void pm_objects_load(pm_sql *sql, pm_objects *objects, const int64_t *ids, size_t n)
{
    int64_t first = 0, last = -1; /* every id of this range is in `ids` */

    for (size_t i = 0; i < n; i++) {
        if ((ids[i] >= first && ids[i] <= last) || find(objects, &objects->by_id, (uint64_t)ids[i]))
            continue;
        if ((uint64_t)ids[i] != (uint64_t)last + 1) {
            load_range(sql, objects, first, last);
            first = ids[i];
        }
        last = ids[i];
    }
    load_range(sql, objects, first, last);
}

const pm_object *pm_objects_get(pm_sql *sql, pm_objects *objects, int64_t id)
{
    const pm_object *found = find(objects, &objects->by_id, (uint64_t)id);

    if (found)
        return found;
    load_range(sql, objects, id, id);
    found = find(objects, &objects->by_id, (uint64_t)id);
    if (!found)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_DATABASE,
                                 "object %lld is missing; the store is damaged", (long long)id));
    return found;
}

static void insert(pm_sql *sql, pm_objects *objects, pm_object *o)
{
    o->id = pm_sql_do(
        sql, "INSERT INTO object VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        PM_ARGS(PM_I((uint32_t)o->hash), PM_I(o->category_id), PM_I(o->inferred), PM_I(o->name_cut),
                PM_S(o->perms), PM_S(o->has_device ? o->device : NULL),
                PM_I(o->has_inode ? (int64_t)o->inode : PMAPDB_UNKNOWN), PM_T(o->path),
                PM_T((o->has_flags ? o->flags : (pm_text){NULL, 0})), PM_I(o->kernel_page),
                PM_I(o->mmu_page), PM_I(o->thp_eligible), PM_I(o->protection_key)));
    PM_SQL_STEP(sql, keep(objects, o, &err));
}

const pm_object *pm_objects_of(pm_sql *sql, pm_objects *objects, const pm_mapping *m,
                               pm_category category, bool inferred)
{
    pm_object o;
    const pm_object *found;

    describe(m, category, inferred, &o);
    found = find(objects, &objects->by_hash, o.hash);
    if (found)
        return found;
    keep_rows(sql, objects,
              pm_sql_ask(sql, "SELECT " COLUMNS " FROM object WHERE hash = ?1",
                         PM_ARGS(PM_I((uint32_t)o.hash))));
    found = find(objects, &objects->by_hash, o.hash);
    if (found)
        return found;
    insert(sql, objects, &o);
    return find(objects, &objects->by_hash, o.hash);
}

/* ---- can two objects be the same thing? ---- */

static bool pseudo_or_none(pm_text path)
{
    return path.len == 0 || path.data[0] == '[';
}

bool pm_object_alike(const pm_object *a, const pm_object *b)
{
    if (a == b || a->who == b->who)
        return true;
    if (memcmp(a->perms, b->perms, sizeof a->perms) != 0)
        return false;
    if (a->has_device && b->has_device && strcmp(a->device, b->device) != 0)
        return false;
    if (a->has_inode && b->has_inode)
        return a->inode == b->inode && a->name_cut != b->name_cut &&
               pm_text_starts(a->name_cut ? b->path : a->path, a->name_cut ? a->path : b->path);
    if (pm_text_equal(a->path, b->path))
        return true;
    if ((!a->has_inode || !b->has_inode) && pseudo_or_none(a->path) && pseudo_or_none(b->path))
        return a->path.len == 0 || b->path.len == 0;
    return pm_text_equal(pm_text_basename(a->path), pm_text_basename(b->path)) &&
           (!memchr(a->path.data, '/', a->path.len) || !memchr(b->path.data, '/', b->path.len));
}
