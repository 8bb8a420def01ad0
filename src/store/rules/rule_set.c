/* rule_set: the rules of a store. */
#include "store/rules/rule_set.h"

#include "base/hash.h"
#include "store/rules/rules_file.h"
#include <stdlib.h>

struct pm_rule_set {
    pm_sql *sql;   /* NULL: the caller gave `rules` */
    pm_rules *own; /* NULL: not needed yet, or `rules` were given */
    const pm_rules *rules;
};

/* ---- the table ---- */

void pm_rule_text_free(pm_rule_text *text)
{
    pm_buf_free(&text->name);
    pm_buf_free(&text->text);
}

static pmapdb_status add(pm_buf *out, pm_text text, pmapdb_error *err)
{
    return pm_buf_add(out, text.data ? text.data : "", text.len, err);
}

static pmapdb_status take_built_in(pm_rule_text *out, pmapdb_error *err)
{
    pm_text name = pm_text_of(pm_rules_builtins[0]), text = pm_rules_builtin(name);
    pmapdb_status st = add(&out->name, name, err);

    out->hash = pm_hash(text.data, text.len);
    out->applied_ms = PMAPDB_UNKNOWN;
    return st == PMAPDB_OK ? add(&out->text, text, err) : st;
}

static pmapdb_status take_row(sqlite3_stmt *stmt, pm_rule_text *out, pmapdb_error *err)
{
    pm_text name = pm_col_text(stmt, 0), text = pm_col_text(stmt, 1);
    pmapdb_status st = PMAPDB_OK;

    if (!name.data || !text.data) /* out of memory: the columns are NOT NULL */
        st = pm_fail_nomem(err);
    PM_STEP(st, add(&out->name, name, err));
    PM_STEP(st, add(&out->text, text, err));
    out->hash = (uint64_t)pm_col_int(stmt, 2);
    out->applied_ms = pm_col_int(stmt, 3);
    pm_sql_done(stmt);
    return st;
}

pmapdb_status pm_rule_text_load(pm_sql *sql, pm_rule_text *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt =
        pm_sql_ask(sql, "SELECT name, text, hash, applied_ms FROM rule_set", PM_NO_ARGS);
    bool has = pm_sql_next(sql, stmt);
    pmapdb_status st = pm_sql_end(sql, err);

    if (st != PMAPDB_OK)
        return st;
    return has ? take_row(stmt, out, err) : take_built_in(out, err);
}

pmapdb_status pm_rule_text_store(pm_sql *sql, const pm_rule_text *text, pmapdb_error *err)
{
    pm_text rules = pm_buf_text(&text->text);

    pm_sql_do(sql,
              "REPLACE INTO rule_set (rule_set_id, name, text, hash, applied_ms) "
              "VALUES (1, ?1, ?2, ?3, ?4)",
              PM_ARGS(PM_T(pm_buf_text(&text->name)), PM_T(rules),
                      PM_BITS(pm_hash(rules.data, rules.len)), PM_I(text->applied_ms)));
    return pm_sql_end(sql, err);
}

pmapdb_status pm_rule_text_built_in(pm_sql *sql, pmapdb_error *err)
{
    pm_rule_text text = {0};
    pmapdb_status st = take_built_in(&text, err);

    PM_STEP(st, pm_rule_text_store(sql, &text, err));
    pm_rule_text_free(&text);
    return st;
}

/* ---- compiled ---- */

pmapdb_status pm_rule_set_new(pm_sql *sql, pm_rule_set **out, pmapdb_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return pm_fail_nomem(err);
    (*out)->sql = sql;
    return PMAPDB_OK;
}

pmapdb_status pm_rule_set_of(const pm_rules *rules, pm_rule_set **out, pmapdb_error *err)
{
    pm_rule_set *set = calloc(1, sizeof *set);

    if (!set)
        return pm_fail_nomem(err);
    set->rules = rules;
    *out = set;
    return PMAPDB_OK;
}

void pm_rule_set_free(pm_rule_set *set)
{
    if (!set)
        return;
    pm_rules_free(set->own);
    free(set);
}

/* Fails with an explanation. The rules had no mistake when they were applied, so a newer program
 * wrote them. */
static pmapdb_status say_unreadable(const pm_rule_text *text, const pmapdb_error *why,
                                    pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_DATABASE,
                   "the rules of this store are not to be read (%s), perhaps they are of a newer "
                   "pmapdb: 'pmapdb rules --apply default' replaces %.*s",
                   why->text, (int)text->name.len, pm_buf_text(&text->name).data);
}

static pmapdb_status compile(pm_rule_set *set, pmapdb_error *err)
{
    pm_rule_text text = {0};
    pm_rules_report report = {0};
    pmapdb_error why;
    pmapdb_status st = pm_rule_text_load(set->sql, &text, err);

    if (st == PMAPDB_OK) {
        st = pm_rules_read(pm_buf_text(&text.text), pm_buf_text(&text.name).data, &report,
                           &set->own, &why);
        if (st == PMAPDB_INPUT)
            st = say_unreadable(&text, &why, err);
        else if (st != PMAPDB_OK && err)
            *err = why;
    }
    set->rules = set->own;
    pm_rules_report_free(&report);
    pm_rule_text_free(&text);
    return st;
}

pmapdb_status pm_rule_set_rules(pm_rule_set *set, const pm_rules **out, pmapdb_error *err)
{
    pmapdb_status st = set->rules ? PMAPDB_OK : compile(set, err);

    *out = set->rules;
    return st;
}
