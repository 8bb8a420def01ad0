/* recall_rows: the mappings of the captures of one epoch. */
#include "store/recall/recall_rows.h"

#include "base/buf.h"
#include "base/num.h"
#include <stdlib.h>

/* The largest number that a version can contain: the parser accepts no larger one. */
#define NUMBER_MAX ((int64_t)1 << 46)

/* The columns after those of the fields. */
enum { REGION = PM_FIELD_COUNT, FIRST, LAST, KNOWN, START, LENGTH, OFFSET, INODE, NAME_CUT };
enum { PERMS = NAME_CUT + 1, DEVICE, PATH, FLAGS, EXTRA };

static const char select_versions[] =
    "SELECT "
#define PM_FIELD(id, key, column) column ", "
#include "base/record/fields.def"
#undef PM_FIELD
    "region_id, first, last, known, start, length, offset, inode, name_cut, perms, device, path, "
    "flags, extra FROM (SELECT v.*, o.*, r.start, r.length, r.offset, "
    "ifnull(r.size_kib, r.length / 1024) AS size_kib FROM mapping_versions v "
    "CROSS JOIN region r ON r.region_id = v.region_id "
    "CROSS JOIN object o ON o.object_id = r.object_id "
    "WHERE v.epoch_id = ?1 AND coalesce(v.last, ?2) >= ?2) ORDER BY start < 0, start, length";

void pm_recall_rows_free(pm_recall_rows *e)
{
    free(e->item);
    *e = (pm_recall_rows){0};
}

void pm_recall_damaged(pm_sql *sql, const char *what, int64_t id, const char *why)
{
    PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_INPUT, "%s %lld %s; the store is damaged", what,
                             (long long)id, why));
}

/* ---- one version ---- */

/* Reads major:minor, in hex. */
static bool read_device(pm_text device, pm_mapping *m)
{
    uint64_t major, minor;

    if (!pm_num_take_hex(&device, &major) || !pm_text_take(&device, ":") ||
        !pm_num_take_hex(&device, &minor) || device.len || major > UINT32_MAX || minor > UINT32_MAX)
        return false;
    m->dev_major = (uint32_t)major;
    m->dev_minor = (uint32_t)minor;
    return true;
}

static pm_text text_or_empty(sqlite3_stmt *row, int column)
{
    pm_text t = pm_col_text(row, column);

    return t.data ? t : PM_TEXT("");
}

/* True if the column is known when the version has its field, and NULL when it does not. */
static bool has_if(const pm_mapping *m, uint64_t field, sqlite3_stmt *row, int column)
{
    return pm_has(m, field) == (sqlite3_column_type(row, column) != SQLITE_NULL);
}

static const char *read_numbers(sqlite3_stmt *row, pm_mapping *m)
{
    for (int i = 0; i < PM_FIELD_COUNT; i++) {
        int64_t number = pm_col_int(row, i);

        if (!pm_has(m, PM_BIT(i)))
            continue;
        if (number < 0 || number > NUMBER_MAX)
            return "lacks a number or has an impossible one";
        m->value[i] = (uint64_t)number;
    }
    return NULL;
}

/* Fills the mapping; its texts are valid until the next step of the statement. Returns the damage,
 * or NULL. */
static const char *read_mapping(sqlite3_stmt *row, pm_mapping *m)
{
    pm_text perms = text_or_empty(row, PERMS), device = text_or_empty(row, DEVICE);

    *m = (pm_mapping){.start = (uint64_t)pm_col_int(row, START),
                      .present = (uint64_t)pm_col_int(row, KNOWN),
                      .name_cut = pm_col_int(row, NAME_CUT) != 0,
                      .path = text_or_empty(row, PATH),
                      .flags = text_or_empty(row, FLAGS),
                      .extra = text_or_empty(row, EXTRA)};
    m->end = m->start + (uint64_t)pm_col_int(row, LENGTH);
    if (m->end <= m->start)
        return "has an impossible address range";
    if (pm_has(m, PM_HAS_DEVICE) && !read_device(device, m))
        return "has an impossible device";
    if (!has_if(m, PM_HAS_DEVICE, row, DEVICE) || !has_if(m, PM_HAS_INODE, row, INODE) ||
        !has_if(m, PM_HAS_FLAGS, row, FLAGS) || !has_if(m, PM_HAS_OFFSET, row, OFFSET))
        return "has other fields than its capture";
    if (pm_has(m, PM_HAS_INODE))
        m->inode = (uint64_t)pm_col_int(row, INODE);
    if (pm_has(m, PM_HAS_OFFSET))
        m->offset = (uint64_t)pm_col_int(row, OFFSET);
    if (perms.len == sizeof m->perms - 1)
        memcpy(m->perms, perms.data, perms.len);
    return read_numbers(row, m);
}

static void add_version(pm_sql *sql, sqlite3_stmt *row, pm_pool *pool, pm_recall_rows *e)
{
    int64_t last = pm_col_int(row, LAST);
    struct pm_recall_version v = {.first = pm_col_int(row, FIRST),
                                  .last = last == PMAPDB_UNKNOWN ? INT64_MAX : last};
    pm_mapping m;
    const char *damage = read_mapping(row, &m);

    if (damage)
        pm_recall_damaged(sql, "region", pm_col_int(row, REGION), damage);
    PM_SQL_STEP(sql, pm_pool_mapping(pool, &m, &v.mapping, &err));
    PM_SQL_STEP(sql, pm_grow(&e->item, &e->cap, e->n, sizeof *e->item, &err));
    if (pm_sql_ok(sql))
        e->item[e->n++] = v; // NOLINT(clang-analyzer-unix.Malloc): pm_grow() set e->item
}

/* ---- one epoch ---- */

void pm_recall_rows_load(pm_sql *sql, pm_pool *pool, int64_t epoch_id, int64_t from,
                         pm_recall_rows *e)
{
    const pm_arg args[] = {PM_I(epoch_id), PM_I(from)};
    int64_t fields =
        pm_sql_value(sql, "SELECT fields FROM epoch WHERE epoch_id = ?1", args, 1, PMAPDB_UNKNOWN);
    sqlite3_stmt *row = pm_sql_ask(sql, select_versions, args, 2);

    pm_recall_rows_free(e);
    *e = (pm_recall_rows){.epoch_id = epoch_id, .from = from, .fields = (uint64_t)fields};
    if (fields == PMAPDB_UNKNOWN)
        pm_recall_damaged(sql, "epoch", epoch_id, "is missing");
    while (pm_sql_next(sql, row))
        add_version(sql, row, pool, e);
}

void pm_recall_rows_at(pm_sql *sql, const pm_recall_rows *e, int64_t off, uint32_t **rows,
                       size_t *n)
{
    *n = 0;
    *rows = malloc((e->n + 1) * sizeof **rows);
    if (!*rows)
        PM_SQL_STEP(sql, pm_fail_nomem(&err));
    for (size_t i = 0; i < e->n && *rows; i++)
        if (e->item[i].first <= off && off <= e->item[i].last)
            (*rows)[(*n)++] = e->item[i].mapping;
}
