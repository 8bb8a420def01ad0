/* migrate_test: migrates from an older schema to the newest, in several steps, with steps that fail
 * or are killed; the files after the first are invented here. */
#include "kit.h"

#include "store/file/embedded.h"
#include "store/rules/rule_set.h"
#include <signal.h>
#include <sys/wait.h>

#define AT(n) (INT64_C(1700000000000) + INT64_C(60000) * (n))

/* Replaces a table that others refer to, as SQLite's manual shows; adds a column. */
#define REMAKE                                                                                  \
    "CREATE TABLE host_new (host_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kernel "    \
    "TEXT);\nINSERT INTO host_new SELECT host_id, name, NULL FROM host;\n"                      \
    "DROP TABLE host;\nPRAGMA legacy_alter_table = ON;\nALTER TABLE host_new RENAME TO host;\n" \
    "PRAGMA legacy_alter_table = OFF;\n"
#define ADD "CREATE TABLE note (note_id INTEGER PRIMARY KEY, text TEXT NOT NULL);\n"

static pm_embedded with(const char *name, const char *text)
{
    return (pm_embedded){name, text, strlen(text)};
}

static void fill(kit *k)
{
    kit_exec(k, "INSERT INTO host (name) VALUES ('web1'), ('web2')");
    for (int64_t n = 0; n < 3; n++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, AT(n));

        c->host = "web1";
        kit_map(k, c, 0x10000, 64, "rw-p", "");
        kit_put(k, c);
    }
    kit_close(k);
}

/* A handle as pmapdb_open makes it before it migrates. */
static pmapdb_store *open_bare(const kit *k)
{
    pmapdb_store *s = calloc(1, sizeof *s);

    if (!s)
        abort();
    s->path = strdup(k->path);
    assert_int_equal(sqlite3_open(k->path, &s->db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
    kit_ok(pm_sql_new(s->db, &s->sql, NULL), NULL);
    return s;
}

static pmapdb_status migrate(const kit *k, const pm_embedded *files, int64_t version,
                             pmapdb_error *err)
{
    pmapdb_store *s = open_bare(k);
    pm_schema schema = {files, version, pm_schema_built_in.fill};
    pmapdb_status st = pm_migrate(s, &schema, true, err);

    if (st == PMAPDB_OK) {
        assert_int_equal(kit_number(s, "PRAGMA foreign_keys"), 1);
        assert_int_equal(kit_number(s, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    }
    pmapdb_close(s);
    return st;
}

static void is_as_before(kit *k)
{
    pmapdb_store *s = open_bare(k);

    assert_int_equal(kit_number(s, "PRAGMA user_version"), 1);
    assert_int_equal(
        kit_number(s, "SELECT count(*) FROM snapshot JOIN process USING (process_id) JOIN "
                      "host USING (host_id)"),
        3);
    assert_int_equal(
        kit_number(s, "SELECT count(*) FROM sqlite_master WHERE name IN ('note', 'host_new')"), 0);
    pmapdb_close(s);
    kit_open(k); /* also compares the tables with the schema */
    kit_close(k);
}

IN_KIT(in_steps)
{
    const pm_embedded files[] = {pm_embedded_schema[0], with("0002_host", REMAKE),
                                 with("0003_note", ADD)};
    pmapdb_error err = {0};
    pmapdb_store *s;

    fill(k);
    kit_ok(migrate(k, files, 3, &err), &err);
    s = open_bare(k);
    assert_int_equal(kit_number(s, "PRAGMA user_version"), 3);
    assert_int_equal(
        kit_number(s, "SELECT count(*) FROM snapshot JOIN process USING (process_id) JOIN "
                      "host USING (host_id) WHERE kernel IS NULL"),
        3);
    assert_int_equal(kit_number(s, "SELECT count(*) FROM note"), 0);
    pmapdb_close(s);
    kit_ok(migrate(k, files, 3, &err), &err); /* the second migration has nothing to do */
    kit_fails(migrate(k, files, 1, &err), PMAPDB_SCHEMA, &err, "written by a newer pmapdb");
}

/* If a step fails, all steps are undone. */
IN_KIT(a_step_that_fails)
{
    static const char *const bad[] = {ADD "SELECT no_such_function();\n",
                                      ADD "CREATE TABLE note (x);\n",
                                      /* breaks a reference: checked at the end */
                                      ADD "DELETE FROM host WHERE name = 'web1';\n"};
    pmapdb_error err = {0};

    fill(k);
    for (size_t i = 0; i < COUNT(bad); i++) {
        const pm_embedded files[] = {pm_embedded_schema[0], with("0002_host", REMAKE),
                                     with("0003_bad", bad[i])};

        kit_fails(migrate(k, files, 3, &err), PMAPDB_DATABASE, &err, k->path);
        is_as_before(k);
    }
}

static void die(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    (void)out;
    (void)argc;
    (void)argv;
    raise(SIGKILL);
}

/* Killed within the last step, after more writes than the cache holds: they are in the -wal. */
IN_KIT(killed)
{
    const pm_embedded files[] = {
        pm_embedded_schema[0], with("0002_host", REMAKE),
        with("0003_die", ADD "PRAGMA cache_spill = 1; PRAGMA cache_size = 2;\n"
                             "INSERT INTO note (text) SELECT hex(zeroblob(9000)) FROM snapshot a, "
                             "snapshot b, snapshot c, snapshot d;\nSELECT die();\n")};
    pm_schema schema = {files, 3, pm_schema_built_in.fill};
    int status;
    pid_t child;

    fill(k);
    child = fork();
    if (child == 0) {
        pmapdb_store *s = open_bare(k);

        sqlite3_create_function(s->db, "die", 0, SQLITE_UTF8, NULL, die, NULL, NULL);
        pm_migrate(s, &schema, true, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    is_as_before(k);
}

/* A program that opened the store before the migration may read, but not write. */
IN_KIT(migrated_under_an_open_writer)
{
    const pm_embedded files[] = {pm_embedded_schema[0], with("0002_note", ADD)};
    pmapdb_error err = {0};
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, AT(9));

    kit_map(k, c, 0x10000, 64, "rw-p", "");
    kit_ok(migrate(k, files, 2, &err), &err);
    kit_fails(pm_store_begin(k->store, &err), PMAPDB_SCHEMA, &err,
              "a newer pmapdb has changed its schema");
    assert_true(sqlite3_get_autocommit(k->store->db));
    pm_capture_free(c);
}

/* A trigger would run within every write; views, tables and indexes of their own are the user's. */
IN_KIT(triggers_are_refused)
{
    static const pmapdb_open_mode modes[] = {PMAPDB_READ, PMAPDB_CHANGE, PMAPDB_WRITE};
    pmapdb_store *s = NULL;

    fill(k);
    for (size_t i = 0; i < COUNT(modes); i++) {
        pmapdb_open_options o = {.mode = modes[i]};
        pmapdb_error err = {0};

        s = open_bare(k);
        pm_sql_do(s->sql, "CREATE TABLE own (a)", PM_NO_ARGS);
        pm_sql_do(s->sql, "CREATE INDEX own_rss ON snapshot (rss_kib)", PM_NO_ARGS);
        pm_sql_do(s->sql, "CREATE VIEW own_view AS SELECT a FROM own", PM_NO_ARGS);
        kit_ok(pm_sql_end(s->sql, &err), &err);
        pmapdb_close(s);
        kit_ok(pmapdb_open(k->path, &o, &s, &err), &err);
        pmapdb_close(s);
        s = open_bare(k);
        pm_sql_do(s->sql, "CREATE TRIGGER mine AFTER INSERT ON process BEGIN DELETE FROM pin; END",
                  PM_NO_ARGS);
        kit_ok(pm_sql_end(s->sql, &err), &err);
        pmapdb_close(s);
        kit_fails(pmapdb_open(k->path, &o, &s, &err), PMAPDB_SCHEMA, &err, "has a trigger");
        kit_anew(k);
        kit_close(k);
    }
    kit_open(k);
}

/* A store of an older program lacks a dialect, and its ranks are those of fewer dialects. The first
 * capture of the dialect adds it and corrects the ranks. */
IN_KIT(a_dialect_that_is_new_to_the_store)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_X, 7, AT(9));

    fill(k);
    kit_open(k);
    kit_exec(k, "DELETE FROM dialect WHERE name = 'pmap-X'");
    kit_exec(k, "UPDATE dialect SET rank = rank - 1 WHERE name NOT IN ('smaps', 'pmap-XX')");
    kit_map(k, c, 0x10000, 64, "rw-p", "");
    kit_put(k, c);
    assert_int_equal(
        kit_number(k->store, "SELECT count(*) FROM snapshots WHERE dialect = 'pmap-X'"), 1);
    for (int i = 0; i < PM_DIALECT_COUNT; i++)
        assert_int_equal(pm_sql_value(k->store->sql, "SELECT rank FROM dialect WHERE name = ?1",
                                      PM_ARGS(PM_S(pm_dialect_names[i])), -1),
                         i);
    assert_int_equal(kit_number(k->store, "SELECT count(*) FROM dialect"), PM_DIALECT_COUNT);
}

RUN_TESTS(NULL, NULL)
