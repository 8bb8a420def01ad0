/* catalog: the named queries, built in or in files. */
#include "store/read/catalog.h"

#include "base/buf.h"
#include "base/near.h"
#include "store/file/embedded.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUERY_FILE_MAX (1 << 20)

void pm_catalog_free(pm_query_info *info)
{
    if (!info)
        return;
    free(info->text);
    free(info->where);
    free(info->names);
    free(info);
}

/* ---- folders ---- */

typedef enum place { PLACE_GIVEN, PLACE_SETTINGS, PLACE_COUNT } place;

/* The folder of queries; "" if there is no folder. */
static pmapdb_status folder_of(const char *query_dir, place which, pm_buf *out, pmapdb_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    struct stat info;
    pmapdb_status st;

    pm_buf_clear(out);
    if (which == PLACE_GIVEN)
        return pm_buf_addf(out, err, "%s", query_dir ? query_dir : "");
    if (config && *config == '/')
        st = pm_buf_addf(out, err, "%s/pmapdb/queries", config);
    else
        st = home && *home == '/' ? pm_buf_addf(out, err, "%s/.config/pmapdb/queries", home)
                                  : pm_buf_addf(out, err, "%s", "");
    /* sudo may keep HOME: then queries of another user would replace built-in ones for root */
    if (st == PMAPDB_OK && out->len &&
        (stat(out->data, &info) != 0 || (info.st_uid != geteuid() && info.st_uid != 0) ||
         (info.st_mode & S_IWOTH)))
        pm_buf_clear(out);
    return st;
}

void pm_names_free(pm_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    *names = (pm_names){0};
}

/* Keeps the names sorted, each once. */
static pmapdb_status add_name(pm_names *names, pm_text name, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&names->name, &names->cap, names->n, sizeof *names->name, err);
    char *copy = st == PMAPDB_OK ? pm_text_copy(name) : NULL;
    size_t at = names->n;
    int order = 1;

    if (!copy)
        return st == PMAPDB_OK ? pm_fail_nomem(err) : st;
    while (at && (order = strcmp(names->name[at - 1], copy)) > 0)
        at--;
    if (order == 0) {
        free(copy);
        return PMAPDB_OK;
    }
    memmove(names->name + at + 1, names->name + at, (names->n++ - at) * sizeof copy);
    names->name[at] = copy;
    return PMAPDB_OK;
}

/* Adds the queries of a folder; a folder that cannot be read has none. */
static pmapdb_status add_folder(pm_names *names, const char *path, pmapdb_error *err)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    pmapdb_status st = PMAPDB_OK;

    while (dir && st == PMAPDB_OK && (entry = readdir(dir))) {
        pm_text name = pm_text_of(entry->d_name);

        if (name.len > 4 && name.data[0] != '.' && pm_text_ends(name, PM_TEXT(".sql")))
            st = add_name(names, (pm_text){name.data, name.len - 4}, err);
    }
    if (dir)
        closedir(dir);
    return st;
}

/* ---- built-in queries ---- */

static const char fleet[] = "fleet/";

static bool is_of_fleet(const char *name)
{
    return strncmp(name, fleet, sizeof fleet - 1) == 0;
}

/* Returns the name without its folder. */
static const char *bare(const char *name)
{
    return is_of_fleet(name) ? name + sizeof fleet - 1 : name;
}

pmapdb_status pm_catalog_names(const char *query_dir, const char *folder, pm_names *out,
                               pmapdb_error *err)
{
    const pm_embedded *e = *folder ? pm_embedded_fleet : pm_embedded_queries;
    pm_buf path = {0};
    pmapdb_status st = PMAPDB_OK;

    *out = (pm_names){0};
    for (; e->name && st == PMAPDB_OK; e++)
        st = add_name(out, pm_text_of(e->name), err);
    for (int which = 0; which < PLACE_COUNT && st == PMAPDB_OK; which++) {
        st = folder_of(query_dir, (place)which, &path, err);
        if (st == PMAPDB_OK && path.len && *folder)
            st = pm_buf_addf(&path, err, "/%s", folder);
        if (st == PMAPDB_OK && path.len)
            st = add_folder(out, path.data, err);
    }
    pm_buf_free(&path);
    if (st != PMAPDB_OK)
        pm_names_free(out);
    return st;
}

/* ---- files ---- */

static pmapdb_status read_all(const char *path, FILE *file, pm_buf *text, pmapdb_error *err)
{
    char chunk[4096];
    pmapdb_status st = PMAPDB_OK;
    size_t n;

    while (st == PMAPDB_OK && (n = fread(chunk, 1, sizeof chunk, file)))
        st = text->len > QUERY_FILE_MAX
                 ? pm_fail(err, PMAPDB_USAGE, "'%s' is too large for a query", path)
                 : pm_buf_add(text, chunk, n, err);
    if (st == PMAPDB_OK && ferror(file))
        return pm_fail_io(err, errno, "cannot read '%s'", path);
    return st;
}

static pmapdb_status check_name(const char *path, const pm_query_info *info, pmapdb_error *err)
{
    pm_text file = pm_text_basename(pm_text_of(path));

    if (pm_text_ends(file, PM_TEXT(".sql")))
        file.len -= 4;
    if (pm_text_equal(info->name, file))
        return PMAPDB_OK;
    return pm_query_fail(info, info->name.data, err,
                         "the name in the header is '%.*s'; it must be the file's, '%.*s'",
                         (int)info->name.len, info->name.data, (int)file.len, file.data);
}

pmapdb_status pm_catalog_read(const char *path, pm_query_info **out, pmapdb_error *err)
{
    pm_buf text = {0};
    pm_query_info *info = NULL;
    FILE *file = fopen(path, "re");
    pmapdb_status st;

    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return pm_fail(err, PMAPDB_NOTFOUND, "no file '%s'", path);
    if (!file)
        return pm_fail_io(err, errno, "cannot read '%s'", path);
    st = read_all(path, file, &text, err);
    fclose(file);
    PM_STEP(st, pm_catalog_parse(path, pm_buf_text(&text), &info, err));
    pm_buf_free(&text);
    PM_STEP(st, check_name(path, info, err));
    if (st != PMAPDB_OK) {
        pm_catalog_free(info);
        return st;
    }
    *out = info;
    return PMAPDB_OK;
}

/* ---- finding a query ---- */

static pmapdb_status unknown(const char *query_dir, const char *name, pmapdb_error *err)
{
    pm_names names;
    pm_near near;
    pm_buf all = {0};
    pmapdb_status st = pm_catalog_names(query_dir, is_of_fleet(name) ? "fleet" : "", &names, err);

    if (st != PMAPDB_OK)
        return st;
    name = bare(name);
    pm_near_start(&near, pm_text_of(name));
    for (size_t i = 0; i < names.n; i++) {
        pm_near_try(&near, pm_text_of(names.name[i]));
        pm_buf_addf(&all, NULL, " %s", names.name[i]);
    }
    st = pm_buf_status(&all, err);
    PM_STEP(st, pm_fail(err, PMAPDB_NOTFOUND, "no query '%s'%s there are:%s", name,
                        pm_near_hint(&near), all.data));
    pm_buf_free(&all);
    pm_names_free(&names);
    return st;
}

static pmapdb_status find_file(const char *query_dir, const char *name, pm_query_info **out,
                               pmapdb_error *err)
{
    pm_buf path = {0};
    pmapdb_status st = PMAPDB_NOTFOUND;

    for (int which = 0; which < PLACE_COUNT && st == PMAPDB_NOTFOUND; which++) {
        st = folder_of(query_dir, (place)which, &path, err);
        if (st == PMAPDB_OK && !path.len) {
            st = PMAPDB_NOTFOUND;
            continue;
        }
        PM_STEP(st, pm_buf_addf(&path, err, "/%s.sql", name));
        if (st != PMAPDB_OK)
            break;
        st = pm_catalog_read(path.data, out, err);
        /* An unreadable file in the settings folder does not count. */
        if (st == PMAPDB_IO && which == PLACE_SETTINGS && err && err->os_errno == EACCES)
            st = PMAPDB_NOTFOUND;
    }
    pm_buf_free(&path);
    return st;
}

pmapdb_status pm_catalog_find(const char *query_dir, const char *name, pm_query_info **out,
                              pmapdb_error *err)
{
    pmapdb_error own;
    char where[128];
    pmapdb_status st;

    if (strchr(bare(name), '/'))
        return unknown(query_dir, name, err);
    st = find_file(query_dir, name, out, err ? err : &own);
    if (st != PMAPDB_NOTFOUND)
        return st;
    for (const pm_embedded *e = is_of_fleet(name) ? pm_embedded_fleet : pm_embedded_queries;
         e->name; e++)
        if (strcmp(e->name, bare(name)) == 0) {
            snprintf(where, sizeof where, "%s.sql", e->name);
            st = pm_catalog_parse(where, (pm_text){e->text, e->len}, out, err);
            if (st == PMAPDB_OK)
                (*out)->builtin = true;
            return st;
        }
    return unknown(query_dir, name, err);
}
