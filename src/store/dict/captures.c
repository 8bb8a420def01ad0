/* captures: the captures that the store has, and the files in which they were found. */
#include "store/dict/captures.h"

#include "base/buf.h"
#include "base/num.h"

/* The length of a number in a file name that gets its own column: usually it is a time. */
#define DIGITS_MIN 6
#define DIGITS_MAX 18

/* Returns the first such number that does not begin with 0, so that its digits equal the stored
 * number. Empty: the name contains no such number, or contains a *. */
static pm_text find_number(pm_text file)
{
    if (file.len && memchr(file.data, '*', file.len))
        return (pm_text){0};
    while (file.len) {
        size_t n = pm_digits(file);

        if (n >= DIGITS_MIN && n <= DIGITS_MAX && file.data[0] != '0')
            return (pm_text){file.data, n};
        file = pm_text_from(file, n ? n : 1);
    }
    return (pm_text){0};
}

static int64_t origin_of(pm_sql *sql, pm_text folder, pm_text file)
{
    return pm_sql_id(sql, "SELECT origin_id FROM origin WHERE folder = ?1 AND file = ?2",
                     "INSERT INTO origin (folder, file) VALUES (?1, ?2)",
                     PM_ARGS(PM_T(folder), PM_T(file)));
}

int64_t pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file)
{
    pm_text digits = find_number(file);
    uint64_t number = 0;
    pm_buf pattern = {0};
    int64_t id;

    if (digits.len) {
        pm_num_dec(digits.data, digits.data + digits.len, &number);
        pm_buf_add(&pattern, file.data, (size_t)(digits.data - file.data), NULL);
        pm_buf_add(&pattern, "*", 1, NULL);
        file = pm_text_from(file, (size_t)(digits.data - file.data) + digits.len);
        pm_buf_add(&pattern, file.len ? file.data : "", file.len, NULL);
        PM_SQL_STEP(sql, pm_buf_status(&pattern, &err));
        file = pm_buf_text(&pattern);
    }
    id = pm_sql_do(sql, "INSERT INTO capture (origin_id, number) VALUES (?1, ?2)",
                   PM_ARGS(PM_I(origin_of(sql, folder, file)),
                           PM_I(digits.len ? (int64_t)number : PMAPDB_UNKNOWN)));
    pm_buf_free(&pattern);
    return id;
}

/* ---- known captures ---- */

int64_t pm_host_find(pm_sql *sql, const char *host)
{
    return host ? pm_sql_value(sql, "SELECT host_id FROM host WHERE name = ?1", PM_ARGS(PM_S(host)),
                               -1)
                : 0;
}

int64_t pm_known(pm_sql *sql, const pm_capture *c, bool *pruned)
{
    bool live = c->time_source == PM_TIME_LIVE, seconds = c->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? c->taken_ms - c->taken_ms % 1000 : c->taken_ms;
    int64_t id = pm_sql_value(
        sql, pm_sql_script_text("capture-known"),
        PM_ARGS(PM_BITS(c->block.hash), PM_S(pm_dialect_names[c->block.dialect]), PM_I(from),
                PM_I(seconds ? from + 999 : from), PM_I(c->pid == PMAPDB_UNKNOWN ? -1 : c->pid),
                PM_I(pm_host_find(sql, c->host)), PM_I(live),
                PM_S(c->live ? c->live->boot_id : NULL), PM_I(c->start_time),
                PM_I(!live && c->time_source != PM_TIME_NOW)),
        -1);

    *pruned = id == 0;
    return id > 0 ? id : 0;
}
