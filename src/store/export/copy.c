/* copy: the rows of one table, each value as it is or as redact.h has it. */
#include "store/export/export_run.h"

#include "base/buf.h"
#include "store/dict/origin.h"
#include "store/export/chance.h"

#define COLUMNS 64
#define TRIES 1000 /* for an address that is another's by chance */

typedef struct column {
    pm_redact_how how;
    int beside; /* the column of the same row that it hangs on, or -1 */
} column;

#define LAST_KEYS 3

typedef struct copying {
    pm_export_run *run;
    const pm_export_table *table;
    column column[COLUMNS];
    char name[COLUMNS][40];
    int n;
    sqlite3_stmt *read, *write;
    int64_t last_key[LAST_KEYS], last_hash; /* of table snapshot */
} copying;

/* ---- columns ---- */

/* Generated ones are not among them. */
static pmapdb_status list_columns(copying *c, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(c->run->into->sql, "SELECT name FROM pragma_table_info(?1) ORDER BY cid",
                    PM_ARGS(PM_S(c->table->name)), &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(c->run->into->sql, stmt, &has, err)) == PMAPDB_OK &&
           has) {
        pm_text name = pm_col_text(stmt, 0);

        if (c->n == COLUMNS || name.len >= sizeof c->name[0]) {
            pm_sql_done(stmt);
            return pm_fail(err, PMAPDB_DATABASE, "table %s has too many columns", c->table->name);
        }
        memcpy(c->name[c->n++], name.data, name.len);
    }
    return st;
}

static int find_column(const copying *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->name[i], name) == 0)
            return i;
    return -1;
}

static void look_up(copying *c)
{
    static const struct {
        pm_redact_how how;
        const char *beside;
    } pairs[] = {{PM_REDACT_SYMBOL, "dso"},
                 {PM_REDACT_FRAME, "symbol"},
                 {PM_REDACT_INODE, "device"},
                 {PM_REDACT_NEW_ADDRESS, "kind"}};

    for (int i = 0; i < c->n; i++) {
        c->column[i] = (column){pm_redact_of(c->table->name, c->name[i]), -1};
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            if (pairs[k].how == c->column[i].how)
                c->column[i].beside = find_column(c, pairs[k].beside);
    }
}

/* What ends behind the last capture that is copied holds to the end: else the next one that is
 * imported would show it again. */
#define LAST                                                                             \
    "CASE WHEN t.last < (SELECT max(s.off) FROM temp.export_shown s WHERE s.epoch_id = " \
    "t.epoch_id) THEN t.last END"

static pmapdb_status write_statements(copying *c, pm_buf *select, pm_buf *insert, pmapdb_error *err)
{
    bool is_rules = strcmp(c->table->name, "rule_set") == 0; /* the new store has its own */
    pmapdb_status st = pm_buf_addf(select, err, "SELECT ");

    if (st == PMAPDB_OK)
        st = pm_buf_addf(insert, err, "%s INTO \"%s\" (", is_rules ? "REPLACE" : "INSERT",
                         c->table->name);
    for (int i = 0; i < c->n && st == PMAPDB_OK; i++) {
        if (strcmp(c->name[i], "last") == 0)
            st = pm_buf_addf(select, err, LAST ", ");
        else
            st = pm_buf_addf(select, err, "t.\"%s\", ", c->name[i]);
        if (st == PMAPDB_OK)
            st = pm_buf_addf(insert, err, "%s\"%s\"", i ? ", " : "", c->name[i]);
    }
    if (st == PMAPDB_OK)
        st =
            pm_buf_addf(select, err, "%s FROM \"%s\" t %s",
                        c->table->space ? c->table->space : "NULL", c->table->name, c->table->rows);
    for (int i = 0; i < c->n && st == PMAPDB_OK; i++)
        st = pm_buf_addf(insert, err, "%s?", i ? ", " : ") VALUES (");
    return st == PMAPDB_OK ? pm_buf_addf(insert, err, ")") : st;
}

static pmapdb_status prepare(copying *c, pmapdb_error *err)
{
    pm_buf select = {0}, insert = {0};
    pmapdb_status st = write_statements(c, &select, &insert, err);

    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(c->run->from->db, select.data, -1, &c->read, NULL) != SQLITE_OK)
        st = pm_sql_fail(c->run->from->db, "read", err);
    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(c->run->into->db, insert.data, -1, &c->write, NULL) != SQLITE_OK)
        st = pm_sql_fail(c->run->into->db, "write", err);
    if (st == PMAPDB_OK && sqlite3_bind_parameter_count(c->read))
        sqlite3_bind_int(c->read, 1, c->run->whole);
    pm_buf_free(&select);
    pm_buf_free(&insert);
    return st;
}

/* ---- values ---- */

static pmapdb_status strange(const copying *c, int i, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT,
                   "column %s of table %s holds what is no number; the store is damaged: nothing "
                   "of it was exported",
                   c->name[i], c->table->name);
}

/* Random, and where only the hash decides the order of captures, in the same order. */
static pmapdb_status new_hash(copying *c, int64_t *out, pmapdb_error *err)
{
    static const char *const keys[] = {"process_id", "taken_ms", "ordinal"};
    bool equal = find_column(c, "off") >= 0;
    uint64_t drawn;
    pmapdb_status st;

    for (size_t i = 0; i < LAST_KEYS && find_column(c, keys[i]) >= 0; i++) {
        int64_t key = sqlite3_column_int64(c->read, find_column(c, keys[i]));

        equal &= key == c->last_key[i];
        c->last_key[i] = key;
    }
    st = pm_chance_below(equal ? 1U << 30 : (uint64_t)1 << 62, &drawn, err);
    if (st == PMAPDB_OK)
        *out = c->last_hash = (equal ? c->last_hash : 0) + 1 + (int64_t)drawn;
    return st;
}

static pmapdb_status frame_of(copying *c, int i, int64_t value, int64_t *out, pmapdb_error *err)
{
    pm_redact *r = c->run->export->redact;

    if (sqlite3_column_bytes(c->read, c->column[i].beside))
        *out = value; /* behind a symbol */
    else if (value < 0)
        return pm_redact_kernel(r, value, out, err);
    else
        *out = pm_places_translate(pm_redact_places(r), sqlite3_column_int64(c->read, c->n), value);
    return PMAPDB_OK;
}

/* The folder's row in the new store, of its token. */
static pmapdb_status folder_of(copying *c, int64_t *out, pmapdb_error *err)
{
    int64_t capture_id = sqlite3_column_int64(c->read, find_column(c, "capture_id"));
    pm_buf folder = {0}, file = {0};
    pm_text text = PM_TEXT("");
    bool has;
    pmapdb_status st = pm_origin_read(c->run->from->sql, capture_id, &folder, &file, &has, err);

    if (st == PMAPDB_OK)
        st = pm_redact_text(c->run->export->redact, PM_REDACT_PATH, pm_buf_text(&folder), &text,
                            err);
    if (st == PMAPDB_OK) {
        *out = pm_folder_of(c->run->into->sql, text);
        st = pm_sql_end(c->run->into->sql, err);
    }
    pm_buf_free(&folder);
    pm_buf_free(&file);
    return st;
}

static pmapdb_status number_of(copying *c, int i, int64_t *out, pmapdb_error *err)
{
    pm_redact *r = c->run->export->redact;
    int64_t value = sqlite3_column_int64(c->read, i);

    switch (c->column[i].how) {
    case PM_REDACT_FRAME:
        return frame_of(c, i, value, out, err);
    case PM_REDACT_INODE:
        return pm_redact_inode(r, pm_col_text(c->read, c->column[i].beside), value, out, err);
    case PM_REDACT_UID:
        return pm_redact_uid(r, value, out, err);
    case PM_REDACT_HASH:
        return new_hash(c, out, err);
    case PM_REDACT_AGAIN:
        *out = 0;
        return PMAPDB_OK;
    case PM_REDACT_FOLDER:
        return folder_of(c, out, err);
    case PM_REDACT_NEW_ADDRESS:
        if (sqlite3_column_int(c->read, c->column[i].beside) != 3) {
            *out = value;
            return PMAPDB_OK;
        }
        break;
    default:;
    }
    *out = pm_places_translate(pm_redact_places(r), sqlite3_column_int64(c->read, c->n), value);
    return PMAPDB_OK;
}

static pmapdb_status bind(copying *c, int rc, pmapdb_error *err)
{
    return rc == SQLITE_OK ? PMAPDB_OK : pm_sql_fail(c->run->into->db, "bind a value", err);
}

static pmapdb_status bind_text(copying *c, int i, pmapdb_error *err)
{
    pm_redact *r = c->run->export->redact;
    pm_text text = pm_col_text(c->read, i), out;
    pmapdb_status st;

    if (!text.data) /* for it is no NULL */
        return pm_fail_nomem(err);
    if (c->column[i].how == PM_REDACT_SYMBOL)
        st = pm_redact_symbol(r, text, pm_col_text(c->read, c->column[i].beside), &out, err);
    else
        st = pm_redact_text(r, c->column[i].how, text, &out, err);
    if (st != PMAPDB_OK)
        return st;
    return bind(
        c, sqlite3_bind_text64(c->write, i + 1, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8),
        err);
}

static pmapdb_status bind_redacted(copying *c, int i, pmapdb_error *err)
{
    pm_redact_how how = c->column[i].how;
    int type = sqlite3_column_type(c->read, i);
    int64_t number;
    pmapdb_status st;

    if (type == SQLITE_NULL)
        return bind(c, sqlite3_bind_null(c->write, i + 1), err);
    if (how > PM_REDACT_STAYS && how < PM_REDACT_ADDRESS)
        return bind_text(c, i, err);
    if (type != SQLITE_INTEGER)
        return strange(c, i, err);
    if (how == PM_REDACT_STAYS)
        return bind(c, sqlite3_bind_int64(c->write, i + 1, sqlite3_column_int64(c->read, i)), err);
    st = number_of(c, i, &number, err);
    return st == PMAPDB_OK ? bind(c, sqlite3_bind_int64(c->write, i + 1, number), err) : st;
}

/* ---- rows ---- */

/* Two processes may be moved so that a frame of one, known by nothing but its address, lies where
 * one of the other does. */
static int write_again(copying *c)
{
    int offset = find_column(c, "offset"), rc = SQLITE_CONSTRAINT;
    int64_t at = 0;

    if (strcmp(c->table->name, "frame") != 0 || !c->run->export->redact ||
        frame_of(c, offset, sqlite3_column_int64(c->read, offset), &at, NULL) != PMAPDB_OK)
        return rc;
    for (int i = 1; i < TRIES && (rc & 0xff) == SQLITE_CONSTRAINT; i++) {
        sqlite3_reset(c->write);
        sqlite3_bind_int64(c->write, offset + 1, at + i);
        rc = sqlite3_step(c->write);
    }
    return rc;
}

static pmapdb_status copy_row(copying *c, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    int rc;

    for (int i = 0; i < c->n && st == PMAPDB_OK; i++)
        st = c->run->export->redact
                 ? bind_redacted(c, i, err)
                 : bind(c, sqlite3_bind_value(c->write, i + 1, sqlite3_column_value(c->read, i)),
                        err);
    if (st != PMAPDB_OK)
        return st;
    rc = sqlite3_step(c->write);
    if ((rc & 0xff) == SQLITE_CONSTRAINT)
        rc = write_again(c);
    if (rc != SQLITE_DONE)
        st = pm_sql_fail(c->run->into->db, "write", err);
    sqlite3_reset(c->write);
    c->run->counts->rows += st == PMAPDB_OK;
    return st;
}

static pmapdb_status copy_rows(copying *c, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    int rc = SQLITE_DONE;

    while (st == PMAPDB_OK && (rc = sqlite3_step(c->read)) == SQLITE_ROW)
        st = copy_row(c, err);
    return st == PMAPDB_OK && rc != SQLITE_DONE ? pm_sql_fail(c->run->from->db, "read", err) : st;
}

pmapdb_status pm_export_copy(pm_export_run *run, const pm_export_table *table, pmapdb_error *err)
{
    copying c = {.run = run, .table = table};
    pmapdb_status st = list_columns(&c, err);

    run->at = table->name;
    if (st == PMAPDB_OK) {
        look_up(&c);
        st = prepare(&c, err);
    }
    if (st == PMAPDB_OK)
        st = copy_rows(&c, err);
    sqlite3_finalize(c.read);
    sqlite3_finalize(c.write);
    return st;
}
