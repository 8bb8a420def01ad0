/* export_test: a redacted export: every text of the schema is covered; texts, one by one;
 * addresses. tests/tools/export.py checks exports of full stores. */
#include "kit.h"

#include "store/export/export.h"
#include "store/export/redact.h"

static void free_redact(pm_redact **r)
{
    pm_redact_free(*r);
}

/* ---- the schema ---- */

/* Every column with text of a table that a redacted export copies has a line. */
IN_KIT(test_every_text_has_a_line)
{
    pm_sql_script(k->store->sql, "export-tables", PM_PARAMS({":redacted", PM_I(1)}));
    kit_expect(k,
               "SELECT t.name, c.name FROM temp.export_table t JOIN pragma_table_info(t.name) c "
               "WHERE c.type <> 'INTEGER' AND NOT t.open AND (t.name, c.name) NOT IN "
               "(SELECT \"table\", \"column\" FROM temp.export_column)",
               "");
}

/* A line without a column means a misspelt name or a removed column. */
IN_KIT(test_every_line_has_a_column)
{
    pm_sql_script(k->store->sql, "export-tables", PM_PARAMS({":redacted", PM_I(1)}));
    kit_expect(k,
               "SELECT c.\"table\", c.\"column\" FROM temp.export_column c WHERE NOT EXISTS "
               "(SELECT 1 FROM pragma_table_info(c.\"table\") p WHERE p.name = c.\"column\")",
               "");
    kit_expect(k,
               "SELECT how FROM temp.export_how WHERE how NOT IN "
               "(SELECT how FROM temp.export_column)",
               "");
}

/* All tables are copied, except dialect, which the schema fills, and the tables of push. */
IN_KIT(test_every_table_is_copied)
{
    pm_sql_script(k->store->sql, "export-tables", NULL, 0);
    kit_expect(
        k,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND "
        "name <> 'dialect' AND name NOT LIKE 'push%' AND name NOT IN "
        "(SELECT name FROM temp.export_table)",
        "");
}

/* ---- texts ---- */

typedef struct pair {
    pm_redact_how how;
    const char *text, *shown;
} pair;

static void check_pairs(pm_redact *r, const pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pm_text out;

        assert_int_equal(
            pm_redact_text(r, pairs[i].how, pm_text_of(pairs[i].text), PM_TEXT(""), &out, NULL),
            PMAPDB_OK);
        assert_int_equal(strlen(pairs[i].shown), out.len);
        assert_memory_equal(out.data, pairs[i].shown, out.len);
    }
}

static void check_symbol(pm_redact *r, const char *symbol, const char *file, const char *shown)
{
    pm_text out;

    assert_int_equal(
        pm_redact_text(r, PM_REDACT_SYMBOL, pm_text_of(symbol), pm_text_of(file), &out, NULL),
        PMAPDB_OK);
    assert_string_equal(out.data, shown);
}

TEST(test_paths)
{
    static const pair pairs[] = {
        {PM_REDACT_PATH, "/home/joe/bank/pay.jar", "/home/d1/d2/f3.jar"},
        {PM_REDACT_PATH, "/home/joe/bank/lib/pay.so.1.2", "/home/d1/d2/d4/f5.so.1.2"},
        {PM_REDACT_PATH, "/srv/bank/joe", "/srv/d2/d1"}, /* a text has one replacement everywhere */
        {PM_REDACT_PATH, "/opt/jdk/libjvm.so", "/opt/d6/libjvm.so"},
        {PM_REDACT_PATH, "/opt/jdk/libc.so.joe", "/opt/d6/f7"},
        {PM_REDACT_PATH, "/usr/lib/libpay.so.1", "/usr/lib/libpay.so.1"},
        {PM_REDACT_PATH, "/usr/local/lib/joe.so (deleted)", "/usr/local/d4/f8.so (deleted)"},
        {PM_REDACT_PATH, "/usr/lib/../../home/joe/x.so", "/usr/d4/../../d9/d1/f10.so"},
        {PM_REDACT_PATH, "/usr/lib/..", "/usr/d4/.."},
        {PM_REDACT_PATH, "/usr/library/joe", "/usr/d11/d1"},
        {PM_REDACT_PATH, "[heap]", "[heap]"},
        {PM_REDACT_PATH, "[stack:4711]", "[stack:4711]"},
        {PM_REDACT_PATH, "[anon: glibc: malloc arena]", "[anon: glibc: malloc arena]"},
        {PM_REDACT_PATH, "[anon:bank pool 7]", "[anon:n12]"},
        {PM_REDACT_PATH, "[anon_shmem:bank pool 7]", "[anon_shmem:n12]"},
        {PM_REDACT_PATH, "[joe]", "[d1]"},
        {PM_REDACT_PATH, "[ anon ]", "[ anon ]"},
        {PM_REDACT_PATH, "/memfd:bank (deleted)", "/memfd:d2 (deleted)"},
        {PM_REDACT_PATH, "/memfd:java_heap (deleted)", "/memfd:java_heap (deleted)"},
        {PM_REDACT_PATH, "/SYSV00004711 (deleted)", "/SYSVn13 (deleted)"},
        {PM_REDACT_PATH, "/SYSV00000000 (deleted)", "/SYSV00000000 (deleted)"},
        {PM_REDACT_PATH, "/dev/shm/bank.lock", "/dev/shm/f14.lock"},
        {PM_REDACT_PATH, "/dev/zero (deleted)", "/dev/zero (deleted)"},
        {PM_REDACT_PATH, "anon_inode:[io_uring]", "anon_inode:[io_uring]"},
        {PM_REDACT_PATH, "anon_inode:joe", "anon_inode:d1"},
        {PM_REDACT_PATH, "socket:[4711]", "socket:[n15]"},
        {PM_REDACT_PATH, "boot.joe]", "f16]"},
        {PM_REDACT_PATH, "libc-2.31.so", "libc-2.31.so"},
        {PM_REDACT_PATH, "", ""},
        {PM_REDACT_PATH, "//joe//", "//d1//"},
        {PM_REDACT_PATH, "d1",
         "f17"}, /* a text spelt like a replacement gets its own replacement */
        {PM_REDACT_COMMAND, "/home/joe/bank --password=1", "/home/d1/d2 ..."},
        {PM_REDACT_COMMAND, "joe", "d1"},
        {PM_REDACT_COMMAND, "bank: worker process", "d2: ..."},
        {PM_REDACT_PATH, "/system.slice/joe.service", "/system.slice/f18.service"},
    };
    pm_redact *r __attribute__((cleanup(free_redact))) = NULL;

    assert_int_equal(pm_redact_new(NULL, 0, &r, NULL), PMAPDB_OK);
    check_pairs(r, pairs, COUNT(pairs));
}

TEST(test_words)
{
    static const pair pairs[] = {
        {PM_REDACT_HOST, "bank.example", "host1"},
        {PM_REDACT_USER, "joe", "user2"},
        {PM_REDACT_USER, "root", "root"},
        {PM_REDACT_PATH, "joe", "user2"},
        {PM_REDACT_CATEGORY, "anonymous/glibc-arena", "anonymous/glibc-arena"},
        {PM_REDACT_CATEGORY, "shared-library", "shared-library"},
        {PM_REDACT_CATEGORY, "anonymous/joe", "anonymous/user2"},
        {PM_REDACT_CATEGORY, "/home/joe/x", "/home/user2/f3"},
        {PM_REDACT_CATEGORY, "joe's pool", "f4"},
        {PM_REDACT_NOTE, "joe asked for this", ""},
        {PM_REDACT_RULE, "jvm-heap", "jvm-heap"},
        {PM_REDACT_RULE, "label", "label"},
        {PM_REDACT_RULE, "joes", "rule5"},
        {PM_REDACT_WORD, "Java Heap", "Java Heap"},
        {PM_REDACT_WORD, "STACK-4711-joes", "text6"},
        {PM_REDACT_WORD, "STACK-4711", "STACK-4711"},
        {PM_REDACT_WORD, "Joes: 12 kB\nOther: 3 kB\n", "Joes: 12 kB\nOther: 3 kB\n"},
        {PM_REDACT_WORD, "Joes: of the bank", "text7"},
        {PM_REDACT_WORD, "no footer: the end is missing", "no footer: the end is missing"},
        {PM_REDACT_WORD, "line 17 is damaged: it overlaps the row before it",
         "line 17 is damaged: it overlaps the row before it"},
        {PM_REDACT_WORD, "rows of joe are missing", "text8"},
        {PM_REDACT_WORD, "smaps", "smaps"},
        {PM_REDACT_WORD, "smaps of joe", "text9"},
        {PM_REDACT_REASON, "--all", "text10"},
        {PM_REDACT_REASON, "--match 'user(joe)'", "text11"},
        {PM_REDACT_WORD, "rw-p", "rw-p"},
        {PM_REDACT_WORD, "rwjo", "text12"},
        {PM_REDACT_WORD, "fe:01", "fe:01"},
        {PM_REDACT_WORD, "rd wr mr", "rd wr mr"},
        {PM_REDACT_WORD, "rd joe", "text13"},
    };
    pm_redact *r __attribute__((cleanup(free_redact))) = NULL;

    assert_int_equal(pm_redact_new(NULL, 0, &r, NULL), PMAPDB_OK);
    check_pairs(r, pairs, COUNT(pairs));
}

TEST(test_keep)
{
    static const char *const keep[] = {"/opt/vendor/.*", "pay.*", "d[0-9]"};
    static const pair pairs[] = {
        {PM_REDACT_PATH, "/opt/vendor/x/y.so", "/opt/vendor/x/y.so"},
        {PM_REDACT_PATH, "/home/opt/vendor/x/y.so", "/home/d10/d11/d12/f13.so"},
        {PM_REDACT_PATH, "/home/joe/payment", "/home/d14/payment"},
        {PM_REDACT_PATH, "payment", "payment"},
        {PM_REDACT_PATH, "repayment", "f15"},
        {PM_REDACT_HOST, "pay17", "pay17"},
        {PM_REDACT_PATH, "d9", "d9"},
        {PM_REDACT_PATH, "d1", "d1"},
    };
    static const char *const wrong[] = {"("};
    pm_redact *r __attribute__((cleanup(free_redact))) = NULL;
    pm_redact *none = NULL;
    pmapdb_error err;

    assert_int_equal(pm_redact_new(keep, 3, &r, NULL), PMAPDB_OK);
    check_pairs(r, pairs, COUNT(pairs));
    check_symbol(r, "joe()", "/opt/vendor/y.so", "joe()");
    kit_fails(pm_redact_new(wrong, 1, &none, &err), PMAPDB_USAGE, &err, "--keep '('");
}

TEST(test_public_names)
{
    static const pair pairs[] = {{PM_REDACT_PATH, "redis-server", "redis-server"},
                                 {PM_REDACT_COMMAND, "redis-server *:6379", "redis-server ..."},
                                 {PM_REDACT_PATH, "bank", "f1"}};
    pm_redact *r __attribute__((cleanup(free_redact))) = NULL;

    assert_int_equal(pm_redact_new(NULL, 0, &r, NULL), PMAPDB_OK);
    assert_int_equal(pm_redact_publish(r, PM_TEXT("/usr/bin/redis-server (deleted)"), NULL),
                     PMAPDB_OK);
    assert_int_equal(pm_redact_publish(r, PM_TEXT("/opt/bank"), NULL), PMAPDB_OK);
    check_pairs(r, pairs, COUNT(pairs));
    check_symbol(r, "malloc", "/usr/lib/libc.so.6", "malloc");
    check_symbol(r, "pay_joe", "/opt/bank", "s2");
    check_symbol(r, "JIT.joe", "[unknown]", "s3");
    check_symbol(r, "do_syscall_64", "[kernel.kallsyms]", "do_syscall_64");
}

/* ---- addresses ---- */

/* Runs the export scripts for these addresses (space, start, length). */
static void move(pm_sql *sql, const char *addresses)
{
    char text[512];
    pmapdb_error err = {0};

    pm_sql_script(sql, "export-begin", NULL, 0);
    snprintf(text, sizeof text,
             "INSERT INTO temp.export_address SELECT column1, column2, column2 "
             "+ column3 FROM (VALUES %s)",
             addresses);
    assert_int_equal(sqlite3_exec(pm_sql_db(sql), text, NULL, NULL, NULL), SQLITE_OK);
    pm_sql_script(sql, "export-move", NULL, 0);
    kit_ok(pm_sql_end(sql, &err), &err);
}

/* Returns the address that the expression for addresses gives for an address of a space. */
static int64_t moved(pm_sql *sql, int64_t space, int64_t address)
{
    sqlite3_stmt *row;
    char *text;
    int64_t to;

    row = pm_sql_ask(
        sql,
        "SELECT 'SELECT ' || replace(replace(number, '{v}', '(' || ?1 || ')'), '{s}', ?2) "
        "FROM temp.export_how WHERE how = 'address'",
        PM_ARGS(PM_BITS(address), PM_I(space)));
    assert_true(pm_sql_next(sql, row));
    text = pm_text_copy(pm_col_text(row, 0));
    pm_sql_done(row);
    assert_int_equal(sqlite3_prepare_v2(pm_sql_db(sql), text, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    to = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    free(text);
    return to;
}

static void check_moved(pm_sql *sql, const int64_t *at, size_t n)
{
    int64_t was = 0, is = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t to = moved(sql, 7, at[i]);

        assert_int_equal((to - at[i]) % (1 << 26), 0);
        assert_true(to > is && to < (int64_t)1 << 47);
        if (was && at[i] - was < (int64_t)1 << 40)
            assert_int_equal(to - is, at[i] - was);
        else if (was)
            assert_true(to - is >= (int64_t)1 << 39);
        was = at[i];
        is = to;
    }
}

IN_KIT(test_addresses)
{
    static const int64_t at[] = {0x400000,       0x55d0c0000000, 0x55d0c0234000,
                                 0x55d0fff00000, 0x7f0000001000, 0x7ffffffde000};
    pm_sql *sql = k->store->sql;
    pm_redact *r __attribute__((cleanup(free_redact))) = NULL;

    assert_int_equal(pm_redact_new(NULL, 0, &r, NULL), PMAPDB_OK);
    assert_int_equal(pm_redact_register(r, pm_sql_db(sql), NULL), PMAPDB_OK);
    pm_sql_script(sql, "export-tables", NULL, 0);
    for (int round = 0; round < 50; round++) {
        pm_sql_do(sql, "SAVEPOINT round", PM_NO_ARGS);
        move(sql,
             "(7, 0x7ffffffde000, 4096), (7, 0x7f0000001000, 4096), (7, 0x55d0fff00000, 4096), "
             "(7, 0x55d0c0234000, 4096), (7, 0x55d0c0000000, 4096), (7, 0x400000, 4096)");
        check_moved(sql, at, COUNT(at));
        assert_int_equal(moved(sql, 7, 0), 0);
        assert_int_equal(moved(sql, 7, -10485760), -10485760); /* [vsyscall] */
        assert_int_equal(moved(sql, 99, 0x400000), 0);
        pm_sql_do(sql, "ROLLBACK TO round", PM_NO_ARGS);
    }
    pm_redact_register(NULL, pm_sql_db(sql), NULL);
}

/* Shadow memory of sanitizers leaves little room; the results must not overlap. */
IN_KIT(test_addresses_that_fill_everything)
{
    pm_sql *sql = k->store->sql;
    pm_redact *r __attribute__((cleanup(free_redact))) = NULL;
    int64_t a, b;

    assert_int_equal(pm_redact_new(NULL, 0, &r, NULL), PMAPDB_OK);
    assert_int_equal(pm_redact_register(r, pm_sql_db(sql), NULL), PMAPDB_OK);
    pm_sql_script(sql, "export-tables", NULL, 0);
    move(sql, "(1, 0x10000, 0x5fffffff0000), (1, 0x620000000000, 0x1dffffff0000)");
    a = moved(sql, 1, 0x10000);
    b = moved(sql, 1, 0x620000000000);
    assert_true(a > 0 && b >= a + (int64_t)0x5fffffff0000);
    pm_redact_register(NULL, pm_sql_db(sql), NULL);
}

RUN_TESTS(NULL, NULL)
