/* redact: what a redacted export shows in place of the texts and addresses of a store. */
#include "store/export/redact.h"

#include "base/record/dialect.h"
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

/* ---- texts that stay ---- */

bool pm_redact_is_kept(pm_redact *r, pm_text text)
{
    for (size_t i = 0; i < r->n_keep; i++)
        if (pm_regex_matches(r->keep[i], &r->space, text))
            return true;
    return false;
}

bool pm_redact_is_public(pm_redact *r, pm_public what, pm_text text)
{
    return pm_regex_matches(r->is_public[what], &r->space, text);
}

/* A pattern must match from end to end: a word must not keep the whole path around it. */
static pmapdb_status compile(const char *pattern, pm_regex **out, pmapdb_error *err)
{
    pm_buf whole = {0};
    pmapdb_status st = pm_buf_addf(&whole, err, "\\A(?:%s)\\z", pattern);

    PM_STEP(st, pm_regex_new(pm_buf_text(&whole), 0, out, err));
    pm_buf_free(&whole);
    return st;
}

/* The message for a wrong pattern shows it as the user wrote it. */
static pmapdb_status add_keep(pm_redact *r, const char *pattern, pmapdb_error *err)
{
    pmapdb_error why = {0};
    pm_regex *alone = NULL;
    pmapdb_status st = pm_regex_new(pm_text_of(pattern), 0, &alone, &why);

    pm_regex_free(alone);
    if (st == PMAPDB_INPUT)
        return pm_fail(err, PMAPDB_USAGE, "--keep '%s': %s", pattern, why.text);
    PM_STEP(st, compile(pattern, &r->keep[r->n_keep], err));
    r->n_keep += st == PMAPDB_OK;
    return st == PMAPDB_NOMEM ? pm_fail_nomem(err) : st;
}

static pmapdb_status add_set(pm_redact *r, const char *name, pmapdb_error *err)
{
    pm_rules_report report = {0};
    pmapdb_status st =
        pm_rules_read(pm_rules_builtin(pm_text_of(name)), name, &report, &r->set[r->n_sets], err);

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
    st = pm_tokens_new(&r->tokens, err);
    for (int i = 0; i < PM_PUBLIC_COUNT && st == PMAPDB_OK; i++)
        st = compile(pm_public_patterns[i], &r->is_public[i], err);
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
    for (int i = 0; i < PM_PUBLIC_COUNT; i++)
        pm_regex_free(r->is_public[i]);
    for (size_t i = 0; i < r->n_keep; i++)
        pm_regex_free(r->keep[i]);
    free(r->keep);
    pm_regex_space_free(&r->space);
    for (size_t i = 0; i < r->n_sets; i++)
        pm_rules_free(r->set[i]);
    pm_buf_free(&r->out);
    free(r);
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

/* ---- words ---- */

static bool is_built_in(const pm_redact *r, pm_text text,
                        const char *(*of)(const pm_rules *set, size_t index))
{
    for (size_t s = 0; s < r->n_sets; s++)
        for (size_t i = 0; i < pm_rules_count(r->set[s]); i++) {
            const char *word = of(r->set[s], i);

            if (!strchr(word, '%') && pm_text_equal(text, pm_text_of(word)))
                return true;
        }
    return false;
}

/* The number of bytes of "slug/" at the beginning of a category, or 0. */
static size_t slug_len(pm_text category)
{
    for (int i = 0; i < PM_CATEGORY_COUNT; i++) {
        pm_text slug = pm_text_of(pm_categories[i].slug);

        if (pm_text_starts(category, slug) && category.len > slug.len &&
            category.data[slug.len] == '/')
            return slug.len + 1;
    }
    return 0;
}

static void add_category(pm_redact *r, pm_text category)
{
    size_t slug = slug_len(category);

    /* A JVM's names for its memory become categories that no rule has. */
    if (is_built_in(r, category, pm_rules_template) ||
        pm_text_equal(category, PM_TEXT("anonymous/jvm-cds")) ||
        pm_text_equal(category, PM_TEXT("shared-memory/jvm-heap"))) {
        pm_redact_add_kept(r, "f", category);
        return;
    }
    pm_redact_add(r, (pm_text){category.data, slug});
    pm_redact_path(r, pm_text_from(category, slug));
}

/* STACK-4712-main: the text after the number is the name of the thread. */
static void add_label(pm_redact *r, pm_text label)
{
    size_t n = strlen("STACK-");

    if (!pm_text_starts(label, PM_TEXT("STACK-"))) {
        pm_redact_add_word(r, "n", label, pm_redact_is_public(r, PM_PUBLIC_LABEL, label));
        return;
    }
    while (n < label.len && label.data[n] >= '0' && label.data[n] <= '9')
        n++;
    n += n < label.len && label.data[n] == '-';
    pm_redact_add(r, (pm_text){label.data, n});
    if (n < label.len)
        pm_redact_add_word(r, "n", pm_text_from(label, n), false);
}

/* Functions of the kernel and the system stay. */
static void add_symbol(pm_redact *r, pm_text symbol, pm_text dso)
{
    bool kernel = pm_text_starts(dso, PM_TEXT("[")) &&
                  pm_redact_is_public(r, PM_PUBLIC_NAME, dso) &&
                  !pm_text_equal(dso, PM_TEXT("[unknown]"));

    pm_redact_add_word(r, "s", symbol,
                       !symbol.len || kernel || pm_redact_is_public(r, PM_PUBLIC_SYSTEM, dso) ||
                           pm_redact_is_kept(r, dso) ||
                           pm_redact_is_public(r, PM_PUBLIC_LIBRARY, pm_text_basename(dso)));
}

/* Lines "Key: N kB". */
static void add_extra(pm_redact *r, pm_text text)
{
    while (text.len) {
        const char *end = memchr(text.data, '\n', text.len);
        pm_text line = {text.data, end ? (size_t)(end - text.data) : text.len};
        const char *colon = line.len ? memchr(line.data, ':', line.len) : NULL;
        size_t n = colon ? (size_t)(colon - line.data) : line.len;
        pm_text rest = pm_text_from(line, n);

        if (line.len)
            pm_redact_add_word(r, "key", (pm_text){line.data, n}, false);
        if (pm_redact_is_public(r, PM_PUBLIC_NUMBERS, rest))
            pm_redact_add(r, rest);
        if (end)
            pm_redact_add(r, PM_TEXT("\n"));
        text = pm_text_from(text, line.len + (end != NULL));
    }
}

/* All other words: the prefix of the token, and the texts that stay. */
static void add_word(pm_redact *r, pm_redact_how how, pm_text text)
{
    static const struct {
        const char *prefix;
        pm_public stays;
    } words[PM_REDACT_NEVER] = {
        [PM_REDACT_HOST] = {"host", PM_PUBLIC_NOTHING},
        [PM_REDACT_BOOT] = {"boot", PM_PUBLIC_NOTHING},
        [PM_REDACT_USER] = {"user", PM_PUBLIC_USER},
        [PM_REDACT_RULE] = {"rule", PM_PUBLIC_NOTHING},
        [PM_REDACT_SENTENCE] = {"text", PM_PUBLIC_SENTENCE},
        [PM_REDACT_SELECTION] = {"text", PM_PUBLIC_SELECTION},
        [PM_REDACT_PERMS] = {"text", PM_PUBLIC_PERMS},
        [PM_REDACT_DEVICE] = {"text", PM_PUBLIC_DEVICE},
        [PM_REDACT_FLAGS] = {"text", PM_PUBLIC_FLAGS},
    };
    bool stays = pm_redact_is_public(r, words[how].stays, text);

    if (how == PM_REDACT_WORD)
        stays = pm_dialect_find(text) != PM_DIALECT_COUNT;
    if (how == PM_REDACT_RULE)
        stays = pm_text_equal(text, PM_TEXT(PM_RULE_LABEL)) || is_built_in(r, text, pm_rules_name);
    pm_redact_add_word(r, words[how].prefix ? words[how].prefix : "text", text, stays);
}

/* ---- all texts ---- */

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
        add_symbol(r, text, beside);
        break;
    case PM_REDACT_CATEGORY:
        add_category(r, text);
        break;
    case PM_REDACT_NOTE:
        if (is_built_in(r, text, pm_rules_note))
            pm_redact_add(r, text);
        break;
    case PM_REDACT_LABEL:
        add_label(r, text);
        break;
    case PM_REDACT_EXTRA:
        add_extra(r, text);
        break;
    default:
        add_word(r, how, text);
    }
    *out = pm_buf_text(&r->out);
    return pm_redact_failed(r, err);
}

pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err)
{
    pm_text deleted = PM_TEXT(" (deleted)");

    if (pm_text_ends(path, deleted))
        path.len -= deleted.len;
    return pm_redact_is_public(r, PM_PUBLIC_SYSTEM, path)
               ? pm_tokens_publish(r->tokens, pm_text_basename(path), err)
               : PMAPDB_OK;
}

pmapdb_status pm_redact_failed(const pm_redact *r, pmapdb_error *err)
{
    if (r->st != PMAPDB_OK && err)
        *err = r->err;
    return r->st;
}
