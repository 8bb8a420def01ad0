/* one_file: a path that must name a single file. */
#include "api/one_file.h"

#define CSV_MAX ((size_t)128 << 20)

pmapdb_status pm_one_file_open(const char *const *path, const char *otherwise, pm_source **out,
                               pmapdb_error *err)
{
    const pm_source_entry *entry = NULL;
    pm_source *source = NULL;
    pmapdb_status st = pm_source_new(path, 1, 0, &source, err);

    PM_STEP(st, pm_source_next(source, &entry, err));
    if (st == PMAPDB_OK && (!entry || entry->in_archive || !entry->named))
        st = pm_fail(err, PMAPDB_USAGE, "'%s' is %s", *path, otherwise);
    if (st == PMAPDB_OK)
        *out = source;
    else
        pm_source_free(source);
    return st;
}

pmapdb_status pm_one_file_read(const char *path, size_t max, pm_buf *out, pmapdb_error *err)
{
    pm_source *source = NULL;
    const char *bytes;
    size_t n = 1;
    pmapdb_status st = pm_one_file_open(&path, "not one file", &source, err);

    while (st == PMAPDB_OK && n && out->len <= max) {
        st = pm_source_read(source, &bytes, &n, err);
        PM_STEP(st, pm_buf_add(out, bytes, n, err));
    }
    pm_source_free(source);
    return st;
}

pmapdb_status pm_one_file_csv(const char *path, const pm_csv_options *options, pmapdb_error *err)
{
    pm_buf text = {0};
    pmapdb_status st = pm_one_file_read(path, CSV_MAX, &text, err);

    if (st == PMAPDB_OK && text.len > CSV_MAX)
        st = pm_fail(err, PMAPDB_INPUT, "'%s' has more than %zu MiB", path, CSV_MAX >> 20);
    PM_STEP(st, pm_csv_read(pm_buf_text(&text), options, err));
    pm_buf_free(&text);
    return st;
}
