/* import_test: files of all kinds go through pmapdb_import, and the tests compare its events. */
#include "api/run.h"

#include "base/clock/clock.h"
#include <time.h>

#define APP "7:   app -v"
#define NEWS_X " 7 app +0 pmap-x complete footer 3"

WITH_IMPORT(one_file)
{
    write_x("1795229318-7.x", APP, 64);
    run(in, "1795229318-7.x");
    expect(in, "1795229318-7.x" NEWS_X "\n");
    count(in, 1, 0, 0);
    run(in, "1795229318-7.x");
    expect(in, "1795229318-7.x" NEWS_X " again\n");
    count(in, 0, 1, 0);
}

/* A capture is the same if it is moved, compressed or in an archive. */
WITH_IMPORT(every_packing_is_known_again)
{
    shell("mkdir d");
    write_x("d/1795229318-7.x", APP, 64);
    shell("tar cf d.tar d && gzip -c d/1795229318-7.x > 1795229318-7.x.gz && cp -r d e && "
          "tar czf z.tar.gz d");
    run(in, "d");
    expect(in, "d/1795229318-7.x" NEWS_X "\n");
    run(in, "1795229318-7.x.gz");
    expect(in, "1795229318-7.x.gz" NEWS_X " again\n");
    run(in, "d.tar");
    expect(in, "d.tar:d/1795229318-7.x" NEWS_X " again\n");
    run(in, "z.tar.gz");
    expect(in, "z.tar.gz:d/1795229318-7.x" NEWS_X " again\n");
    run(in, "e");
    expect(in, "e/1795229318-7.x" NEWS_X " again\n");
    assert_int_equal(number(in, "SELECT count(*) FROM snapshot"), 1);
}

/* An mtime counts in whole seconds, because copies drop the fraction. */
WITH_IMPORT(mtime_is_a_time)
{
    write_x("app.x", APP, 64);
    shell("touch -d @1795229319.7 app.x && cp -p app.x b.x && touch -d @1795229319 b.x && "
          "cp b.x c.x && touch -d @1795229320 c.x");
    run(in, "app.x");
    expect(in, "app.x 7 app +1700 pmap-x complete footer 3\n");
    run(in, "b.x");
    count(in, 0, 1, 0);
    run(in, "c.x");
    count(in, 1, 0, 0);
}

/* The mtime of a file in /proc is the first time that somebody looked its name up. */
WITH_IMPORT(proc_file_is_of_now)
{
    char path[64];
    int64_t began;

    snprintf(path, sizeof path, "/proc/%ld/smaps", (long)getpid());
    assert_int_equal(access(path, R_OK), 0);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    began = pm_clock_now();
    for (int i = 0; i < 2; i++) {
        run(in, path);
        count(in, 1, 0, 0);
    }
    assert_true(number(in, "SELECT min(taken_ms) FROM snapshot") >= began);
    assert_int_equal(number(in, "SELECT count(*) FROM process"), 1);
}

WITH_IMPORT(several_blocks_with_times)
{
    write_x("a", "Sat Nov 21 02:48:38 UTC 2026\n" APP, 64);
    write_x("b", "Sat Nov 21 02:49:08 UTC 2026\n" APP, 68);
    shell("cat a b > app.log");
    run(in, "app.log");
    expect(in, "app.log 7 app +0 pmap-x complete footer 3\n"
               "app.log 7 app +30000 pmap-x complete footer 3\n");
    /* the next day the log is longer */
    write_x("c", "Sat Nov 21 02:49:38 UTC 2026\n" APP, 68);
    shell("cat c >> app.log");
    run(in, "app.log");
    count(in, 1, 2, 0);
}

WITH_IMPORT(log_without_times)
{
    write_x("a", APP, 64);
    write_x("b", APP, 68);
    shell("cat a b a > app.log && touch -d @1795229918 app.log");
    run(in, "app.log");
    expect(in, "app.log: 3 captures of pid 7 carry no time: give --every 5m (counted back from "
               "the file's mtime) or --first TIME --every 5m\n");
    count(in, 0, 0, 1);
    run(in, "app.log"); /* the trouble is reported once, as for cron */
    count(in, 0, 0, 0);
    in->options.every_ms = 300000;
    run(in, "app.log");
    expect(in, "app.log 7 app +0 pmap-x complete footer 3\n"
               "app.log 7 app +300000 pmap-x complete footer 3\n"
               "app.log 7 app +600000 pmap-x complete footer 3\n");
    /* longer, renamed and written late: known captures keep their times */
    shell("cat b >> app.log && touch -d @1795230225 app.log && mv app.log old.log");
    run(in, "old.log");
    count(in, 1, 3, 0);
    assert_non_null(strstr(in->news.data, "old.log 7 app +907000 pmap-x complete footer 3\n"));
}

/* ---- files that are not captures ---- */

WITH_IMPORT(files_without_a_capture)
{
    shell("mkdir d && echo 'hello' > d/readme.txt && : > d/1-2.smaps");
    box_text("d/3.x", "3:   [kthreadd]\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
                      "---------------- ------- ------- ------- \ntotal kB               0       0"
                      "       0\n");
    run(in, "d");
    count(in, 0, 0, 0);
    assert_int_equal(in->result.skipped, 1);
    assert_int_equal(in->result.empty, 2);
    assert_non_null(strstr(in->news.data, "(note) d/1-2.smaps: "));
    assert_non_null(strstr(in->news.data, "(note) d/3.x: "));
    assert_null(strstr(in->news.data, "readme"));
    /* each is trouble if it is named */
    run(in, "d/readme.txt");
    expect(in, "d/readme.txt: no capture of a memory map in it\n");
    count(in, 0, 0, 1);
    run(in, "d/3.x");
    count(in, 0, 0, 1);
    run(in, "d/1-2.smaps");
    count(in, 0, 0, 1);
    run(in, "nothing-there");
    assert_non_null(strstr(in->news.data, "nothing-there"));
    count(in, 0, 0, 1);
}

/* Half of a file is stored as partial, and is trouble the first time only. */
WITH_IMPORT(partial)
{
    write_x("a", APP, 64);
    shell("head -4 a > 1795229318-7.x");
    run(in, "1795229318-7.x");
    assert_non_null(strstr(in->news.data, "1795229318-7.x 7 app +0 pmap-x partial "));
    assert_non_null(strstr(in->news.data, "["));
    assert_int_equal(in->result.partial, 1);
    count(in, 1, 0, 1);
    run(in, "1795229318-7.x");
    assert_int_equal(in->result.partial, 1);
    count(in, 0, 1, 0);
}

WITH_IMPORT(no_pid)
{
    box_text("1795229318.maps", "00400000-00401000 r-xp 00000000 08:01 11   /opt/app\n"
                                "7ffd40b62000-7ffd40b83000 rw-p 00000000 00:00 0   [stack]\n");
    in->options.strict = true;
    run(in, "1795229318.maps");
    expect(in, "1795229318.maps: no pid in the capture or in its file name: give --pid N\n");
    count(in, 0, 0, 1);
    in->options.strict = false;
    run(in, "1795229318.maps");
    expect(in, "1795229318.maps -1 app +0 maps complete none 2 [no pid in the capture or in its "
               "file name: stored as a separate process; give its pid with --pid N]\n");
    in->options.pid = 9;
    run(in, "1795229318.maps");
    expect(in, "1795229318.maps 9 app +0 maps complete none 2\n");
}

/* ---- options ---- */

static bool stop(void *ctx, const pmapdb_progress *progress)
{
    (void)ctx;
    return progress->of == 0 || progress->done < 1;
}

WITH_IMPORT(stopped)
{
    const char *path = "d";

    shell("mkdir d");
    write_x("d/1795229318-7.x", APP, 64);
    write_x("d/1795229319-7.x", APP, 68);
    in->options.on_progress = stop;
    assert_int_equal(pmapdb_import(in->store, &path, 1, &in->options, &in->result, NULL),
                     PMAPDB_STOPPED);
    assert_int_equal(number(in, "SELECT count(*) FROM snapshot"), 1);
}

WITH_IMPORT(wrong_options)
{
    const char *path = "d";
    pmapdb_import_options wrong[] = {in->options, in->options, in->options, in->options};
    pmapdb_error err = {0};

    wrong[0].dialect = "csv";
    wrong[1].time_from = "header";
    wrong[2].sweep_ms = 3600000;
    wrong[3].first_ms = 1;
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(pmapdb_import(in->store, &path, 1, &wrong[i], &in->result, &err),
                         PMAPDB_USAGE);
    assert_string_equal(err.text, "--first needs --every");
}

WITH_IMPORT(given_name_host_and_time)
{
    write_x("app.x", APP, 64);
    in->options.name = "given";
    in->options.host = "h";
    in->options.at_ms = 1795229318500;
    run(in, "app.x");
    expect(in, "app.x 7 given +500 pmap-x complete footer 3\n");
    in->options.host = "other";
    run(in, "app.x");
    count(in, 1, 0, 0);
    in->options.host = "h";
    run(in, "app.x");
    count(in, 0, 1, 0);
}

RUN_TESTS(NULL, NULL)
