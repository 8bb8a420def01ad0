/* one_file: a path that must name a single file. */
#include "api/one_file.h"

pmapdb_status pm_one_file_open(const char *path, const char *otherwise, pm_source **out,
                               pmapdb_error *err)
{
    const pm_source_entry *entry = NULL;
    pm_source *source = NULL;
    pmapdb_status st = pm_source_new(&path, 1, &source, err);

    PM_STEP(st, pm_source_next(source, &entry, err));
    if (st == PMAPDB_OK && (!entry || entry->in_archive || (!entry->named && !entry->is_stdin)))
        st = pm_fail(err, PMAPDB_USAGE, "'%s' is %s", path, otherwise);
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
    pmapdb_status st = pm_one_file_open(path, "not one file", &source, err);

    while (st == PMAPDB_OK && n && out->len <= max) {
        st = pm_source_read(source, &bytes, &n, err);
        PM_STEP(st, pm_buf_add(out, bytes, n, err));
    }
    pm_source_free(source);
    return st;
}

static pmapdb_status read_chunk(void *from, pm_text *chunk, pmapdb_error *err)
{
    return pm_source_read(from, &chunk->data, &chunk->len, err);
}

pmapdb_status pm_one_file_csv(const char *path, const pm_csv_options *options, pmapdb_error *err)
{
    pm_source *source = NULL;
    pmapdb_status st = pm_one_file_open(path, "not one file", &source, err);

    PM_STEP(st, pm_csv_read_from(read_chunk, source, options, err));
    pm_source_free(source);
    return st;
}
