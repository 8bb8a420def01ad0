/* same_file: keeps -o away from the other files of a command. */
#include "cli/same_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folder that a path lies in, as the system knows it. */
static bool folder_of(const char *path, struct stat *info)
{
    const char *slash = strrchr(path, '/');
    char *folder;
    bool found;

    if (!slash)
        return stat(".", info) == 0;
    folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    found = folder && stat(folder, info) == 0;
    free(folder);
    return found;
}

static bool is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool pm_cli_is_same_place(const char *a, const char *b)
{
    struct stat x, y;
    bool a_is_there = stat(a, &x) == 0, b_is_there = stat(b, &y) == 0;

    if (a_is_there || b_is_there)
        return a_is_there && b_is_there && is_one(&x, &y);
    return pm_text_equal(pm_text_basename(pm_text_of(a)), pm_text_basename(pm_text_of(b))) &&
           folder_of(a, &x) && folder_of(b, &y) && is_one(&x, &y);
}

/* A pipe or a terminal may be read and written. */
static bool can_be_lost(const char *path)
{
    struct stat info;

    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

pmapdb_status pm_cli_keep_apart(const pm_cli *cli, const char *const *paths, size_t n,
                                const char *does, pmapdb_error *err)
{
    for (size_t i = 0; cli->output && i < n; i++)
        if (paths[i] && strcmp(paths[i], "-") != 0 && can_be_lost(cli->output) &&
            pm_cli_is_same_place(cli->output, paths[i]))
            return pm_fail(err, PMAPDB_USAGE, "-o '%s' is a file that this command %s", cli->output,
                           does);
    return PMAPDB_OK;
}
