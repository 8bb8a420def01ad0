/* row: numbers of a mapping in the encoding of tables mapping_version and rare_fields. */
#include "store/dict/row.h"

#include "base/buf.h"
#include "base/hash.h"
#include <stdlib.h>

pmapdb_status pm_rows_reserve(pm_rows *rows, size_t n, pmapdb_error *err)
{
    size_t cap = n + n / 8 + 1;
    pm_row *grown;

    if (n <= rows->cap)
        return PMAPDB_OK;
    grown = realloc(rows->row, cap * sizeof *grown);
    if (!grown)
        return pm_fail_nomem(err);
    rows->row = grown;
    rows->cap = cap;
    return PMAPDB_OK;
}

static int64_t known_sum(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a + b;
}

/* ---- numbers that follow from the columns of mapping_version ---- */

static int64_t dirty_of(const pm_metrics *m)
{
    return known_sum(m->v[PM_VER_SHARED_DIRTY], m->v[PM_VER_PRIVATE_DIRTY]);
}

/* Returns Rss. */
static int64_t parts_of(const pm_metrics *m)
{
    int64_t clean = known_sum(m->v[PM_VER_SHARED_CLEAN], m->v[PM_VER_PRIVATE_CLEAN]);

    return known_sum(clean, dirty_of(m));
}

static int64_t or_else(int64_t value, int64_t usual)
{
    return value == PMAPDB_UNKNOWN ? usual : value;
}

/* Assumes that dirty and clean shared pages have equally many sharers. rss PMAPDB_UNKNOWN: from the
 * parts. */
static int64_t pss_dirty_of(const pm_metrics *m, int64_t rss)
{
    const int64_t *v = m->v;
    int64_t pss = or_else(v[PM_VER_PSS], or_else(rss, parts_of(m))), dirty;
    int64_t private = known_sum(v[PM_VER_PRIVATE_CLEAN], v[PM_VER_PRIVATE_DIRTY]);
    int64_t shared = known_sum(v[PM_VER_SHARED_CLEAN], v[PM_VER_SHARED_DIRTY]);

    if (v[PM_VER_SHARED_DIRTY] == 0)
        return v[PM_VER_PRIVATE_DIRTY];
    if (pss == PMAPDB_UNKNOWN || private == PMAPDB_UNKNOWN || shared == PMAPDB_UNKNOWN ||
        __builtin_mul_overflow(pss - private, v[PM_VER_SHARED_DIRTY], &dirty))
        return PMAPDB_UNKNOWN;
    return v[PM_VER_PRIVATE_DIRTY] + dirty / (shared > 1 ? shared : 1);
}

static const enum pm_field part_fields[PM_VER_PARTS] = {PM_PRIVATE_DIRTY, PM_PRIVATE_CLEAN,
                                                        PM_SHARED_CLEAN, PM_SHARED_DIRTY};
#define PARTS                                                                        \
    (PM_BIT(PM_PRIVATE_DIRTY) | PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_SHARED_CLEAN) | \
     PM_BIT(PM_SHARED_DIRTY))

/* Stores Rss in an epoch that does not have all of its parts: puts the known numbers into columns
 * whose fields the epoch lacks. */
static void spread(const pm_mapping *m, uint64_t fields, int64_t rss, int64_t v[PM_VER_PARTS])
{
    int64_t rest = rss, rest_at = -1;

    for (int i = PM_VER_PARTS - 1; i >= 0; i--)
        if (!(fields & PM_BIT(part_fields[i]))) {
            v[i] = 0;
            rest_at = i == PM_VER_PRIVATE_DIRTY && rest_at >= 0 ? rest_at : i;
        }
    if (fields & PM_BIT(PM_PRIVATE)) { /* without its parts: anonymous memory counts as dirty, so
                                          that Anonymous has its usual value */
        int64_t private = pm_mapping_value(m, PM_PRIVATE), anon = pm_mapping_value(m, PM_ANONYMOUS);

        v[PM_VER_PRIVATE_DIRTY] = anon < private ? anon : private;
        v[PM_VER_PRIVATE_CLEAN] = private - v[PM_VER_PRIVATE_DIRTY];
        v[PM_VER_SHARED_DIRTY] = anon - v[PM_VER_PRIVATE_DIRTY];
        v[PM_VER_SHARED_CLEAN] = rss - private - v[PM_VER_SHARED_DIRTY];
        return;
    }
    if (!(fields & PM_BIT(PM_PRIVATE_DIRTY)) && rest_at != PM_VER_PRIVATE_DIRTY) {
        int64_t dirty = pm_mapping_value(m, PM_DIRTY);

        dirty = dirty == PMAPDB_UNKNOWN ? pm_mapping_value(m, PM_ANONYMOUS) : dirty;
        v[PM_VER_PRIVATE_DIRTY] = dirty > 0 ? dirty : 0;
    }
    for (int i = 0; i < PM_VER_PARTS; i++)
        rest = known_sum(rest, v[i] == PMAPDB_UNKNOWN ? v[i] : -v[i]);
    if (rest > 0)
        v[rest_at] = rest;
}

/* Returns NULL (PMAPDB_UNKNOWN) for the usual value, from which the view computes it. */
static int64_t unless(int64_t value, int64_t usual)
{
    return value == usual ? PMAPDB_UNKNOWN : value;
}

static void encode(const pm_mapping *m, uint64_t fields, pm_metrics *out)
{
    int64_t rss = pm_mapping_value(m, PM_RSS);
    int64_t *v = out->v;

    for (int i = 0; i < PM_VER_PARTS; i++)
        v[i] = pm_mapping_value(m, part_fields[i]);
    if ((fields & PARTS) != PARTS && rss != PMAPDB_UNKNOWN)
        spread(m, fields, rss, v);
    v[PM_VER_SWAP] = pm_mapping_value(m, PM_SWAP);
    v[PM_VER_PSS] = unless(pm_mapping_value(m, PM_PSS), rss);
    v[PM_VER_REFERENCED] = unless(pm_mapping_value(m, PM_REFERENCED), rss);
    v[PM_VER_RARE] = v[PM_VER_RSS] = v[PM_VER_FIELDS] = PMAPDB_UNKNOWN;
}

void pm_row_decode(const pm_row *row, uint64_t fields, pm_totals *out)
{
    const pm_metrics *m = &row->m;
    const int64_t *v = m->v;
    int64_t size_kib = or_else(row->size_kib, (int64_t)(row->at.length / 1024));
    uint64_t known = pm_metrics_fields(m, fields);
    bool tells_dirty = fields & PM_BIT(PM_PRIVATE_DIRTY);
    bool tells_private =
        (tells_dirty && fields & PM_BIT(PM_PRIVATE_CLEAN)) || fields & PM_BIT(PM_PRIVATE);
    int64_t private = known_sum(v[PM_VER_PRIVATE_CLEAN], v[PM_VER_PRIVATE_DIRTY]);
    int64_t rss = or_else(v[PM_VER_RSS], parts_of(m));
    int64_t pss = or_else(v[PM_VER_PSS], rss);

    out->v[PM_TOTAL_MAPPINGS] = 1;
    out->v[PM_TOTAL_SIZE] = known & PM_BIT(PM_SIZE) ? size_kib : PMAPDB_UNKNOWN;
    out->v[PM_TOTAL_RSS] = known & PM_BIT(PM_RSS) ? rss : PMAPDB_UNKNOWN;
    out->v[PM_TOTAL_PSS] = known & PM_BIT(PM_PSS) ? pss : PMAPDB_UNKNOWN;
    out->v[PM_TOTAL_PRIVATE] = tells_private ? private : PMAPDB_UNKNOWN;
    out->v[PM_TOTAL_PRIVATE_DIRTY] = tells_dirty ? v[PM_VER_PRIVATE_DIRTY] : PMAPDB_UNKNOWN;
    out->v[PM_TOTAL_SWAP] = v[PM_VER_SWAP];
}

int pm_place_compare(const void *place, const void *other)
{
    const pm_place *a = place, *b = other;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return 0;
}

void pm_rows_sort(pm_rows *rows)
{
    for (size_t i = 1; i < rows->n; i++)
        if (pm_place_compare(&rows->row[i - 1], &rows->row[i]) > 0) {
            qsort(rows->row, rows->n, sizeof *rows->row, pm_place_compare);
            return;
        }
}

/* ---- rare fields ---- */

/* In the order of the table. */
const enum pm_field pm_rare_columns[PM_RARE_VALUES] = {
    PM_PSS_DIRTY, PM_ANONYMOUS, PM_SWAP_PSS, PM_ANON_HUGE,      PM_LOCKED,          PM_KSM,
    PM_LAZY_FREE, PM_SHMEM_PMD, PM_FILE_PMD, PM_SHARED_HUGETLB, PM_PRIVATE_HUGETLB, PM_RSS,
    PM_DIRTY};
#define COLUMN_OF_RSS 11 /* index of PM_RSS in pm_rare_columns */

/* Collects the rare fields of a mapping whose row is encoded. Returns false if all are usual. */
static bool rare_of(const pm_mapping *m, uint64_t fields, const pm_metrics *row,
                    pm_rare_fields *out)
{
    /* as in the view mapping_versions; PMAPDB_UNKNOWN if a column of the formula is unknown */
    const int64_t usual[PM_FIELD_COUNT] = {
        [PM_RSS] = parts_of(row),
        [PM_DIRTY] = dirty_of(row),
        [PM_PSS_DIRTY] = pss_dirty_of(row, pm_mapping_value(m, PM_RSS)),
        [PM_ANONYMOUS] = row->v[PM_VER_PRIVATE_DIRTY],
        [PM_SWAP_PSS] = row->v[PM_VER_SWAP],
    };
    bool lacks = fields & ~m->present, any = lacks || m->extra.len > 0;

    out->extra = m->extra;
    for (size_t i = 0; i < PM_RARE_VALUES; i++) {
        enum pm_field field = pm_rare_columns[i];
        int64_t number = pm_mapping_value(m, field);

        out->number[i] = unless(number, usual[field]);
        any |= out->number[i] != PMAPDB_UNKNOWN;
    }
    out->number[PM_RARE_FIELDS] = lacks ? (int64_t)(fields & m->present) : PMAPDB_UNKNOWN;
    return any;
}

bool pm_row_encode(const pm_mapping *m, uint64_t fields, pm_metrics *out, pm_rare_fields *rare)
{
    encode(m, fields, out);
    return rare_of(m, fields, out, rare);
}

/* Searches first: the row usually exists, and reading costs less than an insert that fails. */
void pm_rare_put(pm_sql *sql, const pm_rare_fields *d, pm_metrics *row)
{
    pm_arg args[PM_RARE_NUMBERS + 2];

    for (size_t i = 0; i < PM_RARE_NUMBERS; i++)
        args[i] = PM_I(d->number[i]);
    args[PM_RARE_NUMBERS] = PM_WORD(d->extra);
    args[PM_RARE_NUMBERS + 1] = PM_BITS(pm_hash(d->number, sizeof d->number, 0));
    row->v[PM_VER_RARE] = pm_sql_id(
        sql, "SELECT rare_fields_id FROM rare_fields WHERE hash = ?16 AND extra IS ?15",
        "INSERT INTO rare_fields VALUES (NULL, ?16, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
        "?12, ?13, ?14, ?15)",
        args, sizeof args / sizeof *args);
    row->v[PM_VER_RSS] = d->number[COLUMN_OF_RSS];
    row->v[PM_VER_FIELDS] = d->number[PM_RARE_FIELDS];
}

/* ---- versions ---- */

/* The columns of pm_versions_load; those of a missing region are NULL. */
enum { REGION, FIRST, LAST, REASON, LINEAGE, OBJECT, START, LENGTH, OFFSET, SIZE, KEPT, NUMBERS };

/* Reads a row without its object. Returns the id of the object. */
static int64_t read_row(pm_sql *sql, sqlite3_stmt *stmt, pm_row *row)
{
    int64_t lineage = pm_col_int(stmt, LINEAGE), offset = pm_col_int(stmt, OFFSET);
    int64_t kept = pm_col_int(stmt, KEPT), last = pm_col_int(stmt, LAST);

    *row = (pm_row){
        .at = {.lineage = lineage,
               .kept = kept == PMAPDB_UNKNOWN ? 0 : kept,
               .start = (uint64_t)pm_col_int(stmt, START),
               .length = (uint64_t)pm_col_int(stmt, LENGTH),
               .offset = offset == PMAPDB_UNKNOWN ? 0 : (uint64_t)offset,
               .has_offset = offset != PMAPDB_UNKNOWN},
        .region_id = pm_col_int(stmt, REGION),
        .size_kib = pm_col_int(stmt, SIZE),
        .reason = (pm_reason)pm_col_int(stmt, REASON),
        .first = (int32_t)pm_col_int(stmt, FIRST),
        .last = last == PMAPDB_UNKNOWN ? INT32_MAX : (int32_t)last,
    };
    if (lineage == PMAPDB_UNKNOWN)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                            (long long)row->region_id));
    for (int i = 0; i < PM_VER_READ; i++)
        row->m.v[i] = i >= PM_VER_COUNT && row->m.v[PM_VER_RARE] == PMAPDB_UNKNOWN
                          ? PMAPDB_UNKNOWN
                          : pm_col_kib(stmt, NUMBERS + i);
    return pm_col_int(stmt, OBJECT);
}

void pm_versions_load(pm_sql *sql, pm_objects *objects, int64_t epoch_id, int64_t from,
                      pm_rows *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT region_id, first, last, reason, lineage_id, object_id, start, length, offset, "
        "size_kib, category_id, private_dirty, private_clean, shared_clean, shared_dirty, swap, "
        "pss, referenced, rare_fields_id, rss_kib, own_fields FROM mapping_version "
        "LEFT JOIN region USING (region_id) LEFT JOIN rare_fields USING (rare_fields_id) "
        "WHERE epoch_id = ?1 AND (last IS NULL OR last >= ?2)",
        PM_ARGS(PM_I(epoch_id), PM_I(from)));
    int64_t *object_id = NULL;
    size_t cap = 0;

    while (pm_sql_next(sql, stmt)) {
        PM_SQL_STEP(sql, pm_grow(&out->row, &out->cap, out->n, sizeof *out->row, &err));
        PM_SQL_STEP(sql, pm_grow(&object_id, &cap, out->n, sizeof *object_id, &err));
        if (pm_sql_ok(sql)) {
            object_id[out->n] = read_row(sql, stmt, &out->row[out->n]);
            out->n++;
        }
    }
    pm_objects_load(sql, objects, object_id, out->n);
    for (size_t i = 0; i < out->n && pm_sql_ok(sql); i++)
        out->row[i].at.object = pm_objects_get(sql, objects, object_id[i]);
    free(object_id);
    pm_rows_sort(out);
}

void pm_versions_rows(pm_sql *sql, const pm_rows *versions, int64_t off, pm_rows *out)
{
    out->n = 0;
    out->pool = 0;
    PM_SQL_STEP(sql, pm_rows_reserve(out, versions->n, &err));
    for (size_t i = 0; i < versions->n && pm_sql_ok(sql); i++)
        if (off >= versions->row[i].first && off <= versions->row[i].last)
            out->row[out->n++] = versions->row[i];
}
