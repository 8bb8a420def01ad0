/* redact_sql: redaction as functions of SQL. */
#include "store/export/redact_run.h"

#define KERNEL_TEXT (-((int64_t)1 << 31)) /* 0xffffffff80000000 */
#define SYSTEM_UIDS 1000

/* ---- expressions ---- */

/* Of snapshots that only the hash puts in order, the new hashes are in the same order. */
#define HASH_OF_SNAPSHOT                                                               \
    "(row_number() OVER (PARTITION BY t.process_id, t.taken_ms, t.dialect, t.ordinal " \
    "ORDER BY t.hash) << 44) + (random() & 17592186044415)"

pmapdb_status pm_redact_expression(pm_buf *out, const char *table, const char *column,
                                   const char *value, const char *space, pmapdb_error *err)
{
#define REDACT "redact(%d, %s, %s, '%s of table %s')"
#define STAYS(beside) PM_REDACT_STAYS, value, beside, column, table
    pm_redact_how how = pm_redact_of(table, column);

    switch (how) {
    case PM_REDACT_NEVER: /* not even where a table that has it is copied */
        return pm_buf_addf(out, err, "NULL");
    case PM_REDACT_AGAIN:
        return pm_buf_addf(out, err, "0");
    case PM_REDACT_HASH:
        return pm_buf_addf(out, err, "%s",
                           strcmp(table, "snapshot") == 0 ? HASH_OF_SNAPSHOT
                                                          : "random() & 4611686018427387903");
    case PM_REDACT_FRAME:
        return pm_buf_addf(out, err, "CASE t.symbol WHEN '' THEN " REDACT " ELSE " REDACT " END",
                           how, value, space, column, table, STAYS("NULL"));
    case PM_REDACT_NEW_ADDRESS:
        return pm_buf_addf(out, err, "CASE t.kind WHEN 3 THEN " REDACT " ELSE " REDACT " END",
                           PM_REDACT_ADDRESS, value, space, column, table, STAYS("NULL"));
    default:
        return pm_buf_addf(out, err, REDACT, how, value,
                           how == PM_REDACT_ADDRESS  ? space
                           : how == PM_REDACT_INODE  ? "t.device"
                           : how == PM_REDACT_SYMBOL ? "t.dso"
                                                     : "NULL",
                           column, table);
    }
#undef STAYS
#undef REDACT
}

/* ---- numbers ---- */

/* Numbers are given in the order of appearance, from 1 on. */
static int64_t number_of(pm_redact *r, pm_pool *pool, pm_text of, int64_t value)
{
    uint32_t id = 0;

    pm_buf_clear(&r->out);
    if (r->st == PMAPDB_OK)
        r->st = pm_buf_addf(&r->out, &r->err, "%.*s %lld", (int)of.len, of.len ? of.data : "",
                            (long long)value);
    if (r->st == PMAPDB_OK)
        r->st = pm_pool_text(pool, pm_buf_text(&r->out), &id, &r->err);
    return id;
}

static int64_t translate(pm_redact *r, int64_t space, int64_t address)
{
    if (r->st == PMAPDB_OK && !r->settled) {
        r->st = pm_addresses_settle(r->addresses, &r->err);
        r->settled = true;
    }
    return pm_addresses_translate(r->addresses, space, address);
}

static int64_t redact_number(pm_redact *r, pm_redact_how how, int64_t value, sqlite3_value *beside)
{
    switch (how) {
    case PM_REDACT_ADDRESS:
        return translate(r, sqlite3_value_int64(beside), value);
    case PM_REDACT_FRAME: /* the kernel's frames are in its half */
        return value < 0 ? KERNEL_TEXT + 16 * number_of(r, r->kernel, PM_TEXT(""), value)
                         : translate(r, sqlite3_value_int64(beside), value);
    case PM_REDACT_INODE: {
        const char *device = (const char *)sqlite3_value_text(beside);

        return value ? number_of(r, r->inodes, pm_text_of(device), value) : 0;
    }
    case PM_REDACT_UID:
        return value < SYSTEM_UIDS ? value
                                   : SYSTEM_UIDS + number_of(r, r->uids, PM_TEXT(""), value);
    default:
        return value;
    }
}

/* ---- in SQL ---- */

static pm_text text_of(sqlite3_value *value)
{
    const char *data = (const char *)sqlite3_value_text(value);

    return (pm_text){data, data ? (size_t)sqlite3_value_bytes(value) : 0};
}

static void tell_failure(sqlite3_context *ctx, const pm_redact *r)
{
    if (r->st == PMAPDB_NOMEM)
        sqlite3_result_error_nomem(ctx);
    else if (r->st != PMAPDB_OK)
        sqlite3_result_error(ctx, r->err.text, -1);
}

static void redact_value(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);
    pm_redact_how how = (pm_redact_how)sqlite3_value_int(arg[0]);
    int type = sqlite3_value_type(arg[1]);

    (void)n;
    if (type == SQLITE_NULL)
        return;
    if (how > PM_REDACT_STAYS && how < PM_REDACT_ADDRESS) {
        pm_text text = text_of(arg[1]), out;

        if (!text.data) /* it is not NULL */
            r->st = pm_fail_nomem(&r->err);
        else if (pm_redact_text(r, how, text, text_of(arg[2]), &out, NULL) == PMAPDB_OK)
            sqlite3_result_text64(ctx, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    } else if (type == SQLITE_INTEGER)
        sqlite3_result_int64(ctx, redact_number(r, how, sqlite3_value_int64(arg[1]), arg[2]));
    else if (r->st == PMAPDB_OK)
        r->st = pm_fail(&r->err, PMAPDB_INPUT,
                        "column %s holds what is no number; the store is damaged: nothing of it "
                        "was exported",
                        (const char *)sqlite3_value_text(arg[3]));
    tell_failure(ctx, r);
}

static void note_address(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);

    (void)n;
    if (r->st == PMAPDB_OK)
        r->st =
            pm_addresses_note(r->addresses, sqlite3_value_int64(arg[0]),
                              sqlite3_value_int64(arg[1]), sqlite3_value_int64(arg[2]), &r->err);
    tell_failure(ctx, r);
}

static void join_spaces(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);

    (void)n;
    if (r->st == PMAPDB_OK)
        r->st = pm_addresses_join(r->addresses, sqlite3_value_int64(arg[0]),
                                  sqlite3_value_int64(arg[1]), &r->err);
    tell_failure(ctx, r);
}

static void note_path(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);
    pm_text path = text_of(arg[0]);

    (void)n;
    if (r->st == PMAPDB_OK && path.data)
        r->st = pm_redact_publish(r, path, &r->err);
    tell_failure(ctx, r);
}

static const struct function {
    const char *name;
    int n;
    void (*call)(sqlite3_context *ctx, int n, sqlite3_value **arg);
} functions[] = {{"redact", 4, redact_value},
                 {"note_address", 3, note_address},
                 {"join_spaces", 2, join_spaces},
                 {"note_path", 1, note_path}};

pmapdb_status pm_redact_register(pm_redact *r, sqlite3 *db, pmapdb_error *err)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function_v2(db, functions[i].name, functions[i].n,
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY, r, functions[i].call, NULL,
                                       NULL, NULL) != SQLITE_OK)
            return pm_sql_fail(db, "add a function", err);
    return PMAPDB_OK;
}

void pm_redact_unregister(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        sqlite3_create_function_v2(db, functions[i].name, functions[i].n, SQLITE_UTF8, NULL, NULL,
                                   NULL, NULL, NULL);
}
