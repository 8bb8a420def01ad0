/* kit: connections with the extension loaded, and answers as text. */
#ifndef PM_TESTS_SQLITE_KIT_H
#define PM_TESTS_SQLITE_KIT_H

#include "base/buf.h"
#include "unit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
static inline const char *kit_extension(void)
{
    const char *path = getenv("PMAPDB_EXTENSION");

    if (!path) {
        print_message("skipped: PMAPDB_EXTENSION names no extension\n");
        exit(77);
    }
    return path;
}

static inline void kit_load(sqlite3 *db, const char *path, const char *entry)
{
    char *error = NULL;

    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    if (sqlite3_load_extension(db, path, entry, &error) != SQLITE_OK)
        fail_msg("cannot load %s: %s", path, error);
}

static inline sqlite3 *kit_open(void)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    kit_load(db, kit_extension(), NULL);
    return db;
}

static inline int kit_connect(void **state)
{
    *state = kit_open();
    return 0;
}

static inline int kit_disconnect(void **state)
{
    return sqlite3_close(*state);
}

/* A test with a connection of its own, db. */
#define CONNECTED(function) TEST_OF(sqlite3 *db, function, kit_connect, kit_disconnect)

static inline void kit_add_row(sqlite3_stmt *stmt, pm_buf *out)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *text = (const char *)sqlite3_column_text(stmt, i);

        assert_int_equal(pm_buf_addf(out, NULL, "%s%s", i ? "|" : "", text ? text : "NULL"),
                         PMAPDB_OK);
    }
    assert_int_equal(pm_buf_add(out, "\n", 1, NULL), PMAPDB_OK);
}

/* Adds the rows to `out`, one per line. Returns the result code. */
static inline int kit_rows(sqlite3 *db, const char *sql, pm_buf *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    pm_buf_clear(out);
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        kit_add_row(stmt, out);
    return rc == SQLITE_OK ? sqlite3_finalize(stmt) : rc;
}

static inline void kit_same(sqlite3 *db, const char *sql, const char *expected)
{
    pm_buf out = {0};

    if (kit_rows(db, sql, &out) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (strcmp(pm_buf_text(&out).data, expected) != 0)
        fail_msg("%s\nsays     %s\nand not  %s", sql, pm_buf_text(&out).data, expected);
    pm_buf_free(&out);
}

static inline void kit_fails(sqlite3 *db, const char *sql, const char *words)
{
    pm_buf out = {0};

    if (kit_rows(db, sql, &out) == SQLITE_OK)
        fail_msg("%s\nis no error and says %s", sql, pm_buf_text(&out).data);
    if (!strstr(sqlite3_errmsg(db), words))
        fail_msg("%s\nfails with  %s\nand not     %s", sql, sqlite3_errmsg(db), words);
    pm_buf_free(&out);
}

static inline int64_t kit_int(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t v;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    v = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return v;
}

/* Formats a text, which is valid until eight calls later. */
static inline const char *kit_sql(const char *format, ...)
{
    static char texts[8][4096];
    static int turn;
    char *text = texts[turn++ % 8];
    va_list args;

    va_start(args, format);
    sqlite3_vsnprintf(sizeof texts[0], text, format, args);
    va_end(args);
    return text;
}

#endif
