/* rules: sets of rules, and a change of the rules of a store. */
#include "api/rules.h"

#include "api/one_file.h"
#include "base/hash.h"
#include "base/near.h"
#include "store/dict/categories.h"
#include "store/rules/apply.h"
#include "store/rules/rules_file.h"
#include <stdio.h>
#include <unistd.h>

/* ---- which set ---- */

void pm_rules_choice_free(pm_rules_choice *c)
{
    pm_rule_text_free(&c->text);
    pm_rules_free(c->rules);
}

pmapdb_status pm_rules_find(const char *name_or_path, pm_buf *out, pmapdb_error *err)
{
    pm_text text = pm_rules_builtin(pm_text_of(name_or_path));

    return text.data ? pm_buf_add(out, text.data, text.len, err)
                     : pm_one_file_read(name_or_path, PM_RULES_FILE_MAX, out, err);
}

/* Fails unless the name is a built-in set or a file: a misspelt name looks like a missing file. */
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
        "no rules '%s'%s the built-in rules are default and pmap-dotnet, and no file has this name",
        wanted, pm_near_hint(&near));
}

static pmapdb_status load_named(const char *wanted, pm_rule_text *out, pmapdb_error *err)
{
    pmapdb_status st = check_name(wanted, err);

    PM_STEP(st, pm_buf_addf(&out->name, err, "%s", wanted));
    PM_STEP(st, pm_rules_find(wanted, &out->text, err));
    return st;
}

/* A set that was chosen by its name may equal the set of the store. */
pmapdb_status pm_rules_choose(pmapdb_store *store, const char *wanted, pm_rules_choice *out,
                              pmapdb_error *err)
{
    pm_rule_text *t = &out->text, stored = {0};
    bool named = wanted || !store;
    pmapdb_status st = PMAPDB_OK;

    if (named) {
        st = load_named(wanted ? wanted : pm_rules_builtins[0], t, err);
        t->hash = pm_hash(pm_buf_text(&t->text).data, t->text.len, 0);
        t->applied_ms = PMAPDB_UNKNOWN;
    }
    if (store && st == PMAPDB_OK) {
        pm_rule_text_load(store->sql, named ? &stored : t);
        st = pm_sql_end(store->sql, err);
        out->stored = st == PMAPDB_OK && (!named || stored.hash == t->hash);
    }
    if (named && out->stored)
        t->applied_ms = stored.applied_ms;
    pm_rule_text_free(&stored);
    return st;
}

pmapdb_status pm_rules_choice_read(pm_rules_choice *c, pmapdb_error *err)
{
    const pm_rule_text *t = &c->text;

    return pm_rules_read(pm_buf_text(&t->text), pm_buf_text(&t->name).data, &c->rules, err);
}

/* ---- other rules for a whole store ---- */

static void say_unnamed(const pmapdb_rules_options *o, int64_t unnamed)
{
    char note[160];

    snprintf(note, sizeof note,
             "%lld mappings have only a built-in category: a store has room for %d names from "
             "captures",
             (long long)unnamed, PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT);
    if (unnamed && o->on_note)
        o->on_note(o->ctx, note);
}

pmapdb_status pmapdb_rules_apply(pmapdb_store *store, const pmapdb_rules_options *options,
                                 pmapdb_rules_result *result, pmapdb_error *err)
{
    pm_rules_choice c = {0};
    pm_apply how = {.text = &c.text, .options = options};
    pmapdb_rules_result made;
    pmapdb_status st;

    if (!store->writes)
        return pm_fail(err, PMAPDB_USAGE, "rules are applied to a store that is open for writing");
    st = pm_rules_choose(store, options->rules, &c, err);
    PM_STEP(st, pm_rules_choice_read(&c, err));
    how.rules = c.rules;
    PM_STEP(st, pm_apply_rules(store, &how, &made, err));
    if (st == PMAPDB_OK) {
        say_unnamed(options, made.unnamed);
        *result = made;
    }
    pm_rules_choice_free(&c);
    return st;
}
