/* redact_sql: the functions in the statements of an export. */
#include "store/export/redact.h"

#include "store/func/argument.h"
#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

static void tell_failure(sqlite3_context *ctx, const pm_redact *r)
{
    if (r->st != PMAPDB_OK)
        pm_argument_fail(ctx, r->st, &r->err);
}

pm_redact_how pm_redact_way(sqlite3_value *word)
{
    static const char *const ways[] = {PM_REDACT_WAYS(PM_REDACT_WORD_OF)};

    return (pm_redact_how)pm_text_index(pm_argument_text(word), ways, PM_REDACT_COUNT);
}

static void redact_text(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);
    pm_redact_how how = pm_redact_way(arg[0]);
    pm_text text = pm_argument_text(arg[1]), out;

    (void)n;
    if (sqlite3_value_type(arg[1]) == SQLITE_NULL)
        return;
    if (!text.data)
        r->st = pm_fail_nomem(&r->err);
    else if (how == PM_REDACT_NUMBER && r->st == PMAPDB_OK)
        r->st = pm_fail(&r->err, PMAPDB_INPUT,
                        "column %s contains a value that is not a number; the store is damaged: "
                        "nothing was exported",
                        pm_argument_text(arg[2]).data);
    else if (pm_redact_text(r, how, text, pm_argument_text(arg[2]), &out, NULL) == PMAPDB_OK)
        sqlite3_result_text64(ctx, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    tell_failure(ctx, r);
}

static void note_path(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_redact *r = sqlite3_user_data(ctx);
    pm_text path = pm_argument_text(arg[0]);

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
    got = TEMP_FAILURE_RETRY(getrandom(&drawn, sizeof drawn, 0));
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
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY, r,
                                       r ? functions[i].call : NULL, NULL, NULL, NULL) != SQLITE_OK)
            return pm_sql_fail(db, "add a function", err);
    return PMAPDB_OK;
}
