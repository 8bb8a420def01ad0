/* rule_set: the rules of a store. */
#include "store/rules/rule_set.h"

#include "base/hash.h"
#include "store/dict/categories.h"
#include "store/file/embedded.h"
#include "store/rules/rules_file.h"

void pm_rule_text_free(pm_rule_text *text)
{
    pm_buf_free(&text->name);
    pm_buf_free(&text->text);
}

/* Fills *out. The columns are NOT NULL, so a text without data means that memory ran out. */
static void take(pm_sql *sql, pm_rule_text *out, pm_text name, pm_text text, uint64_t hash,
                 int64_t applied_ms)
{
    out->hash = hash;
    out->applied_ms = applied_ms;
    if (!name.data || !text.data)
        PM_SQL_STEP(sql, pm_fail_nomem(&err));
    PM_SQL_STEP(sql, pm_buf_add(&out->name, name.data, name.len, &err));
    PM_SQL_STEP(sql, pm_buf_add(&out->text, text.data, text.len, &err));
}

static void take_built_in(pm_sql *sql, pm_rule_text *out)
{
    pm_text name = pm_text_of(pm_rules_builtins[0]), text = pm_rules_builtin(name);

    take(sql, out, name, text, pm_hash(text.data, text.len, 0), PMAPDB_UNKNOWN);
}

void pm_rule_text_load(pm_sql *sql, pm_rule_text *out)
{
    sqlite3_stmt *stmt =
        pm_sql_ask(sql, "SELECT name, text, hash, applied_ms FROM rule_set", PM_NO_ARGS);

    if (pm_sql_next(sql, stmt)) {
        take(sql, out, pm_col_text(stmt, 0), pm_col_text(stmt, 1), (uint64_t)pm_col_int(stmt, 2),
             pm_col_int(stmt, 3));
        pm_sql_done(stmt);
    } else if (pm_sql_ok(sql)) {
        take_built_in(sql, out);
    }
}

void pm_rule_text_store(pm_sql *sql, const pm_rule_text *text)
{
    pm_text rules = pm_buf_text(&text->text);

    pm_sql_do(sql,
              "REPLACE INTO rule_set (rule_set_id, name, text, hash, applied_ms) "
              "VALUES (1, ?1, ?2, ?3, ?4)",
              PM_ARGS(PM_T(pm_buf_text(&text->name)), PM_T(rules),
                      PM_BITS(pm_hash(rules.data, rules.len, 0)), PM_I(text->applied_ms)));
}

static void fill(pm_sql *sql, bool is_new)
{
    pm_rule_text text = {0};

    pm_category_ids_built_in(sql);
    pm_dialects_add(sql);
    if (!is_new)
        return;
    take_built_in(sql, &text);
    pm_rule_text_store(sql, &text);
    pm_rule_text_free(&text);
}

const pm_schema pm_schema_built_in = {pm_embedded_schema, PM_SCHEMA_VERSION, fill};

static pmapdb_status compile(const pm_rule_text *text, pm_rules **out, pmapdb_error *err)
{
    pmapdb_error why = {0};
    pmapdb_status st =
        pm_rules_read(pm_buf_text(&text->text), pm_buf_text(&text->name).data, out, &why);

    if (st == PMAPDB_INPUT) /* the rules had no mistake when they were applied */
        return pm_fail(err, PMAPDB_DATABASE,
                       "cannot read the rules of this store (%s); perhaps a newer pmapdb wrote "
                       "them: 'pmapdb rules --apply default' replaces %.*s",
                       why.text, (int)text->name.len, pm_buf_text(&text->name).data);
    *err = why;
    return st;
}

pm_rules *pm_rules_of_store(pm_sql *sql)
{
    pm_rule_text text = {0};
    pm_rules *rules = NULL;

    pm_rule_text_load(sql, &text);
    PM_SQL_STEP(sql, compile(&text, &rules, &err));
    pm_rule_text_free(&text);
    return rules;
}
