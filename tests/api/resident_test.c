/* resident_test: the Rss of a capture whose mappings do not show it, from the status file beside
 * the capture. */
#include "api/run.h"

#define MAPS "00400000-00500000 rw-p 00000000 00:00 0 \n"
#define PLAIN "7:   worker\n0000000000400000   1024K rw---   [ anon ]\n total             1024K\n"

static void put_beside(const char *name, const char *text, int vm_rss)
{
    char status[100];

    mkdir("7", 0700);
    box_text(name, text);
    snprintf(status, sizeof status, "Name:\tworker\nPid:\t7\nVmRSS:\t%d kB\n", vm_rss);
    box_text("7/status", status);
}

/* Returns a column of the row `total` of the query leaks. */
static const char *judged(const importing *in, const char *column)
{
    static char text[100];
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    bool has = false;

    assert_int_equal(pmapdb_query(in->store, "leaks", &rows, &err), PMAPDB_OK);
    while (pmapdb_next(rows, &has, &err) == PMAPDB_OK && has)
        for (int i = 0; i < pmapdb_rows_columns(rows); i++)
            if (strcmp(pmapdb_rows_text(rows, 3, NULL), "total") == 0 &&
                strcmp(pmapdb_rows_name(rows, i), column) == 0)
                snprintf(text, sizeof text, "%s", pmapdb_rows_text(rows, i, NULL));
    pmapdb_rows_close(rows);
    return text;
}

/* VmRSS shows the growth, as for a live capture of maps, but does not prove the capture whole. */
WITH_IMPORT(maps_with_status)
{
    char command[100];

    for (int i = 0; i < 9; i++) {
        put_beside("7/maps", MAPS, 100 + 20 * i);
        snprintf(command, sizeof command, "touch -d @%d 7/maps", 1795229318 + 60 * i);
        shell(command);
        if (i == 8) /* in the archive the status comes after the maps */
            shell("tar cf m.tar 7/maps 7/status");
        run(in, i == 8 ? "m.tar" : "7");
        assert_non_null(strstr(in->news.data, "7/maps 7 worker +"));
        assert_non_null(strstr(in->news.data, " maps complete none 1"));
    }
    assert_int_equal(number(in, "SELECT count(*) FROM snapshot WHERE tool_rss_kib = 100 + "
                                "(taken_ms - 1795229318000) / 3000 AND rss_kib IS NULL"),
                     9);
    assert_string_equal(judged(in, "rss_from"), "VmRSS");
    assert_string_equal(judged(in, "verdict"), "leak");
    assert_string_equal(judged(in, "last"), "260");
}

/* VmRSS is used for a capture of plain pmap. It is not used for each capture of a log, for another
 * pid, or for a capture that has sums and no mappings. */
IN_BOX(captures_that_use_vm_rss)
{
    static const struct {
        const char *name, *text;
        int64_t known;
    } cases[] = {
        {"7/pmap", PLAIN, 1},
        {"7/maps", "Sat Nov 21 02:48:38 UTC 2026\n" MAPS "Sat Nov 21 02:58:38 UTC 2026\n" MAPS, 0},
        {"7/pmap", "8" PLAIN, 0},
        {"7/pmap", "7:   worker\n total             1024K\n", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        importing in;

        shell("rm -rf 7 t.db*");
        put_beside(cases[i].name, cases[i].text, 100);
        begin(&in);
        run(&in, cases[i].name);
        assert_true(in.result.stored > 0);
        assert_int_equal(number(&in, "SELECT count(tool_rss_kib) FROM snapshot"), cases[i].known);
        end(&in);
    }
}

RUN_TESTS(NULL, NULL)
