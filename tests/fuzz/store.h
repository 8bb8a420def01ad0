/* store: a small store for a fuzz entry, opened once: two captures of one process, on a host called
 * box. The files are deleted as soon as the store is open. */
#ifndef PM_TESTS_FUZZ_STORE_H
#define PM_TESTS_FUZZ_STORE_H

#include "kit.h"
#include "store/file/store.h"
#include <unistd.h>

static const char fuzz_capture[] = "2026-11-21 02:05:32\n"
                                   "4711:   /srv/demo/demo\n"
                                   "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
                                   "0000000000400000       4       4       4 r---- demo\n"
                                   "00000000004a9000      20       8       8 rw---   [ anon ]\n"
                                   "---------------- ------- ------- ------- \n"
                                   "total kB              24      12      12\n"
                                   "2026-11-21 03:05:32\n"
                                   "4711:   /srv/demo/demo\n"
                                   "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
                                   "0000000000400000       4       4       4 r---- demo\n"
                                   "00000000004a9000      40      28      28 rw---   [ anon ]\n"
                                   "---------------- ------- ------- ------- \n"
                                   "total kB              44      32      32\n";

static inline void fuzz_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    FUZZ_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

/* "SELECT :p", whose handle of its own has to find the file. */
static pmapdb_rows *fuzz_literal;

static inline pmapdb_store *fuzz_store(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".txt"};
    static pmapdb_store *store;
    char dir[] = "/tmp/pmapdb-fuzz-XXXXXX", path[64], text[64];
    const char *paths[] = {text};
    pmapdb_open_options how = {.mode = PMAPDB_WRITE};
    pmapdb_import_options options;
    pmapdb_import_result result = {0};
    pmapdb_error err = {0};

    if (store)
        return store;
    FUZZ_CHECK(mkdtemp(dir), "no folder");
    snprintf(path, sizeof path, "%s/t.db", dir);
    snprintf(text, sizeof text, "%s/t.db.txt", dir);
    fuzz_write(text, fuzz_capture);
    pmapdb_import_defaults(&options);
    options.host = "box";
    FUZZ_CHECK(pmapdb_open(path, &how, &store, &err) == PMAPDB_OK, "%s", err.text);
    FUZZ_CHECK(pmapdb_import(store, paths, 1, &options, &result, &err) == PMAPDB_OK, "%s",
               err.text);
    FUZZ_CHECK(pmapdb_sql(store, "SELECT :p", NULL, &fuzz_literal, &err) == PMAPDB_OK, "%s",
               err.text);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(text, sizeof text, "%s%s", path, ends[i]);
        unlink(text);
    }
    rmdir(dir);
    return store;
}

#endif
