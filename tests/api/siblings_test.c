/* siblings_test: facts from the small files beside a capture, on disk and in archives. */
#include "api/run.h"

static const char smaps[] = "00400000-00401000 r-xp 00000000 08:01 11   /opt/app\n"
                            "Size:                  4 kB\nRss:                   4 kB\n"
                            "Pss:                   4 kB\nPrivate_Clean:         4 kB\n"
                            "Private_Dirty:         0 kB\nShared_Clean:          0 kB\n"
                            "Shared_Dirty:          0 kB\nSwap:                  0 kB\n"
                            "VmFlags: rd ex mr mw me\n";

static void make_proc(void)
{
    shell(
        "mkdir -p p/7 && printf 'Name:\\tworker\\nPid:\\t7\\nVmSize:\\t4 kB\\nVmRSS:\\t4 kB\\n' > "
        "p/7/status && echo worker > p/7/comm && printf '/opt/worker-of-a-long-name\\0-v\\0' > "
        "p/7/cmdline && echo '7 (worker) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4242 4096 "
        "1 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0' > "
        "p/7/stat");
    box_text("p/7/smaps", smaps);
    shell("touch -d @1795229318 p/7/smaps");
}

WITH_IMPORT(siblings_of_a_process_directory)
{
    make_proc();
    run(in, "p");
    expect(in, "p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1\n");
    assert_int_equal(number(in, "SELECT start_time FROM process"), 4242);
    shell("tar cf p.tar p");
    run(in, "p.tar");
    expect(in, "p.tar:p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1 again\n");
    run(in, "p/7/smaps");
    expect(in, "p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1 again\n");
}

/* In an archive the siblings may come after the capture or before it. */
IN_BOX(siblings_in_an_archive)
{
    static const char *const orders[] = {"p/7/smaps p/7/stat p/7/comm p/7/cmdline p/7/status",
                                         "p/7/status p/7/cmdline p/7/comm p/7/stat p/7/smaps"};

    make_proc();
    for (int i = 0; i < 2; i++) {
        char command[160];
        importing in;

        snprintf(command, sizeof command, "rm -f t.db* p.tar; tar cf p.tar %s", orders[i]);
        shell(command);
        begin(&in);
        run(&in, "p.tar");
        expect(&in, "p.tar:p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1\n");
        assert_int_equal(number(&in, "SELECT start_time FROM process"), 4242);
        end(&in);
    }
}

WITH_IMPORT(siblings_by_stem)
{
    box_text("1795229318-7.smaps", smaps);
    box_text("1795229318-7.status", "Name:\tworker\nPid:\t7\nVmSize:\t4 kB\nVmRSS:\t8 kB\n");
    run(in, "1795229318-7.smaps");
    /* a different sum does not prove the capture */
    expect(in, "1795229318-7.smaps 7 worker +0 smaps complete none 1\n");
    assert_int_equal(number(in, "SELECT tool_rss_kib FROM snapshot"), 8);
}

/* ---- proof by smaps_rollup ---- */

/* Compares the events of smaps only: another test expects that the rollup is a capture, too. */
static void expect_smaps(const importing *in, const char *wanted)
{
    pm_buf got = {0};
    const char *line = pm_buf_text(&in->news).data;

    assert_int_equal(pm_buf_add(&got, "", 0, NULL), PMAPDB_OK);
    while (*line) {
        size_t n = strcspn(line, "\n") + 1;

        if (!memmem(line, n, "smaps_rollup", 12))
            pm_buf_add(&got, line, n, NULL);
        line += n;
    }
    assert_string_equal(got.data, wanted);
    pm_buf_free(&got);
}

static int64_t tool_rss(const importing *in)
{
    return number(in, "SELECT coalesce(tool_rss_kib, -1) FROM snapshot WHERE dialect = 'smaps'");
}

static void put_rollup(const char *path, int rss, int dirty, int swap)
{
    char text[300];

    snprintf(text, sizeof text,
             "00400000-7ffc00001000 ---p 00000000 00:00 0                  [rollup]\n"
             "Rss: %16d kB\nPss: %16d kB\nPrivate_Dirty: %6d kB\nSwap: %15d kB\n",
             rss, rss + 3, dirty, swap);
    box_text(path, text);
}

IN_BOX(rollup_in_every_layout)
{
    static const struct {
        const char *smaps, *rollup;
        int pid;
    } layouts[] = {
        {"7/smaps", "7/smaps_rollup", 7},
        {"1234.smaps", "1234.smaps_rollup", 1234},
        {"pid7-smaps.txt", "pid7-smaps_rollup.txt", 7},
        {"smaps.1234", "smaps_rollup.1234", 1234},
    };
    char wanted[100], command[200];

    for (size_t i = 0; i < COUNT(layouts); i++) {
        importing in;

        shell("rm -rf d t.db* d.tar; mkdir -p d/7");
        assert_int_equal(chdir("d"), 0);
        box_text(layouts[i].smaps, smaps);
        put_rollup(layouts[i].rollup, 4, 0, 0);
        assert_int_equal(chdir(".."), 0);
        shell("find d -type f -exec touch -d @1795229318 '{}' +");
        begin(&in);
        run(&in, "d");
        snprintf(wanted, sizeof wanted, "d/%s %d app +0 smaps complete rollup 1\n",
                 layouts[i].smaps, layouts[i].pid);
        expect_smaps(&in, wanted);
        assert_int_equal(tool_rss(&in), 4);
        end(&in);
        for (int order = 0; order < 2; order++) {
            snprintf(command, sizeof command, "rm -f t.db*; tar cf d.tar d/%s d/%s",
                     order ? layouts[i].smaps : layouts[i].rollup,
                     order ? layouts[i].rollup : layouts[i].smaps);
            shell(command);
            begin(&in);
            run(&in, "d.tar");
            snprintf(wanted, sizeof wanted, "d.tar:d/%s %d app +0 smaps complete rollup 1\n",
                     layouts[i].smaps, layouts[i].pid);
            expect_smaps(&in, wanted);
            end(&in);
        }
    }
}

/* Rss, Private_Dirty and Swap of the rollup and VmRSS of the status; the smaps have 4, 0 and 0. */
IN_BOX(rollup_and_status)
{
    static const struct {
        int rss, dirty, swap, status;
        const char *checked;
        int tool;
    } cases[] = {
        {4, 0, 0, 4, "rollup", 4}, {4, 0, 0, 8, "rollup", 4}, {8, 0, 0, 8, "none", 8},
        {8, 0, 0, 4, "status", 4}, {8, 0, 0, 9, "none", 8},   {4, 4, 0, 8, "none", 4},
        {4, 0, 4, 8, "none", 4},   {4, 4, 0, 4, "status", 4},
    };
    char text[100];

    for (size_t i = 0; i < COUNT(cases); i++) {
        importing in;

        shell("rm -rf 7 t.db*; mkdir 7");
        box_text("7/smaps", smaps);
        shell("touch -d @1795229318 7/smaps");
        put_rollup("7/smaps_rollup", cases[i].rss, cases[i].dirty, cases[i].swap);
        snprintf(text, sizeof text, "Name:\tworker\nPid:\t7\nVmRSS:\t%d kB\n", cases[i].status);
        box_text("7/status", text);
        begin(&in);
        run(&in, "7/smaps");
        snprintf(text, sizeof text, "7/smaps 7 worker +0 smaps complete %s 1\n", cases[i].checked);
        expect(&in, text);
        assert_int_equal(tool_rss(&in), cases[i].tool);
        end(&in);
    }
}

/* A rollup does not prove truncated smaps, even if the sums agree, and is not used for other
 * dialects. */
WITH_IMPORT(rollup_proves_whole_smaps_only)
{
    shell("mkdir 7");
    box_text("7/smaps", smaps);
    shell("echo '00600000-00601000 rw-p' >> 7/smaps; touch -d @1795229318 7/smaps");
    put_rollup("7/smaps_rollup", 4, 0, 0);
    run(in, "7/smaps");
    assert_non_null(strstr(in->news.data, " partial none "));
    put_rollup("7.smaps_rollup", 8, 0, 0);
    box_text("7.x", "7:   /opt/app\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
                    "0000000000400000       4       4       0 r-x-- app\n");
    run(in, "7.x");
    assert_int_equal(in->result.stored, 1);
    assert_int_equal(
        number(in, "SELECT count(tool_rss_kib) FROM snapshot WHERE dialect = 'pmap-x'"), 0);
}

/* One rollup is not of each capture of a log: it is used only for the captures that it equals. */
WITH_IMPORT(log_beside_a_rollup)
{
    char bigger[sizeof smaps];
    char *rss;
    pm_buf log = {0};

    memcpy(bigger, smaps, sizeof smaps);
    rss = strstr(bigger, "Rss:                   4");
    rss[23] = '3';
    pm_buf_addf(&log, NULL, "Sat Nov 21 02:48:38 UTC 2026\n%sSat Nov 21 02:58:38 UTC 2026\n%s",
                smaps, bigger);
    mkdir("7", 0700);
    box_text("7/smaps", log.data);
    put_rollup("7/smaps_rollup", 4, 0, 0);
    run(in, "7/smaps");
    expect(in, "7/smaps 7 app +0 smaps complete rollup 1\n"
               "7/smaps 7 app +600000 smaps complete none 1\n");
    assert_int_equal(number(in, "SELECT count(tool_rss_kib) FROM snapshot"), 1);
    run(in, "7/smaps");
    shell("tar cf 7.tar 7; rm t.db*");
    end(in);
    begin(in);
    run(in, "7.tar");
    expect_smaps(in, "7.tar:7/smaps 7 app +0 smaps complete rollup 1\n"
                     "7.tar:7/smaps 7 app +600000 smaps complete none 1\n");
    assert_int_equal(number(in, "SELECT count(tool_rss_kib) FROM snapshot WHERE dialect = 'smaps'"),
                     1);
    pm_buf_free(&log);
}

WITH_IMPORT(siblings_compressed)
{
    make_proc();
    put_rollup("p/7/smaps_rollup", 4, 0, 0);
    shell("gzip p/7/*; touch -d @1795229318 p/7/*");
    run(in, "p/7/smaps.gz");
    expect(in, "p/7/smaps.gz 7 worker-of-a-long-name +0 smaps complete rollup 1\n");
    assert_int_equal(number(in, "SELECT start_time FROM process"), 4242);
}

/* ---- the pid ---- */

/* The path has no pid, as in a copy of /proc/self: stat or status has it. */
WITH_IMPORT(pid_of_a_sibling)
{
    make_proc();
    shell("mv p/7 p/self; rm p/self/status");
    run(in, "p");
    expect(in, "p/self/smaps 7 worker-of-a-long-name +0 smaps complete none 1\n");
    shell("tar cf p.tar p; tar cf late.tar p/self/smaps p/self/stat");
    run(in, "p.tar");
    expect(in, "p.tar:p/self/smaps 7 worker-of-a-long-name +0 smaps complete none 1 again\n");
    run(in, "late.tar");
    expect(in, "late.tar:p/self/smaps 7 worker-of-a-long-name +0 smaps complete none 1 again\n");
}

/* The stat of another process is not used for a capture whose path has a different pid. */
WITH_IMPORT(sibling_of_another_pid)
{
    make_proc();
    shell("mv p/7 p/8; tar cf p.tar p");
    run(in, "p");
    expect(in, "p/8/smaps 8 app +0 smaps complete none 1\n");
    run(in, "p.tar");
    expect(in, "p.tar:p/8/smaps 8 app +0 smaps complete none 1 again\n");
    assert_int_equal(number(in, "SELECT count(start_time) FROM process"), 0);
}

/* Pids at the top of an archive, colons in names, and siblings in two different archives. */
WITH_IMPORT(names_in_archives)
{
    make_proc();
    shell("cd p && tar cf ../top.tar 7 && cp -p 7/smaps 7/a:smaps && tar cf ../colon.tar 7/a:smaps "
          "7/stat && cd 7 && sed 's/4242/4243/' stat > 8.stat && sed 's/7 (/8 (/' -i 8.stat && "
          "cp -p smaps 8.smaps && tar cf ../../a.tar 8.smaps && tar cf ../../b.tar 8.stat");
    run(in, "top.tar");
    expect(in, "top.tar:7/smaps 7 worker-of-a-long-name +0 smaps complete status 1\n");
    run(in, "colon.tar");
    assert_non_null(strstr(in->news.data, "colon.tar:7/a:smaps -1 app +0 smaps"));
    shell("mkdir two; mv a.tar b.tar two");
    run(in, "two");
    assert_non_null(strstr(in->news.data, "two/a.tar:8.smaps -1 app +0 smaps complete none"));
}

WITH_IMPORT(skipped_files_are_counted)
{
    make_proc();
    box_text("p/7/environ", smaps);
    shell("mkdir -p p/7/task/8 p/7/fd; cp p/7/smaps p/7/task/8; ln -s ../smaps p/7/fd/3; "
          "truncate -s 1T p/7/pagemap; tar cSf p.tar p");
    run(in, "p");
    count(in, 1, 0, 0);
    assert_int_equal(in->result.skipped, 4);
    run(in, "p.tar");
    count(in, 0, 1, 0);
    assert_int_equal(in->result.skipped, 3); /* a link is not read as a member */
    assert_int_equal(in->result.empty, 0);
}

RUN_TESTS(NULL, NULL)
