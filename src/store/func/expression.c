/* expression: an SQL expression over the facts of one process, evaluated in a database in memory
 * with one view, whose only row is the process. */
#include "store/func/expression.h"

#include "base/num.h"
#include "store/func/argument.h"
#include <stdlib.h>

#define NUMBERS 3
/* The facts: fact(0) is pid. The first ones are in the order of the arguments of process_value().
 */
static const struct {
    const char *name; /* of the column, or of the function that reads it */
    size_t at;        /* in pm_facts; the first NUMBERS are numbers, the others texts */
    unsigned need;
} known[] = {{"pid", offsetof(pm_facts, pid), 0},
             {"ppid", offsetof(pm_facts, ppid), 0},
             {"uid", offsetof(pm_facts, uid), PM_NEED_UID},
             {"user", offsetof(pm_facts, user), PM_NEED_UID},
             {"comm", offsetof(pm_facts, comm), PM_NEED_COMM},
             {"exe", offsetof(pm_facts, exe), PM_NEED_EXE},
             {"cmdline", offsetof(pm_facts, cmdline), PM_NEED_CMDLINE},
             {"cgroup", offsetof(pm_facts, cgroup), PM_NEED_CGROUP},
             {"env", offsetof(pm_facts, environment), PM_NEED_ENVIRONMENT},
             {"descendant_of", offsetof(pm_facts, ancestors), PM_NEED_ANCESTORS},
             {"name", offsetof(pm_facts, name), PM_NEED_NAME},
             {"container", offsetof(pm_facts, cgroup), PM_NEED_CGROUP},
             {"unit", offsetof(pm_facts, cgroup), PM_NEED_CGROUP}};

#define N_FACTS (sizeof known / sizeof *known)

/* The casts give the columns their types: uid = '1001' may be true. */
#define PROCESS                                                                            \
    "CREATE VIEW process AS SELECT CAST(fact(0) AS INTEGER) AS pid, "                      \
    "CAST(fact(1) AS INTEGER) AS ppid, CAST(fact(2) AS INTEGER) AS uid, "                  \
    "CAST(fact(3) AS TEXT) AS user, CAST(fact(4) AS TEXT) AS comm, "                       \
    "CAST(fact(5) AS TEXT) AS exe, CAST(fact(6) AS TEXT) AS cmdline, "                     \
    "CAST(fact(7) AS TEXT) AS cgroup, CAST(coalesce(fact(10), fact(4)) AS TEXT) AS name, " \
    "CAST(container_of(fact(7)) AS TEXT) AS container, CAST(unit_of(fact(7)) AS TEXT) AS unit"

#define THERE_ARE                                                                         \
    "there are comm, exe, cmdline, cgroup, user, uid, pid, ppid, container, unit, name, " \
    "env('NAME'), descendant_of(PID)"

/* ---- functions ---- */

static void give_text(sqlite3_context *out, pm_text t)
{
    if (t.len)
        sqlite3_result_text64(out, t.data, t.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* fact(N): fact N of the current process. */
static void fact(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const pm_expression *e = sqlite3_user_data(out);
    int i = sqlite3_value_int(argv[0]);
    const char *at = (const char *)e->facts + known[i].at;

    (void)argc;
    if (i >= NUMBERS)
        give_text(out, *(const pm_text *)at);
    else if (*(const int64_t *)at != PMAPDB_UNKNOWN)
        sqlite3_result_int64(out, *(const int64_t *)at);
}

static void container_of(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_buf found = {0};

    (void)argc;
    pm_container_of(pm_argument_text(argv[0]), &found);
    if (found.failed)
        sqlite3_result_error_nomem(out);
    else
        give_text(out, pm_buf_text(&found));
    pm_buf_free(&found);
}

static void unit_of(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    (void)argc;
    give_text(out, pm_unit_of(pm_argument_text(argv[0])));
}

/* env('NAME'): the value of the variable; NULL if it is not set. */
static void env(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const pm_expression *e = sqlite3_user_data(out);
    pm_text name = pm_argument_text(argv[0]), rest = e->facts->environment;

    (void)argc;
    while (rest.len) {
        size_t n = strnlen(rest.data, rest.len);

        if (name.len && n > name.len && rest.data[name.len] == '=' &&
            memcmp(rest.data, name.data, name.len) == 0) {
            sqlite3_result_text64(out, rest.data + name.len + 1, n - name.len - 1, SQLITE_TRANSIENT,
                                  SQLITE_UTF8);
            return;
        }
        rest = pm_text_from(rest, n < rest.len ? n + 1 : n);
    }
}

/* descendant_of(PID): true for the children of PID, their children, and so on; not for PID. */
static void descendant_of(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const pm_expression *e = sqlite3_user_data(out);
    pm_text rest = e->facts->ancestors, word;
    uint64_t pid;
    int found = 0;

    (void)argc;
    while ((word = pm_text_word(&rest, " ")).len)
        found |= pm_num_all(word, &pid) && (int64_t)pid == sqlite3_value_int64(argv[0]);
    sqlite3_result_int(out, found);
}

/* ---- preparing ---- */

/* Notes the facts that are read, and refuses everything but reading them. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
                     const char *inner)
{
    pm_expression *e = ctx;

    (void)database;
    if (action == SQLITE_FUNCTION ? strcmp(b, "load_extension") == 0 ||
                                        (strcmp(b, "fact") == 0 && !inner) /* only in the view */
                                  : action != SQLITE_READ || strcmp(a, "process") != 0)
        return action == SQLITE_SELECT ? SQLITE_OK : SQLITE_DENY;
    for (size_t i = 0; i < N_FACTS; i++)
        e->needs |= strcmp(b, known[i].name) == 0 ? known[i].need : 0;
    return SQLITE_OK;
}

static pmapdb_status fail_sql(const pm_expression *e, pmapdb_error *err)
{
    static const char missing[] = "no such column: ";
    const char *message;

    if (!e->db || sqlite3_errcode(e->db) == SQLITE_NOMEM)
        return pm_fail_nomem(err);
    message = sqlite3_errmsg(e->db);
    if (strncmp(message, missing, sizeof missing - 1) == 0)
        return pm_fail(err, PMAPDB_USAGE, "%s; a text has quotes: '%s'; " THERE_ARE, message,
                       message + sizeof missing - 1);
    return pm_fail(err, PMAPDB_USAGE, "%s; " THERE_ARE, message);
}

static bool open_database(pm_expression *e)
{
    static const struct {
        const char *name;
        void (*call)(sqlite3_context *out, int argc, sqlite3_value **argv);
    } functions[] = {{"fact", fact},
                     {"container_of", container_of},
                     {"unit_of", unit_of},
                     {"env", env},
                     {"descendant_of", descendant_of}};
    int rc = sqlite3_open_v2(":memory:", &e->db, SQLITE_OPEN_READWRITE, NULL);

    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(e->db, functions[i].name, 1, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                                        e, functions[i].call, NULL, NULL, NULL);
    if (rc == SQLITE_OK) /* else "redis" would be a text, and so would a misspelt column */
        rc = sqlite3_db_config(e->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    return rc == SQLITE_OK && sqlite3_exec(e->db, PROCESS, NULL, NULL, NULL) == SQLITE_OK;
}

/* The newline before the parenthesis ends a comment in the expression. */
static pmapdb_status prepare(pm_expression *e, pm_text sql, pmapdb_error *err)
{
    char *select = sqlite3_mprintf("SELECT (%.*s\n) FROM process", (int)sql.len, sql.data);
    const char *tail = "";
    pmapdb_status st = PMAPDB_OK;

    if (!select)
        return pm_fail_nomem(err);
    sqlite3_set_authorizer(e->db, authorize, e);
    if (sqlite3_prepare_v2(e->db, select, -1, &e->value, &tail) != SQLITE_OK || !e->value)
        st = fail_sql(e, err);
    else if (*tail || sqlite3_column_count(e->value) != 1)
        st = pm_fail(err, PMAPDB_USAGE, "not one SQL expression; " THERE_ARE);
    sqlite3_free(select);
    return st;
}

pmapdb_status pm_expression_new(pm_text sql, pm_expression **out, pmapdb_error *err)
{
    pm_expression *e;
    pmapdb_status st;

    if (sql.len > INT32_MAX / 2 || memchr(sql.data ? sql.data : "", '\0', sql.len))
        return pm_fail(err, PMAPDB_USAGE, "not one SQL expression; " THERE_ARE);
    e = calloc(1, sizeof *e);
    if (!e)
        return pm_fail_nomem(err);
    st = open_database(e) ? prepare(e, sql, err) : fail_sql(e, err);
    if (st == PMAPDB_OK)
        *out = e;
    else
        pm_expression_free(e);
    return st;
}

void pm_expression_free(pm_expression *e)
{
    if (!e)
        return;
    sqlite3_finalize(e->value);
    sqlite3_close(e->db);
    free(e);
}

/* ---- evaluating ---- */

/* The value is column 0 of e->value until the next evaluation. */
static pmapdb_status evaluate(pm_expression *e, const pm_facts *facts, pmapdb_error *err)
{
    e->facts = facts;
    sqlite3_reset(e->value);
    return sqlite3_step(e->value) == SQLITE_ROW ? PMAPDB_OK : fail_sql(e, err);
}

pmapdb_status pm_expression_holds(pm_expression *e, const pm_facts *facts, bool *holds,
                                  pmapdb_error *err)
{
    pmapdb_status st = evaluate(e, facts, err);

    if (st == PMAPDB_OK)
        *holds = sqlite3_column_double(e->value, 0) != 0;
    return st;
}

/* ---- the SQL function ---- */

static void set_fact(pm_facts *facts, int i, sqlite3_value *v)
{
    void *at = (char *)facts + known[i].at;

    if (i >= NUMBERS)
        *(pm_text *)at = pm_argument_text(v);
    else if (sqlite3_value_type(v) != SQLITE_NULL)
        *(int64_t *)at = sqlite3_value_int64(v);
}

static void free_expression(void *e)
{
    pm_expression_free(e);
}

/* Returns the expression, prepared once for all rows; NULL: *out has the error, or the text is
 * NULL. */
static pm_expression *expression_of(sqlite3_context *out, sqlite3_value *v)
{
    pm_expression *kept = sqlite3_get_auxdata(out, 0), *e = NULL;
    pm_text text = pm_argument_text(v);
    pmapdb_error err;
    pmapdb_status st;

    if (kept || !text.data)
        return kept;
    st = pm_expression_new(text, &e, &err);
    if (st != PMAPDB_OK) {
        pm_argument_fail(out, st, &err);
        return NULL;
    }
    sqlite3_set_auxdata(out, 0, e, free_expression); /* out of memory, SQLite frees it at once */
    kept = sqlite3_get_auxdata(out, 0);
    if (!kept)
        sqlite3_result_error_nomem(out);
    return kept;
}

void pm_process_value(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_expression *e = expression_of(out, argv[0]);
    pm_facts facts = {.pid = PMAPDB_UNKNOWN, .ppid = PMAPDB_UNKNOWN, .uid = PMAPDB_UNKNOWN};
    pmapdb_error err;
    pmapdb_status st;

    if (!e)
        return;
    for (int i = 1; i < argc; i++)
        set_fact(&facts, i - 1, argv[i]);
    st = evaluate(e, &facts, &err);
    if (st == PMAPDB_OK)
        sqlite3_result_value(out, sqlite3_column_value(e->value, 0));
    else
        pm_argument_fail(out, st, &err);
}
