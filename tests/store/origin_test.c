/* origin_test: the files of captures: plain SQL returns every byte of a name. */
#include "asked.h"

#include "store/dict/captures.h"
#include "store/recall/recall.h"

/* ---- what is stored ---- */

IN_KIT(a_name_is_stored_once)
{
    for (int i = 0; i < 200; i++) {
        char name[64];
        int64_t id;

        snprintf(name, sizeof name, "%d-4711.smaps", 1700000000 + i);
        id = pm_origin_capture(k->store->sql, PM_TEXT("/var/log/pmap/"), pm_text_of(name));
        assert_int_equal(id, i + 1);
    }
    assert_int_equal(kit_number(k->store, "SELECT count(*) FROM origin"), 1);
    assert_int_equal(kit_number(k->store, "SELECT count(DISTINCT number) FROM capture"), 200);
}

/* ---- what comes back ---- */

static const char *const hostile[] = {
    "",
    "-",
    "/proc",
    "%",
    "%%",
    "%d",
    "%02d",
    "%s%n%s%n",
    "%*d",
    "%.*s",
    "%1000000d",
    "%lld%",
    "%02d07%02d",
    "%5$d",
    "'",
    "\"",
    "');--",
    "\\",
    "\n",
    "\r\x01",
    "\x1b[31m",
    "\xff\xfe",
    "\xc3",
    "0\xc3\x30",
    "\xed\xa0\x80",
    "0",
    "00",
    "000",
    "0000000",
    "0x10",
    "-1",
    "+1",
    "1e9",
    "1.5",
    "18446744073709551616",
    "000000000000000000000000000007",
    "*1700000000*",
    "0700000000.smaps",
    "1700000000-1700000001.smaps",
    "a123456",
    "999999999999999999",
    "9999999999999999999",
};

#define N_HOSTILE (COUNT(hostile))

/* Reads the folder and the file as queries do. */
static void read_one(const kit *k, int64_t id, pm_buf *folder, pm_buf *file)
{
    pm_text t;
    sqlite3_stmt *row = pm_sql_ask(k->store->sql,
                                   "SELECT o.folder, coalesce(replace(o.file, '*', c.number), "
                                   "o.file) FROM capture c JOIN origin o USING (origin_id) "
                                   "WHERE c.capture_id = ?1",
                                   PM_ARGS(PM_I(id)));

    assert_true(pm_sql_next(k->store->sql, row));
    t = pm_col_text(row, 0);
    kit_ok(pm_buf_add(folder, t.data, t.len, NULL), NULL);
    t = pm_col_text(row, 1);
    kit_ok(pm_buf_add(file, t.data, t.len, NULL), NULL);
    pm_sql_done(row);
}

static void comes_back(const kit *k, pm_text folder, pm_text file)
{
    pm_buf dir = {0}, name = {0};

    read_one(k, pm_origin_capture(k->store->sql, folder, file), &dir, &name);
    kit_steps(k);
    if (!pm_text_equal(pm_buf_text(&dir), folder) || !pm_text_equal(pm_buf_text(&name), file))
        fail_msg("'%.*s' came back as '%s'", (int)file.len, file.data, name.data);
    pm_buf_free(&dir);
    pm_buf_free(&name);
}

IN_KIT(hostile_names)
{
    static char long_name[100000];

    for (size_t i = 0; i < N_HOSTILE; i++)
        comes_back(k, PM_TEXT("/d%02d/7/"), pm_text_of(hostile[i]));
    for (int c = 1; c < 256; c++)
        comes_back(k, PM_TEXT(""), (pm_text){(char[]){(char)c, '4', (char)c}, 3});
    for (size_t i = 0; i < sizeof long_name; i++)
        long_name[i] = "0123456789%"[i * i % 11];
    comes_back(k, PM_TEXT("x.tar:"), (pm_text){long_name, sizeof long_name});
}

IN_KIT(names_by_chance)
{
    static const char letters[] = "0011223456789%%%dslc.*-:/ \n'\xff\xc3\xa9";
    uint64_t seed = 7;

    kit_exec(k, "BEGIN");
    for (int i = 0; i < 3000; i++) {
        char name[40];
        size_t n = 0;

        for (; n < sizeof name; n++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            if (n > 1 && seed >> 59 == 0)
                break;
            name[n] = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        comes_back(k, PM_TEXT("/"), (pm_text){name, n});
    }
    kit_exec(k, "COMMIT");
}

/* The query snapshots shows the names. */
IN_KIT(in_the_query)
{
    pm_buf wanted = {0};

    for (size_t i = 0; i < N_HOSTILE; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_ROLLUP, 1, 1700000000000 + 60000 * (int64_t)i);

        free(c->source_name);
        c->source_name = strdup(hostile[i]);
        kit_put(k, c);
        pm_buf_addf(&wanted, NULL, "dir/%s\n", hostile[i]);
    }
    rows_are(k, "snapshots", NULL, "source", wanted.data);
    pm_buf_free(&wanted);
}

/* A prune keeps the names of the captures that are left. */
IN_KIT(pruned)
{
    static const char *const files[] = {"1.a", "2.a", "1.b", "3.a"};

    for (int64_t i = 0; i < 4; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_ROLLUP, 1, 1700000000000 + 60000 * i);

        free(c->source_name);
        c->source_name = strdup(files[i]);
        kit_put(k, c);
    }
    kit_keep(k, (pmapdb_keep){.last = 1});
    rows_are(k, "snapshots", NULL, "source", "dir/3.a\n");
}

/* If a user deleted the row, only its name is lost. */
IN_KIT(without_a_row)
{
    pm_sql *sql = k->store->sql;
    pm_recall *r = pm_recall_new(sql);
    const pm_capture *c;
    size_t n;

    kit_put(k, kit_capture(k, PM_DIALECT_ROLLUP, 1, 1700000000000));
    kit_exec(k, "PRAGMA foreign_keys = OFF; DELETE FROM origin");
    pm_recall_begin(r, 1);
    c = pm_recall_capture(r, pm_recall_items(r, &n));
    kit_steps(k);
    assert_string_equal(c->source_dir, "");
    assert_string_equal(c->source_name, "");
    kit_exec(k, "DELETE FROM capture");
    assert_null(pm_recall_capture(r, pm_recall_items(r, &n)));
    assert_int_equal(pm_sql_end(sql, NULL), PMAPDB_INPUT);
    pm_recall_free(r);
}

RUN_TESTS(NULL, NULL)
