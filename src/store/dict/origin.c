/* origin: what captures were read from, and their rows in table capture. */
#include "store/dict/origin.h"

/* Times take 14 digits, 20231114221320, and so do seconds since 1970 with a short pid. More would
 * be eight bytes where these are six; what stands before them seldom changes. */
#define PAIRS 7

static bool is_digit(pm_text t, size_t at)
{
    return at < t.len && t.data[at] >= '0' && t.data[at] <= '9';
}

/* How many digits from `at` on are one argument. */
static size_t pair_at(pm_text t, size_t at)
{
    return is_digit(t, at) ? 1U + is_digit(t, at + 1) : 0;
}

static size_t count_pairs(pm_text t)
{
    size_t n = 0;

    for (size_t i = 0, width; i < t.len; i += width ? width : 1) {
        width = pair_at(t, i);
        n += width > 0;
    }
    return n;
}

pmapdb_status pm_origin_split(pm_text file, pm_buf *format, int64_t *digits, pmapdb_error *err)
{
    size_t pairs = count_pairs(file), as_they_are = pairs > PAIRS ? pairs - PAIRS : 0;
    pmapdb_status st = pm_buf_add(format, "", 0, err);
    int64_t place = 1;

    *digits = 0;
    for (size_t i = 0, width; i < file.len && st == PMAPDB_OK; i += width ? width : 1) {
        const char *c = &file.data[i];

        width = pair_at(file, i);
        if (!width) {
            st = pm_buf_add(format, *c == '%' ? "%%" : c, *c == '%' ? 2 : 1, err);
        } else if (as_they_are) {
            as_they_are--;
            st = pm_buf_add(format, c, width, err);
        } else {
            *digits += place * (width == 2 ? 10 * (c[0] - '0') + c[1] - '0' : c[0] - '0');
            place *= 100;
            st = width == 2 ? pm_buf_add(format, "%02d", 4, err) : pm_buf_add(format, "%d", 2, err);
        }
    }
    return st;
}

/* What is not of pm_origin_split is no format to follow: it stays as it is. */
static pmapdb_status spell(pm_text format, int64_t digits, pm_buf *file, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_add(file, "", 0, err);
    uint64_t left = (uint64_t)digits;

    while (format.len && st == PMAPDB_OK) {
        bool two = pm_text_starts(format, PM_TEXT("%02d"));
        size_t n = two ? 4 : pm_text_starts(format, PM_TEXT("%d")) ? 2 : 0;

        if (n) {
            char pair[] = {(char)('0' + left / 10 % 10), (char)('0' + left % 10)};

            st = pm_buf_add(file, &pair[!two], 1U + two, err);
            left /= 100;
        } else {
            n = pm_text_starts(format, PM_TEXT("%%")) ? 2 : 1;
            st = pm_buf_add(file, format.data, 1, err);
        }
        format = pm_text_from(format, n);
    }
    return st;
}

#define FIND "SELECT origin_id FROM origin WHERE folder = ?1 AND file = ?2"

pmapdb_status pm_origin_of(pm_sql *sql, pm_text folder, pm_text file, pm_origin *out,
                           pmapdb_error *err)
{
    pm_buf format = {0};
    pmapdb_status st = pm_origin_split(file, &format, &out->digits, err);
    const pm_arg args[] = {PM_T(folder), PM_T(pm_buf_text(&format))};

    if (st == PMAPDB_OK)
        st = pm_sql_int(sql, FIND, args, 2, 0, &out->origin_id, err);
    if (st == PMAPDB_OK && !out->origin_id) {
        st = pm_sql_run(sql, "INSERT INTO origin (folder, file) VALUES (?1, ?2)", args, 2, err);
        out->origin_id = pm_sql_last_id(sql);
    }
    pm_buf_free(&format);
    return st;
}

pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err)
{
    pm_origin origin;
    pmapdb_status st = pm_origin_of(sql, folder, file, &origin, err);

    if (st == PMAPDB_OK)
        st = pm_sql_run(sql, "INSERT INTO capture (origin_id, digits) VALUES (?1, ?2)",
                        PM_ARGS(PM_I(origin.origin_id), PM_I(origin.digits)), err);
    if (st == PMAPDB_OK)
        *capture_id = pm_sql_last_id(sql);
    return st;
}

pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err)
{
    sqlite3_stmt *row;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT coalesce((SELECT f.folder FROM origin f WHERE f.origin_id = c.origin_id), ''), "
        "coalesce((SELECT f.file FROM origin f WHERE f.origin_id = c.origin_id), ''), c.digits "
        "FROM capture c WHERE c.capture_id = ?1",
        PM_ARGS(PM_I(capture_id)), &row, err);
    pm_text dir, format;

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, row, has, err);
    if (st != PMAPDB_OK || !*has)
        return st;
    dir = pm_col_text(row, 0);
    format = pm_col_text(row, 1);
    pm_buf_clear(folder);
    pm_buf_clear(file);
    if (!dir.data || !format.data) { /* for it is no NULL */
        pm_sql_done(row);
        return pm_fail_nomem(err);
    }
    st = pm_buf_add(folder, dir.data, dir.len, err);
    if (st == PMAPDB_OK)
        st = spell(format, pm_col_int(row, 2), file, err);
    pm_sql_done(row);
    return st;
}
