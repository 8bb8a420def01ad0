/* rules_file: sets of rules as CSV. */
#include "store/rules/rules_file.h"

#include "store/file/embedded.h"

extern const pm_embedded pm_embedded_rules[];

const char *const pm_rules_builtins[] = {"default", "pmap-dotnet", NULL};

typedef struct filling {
    pm_rules *set;
    pm_rules_report *report;
    const char *label;
} filling;

pm_text pm_rules_builtin(pm_text name)
{
    for (const pm_embedded *e = pm_embedded_rules; e->name; e++)
        if (pm_text_equal(name, pm_text_of(e->name)))
            return (pm_text){e->text, e->len};
    return (pm_text){0};
}

static pmapdb_status warn(const filling *f, uint64_t line, size_t index, pmapdb_error *err)
{
    pm_buf *out = &f->report->warnings;
    pm_buf what = {0};
    pmapdb_status st = pm_rules_warning(f->set, index, &what, err);

    if (st == PMAPDB_OK && what.len && line)
        st = pm_buf_addf(out, err, "%s:%llu: %s\n", f->label, (unsigned long long)line, what.data);
    else if (st == PMAPDB_OK && what.len)
        st = pm_buf_addf(out, err, "%s: %s\n", f->label, what.data);
    pm_buf_free(&what);
    return st;
}

static pmapdb_status on_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    filling *f = ctx;
    pmapdb_status st = pm_rules_add(f->set, field, err);

    return st == PMAPDB_OK ? warn(f, line, pm_rules_count(f->set) - 1, err) : st;
}

pmapdb_status pm_rules_read(pm_text text, const char *label, const char *application,
                            pm_rules_report *report, pm_rules **out, pmapdb_error *err)
{
    pm_csv_column columns[PM_RULE_COLUMNS];
    filling f = {.report = report, .label = label};
    const pm_rules_csv csv = {.label = label,
                              .text = text,
                              .columns = columns,
                              .n_columns = PM_RULE_COLUMNS,
                              .ctx = &f,
                              .row = on_row};
    pmapdb_error why;
    pmapdb_status st = pm_rules_new(application, &f.set, err);

    for (int i = 0; i < PM_RULE_COLUMNS; i++)
        columns[i] = (pm_csv_column){pm_rule_columns[i], i <= PM_RULE_CATEGORY};
    if (st == PMAPDB_OK)
        st = pm_rules_csv_read(&csv, report, err);
    if (st == PMAPDB_OK) {
        st = pm_rules_finish(f.set, &why);
        if (st == PMAPDB_INPUT)
            st = pm_rules_mistake(report, label, 0, why.text, err);
        else if (st != PMAPDB_OK)
            st = pm_fail_nomem(err);
        if (st == PMAPDB_OK)
            st = pm_rules_verdict(report, label, err);
    }
    if (st == PMAPDB_OK)
        st = warn(&f, 0, PM_NO_RULE, err);
    if (st == PMAPDB_OK)
        *out = f.set;
    else
        pm_rules_free(f.set);
    return st;
}
