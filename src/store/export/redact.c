/* redact: what a redacted export shows of a store instead of what is in it. */
#include "store/export/redact.h"

#include "base/num.h"
#include "store/export/common.h"
#include "store/export/redact_run.h"
#include "store/rules/rules_csv.h"
#include "store/rules/rules_file.h"
#include <stdio.h>
#include <stdlib.h>

#define KERNEL_TEXT (-((int64_t)1 << 31)) /* 0xffffffff80000000 */
#define SYSTEM_UIDS 1000

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

/* It must match from end to end, so that a word does not keep the whole path around it. */
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
    pmapdb_status st = pm_tokens_new(&r->tokens, err);

    if (st == PMAPDB_OK)
        st = pm_tokens_new(&r->inodes, err);
    if (st == PMAPDB_OK)
        st = pm_tokens_new(&r->kernel, err);
    if (st == PMAPDB_OK)
        st = pm_places_new(&r->places, err);
    r->keep = calloc(n_keep + 1, sizeof(pm_regex *));
    if (st == PMAPDB_OK && !r->keep)
        st = pm_fail_nomem(err);
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
    pm_tokens_free(r->inodes);
    pm_tokens_free(r->kernel);
    pm_places_free(r->places);
    pm_pairs_free(&r->uids);
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

pm_places *pm_redact_places(pm_redact *r)
{
    return r->places;
}

/* ---- texts ---- */

pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err)
{
    pm_text deleted = PM_TEXT(" (deleted)");

    if (pm_text_ends(path, deleted))
        path.len -= deleted.len;
    return pm_common_path(path) ? pm_tokens_publish(r->tokens, pm_text_basename(path), err)
                                : PMAPDB_OK;
}

pmapdb_status pm_redact_add_token(pm_redact *r, const char *prefix, pm_text text, pm_text tail,
                                  pmapdb_error *err)
{
    pm_text token;
    pmapdb_status st = pm_tokens_of(r->tokens, prefix, text, tail, &token, err);

    return st == PMAPDB_OK ? pm_redact_add(r, token, err) : st;
}

pmapdb_status pm_redact_add_kept(pm_redact *r, const char *prefix, pm_text text, pmapdb_error *err)
{
    bool stays;
    pmapdb_status st = pm_tokens_keep(r->tokens, text, &stays, err);

    if (st != PMAPDB_OK)
        return st;
    return stays ? pm_redact_add(r, text, err)
                 : pm_redact_add_token(r, prefix, text, PM_TEXT(""), err);
}

pmapdb_status pm_redact_text(pm_redact *r, pm_redact_how how, pm_text text, pm_text *out,
                             pmapdb_error *err)
{
    pmapdb_status st;

    pm_buf_clear(&r->out);
    switch (how) {
    case PM_REDACT_FIXED:
        st = pm_redact_add(r, text, err);
        break;
    case PM_REDACT_PATH:
        st = pm_redact_path(r, text, err);
        break;
    case PM_REDACT_NAME:
        st = pm_redact_name(r, text, err);
        break;
    case PM_REDACT_COMMAND:
        st = pm_redact_command(r, text, err);
        break;
    case PM_REDACT_CGROUP:
        st = pm_redact_cgroup(r, text, err);
        break;
    default:
        st = pm_redact_word(r, how, text, err);
    }
    if (st == PMAPDB_OK)
        *out = pm_buf_text(&r->out);
    return st;
}

pmapdb_status pm_redact_symbol(pm_redact *r, pm_text symbol, pm_text dso, pm_text *out,
                               pmapdb_error *err)
{
    bool kernel = dso.len > 2 && dso.data[0] == '[' &&
                  pm_common_bracket((pm_text){dso.data + 1, dso.len - 2});
    bool stays = !symbol.len || pm_common_path(dso) || pm_redact_is_kept(r, dso) ||
                 pm_common_library(pm_text_basename(dso)) || pm_redact_is_kept(r, symbol) ||
                 (kernel && !pm_text_equal(dso, PM_TEXT("[unknown]")));
    pmapdb_status st;

    pm_buf_clear(&r->out);
    st = stays ? pm_redact_add_kept(r, "s", symbol, err)
               : pm_redact_add_token(r, "s", symbol, PM_TEXT(""), err);
    if (st == PMAPDB_OK)
        *out = pm_buf_text(&r->out);
    return st;
}

/* ---- numbers ---- */

static pmapdb_status number_of(pm_tokens *tokens, pm_text text, int64_t *out, pmapdb_error *err)
{
    pm_text token;
    uint64_t number = 0;
    pmapdb_status st = pm_tokens_of(tokens, "", text, PM_TEXT(""), &token, err);

    if (st == PMAPDB_OK && pm_num_all(token, &number))
        *out = (int64_t)number;
    return st;
}

pmapdb_status pm_redact_inode(pm_redact *r, pm_text device, int64_t inode, int64_t *out,
                              pmapdb_error *err)
{
    char text[64];

    *out = 0;
    if (!inode)
        return PMAPDB_OK;
    snprintf(text, sizeof text, "%.*s %lld", (int)(device.len < 32 ? device.len : 32),
             device.len ? device.data : "", (long long)inode);
    return number_of(r->inodes, pm_text_of(text), out, err);
}

pmapdb_status pm_redact_uid(pm_redact *r, int64_t uid, int64_t *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *out = uid;
    if (uid < SYSTEM_UIDS)
        return st;
    *out = pm_pairs_get(&r->uids, uid);
    if (!*out) {
        *out = SYSTEM_UIDS + ++r->n_uids;
        st = pm_pairs_put(&r->uids, uid, *out, err);
    }
    return st;
}

pmapdb_status pm_redact_kernel(pm_redact *r, int64_t address, int64_t *out, pmapdb_error *err)
{
    char text[32];
    pmapdb_status st;

    snprintf(text, sizeof text, "%lld", (long long)address);
    st = number_of(r->kernel, pm_text_of(text), out, err);
    if (st == PMAPDB_OK)
        *out = KERNEL_TEXT + 16 * *out;
    return st;
}
