/* redact: what a redacted export shows of a store instead of what is in it. */
#include "store/export/redact.h"

#include "store/export/public.h"
#include "store/export/redact_run.h"
#include "store/rules/rules_csv.h"
#include "store/rules/rules_file.h"
#include <stdlib.h>

/* ---- the columns ---- */

#define LINE(table, column, how) {table, column, PM_REDACT_##how},
static const struct line {
    const char *table, *column;
    pm_redact_how how;
} lines[] = {PM_REDACT_COLUMNS(LINE)};
#undef LINE

pm_redact_how pm_redact_of(const char *table, const char *column)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].table, table) == 0 && strcmp(lines[i].column, column) == 0)
            return lines[i].how;
    return PM_REDACT_STAYS;
}

/* ---- what is kept ---- */

bool pm_redact_is_kept(pm_redact *r, pm_text text)
{
    for (size_t i = 0; i < r->n_keep; i++)
        if (pm_regex_matches(r->keep[i], &r->space, text))
            return true;
    return false;
}

/* A pattern must match from end to end, so that a word does not keep the whole path around it. */
static pmapdb_status add_keep(pm_redact *r, const char *pattern, pmapdb_error *err)
{
    pmapdb_error why = {0};
    pm_buf whole = {0};
    pm_regex *alone = NULL;
    pmapdb_status st = pm_regex_new(pm_text_of(pattern), 0, &alone, &why);

    pm_regex_free(alone);
    if (st == PMAPDB_INPUT)
        return pm_fail(err, PMAPDB_USAGE, "--keep '%s': %s", pattern, why.text);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&whole, &why, "\\A(?:%s)\\z", pattern);
    if (st == PMAPDB_OK)
        st = pm_regex_new(pm_buf_text(&whole), 0, &r->keep[r->n_keep], &why);
    r->n_keep += st == PMAPDB_OK;
    pm_buf_free(&whole);
    if (st != PMAPDB_OK && err)
        *err = why;
    return st;
}

static pmapdb_status add_set(pm_redact *r, const char *name, pmapdb_error *err)
{
    pm_rules_report report = {0};
    pmapdb_status st = pm_rules_read(pm_rules_builtin(pm_text_of(name)), name, NULL, &report,
                                     &r->set[r->n_sets], err);

    r->n_sets += st == PMAPDB_OK;
    pm_rules_report_free(&report);
    return st;
}

static pmapdb_status fill(pm_redact *r, const char *const *keep, size_t n_keep, pmapdb_error *err)
{
    pmapdb_status st;

    r->keep = calloc(n_keep + 1, sizeof(pm_regex *));
    if (!r->keep)
        return pm_fail_nomem(err);
    if ((st = pm_tokens_new(&r->tokens, err)) != PMAPDB_OK ||
        (st = pm_addresses_new(&r->addresses, err)) != PMAPDB_OK ||
        (st = pm_pool_new(&r->inodes, err)) != PMAPDB_OK ||
        (st = pm_pool_new(&r->kernel, err)) != PMAPDB_OK ||
        (st = pm_pool_new(&r->uids, err)) != PMAPDB_OK)
        return st;
    for (size_t i = 0; i < n_keep && st == PMAPDB_OK; i++)
        st = add_keep(r, keep[i], err);
    for (size_t i = 0; pm_rules_builtins[i] && i < PM_REDACT_SETS && st == PMAPDB_OK; i++)
        st = add_set(r, pm_rules_builtins[i], err);
    return st;
}

pmapdb_status pm_redact_new(const char *const *keep, size_t n_keep, pm_redact **out,
                            pmapdb_error *err)
{
    pm_redact *r = calloc(1, sizeof *r);
    pmapdb_status st = r ? fill(r, keep, n_keep, err) : pm_fail_nomem(err);

    if (st == PMAPDB_OK)
        *out = r;
    else
        pm_redact_free(r);
    return st;
}

void pm_redact_free(pm_redact *r)
{
    if (!r)
        return;
    pm_tokens_free(r->tokens);
    pm_pool_free(r->inodes);
    pm_pool_free(r->kernel);
    pm_pool_free(r->uids);
    pm_addresses_free(r->addresses);
    for (size_t i = 0; i < r->n_keep; i++)
        pm_regex_free(r->keep[i]);
    free(r->keep);
    pm_regex_space_free(&r->space);
    for (size_t i = 0; i < r->n_sets; i++)
        pm_rules_free(r->set[i]);
    pm_buf_free(&r->out);
    free(r);
}

pm_tokens *pm_redact_tokens(pm_redact *r)
{
    return r->tokens;
}

pm_addresses *pm_redact_addresses(pm_redact *r)
{
    return r->addresses;
}

/* ---- texts ---- */

void pm_redact_add(pm_redact *r, pm_text text)
{
    if (r->st == PMAPDB_OK)
        r->st = pm_buf_add(&r->out, text.len ? text.data : "", text.len, &r->err);
}

void pm_redact_add_token(pm_redact *r, const char *prefix, pm_text text, pm_text tail)
{
    pm_text token = {"", 0};

    if (r->st == PMAPDB_OK)
        r->st = pm_tokens_of(r->tokens, prefix, text, tail, &token, &r->err);
    pm_redact_add(r, token);
}

void pm_redact_add_kept(pm_redact *r, const char *prefix, pm_text text)
{
    bool stays = false;

    if (r->st == PMAPDB_OK)
        r->st = pm_tokens_keep(r->tokens, text, &stays, &r->err);
    if (stays)
        pm_redact_add(r, text);
    else
        pm_redact_add_token(r, prefix, text, PM_TEXT(""));
}

void pm_redact_add_word(pm_redact *r, const char *prefix, pm_text text, bool stays)
{
    if (stays || pm_redact_is_kept(r, text))
        pm_redact_add_kept(r, prefix, text);
    else
        pm_redact_add_token(r, prefix, text, PM_TEXT(""));
}

pmapdb_status pm_redact_text(pm_redact *r, pm_redact_how how, pm_text text, pm_text beside,
                             pm_text *out, pmapdb_error *err)
{
    pm_buf_clear(&r->out);
    switch (how) {
    case PM_REDACT_FIXED:
        pm_redact_add(r, text);
        break;
    case PM_REDACT_PATH:
    case PM_REDACT_NAME:
        pm_redact_path(r, text);
        break;
    case PM_REDACT_COMMAND:
        pm_redact_command(r, text);
        break;
    case PM_REDACT_CGROUP:
        pm_redact_cgroup(r, text);
        break;
    case PM_REDACT_SYMBOL:
        pm_redact_symbol(r, text, beside);
        break;
    default:
        pm_redact_word(r, how, text);
    }
    *out = pm_buf_text(&r->out);
    return pm_redact_failed(r, err);
}

pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err)
{
    pm_text deleted = PM_TEXT(" (deleted)");

    if (pm_text_ends(path, deleted))
        path.len -= deleted.len;
    return pm_public_path(path) ? pm_tokens_publish(r->tokens, pm_text_basename(path), err)
                                : PMAPDB_OK;
}

pmapdb_status pm_redact_failed(const pm_redact *r, pmapdb_error *err)
{
    if (r->st != PMAPDB_OK && err)
        *err = r->err;
    return r->st;
}
