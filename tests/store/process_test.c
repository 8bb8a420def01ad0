/* process_test: the life of a pid that a capture belongs to, and its name. */
#include "kit.h"

#define MS INT64_C(1700000000000)

/* Signs that identify a life; 0 or NULL: the capture does not show the sign. */
typedef struct signs {
    uint64_t stack_end, vdso, libc, ld, exe;
    const char *command;
    int64_t start_time;
} signs;

static pm_capture *with_signs(const kit *k, int64_t pid, int64_t ms, const signs *s)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, pid, ms);

    if (s->exe)
        kit_map(k, c, s->exe, 64, "r-xp", "app");
    kit_map(k, c, 0x10000, 8, "rw-p", "");
    if (s->libc) {
        kit_map(k, c, s->libc, 64, "r--p", "libc.so.6");
        kit_map(k, c, s->libc + 0x10000, 64, "r-xp", "libc.so.6");
    }
    if (s->ld)
        kit_map(k, c, s->ld, 64, "r--p", "ld-linux-x86-64.so.2");
    if (s->vdso)
        kit_map(k, c, s->vdso, 8, "r-xp", "[vdso]");
    if (s->stack_end)
        kit_map(k, c, s->stack_end - UINT64_C(132) * 1024, 132, "rw-p", "[stack]");
    if (s->command)
        kit_command(c, s->command);
    if (s->start_time)
        c->start_time = s->start_time;
    return c;
}

static pm_stored put(const kit *k, int64_t ms, const signs *s)
{
    return kit_put(k, with_signs(k, 42, ms, s));
}

static int64_t put_on(const kit *k, const char *host, int64_t ms, const signs *s)
{
    pm_capture *c = with_signs(k, 42, ms, s);

    c->host = host;
    return kit_put(k, c).process_id;
}

#define PUT(ms, ...) put(k, (ms), &(const signs){__VA_ARGS__})

IN_KIT(equal_anchors_are_one_life)
{
    assert_int_equal(PUT(MS, .stack_end = 0x7ff000, .libc = 0x600000).process_id, 1);
    /* Another command does not matter: titles change. */
    assert_int_equal(
        PUT(MS + 1000, .stack_end = 0x7ff000, .libc = 0x600000, .command = "postgres: idle")
            .process_id,
        1);
    /* One shared anchor is enough, beside a new one. */
    assert_int_equal(PUT(MS + 2000, .stack_end = 0x7ff000, .ld = 0x500000).process_id, 1);
    kit_expect(k, "SELECT identity, stack_end, libc_start, ld_start, command FROM process",
               "addresses|8384512|6291456|5242880|postgres: idle\n");
}

IN_KIT(one_differing_anchor_is_another_life)
{
    static const signs first = {
        .stack_end = 0x7ff000, .vdso = 0x7fe000, .libc = 0x600000, .ld = 0x500000};
    signs s[4] = {first, first, first, first};

    put(k, MS, &first);
    s[0].stack_end += 0x1000;
    s[1].vdso += 0x1000;
    s[2].libc += 0x1000;
    s[3].ld += 0x1000;
    for (int i = 0; i < 4; i++)
        assert_int_equal(put(k, MS + 1000 + i, &s[i]).process_id, i + 2);
    assert_int_equal(put(k, MS + 9000, &first).process_id, 1);
    kit_expect(k, "SELECT life, pid FROM process", "0|42\n1|42\n2|42\n3|42\n4|42\n");
}

IN_KIT(a_life_comes_back_after_another)
{
    assert_int_equal(PUT(MS, .stack_end = 0x7ff000).process_id, 1);
    assert_int_equal(PUT(MS + 10000, .stack_end = 0x8ff000).process_id, 2);
    assert_int_equal(PUT(MS + 20000, .stack_end = 0x7ff000).process_id, 1);
    assert_int_equal(PUT(MS + 5000, .stack_end = 0x7ff000).process_id, 1);
    assert_int_equal(PUT(MS - 5000, .stack_end = 0x8ff000).process_id, 2);
}

/* The row of a process is written only if a capture adds something to it. */
IN_KIT(what_a_capture_adds)
{
    static const struct {
        int64_t ms;
        signs s;
        const char *row;
    } captures[] = {
        {MS, {.stack_end = 0x7ff000, .exe = 0x500000}, "0|8384512|?|5242880|?|addresses"},
        {MS + 1000, {.stack_end = 0x7ff000}, "0|8384512|?|5242880|?|addresses"},
        {MS + 2000, {.stack_end = 0x7ff000, .exe = 0x540000}, "0|8384512|?|5242880|?|addresses"},
        {MS + 3000, {.stack_end = 0x7ff000, .exe = 0x400000}, "1|8384512|?|4194304|?|addresses"},
        {MS + 4000,
         {.stack_end = 0x7ff000, .ld = 0x300000},
         "2|8384512|3145728|4194304|?|addresses"},
        {MS + 5000, {.ld = 0x300000}, "2|8384512|3145728|4194304|?|addresses"},
        {MS + 6000, {.ld = 0x300000, .command = "b"}, "3|8384512|3145728|4194304|b|addresses"},
        {MS + 7000, {.ld = 0x300000, .command = "c"}, "3|8384512|3145728|4194304|b|addresses"},
        {MS + 500, {.ld = 0x300000, .command = "a"}, "4|8384512|3145728|4194304|a|addresses"},
        {MS + 7500, {.ld = 0x300000, .start_time = 9}, "5|8384512|3145728|4194304|a|addresses"},
        {MS + 8000, {.ld = 0x300000, .start_time = 9}, "5|8384512|3145728|4194304|a|addresses"},
        {MS + 9000, {.command = "a"}, "6|8384512|3145728|4194304|a|command"},
        {MS + 9500, {.ld = 0x300000}, "6|8384512|3145728|4194304|a|command"},
    };

    kit_exec(k, "CREATE TEMP TABLE written (n); INSERT INTO written VALUES (0);"
                "CREATE TEMP TRIGGER count AFTER UPDATE OF ld_start ON main.process BEGIN "
                "UPDATE written SET n = n + 1; END");
    for (size_t i = 0; i < COUNT(captures); i++) {
        char row[100];

        snprintf(row, sizeof row, "%s\n", captures[i].row);
        assert_int_equal(put(k, captures[i].ms, &captures[i].s).process_id, 1);
        kit_expect(k,
                   "SELECT n, stack_end, ld_start, exe_start, command, identity FROM process, "
                   "temp.written",
                   row);
    }
    kit_expect(k, "SELECT start_time FROM process", "9\n");
}

IN_KIT(without_anchors_the_command_decides)
{
    assert_int_equal(PUT(MS, .exe = 0x400000, .command = "app -v").process_id, 1);
    assert_int_equal(PUT(MS + 1000, .exe = 0x400000, .command = "app -w").process_id, 1);
    assert_int_equal(PUT(MS + 2000, .command = "app").process_id, 1);
    assert_int_equal(PUT(MS + 3000, .exe = 0x500000, .command = "app").process_id, 2);
    assert_int_equal(PUT(MS + 4000, .exe = 0x500000, .command = "other").process_id, 3);
    kit_expect(k, "SELECT identity, command FROM process",
               "command|app -v\ncommand|app\ncommand|other\n");
}

/* The identity of a process is its weakest link. */
IN_KIT(nothing_shared_is_assumed)
{
    pm_stored s = PUT(MS, .stack_end = 0x7ff000);

    assert_false(s.ambiguous);
    s = PUT(MS + 1000, .libc = 0x600000);
    assert_int_equal(s.process_id, 1);
    assert_true(s.ambiguous);
    kit_expect(k, "SELECT identity, stack_end, libc_start FROM process",
               "assumed|8384512|6291456\n");
    assert_int_equal(PUT(MS + 2000, .stack_end = 0x7ff000).process_id, 1);
    kit_expect(k, "SELECT identity FROM process", "assumed\n");
}

/* A weak link joins only the latest life of the pid. */
IN_KIT(weak_ties_do_not_reach_over_a_life)
{
    PUT(MS, .exe = 0x400000, .command = "app");
    PUT(MS + 10000, .exe = 0x500000, .command = "other");
    assert_int_equal(PUT(MS + 20000, .exe = 0x400000, .command = "app").process_id, 3);
    assert_int_equal(PUT(MS + 5000, .exe = 0x400000, .command = "app").process_id, 1);
}

IN_KIT(start_time_decides_where_both_have_it)
{
    assert_int_equal(PUT(MS, .stack_end = 0x7ff000, .start_time = 100).process_id, 1);
    assert_int_equal(PUT(MS + 1000, .stack_end = 0x7ff000, .start_time = 200).process_id, 2);
    /* After exec, the addresses differ, but the process is the same. */
    assert_int_equal(PUT(MS + 2000, .stack_end = 0x8ff000, .start_time = 200).process_id, 2);
    kit_expect(k, "SELECT start_time, identity FROM process", "100|start-time\n200|start-time\n");
}

IN_KIT(hosts_do_not_share_pids)
{
    static const signs same = {.stack_end = 0x7ff000};

    assert_int_equal(put_on(k, "a", MS, &same), 1);
    assert_int_equal(put_on(k, "b", MS + 1, &same), 2);
    assert_int_equal(put_on(k, NULL, MS + 2, &same), 3);
    assert_int_equal(put_on(k, "a", MS + 3, &same), 1);
    kit_expect(k, "SELECT name FROM host ORDER BY 1", "a\nb\n");
}

/* Without a pid, the file identifies the process. */
IN_KIT(pid_unknown)
{
    static const signs same = {.stack_end = 0x7ff000};
    const char *const names[] = {"a", "b", "a"};
    const int64_t wanted[] = {1, 2, 1};

    for (int i = 0; i < 3; i++) {
        pm_capture *c = with_signs(k, PMAPDB_UNKNOWN, MS + INT64_C(5000) * i, &same);

        free(c->source_name);
        c->source_name = strdup(names[i]);
        assert_int_equal(kit_put(k, c).process_id, wanted[i]);
    }
    kit_expect(k, "SELECT pid FROM process", "?\n?\n");
}

static void named(const kit *k, int64_t ms, const char *name, pm_name_rank rank)
{
    static const signs same = {.stack_end = 0x7ff000, .exe = 0x400000};
    pm_capture *c = with_signs(k, 42, ms, &same);

    if (name)
        kit_name(c, name, rank);
    kit_put(k, c);
}

#define NAME "SELECT n.name, p.name_rank FROM process p JOIN name n ON n.name_id = p.name_id"

IN_KIT(best_name_wins)
{
    named(k, MS + 1000, NULL, 0);
    kit_expect(k, NAME, "app|4\n");
    named(k, MS + 9000, "late-header", PM_NAME_HEADER);
    kit_expect(k, NAME, "late-header|3\n");
    named(k, MS + 5000, "header", PM_NAME_HEADER); /* the earliest of equal rank wins */
    kit_expect(k, NAME, "header|3\n");
    named(k, MS + 6000, "later", PM_NAME_HEADER);
    kit_expect(k, NAME, "header|3\n");
    named(k, MS + 20000, "comm", PM_NAME_COMM);
    kit_expect(k, NAME, "comm|2\n");
    named(k, MS, "header", PM_NAME_HEADER);
    kit_expect(k, NAME, "comm|2\n");
    named(k, MS + 30000, "given", PM_NAME_GIVEN);
    kit_expect(k, NAME, "given|0\n");
}

IN_KIT(no_name_at_all)
{
    PUT(MS, .stack_end = 0x7ff000);
    kit_expect(k, NAME, "?|5\n");
}

/* " (deleted)" is not part of a program's name, and does not hide the address of the program. */
IN_KIT(a_replaced_program)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 42, MS);

    kit_map(k, c, 0x400000, 64, "r-xp", "/usr/sbin/nginx (deleted)");
    kit_put(k, c);
    kit_expect(k, NAME, "nginx|4\n");
    kit_expect(k, "SELECT exe_start, identity FROM process", "4194304|command\n");
}

/* The snapshots of two processes become one moment when the processes get the same name. */
IN_KIT(renaming_regroups_the_moments)
{
    const char *sql = "SELECT p.pid, s.moment_ms - 1700000000000, s.preferred FROM snapshot s "
                      "JOIN process p ON p.process_id = s.process_id ORDER BY s.taken_ms, p.pid";
    pm_capture *c;

    for (int pid = 1; pid <= 2; pid++) {
        static const signs same = {.stack_end = 0x7ff000};

        c = with_signs(k, pid, MS + INT64_C(100) * pid, &same);
        kit_name(c, pid == 1 ? "one" : "two", PM_NAME_HEADER);
        kit_put(k, c);
    }
    kit_expect(k, sql, "1|100|1\n2|200|1\n");
    c = with_signs(k, 2, MS + 60000, &(const signs){.stack_end = 0x7ff000});
    kit_name(c, "one", PM_NAME_COMM);
    kit_put(k, c);
    kit_expect(k, sql, "1|100|1\n2|100|1\n2|60000|1\n");
    c = with_signs(k, 2, MS + 50000, &(const signs){.stack_end = 0x7ff000});
    kit_name(c, "two", PM_NAME_GIVEN);
    kit_put(k, c);
    kit_expect(k, sql, "1|100|1\n2|200|1\n2|50000|1\n2|60000|1\n");
}

IN_KIT(known_again)
{
    static const signs same = {.stack_end = 0x7ff000};
    pm_capture *c = with_signs(k, 42, MS + 123, &same);
    pm_stored first = kit_store(k, c), again = kit_store(k, c);

    assert_false(first.duplicate);
    assert_true(again.duplicate);
    assert_int_equal(again.snapshot_id, first.snapshot_id);
    c->taken_ms += 1; /* another time */
    assert_false(kit_store(k, c).duplicate);
    c->taken_ms -= 1;
    c->block.dialect = PM_DIALECT_PMAP;
    assert_false(kit_store(k, c).duplicate);
    c->block.dialect = PM_DIALECT_PMAP_SMALL_X;
    c->pid = 43;
    assert_false(kit_store(k, c).duplicate);
    c->pid = 42;
    c->host = "h";
    assert_false(kit_store(k, c).duplicate);
    c->host = NULL;
    /* An mtime counts in whole seconds. */
    c->taken_ms = MS + 777;
    assert_false(kit_store(k, c).duplicate);
    c->time_source = PM_TIME_MTIME;
    assert_true(kit_store(k, c).duplicate);
    c->taken_ms = MS + 1000;
    assert_false(kit_store(k, c).duplicate);
    /* standard input without a time is always new */
    c->time_source = PM_TIME_NOW;
    assert_false(kit_store(k, c).duplicate);
    pm_capture_free(c);
}

/* ---- live ---- */

static pm_live live_of(const char *boot_id, int64_t mono_ns)
{
    pm_live live = {.boot_id = boot_id, .mono_ns = mono_ns, .utc_ms = MS + mono_ns / 1000000};
    int64_t *const unknown[] = {&live.predicted_us,    &live.threads,  &live.hwm_kib,
                                &live.swap_kib,        &live.anon_kib, &live.file_kib,
                                &live.page_tables_kib, &live.shmem_kib};

    for (size_t i = 0; i < COUNT(unknown); i++)
        *unknown[i] = PMAPDB_UNKNOWN;
    return live;
}

/* Stores a live capture taken `ms` ms after MS. */
static int64_t put_live(const kit *k, const char *boot_id, int64_t ms, const signs *s)
{
    pm_live live = live_of(boot_id, ms * 1000000);
    pm_capture *c = with_signs(k, 42, MS + ms, s);

    c->live = &live;
    c->host = "h";
    c->time_source = PM_TIME_LIVE;
    return kit_put(k, c).process_id;
}

#define LIVE(boot, ms, ...) put_live(k, (boot), (ms), &(const signs){__VA_ARGS__})
#define TEXT(ms, ...) put_on(k, "h", MS + (ms), &(const signs){__VA_ARGS__})

IN_KIT(a_live_process_is_its_boot_and_start)
{
    assert_int_equal(LIVE("boot-a", 0, .start_time = 100, .stack_end = 0x7ff000), 1);
    /* After exec, everything but the start time differs. */
    assert_int_equal(LIVE("boot-a", 1000, .start_time = 100, .stack_end = 0x8ff000), 1);
    /* The pid is used again later in the same boot. */
    assert_int_equal(LIVE("boot-a", 2000, .start_time = 900, .stack_end = 0x7ff000), 2);
    /* Another boot may show the same ticks and, without randomisation, the same addresses. */
    assert_int_equal(LIVE("boot-b", 3000, .start_time = 100, .stack_end = 0x7ff000), 3);
    assert_int_equal(LIVE("boot-a", 1500, .start_time = 100, .stack_end = 0x7ff000), 1);
    kit_expect(k, "SELECT boot_id, start_time, life, identity FROM process",
               "boot-a|100|0|start-time\nboot-a|900|1|start-time\nboot-b|100|2|start-time\n");
}

/* Boot and start time decide. A program that the process runs later changes only the address of the
 * executable, and only to a lower one. */
IN_KIT(a_live_process_keeps_its_addresses)
{
    const char *addresses =
        "SELECT stack_end, vdso_start, libc_start, ld_start, exe_start FROM process";

    LIVE("boot-a", 0, .start_time = 100, .stack_end = 0x7ff000, .exe = 0x400000);
    kit_expect(k, addresses, "8384512|?|?|?|4194304\n");
    LIVE("boot-a", 1000, .start_time = 100, .stack_end = 0x7ff000, .vdso = 0x7fe000,
         .libc = 0x600000, .ld = 0x500000, .exe = 0x400000);
    kit_expect(k, addresses, "8384512|8380416|6291456|5242880|4194304\n");
    assert_int_equal(
        LIVE("boot-a", 2000, .start_time = 100, .stack_end = 0x8ff000, .exe = 0x300000), 1);
    kit_expect(k, addresses, "8384512|8380416|6291456|5242880|3145728\n");
}

/* The earliest live capture of a life sets both clocks. */
IN_KIT(the_first_capture_sets_the_clocks)
{
    const char *clocks = "SELECT clock_mono_ns, clock_utc_ms - 1700000000000 FROM process";

    TEXT(-1000, .start_time = 100);
    kit_expect(k, clocks, "?|?\n");
    LIVE("boot-a", 2000, .start_time = 100);
    kit_expect(k, clocks, "2000000000|2000\n");
    LIVE("boot-a", 3000, .start_time = 100);
    TEXT(4000, .start_time = 100);
    kit_expect(k, clocks, "2000000000|2000\n");
    LIVE("boot-a", 1000, .start_time = 100);
    kit_expect(k, clocks, "1000000000|1000\n");
}

IN_KIT(text_joins_live_by_the_start_time)
{
    assert_int_equal(LIVE("boot-a", 0, .start_time = 100, .stack_end = 0x7ff000), 1);
    assert_int_equal(LIVE("boot-b", 100000, .start_time = 100, .stack_end = 0x7ff000), 2);
    /* The boot is unknown: the capture joins the life before it. */
    assert_int_equal(TEXT(99000, .start_time = 100, .stack_end = 0x9ff000), 1);
    assert_int_equal(TEXT(101000, .start_time = 100), 2);
    assert_int_equal(TEXT(102000, .start_time = 101, .stack_end = 0x7ff000), 3);
    kit_expect(k, "SELECT boot_id, start_time FROM process", "boot-a|100\nboot-b|100\n?|101\n");
}

IN_KIT(text_learns_its_boot)
{
    assert_int_equal(TEXT(0, .start_time = 100, .stack_end = 0x7ff000), 1);
    assert_int_equal(TEXT(0 + 10, .stack_end = 0x8ff000), 2);
    assert_int_equal(LIVE("boot-a", 1000, .start_time = 100, .stack_end = 0x7ff000), 1);
    assert_int_equal(LIVE("boot-a", 2000, .start_time = 200, .stack_end = 0x8ff000), 2);
    assert_int_equal(LIVE("boot-b", 3000, .start_time = 100, .stack_end = 0x7ff000), 3);
    kit_expect(k, "SELECT boot_id, start_time, identity FROM process",
               "boot-a|100|start-time\nboot-a|200|addresses\nboot-b|100|start-time\n");
}

/* The number of a new life is not the count of the lives that a prune left. */
IN_KIT(a_removed_life_leaves_no_clash)
{
    TEXT(0, .stack_end = 0x7ff000);
    TEXT(1000, .stack_end = 0x8ff000);
    kit_exec(k, "PRAGMA foreign_keys = OFF; DELETE FROM snapshot WHERE process_id = 1; "
                "DELETE FROM process WHERE process_id = 1");
    TEXT(2000, .stack_end = 0x9ff000);
    kit_expect(k, "SELECT life FROM process", "1\n2\n");
}

RUN_TESTS(NULL, NULL)
