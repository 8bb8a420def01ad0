/* functions_test: results of the SQL functions, on the program's own connections. */
#include "kit.h"

#include "store/func/expression.h"
#include "store/func/functions.h"

/* Checks the value of `SELECT expression`; NULL is "NULL". */
static void says(const char *expression, const char *expected)
{
    char *sql = sqlite3_mprintf("SELECT coalesce(%s, 'NULL')", expression);
    sqlite3_stmt *stmt;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(pm_functions_add(db, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), expected);
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    sqlite3_close(db);
}

TEST(kib_text)
{
    says("span_text(5400000)", "1h30m");
    says("span_text(NULL)", "NULL");
    says("span_text('long')", "NULL");
    says("kib_text(0)", "0 KiB");
    says("kib_text(1023)", "1023 KiB");
    says("kib_text(1024)", "1 MiB");
    says("kib_text(-1536)", "-1.5 MiB");
    says("kib_text(2.5 * 1048576)", "2.5 GiB");
    says("kib_text('2048')", "2 MiB");
    says("kib_text(NULL)", "NULL");
    says("kib_text('many')", "NULL");
    says("kib_text(x'31')", "NULL");
}

TEST(vmflags_text)
{
    says("vmflags_text('rd ex mr')", "readable, executable, may read");
    says("vmflags_text('  sl\tdp  ')", "sealed, droppable");
    says("vmflags_text('rd zz ?? lonely')", "readable, zz, ??, lonely");
    says("vmflags_text('')", "");
    says("vmflags_text(NULL)", "NULL");
}

TEST(call_words)
{
    says("call_words(1, 4096, 8192, NULL, NULL, NULL, NULL)", "addr=1000, len=8192");
    says("call_words(1, 4096, NULL, NULL, NULL, NULL, NULL)", "addr=1000, len=?");
    says("call_words(2, -1, 0, 0, 0, 0, 0)", "brk=ffffffffffffffff");
    says("call_words(5, 0, 0, 0, 0, 0, 0)", "NULL");
    says("call_words(-1, 0, 0, 0, 0, 0, 0)", "NULL");
    says("call_words('mmap', 0, 0, 0, 0, 0, 0)", "NULL");
    says("call_words(NULL, 0, 0, 0, 0, 0, 0)", "NULL");
}

TEST(call_error)
{
    says("call_error(0, -12)", "ENOMEM");
    says("call_error(0, -4095)", "-4095");
    says("call_error(0, 0)", "NULL");
    says("call_error(0, -4096)", "NULL");
    says("call_error(0, 140000000000000)", "NULL");
    says("call_error(2, -12)", "NULL"); /* a brk that fails returns the old end */
    says("call_error(0, NULL)", "NULL");
    says("call_error(9, -12)", "NULL");
}

TEST(perms_text)
{
    says("perms_text('rw-p')", "read, write, private");
    says("perms_text('r-xs')", "read, execute, shared");
    says("perms_text('rw-s-')", "read, write, shared");
    says("perms_text('r-x--')", "read, execute, private");
    says("perms_text('---p')", "no access, private");
    says("perms_text('-----')", "no access, private");
    says("perms_text('rwx')", "NULL");
    says("perms_text('rw-p ')", "NULL");
    says("perms_text('')", "NULL");
    says("perms_text(NULL)", "NULL");
}

TEST(process_value)
{
#define OF                                                                                         \
    "7, 5, 1001, 'www', 'sshd', '/usr/bin/sshd', 'sshd -D', '/system.slice', 'A=1' || char(0) || " \
    "'B=x y' || char(0), '5 1'"
#define IN_CONTAINER                                                                             \
    "7, 5, 1001, NULL, NULL, NULL, NULL, '/a/docker-' || printf('%064x', 1) || '.scope', NULL, " \
    "NULL"
    says("process_value('pid = 7 AND ppid = 5 AND uid = 1001', " OF ")", "1");
    says("process_value('user || comm', " OF ")", "wwwsshd");
    says("process_value('exe GLOB ''/usr/*''', " OF ")", "1");
    says("process_value('cmdline = ''sshd -D''', " OF ")", "1");
    says("process_value('cgroup', " OF ")", "/system.slice");
    says("process_value('env(''A'') + env(''NONE'')', " OF ")", "NULL");
    says("process_value('env(''B'')', " OF ")", "x y");
    says("process_value('descendant_of(1) + descendant_of(5) + descendant_of(7)', " OF ")", "2");
    says("process_value('container', " OF ")", "NULL");
    says("process_value('container', " IN_CONTAINER ")", "docker/000000000000");
    says("process_value('unit', " OF ")", "NULL");
    says("process_value(NULL, " OF ")", "NULL");
    says("process_value('user IS NULL AND uid IS NULL AND env(''A'') IS NULL', 7, NULL, NULL, "
         "NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
         "1");
    /* Each row has its own expression. */
    says("(SELECT group_concat(process_value(e, " OF "), '') FROM (SELECT 'pid = 7' AS e UNION ALL "
         "SELECT 'pid = 8' UNION ALL SELECT 'uid = 1001'))",
         "101");
#undef OF
#undef IN_CONTAINER
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define INNER "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "pod6f3c4d1e_1b2a_4c3d_8e9f_001122334455"

/* The paths that container runtimes create, with the drivers cgroupfs and systemd. */
TEST(containers)
{
    static const struct {
        const char *cgroup, *container, *unit;
    } paths[] = {
        {"/docker/" ID, "docker/0123456789ab", ""},
        {"/system.slice/docker-" ID ".scope", "docker/0123456789ab", "docker-" ID ".scope"},
        {"/docker/" ID "/docker/" INNER, "docker/f123456789ab", ""},
        {"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-" POD
         ".slice/cri-containerd-" ID ".scope",
         "containerd/0123456789ab", "cri-containerd-" ID ".scope"},
        {"/docker/" INNER "/kubelet.slice/crio-" ID ".scope", "crio/0123456789ab",
         "crio-" ID ".scope"},
        {"/kubepods/besteffort/" POD "/" ID, "kubepods/0123456789ab", ""},
        {"/kubepods/besteffort/" POD, "", ""},
        {"/machine.slice/libpod-" ID ".scope/container", "podman/0123456789ab",
         "libpod-" ID ".scope"},
        {"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
         "podman/0123456789ab", "libpod-" ID ".scope"},
        {"/machine.slice/libpod-conmon-" ID ".scope", "", "libpod-conmon-" ID ".scope"},
        {"/system.slice/nerdctl-" ID ".scope", "containerd/0123456789ab", "nerdctl-" ID ".scope"},
        {"/default/" ID, "containerd/0123456789ab", ""},
        {"/lxc/web 1/init.scope", "lxc/web 1", "init.scope"},
        {"/lxc.payload.web1/system.slice/cron.service", "lxc/web1", "cron.service"},
        {"/machine.slice/machine-my\\x2dbox.scope", "machine/my-box", "machine-my\\x2dbox.scope"},
        {"/machine.slice/systemd-nspawn@box.service/payload", "machine/box",
         "systemd-nspawn@box.service"},
        {"/system.slice/redis.service", "", "redis.service"},
        {"/user.slice", "", ""},
        {"/", "", ""},
        {"", "", ""},
        {"/docker/" ID "0", "", ""},
        {"/docker-.scope/machine-.scope", "", "machine-.scope"},
    };

    for (size_t i = 0; i < COUNT(paths); i++) {
        pm_buf found = {0};
        char *unit = pm_text_copy(pm_unit_of(pm_text_of(paths[i].cgroup)));

        pm_buf_add(&found, "", 0, NULL);
        pm_container_of(pm_text_of(paths[i].cgroup), &found);
        assert_string_equal(found.len ? found.data : "", paths[i].container);
        assert_string_equal(unit, paths[i].unit);
        free(unit);
        pm_buf_free(&found);
    }
}

TEST(wrong_expressions)
{
    static const struct {
        const char *expression, *says;
    } wrong[] = {{"com", "no such column: com; a text has quotes: 'com'; there are comm, exe"},
                 {"comm GLOB", "syntax error"},
                 {"\"sshd\"", "no such column"},
                 {"1) FROM process; DROP TABLE process; SELECT (1", "not one SQL expression"},
                 {"comm, exe", "row value misused"},
                 {"(SELECT sql FROM sqlite_master)", "prohibited"},
                 {"", "syntax error"}};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        pm_expression *e = NULL;
        pmapdb_error err = {0};

        kit_fails(pm_expression_new(pm_text_of(wrong[i].expression), &e, &err), PMAPDB_USAGE, &err,
                  wrong[i].says);
        kit_says(&err, "descendant_of(PID)");
    }
}

TEST(what_an_expression_needs)
{
    static const struct {
        const char *expression;
        unsigned needs;
    } cases[] = {{"pid = 1 OR ppid = 1", 0},
                 {"comm = 'a' -- exe", PM_NEED_COMM},
                 {"exe || cmdline", PM_NEED_EXE | PM_NEED_CMDLINE},
                 {"container", PM_NEED_CGROUP},
                 {"unit", PM_NEED_CGROUP},
                 {"uid = 0 AND user = 'x'", PM_NEED_UID},
                 {"env('A') AND descendant_of(1)", PM_NEED_ENVIRONMENT | PM_NEED_ANCESTORS}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_expression *e = NULL;
        pmapdb_error err = {0};

        assert_int_equal(pm_expression_new(pm_text_of(cases[i].expression), &e, &err), PMAPDB_OK);
        assert_int_equal(e->needs, cases[i].needs);
        pm_expression_free(e);
    }
}

RUN_TESTS(NULL, NULL)
