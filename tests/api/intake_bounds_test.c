/* intake_bounds_test: how much memory one file may take, and files whose end is missing. */
#include "api/blocks.h"
#include "api/import/intake.h"
#include "api/run.h"
#include "store/write/put.h"

/* Writes pmap -X of `pid`. Its rows are held until the columns are known. */
static void write_wide(const char *path, int pid, int rows)
{
    pm_buf text = {0};

    pm_buf_addf(&text, NULL,
                "%d:   app -v\n"
                "         Address Perm   Offset Device Inode Size Rss Mapping\n",
                pid);
    for (int i = 0; i < rows; i++)
        pm_buf_addf(&text, NULL,
                    "    %012llx rw-p 00000000  00:00     0    8   4 [anon:some row]\n",
                    0x7f0000000000ULL + (unsigned long long)i * 0x10000);
    pm_buf_addf(&text, NULL,
                "                                             ==== ===\n"
                "                                             %d %d KB\n",
                rows * 8, rows * 4);
    box_write(path, text.data, text.len);
    pm_buf_free(&text);
}

#define TOO_MUCH "needs more than 1 MiB of memory: raise the limit with --max-memory SIZE"

/* A file that is too large is refused as a whole and reported; the files beside it are stored. */
WITH_IMPORT(memory)
{
    shell("mkdir d");
    write_wide("d/1795229318-7.X", 7, 40);
    write_wide("d/1795229318-8.X", 8, 20000);
    write_wide("d/1795229318-9.X", 9, 40);
    in->options.max_memory = 1 << 20;
    run(in, "d");
    expect(in, "d/1795229318-7.X 7 app +0 pmap-X complete footer 40\n"
               "d/1795229318-9.X 9 app +0 pmap-X complete footer 40\n"
               "d/1795229318-8.X: " TOO_MUCH "\n");
    count(in, 2, 0, 1);
    in->options.max_memory = 0; /* no bound */
    run(in, "d/1795229318-8.X");
    expect(in, "d/1795229318-8.X 8 app +0 pmap-X complete footer 20000\n");
}

/* Many captures have equal rows, which are kept once. The memory of the captures themselves counts,
 * until they are stored. */
WITH_IMPORT(memory_of_captures)
{
    size_t each = sizeof(pm_capture) + sizeof(pm_stored) + sizeof(pm_pending);
    pm_buf text = {0};

    for (unsigned i = 0; i < 22000; i++)
        pm_buf_addf(&text, NULL,
                    "%u\n7:   app\n000055d1c0000000      8K rw---   [ anon ]\n total        8K\n",
                    1795229318 + i * 60);
    box_write("log", text.data, text.len);
    pm_buf_free(&text);
    in->options.max_memory = 8 << 20;
    run(in, "log");
    assert_true(in->result.stored > 100);
    assert_true(in->result.stored * each < in->options.max_memory);
}

/* ---- explain ---- */

IN_BOX(memory_to_explain)
{
    const char *const path = "8.X";
    pm_blocks_options how = {.paths = &path, .n_paths = 1, .max_memory = 1 << 20};
    pm_found_block *found = NULL;
    pm_blocks *blocks = NULL;
    pmapdb_error err;

    write_wide(path, 8, 20000);
    for (int limited = 1; limited >= 0; limited--) {
        how.max_memory = limited ? 1 << 20 : 0;
        assert_int_equal(pm_blocks_new(&how, &blocks, &err), PMAPDB_OK);
        assert_int_equal(pm_blocks_next(blocks, &found, &err), PMAPDB_OK);
        assert_string_equal(found->path, "8.X");
        assert_string_equal(found->error ? found->error : "", limited ? TOO_MUCH : "");
        assert_int_equal(found->trouble, limited);
        pm_found_block_free(found);
        pm_blocks_free(blocks);
    }
}

/* ---- the end of a file ---- */

/* Each row has 64 bytes, and a file is unpacked in pieces of 64 KiB: a missing piece does not cut a
 * row. */
static void write_smaps(const char *path, unsigned rows)
{
    pm_buf text = {0};

    for (unsigned i = 0; i < rows; i++)
        pm_buf_addf(&text, NULL, "7f%06x0000-7f%06x2000 rw-p 00000000 00:00 0 \nRss: %6d kB\n", i,
                    i, 4);
    assert_int_equal(text.len, rows * 64);
    box_write(path, text.data, text.len);
    pm_buf_free(&text);
}

/* Truncated smaps do not show that rows are missing: only the failed reading shows it. */
WITH_IMPORT(cut)
{
    write_smaps("1795229318-7.smaps", 3000);
    shell("gzip 1795229318-7.smaps && truncate -s -400 1795229318-7.smaps.gz && "
          "touch -d '1 minute ago' 1795229318-7.smaps.gz");
    run(in, "1795229318-7.smaps.gz");
    expect(in, "1795229318-7.smaps.gz 7 ? +0 smaps partial none 2048 "
               "[the file could not be read to its end: rows may be missing]\n"
               "1795229318-7.smaps.gz: '1795229318-7.smaps.gz': truncated gzip input\n");
    count(in, 1, 0, 2);
}

static void append_x(const char *path, const char *time, bool whole)
{
    char command[512];

    snprintf(command, sizeof command,
             "{ echo '%s'; echo '7:   app'; echo 'Address Kbytes RSS Dirty Mode Mapping'; "
             "echo '0000000000400000       4       4       4 r-x-- app'; %s } >>%s",
             time,
             whole ? "echo '---------------- ------- ------- -------'; "
                     "echo 'total kB               4       4       4';"
                   : "",
             path);
    shell(command);
}

/* The last capture of a log has no sums: while the log is fresh, it is left for the next run. */
WITH_IMPORT(being_written)
{
    append_x("app.log", "Sat Nov 21 02:48:38 UTC 2026", true);
    append_x("app.log", "Sat Nov 21 02:49:38 UTC 2026", false);
    run(in, "app.log");
    expect(in,
           "app.log 7 app +0 pmap-x complete footer 1\n"
           "(note) app.log: it is being written: its last capture is left for the next import\n");
    shell("touch -d '1 minute ago' app.log");
    run(in, "app.log");
    count(in, 1, 1, 1);
    assert_int_equal(number(in, "SELECT count(*) FROM snapshot WHERE state = 'partial'"), 1);
}

RUN_TESTS(NULL, NULL)
