/* origin: the files in which captures were found. */
#include "store/dict/origin.h"

#include "base/num.h"

/* The length of a number in a file name that gets its own column: usually it is a time. */
#define DIGITS_MIN 6
#define DIGITS_MAX 18

static size_t count_digits(pm_text t)
{
    size_t n = 0;

    while (n < t.len && t.data[n] >= '0' && t.data[n] <= '9')
        n++;
    return n;
}

/* Returns the first such number that does not begin with 0, so that its digits equal the stored
 * number. Empty: the name contains no such number, or contains a *. */
static pm_text find_number(pm_text file)
{
    if (file.len && memchr(file.data, '*', file.len))
        return (pm_text){0};
    while (file.len) {
        size_t n = count_digits(file);

        if (n >= DIGITS_MIN && n <= DIGITS_MAX && file.data[0] != '0')
            return (pm_text){file.data, n};
        file = pm_text_from(file, n ? n : 1);
    }
    return (pm_text){0};
}

static int64_t origin_of(pm_sql *sql, pm_text folder, pm_text file)
{
    const pm_arg args[] = {PM_T(folder), PM_T(file)};
    int64_t id = pm_sql_value(sql, "SELECT origin_id FROM origin WHERE folder = ?1 AND file = ?2",
                              args, 2, 0);

    if (id)
        return id;
    pm_sql_do(sql, "INSERT INTO origin (folder, file) VALUES (?1, ?2)", args, 2);
    return pm_sql_last_id(sql);
}

/* Writes the name with a * in place of the digits. */
static void write_pattern(pm_sql *sql, pm_text file, pm_text digits, pm_buf *out)
{
    size_t before = (size_t)(digits.data - file.data);
    pm_text after = pm_text_from(file, before + digits.len);

    PM_SQL_STEP(sql, pm_buf_add(out, file.data, before, &err));
    PM_SQL_STEP(sql, pm_buf_add(out, "*", 1, &err));
    PM_SQL_STEP(sql, pm_buf_add(out, after.data, after.len, &err));
}

pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err)
{
    pm_text digits = find_number(file);
    uint64_t number = 0;
    pm_buf pattern = {0};

    if (digits.len) {
        pm_num_dec(digits.data, digits.data + digits.len, &number);
        write_pattern(sql, file, digits, &pattern);
        file = pm_buf_text(&pattern);
    }
    pm_sql_do(sql, "INSERT INTO capture (origin_id, number) VALUES (?1, ?2)",
              PM_ARGS(PM_I(origin_of(sql, folder, file)),
                      PM_I(digits.len ? (int64_t)number : PMAPDB_UNKNOWN)));
    *capture_id = pm_sql_last_id(sql);
    pm_buf_free(&pattern);
    return pm_sql_end(sql, err);
}

static pmapdb_status set(pm_buf *out, pm_text text, pmapdb_error *err)
{
    pm_buf_clear(out);
    return pm_buf_add(out, text.data ? text.data : "", text.len, err);
}

pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err)
{
    sqlite3_stmt *row =
        pm_sql_ask(sql,
                   "SELECT o.folder, coalesce(replace(o.file, '*', c.number), o.file) "
                   "FROM capture c LEFT JOIN origin o ON o.origin_id = c.origin_id "
                   "WHERE c.capture_id = ?1",
                   PM_ARGS(PM_I(capture_id)));
    pmapdb_status st = PMAPDB_OK;

    *has = pm_sql_next(sql, row);
    if (*has) {
        st = set(folder, pm_col_text(row, 0), err);
        PM_STEP(st, set(file, pm_col_text(row, 1), err));
        pm_sql_done(row);
    }
    return st == PMAPDB_OK ? pm_sql_end(sql, err) : st;
}
