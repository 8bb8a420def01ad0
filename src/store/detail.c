/* detail: rows of table detail. */
#include "store/detail.h"

#define COLUMNS                                             \
    "ksm_kib, lazy_free_kib, shmem_pmd_kib, file_pmd_kib, " \
    "shared_hugetlb_kib, private_hugetlb_kib, extra"

const enum pm_field pm_detail_fields[PM_DETAIL_NUMBERS] = {
    PM_KSM, PM_LAZY_FREE, PM_SHMEM_PMD, PM_FILE_PMD, PM_SHARED_HUGETLB, PM_PRIVATE_HUGETLB};

pm_detail pm_detail_of(const pm_mapping *m)
{
    const enum pm_field *fields = pm_detail_fields;
    pm_detail d = {.extra = m->extra};

    for (size_t i = 0; i < PM_DETAIL_NUMBERS; i++)
        d.number[i] = pm_has(m, PM_BIT(fields[i])) ? (int64_t)m->value[fields[i]] : PMAPDB_UNKNOWN;
    return d;
}

/* The terms are those of its unique index, in which NULL is a value like any other. It is looked
 * for first: nearly always it is there, and to read costs less than to try to write. */
pmapdb_status pm_detail_put(pm_sql *sql, const pm_detail *d, int64_t *id, pmapdb_error *err)
{
    pm_arg args[PM_DETAIL_NUMBERS + 1];
    pmapdb_status st;

    for (size_t i = 0; i < PM_DETAIL_NUMBERS; i++)
        args[i] = PM_I(d->number[i]);
    args[PM_DETAIL_NUMBERS] = d->extra.len ? PM_T(d->extra) : PM_S(NULL);
    st = pm_sql_int(sql,
                    "SELECT detail_id FROM detail WHERE coalesce(extra, '') = coalesce(?7, '') "
                    "AND coalesce(ksm_kib, -1) = coalesce(?1, -1) "
                    "AND coalesce(lazy_free_kib, -1) = coalesce(?2, -1) "
                    "AND coalesce(shmem_pmd_kib, -1) = coalesce(?3, -1) "
                    "AND coalesce(file_pmd_kib, -1) = coalesce(?4, -1) "
                    "AND coalesce(shared_hugetlb_kib, -1) = coalesce(?5, -1) "
                    "AND coalesce(private_hugetlb_kib, -1) = coalesce(?6, -1)",
                    args, sizeof args / sizeof *args, PMAPDB_UNKNOWN, id, err);
    if (st != PMAPDB_OK || *id != PMAPDB_UNKNOWN)
        return st;
    st = pm_sql_run(sql, "INSERT INTO detail (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    args, sizeof args / sizeof *args, err);
    *id = pm_sql_last_id(sql);
    return st;
}

pmapdb_status pm_detail_get(pm_sql *sql, int64_t id, pm_buf *extra, pm_detail *out,
                            pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pm_text text;
    pmapdb_status st = pm_sql_rows(sql, "SELECT " COLUMNS " FROM detail WHERE detail_id = ?1",
                                   PM_ARGS(PM_I(id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st == PMAPDB_OK && !has)
        st = pm_fail(err, PMAPDB_INPUT, "detail %lld: it is missing; the store is damaged",
                     (long long)id);
    if (st != PMAPDB_OK)
        return st;
    for (int i = 0; i < PM_DETAIL_NUMBERS; i++)
        out->number[i] = pm_col_int(stmt, i);
    text = pm_col_text(stmt, PM_DETAIL_NUMBERS);
    pm_buf_clear(extra);
    if (text.len)
        st = pm_buf_add(extra, text.data, text.len, err);
    out->extra = pm_buf_text(extra);
    pm_sql_done(stmt);
    return st;
}
