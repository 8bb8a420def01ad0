/* table: the virtual tables. smaps(1234) is short for smaps WHERE pid = 1234; no table has rows
 * without its argument. */
#include "sqlite/table.h"

#include "base/hash.h"
#include "parse/formats.h"
#include "source/source.h"

#include <errno.h>
#include <sys/stat.h>

SQLITE_EXTENSION_INIT3

#define ARGS_MAX 2

typedef struct kind {
    const char *name, *usage;
    const char *args[ARGS_MAX]; /* names of the hidden columns; the first is required */
    double cost, rows;          /* of one call, for the query planner */
    bool live;
} kind;

static const kind kinds[] = {
    {"smaps", "smaps(PID), such as smaps(1234) or smaps('self')", {"pid"}, 1e5, 500, true},
    {"maps", "maps(PID), such as maps(1234) or maps('self')", {"pid"}, 1e4, 500, true},
    {"pmap_file",
     "pmap_file(FILE) or pmap_file(FILE, DIALECT)",
     {"file", "as_dialect"},
     1e6,
     10000,
     false},
};

static int n_columns(const kind *k)
{
    return k->live ? pm_mapping_columns_live : pm_mapping_columns_all;
}

typedef struct table {
    sqlite3_vtab base;
    sqlite3 *db;
    const kind *kind;
} table;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    sqlite3_value *args[ARGS_MAX]; /* or NULL */
    const char *path;              /* of a file */
    pm_blocks *source;
    pm_found_block *block; /* NULL: no more rows */
    size_t at;             /* row of the block */
    pm_categorizer categorizer;
    sqlite3_int64 rowid;
} cursor;

static const kind *kind_of(const cursor *c)
{
    return ((const table *)c->base.pVtab)->kind;
}

/* ---- the table ---- */

static int declare(sqlite3 *db, const kind *k)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    char *text;
    int rc = SQLITE_NOMEM;

    sqlite3_str_appendall(sql, "CREATE TABLE x(");
    for (int i = 0; i < n_columns(k); i++)
        sqlite3_str_appendf(sql, "\"%w\" %s, ", pm_mapping_columns[i].name,
                            pm_mapping_columns[i].type);
    for (int i = 0; i < ARGS_MAX && k->args[i]; i++)
        sqlite3_str_appendf(sql, "%s\"%w\" %s HIDDEN", i ? ", " : "", k->args[i],
                            k->live ? "INTEGER" : "TEXT");
    sqlite3_str_appendall(sql, ")");
    text = sqlite3_str_finish(sql);
    if (text)
        rc = sqlite3_declare_vtab(db, text);
    sqlite3_free(text);
    return rc;
}

static int table_connect(sqlite3 *db, void *kind_, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    table *t;
    int rc = declare(db, kind_);

    (void)argc;
    (void)argv;
    (void)error;
    if (rc != SQLITE_OK)
        return rc;
    /* the tables read files, so a view or trigger in a foreign database must not use them */
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    t = sqlite3_malloc(sizeof *t);
    if (!t)
        return SQLITE_NOMEM;
    *t = (table){.db = db, .kind = kind_};
    *out = &t->base;
    return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *t)
{
    sqlite3_free(t);
    return SQLITE_OK;
}

/* The index of the constraint that gives an argument; -1: no constraint; -2: the constraint cannot
 * be used in this order of a join. */
static int find_argument(const sqlite3_index_info *info, int column)
{
    int found = -1;

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->iColumn != column || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (c->usable)
            return i;
        found = -2;
    }
    return found;
}

/* Bit N of idxNum: argument N is given. A plan without the first argument exists, at a cost that
 * makes every other plan win: running the plan names the missing argument, while SQLITE_CONSTRAINT
 * would end in "no query solution". */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const kind *k = ((const table *)base)->kind;
    int n = 0;

    for (int arg = 0; arg < ARGS_MAX && k->args[arg]; arg++) {
        int i = find_argument(info, n_columns(k) + arg);

        if (i == -2)
            return SQLITE_CONSTRAINT;
        if (i < 0)
            continue;
        info->aConstraintUsage[i].argvIndex = ++n;
        info->aConstraintUsage[i].omit = 1;
        info->idxNum |= 1 << arg;
    }
    info->estimatedCost = info->idxNum & 1 ? k->cost : 1e99;
    info->estimatedRows = (sqlite3_int64)k->rows;
    return SQLITE_OK;
}

/* ---- the cursor ---- */

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    cursor *c = sqlite3_malloc(sizeof *c);

    if (!c)
        return SQLITE_NOMEM;
    *c = (cursor){.categorizer.db = ((const table *)base)->db};
    *out = &c->base;
    return SQLITE_OK;
}

static void cursor_clear(cursor *c)
{
    pm_categorize_end(&c->categorizer.rows);
    for (int i = 0; i < ARGS_MAX; i++) {
        sqlite3_value_free(c->args[i]);
        c->args[i] = NULL;
    }
    pm_found_block_free(c->block);
    pm_blocks_free(c->source);
    c->block = NULL;
    c->source = NULL;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;

    cursor_clear(c);
    pm_categorizer_free(&c->categorizer);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Reports a failure to SQLite; the text begins with the name of the table. */
static int failed(cursor *c, pmapdb_status st, const pmapdb_error *err)
{
    sqlite3_vtab *t = c->base.pVtab;

    if (st == PMAPDB_NOMEM)
        return SQLITE_NOMEM;
    sqlite3_free(t->zErrMsg);
    t->zErrMsg = sqlite3_mprintf("%s: %s", kind_of(c)->name, err->text);
    return SQLITE_ERROR;
}

/* The number of rows of a block: its mappings, or one row with its sums. */
static size_t rows_of(const pm_found_block *b)
{
    return !b->capture ? 0 : b->capture->block.state == PM_STATE_TOTALS ? 1 : b->capture->n_rows;
}

/* Fails for a file that cannot be read, or that the user named and that has no capture. */
static pmapdb_status fail_file(const pm_found_block *end, pmapdb_error *err)
{
    if (end->damage.status == PMAPDB_OK)
        return pm_fail(err, PMAPDB_INPUT, "'%s': %s", end->path, end->error);
    *err = end->damage;
    return err->status;
}

/* Moves to the next block with rows. */
static int next_block(cursor *c)
{
    pmapdb_error err = {0};
    pmapdb_status st;

    do {
        pm_categorize_end(&c->categorizer.rows);
        pm_found_block_free(c->block);
        c->block = NULL;
        st = pm_blocks_next(c->source, &c->block, &err);
        if (st == PMAPDB_OK && c->block && c->block->trouble)
            st = fail_file(c->block, &err);
    } while (st == PMAPDB_OK && c->block && rows_of(c->block) == 0);
    c->at = 0;
    return st == PMAPDB_OK ? SQLITE_OK : failed(c, st, &err);
}

/* Opening a FIFO waits for its writer, and nobody can interrupt that from SQL. */
static pmapdb_status check_path(const char *path, pmapdb_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pm_fail_io(err, errno, "'%s'", path);
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return pm_fail(err, PMAPDB_USAGE, "'%s' is neither a regular file nor a directory", path);
    return PMAPDB_OK;
}

static pmapdb_status open_file(cursor *c, pmapdb_error *err)
{
    const char *dialect = c->args[1] ? (const char *)sqlite3_value_text(c->args[1]) : NULL;
    pmapdb_status st;

    c->path = (const char *)sqlite3_value_text(c->args[0]);
    if (!c->path)
        return pm_fail_nomem(err);
    if (strlen(c->path) != (size_t)sqlite3_value_bytes(c->args[0]))
        return pm_fail(err, PMAPDB_USAGE, "a path cannot hold a NUL");
    if (strcmp(c->path, PM_SOURCE_STDIN) == 0) /* the extension does not read standard input */
        c->path = "./" PM_SOURCE_STDIN;
    st = pm_blocks_new(&(pm_blocks_options){.paths = &c->path, .n_paths = 1, .dialect = dialect},
                       &c->source, err);
    PM_STEP(st, check_path(c->path, err)); /* before a file is opened */
    return st;
}

/* If one WHERE ... OR ... makes several calls, SQLite identifies rows by their rowid, so calls with
 * different arguments have different rowids. */
static sqlite3_int64 first_rowid(const cursor *c)
{
    uint64_t hash = 0;

    for (int i = 0; i < ARGS_MAX; i++)
        if (c->args[i])
            hash = pm_hash(sqlite3_value_text(c->args[i]), (size_t)sqlite3_value_bytes(c->args[i]),
                           hash);
    return (sqlite3_int64)(hash & UINT64_C(0x7fffffff00000000));
}

/* A NULL process or path has no rows, as WHERE pid = NULL; a NULL dialect means no dialect. */
static int cursor_filter(sqlite3_vtab_cursor *base, int given, const char *name, int argc,
                         sqlite3_value **argv)
{
    cursor *c = (cursor *)base;
    const kind *k = kind_of(c);
    pmapdb_error err = {0};
    pmapdb_status st;
    int n = 0;

    (void)name;
    cursor_clear(c);
    for (int arg = 0; arg < ARGS_MAX && n < argc; arg++)
        if (given & (1 << arg) && !(c->args[arg] = sqlite3_value_dup(argv[n++])))
            return SQLITE_NOMEM;
    if (!c->args[0]) {
        st = pm_fail(&err, PMAPDB_USAGE, "an argument is missing: %s", k->usage);
        return failed(c, st, &err);
    }
    if (sqlite3_value_type(c->args[0]) == SQLITE_NULL)
        return SQLITE_OK;
    c->rowid = first_rowid(c);
    st = k->live ? pm_live_blocks(k->name, c->args[0], &c->source, &err) : open_file(c, &err);
    return st == PMAPDB_OK ? next_block(c) : failed(c, st, &err);
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;

    c->rowid++;
    if (++c->at < rows_of(c->block))
        return SQLITE_OK;
    return next_block(c);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    return ((cursor *)base)->block == NULL;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int i)
{
    cursor *c = (cursor *)base;
    const kind *k = kind_of(c);
    pm_table_row row = {.block = c->block, .categorizer = &c->categorizer};

    if (i >= n_columns(k)) {
        if (c->args[i - n_columns(k)])
            sqlite3_result_value(out, c->args[i - n_columns(k)]);
        return SQLITE_OK;
    }
    if (c->block->capture->n_rows)
        row.m = pm_capture_row(c->block->capture, c->at);
    pm_mapping_columns[i].show(out, &row, pm_mapping_columns[i].which);
    return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((cursor *)base)->rowid;
    return SQLITE_OK;
}

/* Without xCreate the tables are eponymous: CREATE VIRTUAL TABLE cannot make another. */
static const sqlite3_module module = {
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xOpen = cursor_open,
    .xClose = cursor_close,
    .xFilter = cursor_filter,
    .xNext = cursor_next,
    .xEof = cursor_eof,
    .xColumn = cursor_column,
    .xRowid = cursor_rowid,
};

int pm_tables_add(sqlite3 *db)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == SQLITE_OK; i++)
        rc = sqlite3_create_module_v2(db, kinds[i].name, &module, (void *)&kinds[i], NULL);
    return rc;
}
