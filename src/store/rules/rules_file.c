/* rules_file: sets of rules as CSV. */
#include "store/rules/rules_file.h"

#include "parse/files/csv_table.h"
#include "store/file/embedded.h"
#include <stdio.h>

extern const pm_embedded pm_embedded_rules[];

const char *const pm_rules_builtins[] = {"default", "pmap-dotnet", NULL};

typedef struct reading {
    const char *label;
    pm_rules *set;
} reading;

pm_text pm_rules_builtin(pm_text name)
{
    for (const pm_embedded *e = pm_embedded_rules; e->name; e++)
        if (pm_text_equal(name, pm_text_of(e->name)))
            return (pm_text){e->text, e->len};
    return (pm_text){0};
}

static pmapdb_status on_bad(void *ctx, uint64_t line, const char *why, pmapdb_error *err)
{
    const reading *r = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", r->label, (unsigned long long)line, why);
}

static pmapdb_status on_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    const reading *r = ctx;
    pmapdb_error why;
    pmapdb_status st = pm_rules_add(r->set, field, &why);

    if (st == PMAPDB_INPUT)
        return on_bad(ctx, line, why.text, err);
    if (st != PMAPDB_OK && err)
        *err = why;
    return st;
}

pmapdb_status pm_rules_read(pm_text text, const char *label, pm_rules **out, pmapdb_error *err)
{
    reading r = {.label = label};
    pm_csv_column columns[PM_RULE_COLUMNS];
    const pm_csv_options options = {.path = label,
                                    .columns = columns,
                                    .n_columns = PM_RULE_COLUMNS,
                                    .strict = true,
                                    .ctx = &r,
                                    .row = on_row,
                                    .bad = on_bad};
    pmapdb_error why;
    pmapdb_status st = pm_rules_new(&r.set, err);

    for (int i = 0; i < PM_RULE_COLUMNS; i++)
        columns[i] = (pm_csv_column){pm_rule_columns[i], i <= PM_RULE_CATEGORY};
    if (st == PMAPDB_OK && text.len > PM_RULES_FILE_MAX)
        st = pm_fail(err, PMAPDB_INPUT, "%s: larger than 1 MiB", label);
    PM_STEP(st, pm_csv_read(text, &options, err));
    if (st == PMAPDB_OK && (st = pm_rules_finish(r.set, &why)) != PMAPDB_OK)
        pm_fail(err, st, "%s: %s", label, why.text);
    if (st == PMAPDB_OK)
        *out = r.set;
    else
        pm_rules_free(r.set);
    return st;
}
