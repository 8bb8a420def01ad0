/* rules_load: where the texts of rules and of their tests come from. */
#include "api/rules_load.h"

#include "source/source.h"
#include "store/rules/rules_file.h"

pmapdb_status pm_rules_load(const char *path, pm_buf *out, pmapdb_error *err)
{
    const pm_source_entry *entry = NULL;
    pm_source *source = NULL;
    const char *bytes;
    size_t n = 1;
    pmapdb_status st = pm_source_new(&path, 1, &source, err);

    PM_STEP(st, pm_source_next(source, &entry, err));
    if (st == PMAPDB_OK && (!entry || entry->in_archive || (!entry->named && !entry->is_stdin)))
        st = pm_fail(err, PMAPDB_USAGE, "'%s' is not one file of CSV", path);
    while (st == PMAPDB_OK && n && out->len <= PM_RULES_FILE_MAX) {
        st = pm_source_read(source, &bytes, &n, err);
        PM_STEP(st, pm_buf_add(out, bytes, n, err));
    }
    pm_source_free(source);
    return st;
}

pmapdb_status pm_rules_find(const char *name_or_path, pm_buf *out, pmapdb_error *err)
{
    pm_text text = pm_rules_builtin(pm_text_of(name_or_path));

    return text.data ? pm_buf_add(out, text.data, text.len, err)
                     : pm_rules_load(name_or_path, out, err);
}
