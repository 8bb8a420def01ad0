/* rules: sets of rules, and what a store has by them. */
#include "api/rules.h"

#include "api/rules_load.h"
#include "base/near.h"
#include "store/rules/rules_file.h"
#include <stdlib.h>
#include <unistd.h>

/* ---- which set ---- */

void pm_rules_choice_free(pm_rules_choice *c)
{
    pm_rule_text_free(&c->text);
    pm_rules_free(c->rules);
}

/* A misspelt name is a file that is not there. */
static pmapdb_status check_name(const char *wanted, pmapdb_error *err)
{
    pm_near near;

    if (pm_rules_builtin(pm_text_of(wanted)).data || strcmp(wanted, "-") == 0 ||
        access(wanted, F_OK) == 0)
        return PMAPDB_OK;
    pm_near_start(&near, pm_text_of(wanted));
    for (const char *const *name = pm_rules_builtins; *name; name++)
        pm_near_try(&near, pm_text_of(*name));
    return pm_fail(
        err, PMAPDB_NOTFOUND,
        "no rules '%s'%s built in are default and pmap-dotnet, and there is no such file", wanted,
        pm_near_hint(&near));
}

static pmapdb_status load_named(const char *wanted, const char *application, pm_rule_text *out,
                                pmapdb_error *err)
{
    pmapdb_status st = check_name(wanted, err);

    out->applied_ms = PMAPDB_UNKNOWN;
    PM_STEP(st, pm_buf_addf(&out->name, err, "%s", wanted));
    PM_STEP(st, pm_rules_find(wanted, &out->text, err));
    if (st == PMAPDB_OK && application)
        st = pm_buf_addf(&out->application, err, "%s", application);
    out->hash = pm_rule_text_hash(pm_buf_text(&out->text), pm_buf_text(&out->application));
    return st;
}

static pmapdb_status load_stored(pmapdb_store *store, const char *application, pm_rule_text *out,
                                 pmapdb_error *err)
{
    pmapdb_status st = pm_rule_text_load(store->sql, out, err);

    if (st != PMAPDB_OK || !application)
        return st;
    pm_buf_clear(&out->application);
    st = pm_buf_addf(&out->application, err, "%s", application);
    out->hash = pm_rule_text_hash(pm_buf_text(&out->text), pm_buf_text(&out->application));
    return st;
}

/* A set that was chosen by its name may be what the store has. */
static pmapdb_status is_stored(pmapdb_store *store, pm_rules_choice *c, pmapdb_error *err)
{
    pm_rule_text stored = {0};
    pmapdb_status st = pm_rule_text_load(store->sql, &stored, err);

    c->stored = st == PMAPDB_OK && stored.hash == c->text.hash;
    c->text.applied_ms = c->stored ? stored.applied_ms : PMAPDB_UNKNOWN;
    pm_rule_text_free(&stored);
    return st;
}

pmapdb_status pm_rules_choose(pmapdb_store *store, const char *wanted, const char *application,
                              pm_rules_choice *out, pmapdb_error *err)
{
    pmapdb_status st;

    if (application && strcmp(application, "/app") == 0)
        application = ""; /* as the store says it */
    st = wanted || !store
             ? load_named(wanted ? wanted : pm_rules_builtins[0], application, &out->text, err)
             : load_stored(store, application, &out->text, err);
    return st == PMAPDB_OK && store ? is_stored(store, out, err) : st;
}

pmapdb_rule_set pm_rules_choice_about(const pm_rules_choice *c)
{
    const pm_rule_text *t = &c->text;
    pm_text builtin = pm_rules_builtin(pm_buf_text(&t->name));

    return (pmapdb_rule_set){.name = pm_buf_text(&t->name).data,
                             .text = pm_buf_text(&t->text).data,
                             .application = t->application.len ? t->application.data : "/app",
                             .stored = c->stored,
                             .applied_ms = t->applied_ms,
                             .named_built_in = builtin.data != NULL,
                             .built_in =
                                 builtin.data && pm_text_equal(builtin, pm_buf_text(&t->text)),
                             .rules = c->rules ? (int64_t)pm_rules_count(c->rules) : 0};
}

/* ---- notes ---- */

static pmapdb_status tell_lines(const pm_buf *lines, bool mistake,
                                void (*on_note)(void *ctx, bool mistake, const char *note),
                                void *ctx, pmapdb_error *err)
{
    char *text = pm_text_copy(pm_buf_text(lines)), *rest = text, *line;

    if (!text)
        return pm_fail_nomem(err);
    while ((line = strsep(&rest, "\n")) && *line)
        on_note(ctx, mistake, line);
    free(text);
    return PMAPDB_OK;
}

pmapdb_status pm_rules_choice_read(pm_rules_choice *c,
                                   void (*on_note)(void *ctx, bool mistake, const char *note),
                                   void *ctx, pmapdb_error *err)
{
    const pm_rule_text *t = &c->text;
    pm_rules_report report = {0};
    pmapdb_status st =
        pm_rules_read(pm_buf_text(&t->text), pm_buf_text(&t->name).data,
                      t->application.len ? t->application.data : NULL, &report, &c->rules, err);
    pmapdb_status told = pm_rules_tell(&report, on_note, ctx, err);

    pm_rules_report_free(&report);
    return st == PMAPDB_OK ? told : st;
}

pmapdb_status pm_rules_tell(const pm_rules_report *report,
                            void (*on_note)(void *ctx, bool mistake, const char *note), void *ctx,
                            pmapdb_error *err)
{
    pmapdb_status st;

    if (!on_note)
        return PMAPDB_OK;
    st = tell_lines(&report->mistakes, true, on_note, ctx, err);
    return st == PMAPDB_OK ? tell_lines(&report->warnings, false, on_note, ctx, err) : st;
}
