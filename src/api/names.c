/* names: reads a file of rules that name processes, and applies them. */
#include "api/names.h"

#include "api/one_file.h"

#define FILE_MAX ((size_t)65536)

void pm_names_close(pm_names_file *names)
{
    for (size_t i = 0; i < names->n; i++)
        pm_expression_free(names->holds[i]);
    pm_buf_free(&names->text);
}

static pmapdb_status add_rule(pm_names_file *f, pm_text line, pmapdb_error *err)
{
    pm_text name = pm_text_word(&line, " \t\r");
    pmapdb_status st;

    if (!name.len || *name.data == '#')
        return PMAPDB_OK;
    if (f->n == PM_NAMES_MAX)
        return pm_fail(err, PMAPDB_USAGE, "there are more than %d rules", PM_NAMES_MAX);
    st = pm_expression_new(line, &f->holds[f->n], err);
    if (st == PMAPDB_OK && f->holds[f->n]->needs & PM_NEED_ANCESTORS) {
        pm_expression_free(f->holds[f->n]);
        return pm_fail(err, PMAPDB_USAGE, "descendant_of() cannot give a name");
    }
    if (st != PMAPDB_OK)
        return st;
    f->needs |= f->holds[f->n]->needs;
    f->name[f->n++] = name;
    return PMAPDB_OK;
}

pmapdb_status pm_names_read(const char *path, pm_names_file *out, pmapdb_error *err)
{
    pmapdb_error why;
    pmapdb_status st;
    pm_text rest;

    if (!path)
        return PMAPDB_OK;
    st = pm_one_file_read(path, FILE_MAX, &out->text, err);
    if (st == PMAPDB_OK && out->text.len > FILE_MAX)
        st = pm_fail(err, PMAPDB_USAGE, "'%s' has more than 64 KiB", path);
    rest = pm_buf_text(&out->text);
    for (int line = 1; rest.len && st == PMAPDB_OK; line++) {
        st = add_rule(out, pm_text_cut(&rest, '\n'), &why);
        if (st != PMAPDB_OK)
            st = pm_fail(err, st, "%s:%d: %s", path, line, why.text);
    }
    return st;
}

pmapdb_status pm_names_find(const pm_names_file *names, const pm_facts *facts, pm_text *name,
                            pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    bool holds = false;

    *name = PM_TEXT("");
    for (size_t i = 0; i < names->n && st == PMAPDB_OK && !holds; i++) {
        st = pm_expression_holds(names->holds[i], facts, &holds, err);
        if (holds)
            *name = names->name[i];
    }
    return st;
}
