/* redact_sql: redaction in the SELECT of an export: the expressions, and the functions in them. */
#include "store/export/redact.h"

#include <errno.h>
#include <sys/random.h>

/* ---- expressions ---- */

/* Snapshots that are ordered by the hash alone keep their order with the new hashes. */
#define HASH_OF_SNAPSHOT                                                               \
    "(row_number() OVER (PARTITION BY t.process_id, t.taken_ms, t.dialect, t.ordinal " \
    "ORDER BY t.hash) << 44) + (draw() & 17592186044415)"

/* The replacement of an integer; for most it is `v`. An address moves with its cluster, or the next
 * one below it; 0 and the kernel's half stay. */
static void add_number(pm_buf *out, pm_redact_how how, const char *v, const char *space)
{
#define CLUSTER "(SELECT c.moved FROM temp.export_cluster c WHERE c.space = %s"
#define NUMBER "(SELECT number FROM temp.export_number WHERE kind = '%s' AND key = %s)"
    switch (how) {
    case PM_REDACT_ADDRESS:
    case PM_REDACT_NEW_ADDRESS:
        pm_buf_addf(out, NULL,
                    "CASE WHEN %s > 0%s THEN %s + coalesce(" CLUSTER " AND c.start <= %s "
                    "ORDER BY c.start DESC LIMIT 1), " CLUSTER " ORDER BY c.start LIMIT 1), -%s) "
                    "ELSE %s END",
                    v, how == PM_REDACT_NEW_ADDRESS ? " AND t.kind = 3" : "", v, space, v, space, v,
                    v);
        break;
    case PM_REDACT_FRAME: /* the kernel's frames are in its half */
        pm_buf_addf(out, NULL,
                    "CASE WHEN t.symbol <> '' THEN %s ELSE 16 * " NUMBER
                    " - 2147483648 * (%s < 0) END",
                    v, "frame", v, v);
        break;
    case PM_REDACT_INODE:
        pm_buf_addf(out, NULL, "CASE %s WHEN 0 THEN 0 ELSE " NUMBER " END", v, "inode",
                    "t.device || ' ' || t.inode");
        break;
    case PM_REDACT_UID:
        pm_buf_addf(out, NULL, "CASE WHEN %s < 1000 THEN %s ELSE 1000 + " NUMBER " END", v, v,
                    "uid", v);
        break;
    default:
        pm_buf_addf(out, NULL, "%s", v);
    }
#undef CLUSTER
#undef NUMBER
}

pmapdb_status pm_redact_expression(pm_buf *out, const char *table, const char *column,
                                   const char *value, const char *space, pmapdb_error *err)
{
    pm_redact_how how = pm_redact_of(table, column);

    if (how == PM_REDACT_NEVER)
        return pm_buf_addf(out, err, "NULL");
    if (how == PM_REDACT_AGAIN)
        return pm_buf_addf(out, err, "0");
    if (how == PM_REDACT_FIXED)
        return pm_buf_addf(out, err, "%s", value);
    if (how == PM_REDACT_HASH)
        return pm_buf_addf(out, err, "%s",
                           strcmp(table, "snapshot") == 0 ? HASH_OF_SNAPSHOT
                                                          : "draw() & 4611686018427387903");
    if (how > PM_REDACT_STAYS && how < PM_REDACT_TEXTS)
        return pm_buf_addf(out, err, "redact(%d, %s, %s)", how, value,
                           how == PM_REDACT_SYMBOL ? "t.dso" : "NULL");
    pm_buf_addf(out, NULL, "CASE typeof(%s) WHEN 'null' THEN NULL WHEN '%s' THEN ", value,
                how == PM_REDACT_COUNTS ? "blob" : "integer");
    add_number(out, how, value, space);
    return pm_buf_addf(out, err, " ELSE redact(%d, %s, '%s of table %s') END", PM_REDACT_STAYS,
                       value, column, table);
}

/* ---- functions ---- */

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

static void redact_text(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);
    pm_redact_how how = (pm_redact_how)sqlite3_value_int(arg[0]);
    pm_text text = text_of(arg[1]), out;

    (void)n;
    if (sqlite3_value_type(arg[1]) == SQLITE_NULL)
        return;
    if (!text.data)
        r->st = pm_fail_nomem(&r->err);
    else if (how == PM_REDACT_STAYS && r->st == PMAPDB_OK)
        r->st = pm_fail(&r->err, PMAPDB_INPUT,
                        "column %s contains a value that is not a number; the store is damaged: "
                        "nothing was exported",
                        text_of(arg[2]).data);
    else if (pm_redact_text(r, how, text, text_of(arg[2]), &out, NULL) == PMAPDB_OK)
        sqlite3_result_text64(ctx, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
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

/* draw(): a number of at least 0, evenly distributed, that nobody can guess. */
static void draw(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);
    int64_t drawn = 0;
    ssize_t got;

    (void)n;
    (void)arg;
    do
        got = getrandom(&drawn, sizeof drawn, 0);
    while (got < 0 && errno == EINTR);
    if (r->st == PMAPDB_OK && got != (ssize_t)sizeof drawn)
        r->st = pm_fail_io(&r->err, errno, "cannot draw random numbers");
    sqlite3_result_int64(ctx, drawn & INT64_MAX);
    tell_failure(ctx, r);
}

static const struct function {
    const char *name;
    int n;
    void (*call)(sqlite3_context *ctx, int n, sqlite3_value **arg);
} functions[] = {{"redact", 3, redact_text}, {"note_path", 1, note_path}, {"draw", 0, draw}};

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
