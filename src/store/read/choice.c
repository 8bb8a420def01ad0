/* choice: the words that a parameter takes. */
#include "store/read/choice.h"

#include "base/buf.h"
#include "base/dialect.h"
#include "base/near.h"

typedef struct choice {
    const pm_query_param *p;
    pm_text value;
    pm_near near;
    pm_buf all;
    bool found;
} choice;

static pmapdb_status offer(choice *c, pm_text word, pmapdb_error *err)
{
    c->found |= pm_text_equal(word, c->value);
    pm_near_try(&c->near, word);
    return pm_buf_addf(&c->all, err, " %.*s", (int)word.len, word.data);
}

static pmapdb_status offer_rows(choice *c, pm_sql *sql, const char *select, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(sql, select, PM_NO_ARGS, &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has)
        st = offer(c, pm_col_text(stmt, 0), err);
    return st;
}

static pmapdb_status offer_dialects(choice *c, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < PM_DIALECT_COUNT && st == PMAPDB_OK; i++)
        st = offer(c, pm_text_of(pm_dialect_name((pm_dialect)i)), err);
    return st;
}

static pmapdb_status offer_states(choice *c, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i <= PM_STATE_TOTALS && st == PMAPDB_OK; i++)
        st = offer(c, pm_text_of(pm_state_name((pm_state)i)), err);
    return st;
}

#define ONE_OF "One of "

/* The header's text lists the values: "One of rss, pss, size", and may say more behind a colon. */
static pmapdb_status offer_listed(choice *c, pmapdb_error *err)
{
    pm_text rest = pm_text_from(c->p->help, strlen(ONE_OF));
    const char *colon = memchr(rest.data, ':', rest.len);
    pmapdb_status st = PMAPDB_OK;

    rest.len = colon ? (size_t)(colon - rest.data) : rest.len;
    while (rest.len && st == PMAPDB_OK) {
        const char *comma = memchr(rest.data, ',', rest.len);
        size_t n = comma ? (size_t)(comma - rest.data) : rest.len;

        st = offer(c, (pm_text){rest.data, n}, err);
        rest = pm_text_from(rest, comma ? n + 1 : n);
        while (rest.len && rest.data[0] == ' ')
            rest = pm_text_from(rest, 1);
    }
    return st;
}

static pmapdb_status offer_all(choice *c, pm_sql *sql, pmapdb_error *err)
{
    if (c->p->unit == PM_UNIT_CATEGORY)
        return offer_rows(c, sql, "SELECT category FROM category ORDER BY 1", err);
    if (pm_text_equal(c->p->name, PM_TEXT("dialect")))
        return offer_dialects(c, err);
    if (pm_text_equal(c->p->name, PM_TEXT("state")))
        return offer_states(c, err);
    if (pm_text_equal(c->p->name, PM_TEXT("host")))
        return offer_rows(c, sql, "SELECT name FROM host ORDER BY 1", err);
    if (pm_text_starts(c->p->help, PM_TEXT(ONE_OF)))
        return offer_listed(c, err);
    c->found = true;
    return PMAPDB_OK;
}

pmapdb_status pm_choice_check(pm_sql *sql, const pm_query_param *p, pm_text value,
                              pmapdb_error *err)
{
    choice c = {.p = p, .value = value};
    pmapdb_status st;

    pm_near_start(&c.near, value);
    st = offer_all(&c, sql, err);
    if (st == PMAPDB_OK && !c.found)
        st = pm_fail(err, PMAPDB_NOTFOUND, "no %.*s '%.*s'%s there are:%s", (int)p->name.len,
                     p->name.data, (int)value.len, value.data, pm_near_hint(&c.near),
                     c.all.data ? c.all.data : " none");
    pm_buf_free(&c.all);
    return st;
}
