/* foreign_files: detects foreign files in the places where SQLite keeps its own files next to a
 * store. */
#include "store/file/foreign_files.h"

#include "base/buf.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets *open if every user may create files in the folder of `path`, as in /tmp. */
static pmapdb_status is_open_to_all(const char *path, bool *open, pmapdb_error *err)
{
    pm_text whole = pm_text_of(path), name = pm_text_basename(whole);
    pm_buf folder = {0};
    struct stat info;
    pmapdb_status st = pm_buf_addf(&folder, err, "%.*s.", (int)(whole.len - name.len), path);

    *open = st == PMAPDB_OK && stat(folder.data, &info) == 0 && (info.st_mode & S_IWOTH);
    pm_buf_free(&folder);
    return st;
}

static pmapdb_status check_beside(const char *store, const char *end, bool open_to_all,
                                  pmapdb_error *err)
{
    pm_buf path = {0};
    struct stat info;
    pmapdb_status st = pm_buf_addf(&path, err, "%s%s", store, end);

    if (st == PMAPDB_OK && lstat(path.data, &info) == 0) {
        if (!S_ISREG(info.st_mode))
            st = pm_fail(err, PMAPDB_SCHEMA,
                         "'%s' is not a regular file, so SQLite did not make it: remove it",
                         path.data);
        else if (open_to_all && info.st_uid != geteuid() && info.st_uid != 0)
            st = pm_fail(err, PMAPDB_SCHEMA,
                         "'%s' is another user's, in a folder where everybody may make files: keep "
                         "the store in a folder of your own",
                         path.data);
    }
    pm_buf_free(&path);
    return st;
}

pmapdb_status pm_foreign_files_check(const char *store, bool writes, pmapdb_error *err)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char *real = realpath(store, NULL); /* SQLite keeps its files next to the real path */
    bool open_to_all = false;
    pmapdb_status st = PMAPDB_OK;

    if (!real && errno == ENOMEM)
        return pm_fail_nomem(err);
    if (writes)
        st = is_open_to_all(real ? real : store, &open_to_all, err);
    for (size_t i = 0; i < sizeof ends / sizeof *ends && st == PMAPDB_OK; i++)
        st = check_beside(real ? real : store, ends[i], open_to_all, err);
    free(real);
    return st;
}
