/* expression: an SQL expression over the facts of one process, evaluated in a database in memory
 * with one table, whose only row is the process. */
#include "store/func/expression.h"

#include "base/num.h"
#include "store/func/argument.h"
#include "store/func/container.h"
#include <stdlib.h>

static const struct {
    const char *name, *type;
    unsigned need;
} columns[] = {{"comm", "TEXT", PM_NEED_COMM},
               {"exe", "TEXT", PM_NEED_EXE},
               {"cmdline", "TEXT", PM_NEED_CMDLINE},
               {"cgroup", "TEXT", PM_NEED_CGROUP},
               {"user", "TEXT", PM_NEED_USER},
               {"uid", "INTEGER", PM_NEED_UID},
               {"pid", "INTEGER", 0},
               {"ppid", "INTEGER", 0},
               {"container", "TEXT", PM_NEED_CGROUP},
               {"unit", "TEXT", PM_NEED_CGROUP},
               {"name", "TEXT", PM_NEED_NAME}};

#define N_COLUMNS (sizeof columns / sizeof *columns)
#define THERE_ARE                                                                         \
    "there are comm, exe, cmdline, cgroup, user, uid, pid, ppid, container, unit, name, " \
    "env('NAME'), descendant_of(PID)"

struct pm_expression {
    sqlite3 *db;
    sqlite3_stmt *put, *value;
    unsigned needs;
    const pm_facts *facts; /* of the current evaluation */
};

/* ---- functions ---- */

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
    int found = 0;

    (void)argc;
    for (size_t i = 0; i < e->facts->n_ancestors; i++)
        found |= e->facts->ancestors[i] == sqlite3_value_int64(argv[0]);
    sqlite3_result_int(out, found);
}

/* ---- preparing ---- */

/* Notes the facts that are read, and refuses everything but reading them. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
                     const char *inner)
{
    pm_expression *e = ctx;

    (void)database;
    (void)inner;
    if (action == SQLITE_SELECT)
        return SQLITE_OK;
    if (action == SQLITE_FUNCTION) {
        e->needs |= strcmp(b, "env") == 0             ? PM_NEED_ENVIRONMENT
                    : strcmp(b, "descendant_of") == 0 ? PM_NEED_ANCESTORS
                                                      : 0;
        return strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    }
    if (action != SQLITE_READ || strcmp(a, "process") != 0)
        return SQLITE_DENY;
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (strcmp(b, columns[i].name) == 0)
            e->needs |= columns[i].need;
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
    int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;

    if (sqlite3_open_v2(":memory:", &e->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return false;
    /* else "redis" would be a text, and so would a misspelt column */
    sqlite3_db_config(e->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    return sqlite3_exec(e->db,
                        "CREATE TABLE process (comm TEXT, exe TEXT, cmdline TEXT, cgroup TEXT, "
                        "user TEXT, uid INTEGER, pid INTEGER, ppid INTEGER, container TEXT, unit "
                        "TEXT, name TEXT)",
                        NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_create_function_v2(e->db, "env", 1, flags, e, env, NULL, NULL, NULL) ==
               SQLITE_OK &&
           sqlite3_create_function_v2(e->db, "descendant_of", 1, flags, e, descendant_of, NULL,
                                      NULL, NULL) == SQLITE_OK;
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
    /* the writer comes last: the authorizer would refuse it */
    sqlite3_set_authorizer(e->db, NULL, NULL);
    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(
            e->db,
            "REPLACE INTO process (rowid, comm, exe, cmdline, cgroup, user, uid, "
            "pid, ppid, container, unit, name) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            -1, &e->put, NULL) != SQLITE_OK)
        st = fail_sql(e, err);
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
    sqlite3_finalize(e->put);
    sqlite3_finalize(e->value);
    sqlite3_close(e->db);
    free(e);
}

unsigned pm_expression_needs(const pm_expression *e)
{
    return e->needs;
}

/* ---- evaluating ---- */

static void bind_facts(sqlite3_stmt *put, const pm_facts *f, pm_text container)
{
    const pm_text texts[] = {f->comm, f->exe, f->cmdline, f->cgroup, f->user};
    const int64_t numbers[] = {f->uid, f->pid, f->ppid};
    const pm_text more[] = {container, pm_unit_of(f->cgroup), f->name.len ? f->name : f->comm};

    sqlite3_clear_bindings(put);
    for (int i = 0; i < 5; i++)
        if (texts[i].len)
            sqlite3_bind_text64(put, i + 1, texts[i].data, texts[i].len, SQLITE_STATIC,
                                SQLITE_UTF8);
    for (int i = 0; i < 3; i++)
        if (numbers[i] != PMAPDB_UNKNOWN)
            sqlite3_bind_int64(put, i + 6, numbers[i]);
    for (int i = 0; i < 3; i++)
        if (more[i].len)
            sqlite3_bind_text64(put, i + 9, more[i].data, more[i].len, SQLITE_STATIC, SQLITE_UTF8);
}

/* *value lasts until the next evaluation. */
static pmapdb_status evaluate(pm_expression *e, const pm_facts *facts, sqlite3_value **value,
                              pmapdb_error *err)
{
    pm_buf container = {0};
    int rc;

    e->facts = facts;
    sqlite3_reset(e->value);
    pm_container_of(facts->cgroup, &container);
    if (container.failed)
        return pm_fail_nomem(err);
    bind_facts(e->put, facts, pm_buf_text(&container));
    rc = sqlite3_step(e->put);
    pm_buf_free(&container);
    if (rc != SQLITE_DONE || sqlite3_reset(e->put) != SQLITE_OK ||
        sqlite3_step(e->value) != SQLITE_ROW)
        return fail_sql(e, err);
    *value = sqlite3_column_value(e->value, 0);
    return PMAPDB_OK;
}

pmapdb_status pm_expression_holds(pm_expression *e, const pm_facts *facts, bool *holds,
                                  pmapdb_error *err)
{
    sqlite3_value *value;
    pmapdb_status st = evaluate(e, facts, &value, err);

    if (st == PMAPDB_OK)
        *holds = sqlite3_column_double(e->value, 0) != 0;
    return st;
}

/* ---- the SQL function ---- */

enum {
    EXPRESSION,
    PID,
    PPID,
    UID,
    USER,
    COMM,
    EXE,
    CMDLINE,
    CGROUP,
    ENVIRONMENT,
    ANCESTORS,
    NAME /* may be missing */
};

static int64_t number_of(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL ? PMAPDB_UNKNOWN : sqlite3_value_int64(v);
}

/* Reads pids with anything between them; the caller frees *out. */
static bool take_pids(pm_text t, int64_t **out, size_t *n)
{
    uint64_t pid;

    *n = 0;
    *out = malloc((t.len / 2 + 1) * sizeof **out); /* at least a digit and a blank each */
    if (!*out)
        return false;
    while (t.len) {
        size_t used = pm_num_dec(t.data, t.data + t.len, &pid);

        if (used && pid <= INT64_MAX)
            (*out)[(*n)++] = (int64_t)pid;
        t = pm_text_from(t, used ? used : 1);
    }
    return true;
}

static void free_expression(void *e)
{
    pm_expression_free(e);
}

/* Returns the expression, prepared once for all rows; NULL: *out has the error, or the text is
 * NULL. */
static pm_expression *expression_of(sqlite3_context *out, sqlite3_value *v)
{
    pm_expression *kept = sqlite3_get_auxdata(out, EXPRESSION), *e = NULL;
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
    sqlite3_set_auxdata(out, EXPRESSION, e,
                        free_expression); /* out of memory, SQLite frees it at once */
    kept = sqlite3_get_auxdata(out, EXPRESSION);
    if (!kept)
        sqlite3_result_error_nomem(out);
    return kept;
}

static void process_value(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_expression *e = expression_of(out, argv[EXPRESSION]);
    int64_t *ancestors = NULL;
    sqlite3_value *value;
    pmapdb_error err;
    pmapdb_status st;
    pm_facts facts;

    if (!e)
        return;
    facts = (pm_facts){.pid = number_of(argv[PID]),
                       .ppid = number_of(argv[PPID]),
                       .uid = number_of(argv[UID]),
                       .user = pm_argument_text(argv[USER]),
                       .comm = pm_argument_text(argv[COMM]),
                       .exe = pm_argument_text(argv[EXE]),
                       .cmdline = pm_argument_text(argv[CMDLINE]),
                       .cgroup = pm_argument_text(argv[CGROUP]),
                       .name = argc > NAME ? pm_argument_text(argv[NAME]) : (pm_text){NULL, 0},
                       .environment = pm_argument_text(argv[ENVIRONMENT])};
    if (!take_pids(pm_argument_text(argv[ANCESTORS]), &ancestors, &facts.n_ancestors)) {
        sqlite3_result_error_nomem(out);
        return;
    }
    facts.ancestors = ancestors;
    st = evaluate(e, &facts, &value, &err);
    if (st == PMAPDB_OK)
        sqlite3_result_value(out, value);
    else
        pm_argument_fail(out, st, &err);
    free(ancestors);
}

int pm_expression_function_add(struct sqlite3 *db)
{
    int rc = SQLITE_OK;

    for (int n = NAME; n <= NAME + 1 && rc == SQLITE_OK; n++)
        rc = sqlite3_create_function_v2(db, "process_value", n, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                                        NULL, process_value, NULL, NULL, NULL);
    return rc;
}
