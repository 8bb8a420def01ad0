/* literal: the parameters of ad-hoc SQL, from text to values. */
#include "store/read/adhoc.h"

#include "base/num.h"
#include <stdlib.h>

static bool is_int(pm_text t, int64_t *out)
{
    bool minus = t.len && t.data[0] == '-';
    uint64_t magnitude;

    if (pm_text_starts(t, PM_TEXT("0x")) && t.len > 2 &&
        pm_num_hex(t.data + 2, t.data + t.len, &magnitude) == t.len - 2) {
        *out = (int64_t)magnitude; /* an address, as the store keeps it */
        return true;
    }
    if (!pm_num_all(pm_text_from(t, minus ? 1 : 0), &magnitude) || magnitude > INT64_MAX)
        return false;
    *out = minus ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool is_real(pm_text t, double *out)
{
    char *end;

    if (!t.len || strspn(t.data, "0123456789.eE+-") < t.len || !strpbrk(t.data, "0123456789"))
        return false;
    *out = strtod(t.data, &end);
    return end == t.data + t.len;
}

static int bind_literal(sqlite3_stmt *stmt, int at, pm_text t)
{
    int64_t i;
    double r;

    if (t.len == 0)
        return sqlite3_bind_null(stmt, at);
    if (is_int(t, &i))
        return sqlite3_bind_int64(stmt, at, i);
    if (is_real(t, &r))
        return sqlite3_bind_double(stmt, at, r);
    if (t.len >= 2 && t.data[0] == '\'' && t.data[t.len - 1] == '\'')
        t = (pm_text){t.data + 1, t.len - 2};
    return sqlite3_bind_text64(stmt, at, t.data, t.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

pmapdb_status pm_adhoc_bind(pmapdb_rows *r, int i, pm_text value, pmapdb_error *err)
{
    pm_text name = r->info->param[i].name;

    for (int at = 1; at <= sqlite3_bind_parameter_count(r->stmt); at++)
        if (pm_text_equal(pm_text_of(sqlite3_bind_parameter_name(r->stmt, at) + 1), name) &&
            bind_literal(r->stmt, at, value) != SQLITE_OK)
            return pm_sql_fail(r->store->db, "bind a value", err);
    return PMAPDB_OK;
}
