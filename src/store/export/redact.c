/* redact: what a redacted export shows in place of the texts and addresses of a store. */
#include "store/export/redact.h"

#include "store/rules/rules_file.h"
#include <stdlib.h>

/* ---- texts that stay ---- */

static bool is_kept(pm_redact *r, pm_text text)
{
    for (size_t i = 0; i < r->n_keep; i++)
        if (pm_regex_matches(r->keep[i], &r->space, text))
            return true;
    return false;
}

static bool is_public(pm_redact *r, pm_public what, pm_text text)
{
    return pm_regex_matches(r->is_public[what], &r->space, text);
}

/* True for the name of a program of the system. */
static bool is_program(pm_redact *r, pm_text name)
{
    uint32_t id;
    int64_t yes;

    return pm_pool_text(r->pool, name, &id, NULL) == PMAPDB_OK &&
           pm_map_get(&r->programs, id, &yes);
}

pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err)
{
    uint32_t id;
    pmapdb_status st;

    path = pm_undeleted(path);
    if (!is_public(r, PM_PUBLIC_SYSTEM, path))
        return PMAPDB_OK;
    st = pm_pool_text(r->pool, pm_text_basename(path), &id, err);
    PM_STEP(st, pm_map_put(&r->programs, id, 1, err));
    return st;
}

/* ---- the state ---- */

/* A pattern must match from end to end: a word must not keep the whole path around it. */
static pmapdb_status compile(const char *pattern, pm_regex **out, pmapdb_error *err)
{
    pm_buf whole = {0};
    pmapdb_status st = pm_buf_addf(&whole, err, "\\A(?:%s)\\z", pattern);

    PM_STEP(st, pm_regex_new(pm_buf_text(&whole), 0, out, err));
    pm_buf_free(&whole);
    return st;
}

static pmapdb_status fill(pm_redact *r, const char *const *keep, size_t n_keep, pmapdb_error *err)
{
    pmapdb_status st;

    r->keep = calloc(n_keep + 1, sizeof(pm_regex *));
    if (!r->keep)
        return pm_fail_nomem(err);
    st = pm_pool_new(&r->pool, err);
    for (int i = 0; i < PM_PUBLIC_COUNT && st == PMAPDB_OK; i++)
        st = compile(pm_public_patterns[i], &r->is_public[i], err);
    for (size_t i = 0; i < n_keep && st == PMAPDB_OK; i++) {
        /* the message for a wrong pattern shows it as the user wrote it */
        pmapdb_error why = {0};
        pm_regex *alone = NULL;

        st = pm_regex_new(pm_text_of(keep[i]), 0, &alone, &why);
        pm_regex_free(alone);
        if (st == PMAPDB_INPUT)
            return pm_fail(err, PMAPDB_USAGE, "--keep '%s': %s", keep[i], why.text);
        if (st == PMAPDB_NOMEM)
            return pm_fail_nomem(err);
        PM_STEP(st, compile(keep[i], &r->keep[r->n_keep], err));
        r->n_keep += st == PMAPDB_OK;
    }
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
    pm_pool_free(r->pool);
    pm_map_free(&r->token);
    pm_map_free(&r->programs);
    for (int i = 0; i < PM_PUBLIC_COUNT; i++)
        pm_regex_free(r->is_public[i]);
    for (size_t i = 0; i < r->n_keep; i++)
        pm_regex_free(r->keep[i]);
    free(r->keep);
    pm_regex_space_free(&r->space);
    pm_buf_free(&r->out);
    free(r);
}

/* ---- texts ---- */

static void add(pm_redact *r, pm_text text)
{
    if (r->st == PMAPDB_OK)
        r->st = pm_buf_add(&r->out, text.len ? text.data : "", text.len, &r->err);
}

/* Makes a token that does not equal a text that stays. Gives up after 1000 tries, because --keep
 * may match every token. */
static pmapdb_status make_token(pm_redact *r, const char *prefix, pm_text tail, uint32_t *id)
{
    pm_buf name = {0};
    pmapdb_status st = PMAPDB_OK;

    for (int tries = 0; tries < 1000 && st == PMAPDB_OK; tries++) {
        pm_buf_clear(&name);
        st = pm_buf_addf(&name, &r->err, "%s%llu%.*s", prefix, (unsigned long long)++r->last_number,
                         (int)tail.len, tail.len ? tail.data : "");
        if (!is_kept(r, pm_buf_text(&name)) && !is_program(r, pm_buf_text(&name)))
            break;
    }
    PM_STEP(st, pm_pool_text(r->pool, pm_buf_text(&name), id, &r->err));
    pm_buf_free(&name);
    return st;
}

static void add_token(pm_redact *r, const char *prefix, pm_text text, pm_text tail)
{
    uint32_t id, made;
    int64_t token = 0;

    if (r->st == PMAPDB_OK)
        r->st = pm_pool_text(r->pool, text, &id, &r->err);
    if (r->st == PMAPDB_OK && !pm_map_get(&r->token, id, &token)) {
        r->st = make_token(r, prefix, tail, &made);
        PM_STEP(r->st, pm_map_put(&r->token, id, made, &r->err));
        token = made;
    }
    if (r->st == PMAPDB_OK)
        add(r, r->pool->texts[(uint32_t)token]);
}

/* Appends the text if it `stays` or --keep matches; else a token. */
static void add_word(pm_redact *r, const char *prefix, pm_text text, bool stays)
{
    if (stays || is_kept(r, text))
        add(r, text);
    else
        add_token(r, prefix, text, PM_TEXT(""));
}

/* ---- paths ---- */

/* A title begins with "nginx:"; some tools shorten "[anon:dalvik-/a/boot.art]" to "boot.art]". */
static void add_part(pm_redact *r, pm_text part, bool last)
{
    bool mark = last && part.len && pm_char_in(part.data[part.len - 1], ":]");
    pm_text name = {part.data, part.len - mark};

    if (is_public(r, PM_PUBLIC_PART, name) || (last && is_program(r, name)) || is_kept(r, name))
        add(r, name);
    else
        add_token(r, last ? "f" : "d", name,
                  last ? pm_regex_group(r->is_public[PM_PUBLIC_TAIL], &r->space, name, 1)
                       : PM_TEXT(""));
    add(r, pm_text_from(part, name.len));
}

static void add_path(pm_redact *r, pm_text path)
{
    pm_text deleted = pm_text_from(path, pm_undeleted(path).len), begin;

    path.len -= deleted.len;
    if (is_public(r, PM_PUBLIC_NAME, path) || is_public(r, PM_PUBLIC_SYSTEM, path) ||
        is_kept(r, path)) {
        add(r, path);
        path.len = 0;
    }
    begin = pm_regex_group(r->is_public[PM_PUBLIC_BEGIN], &r->space, path, 1);
    add(r, begin);
    path = pm_text_from(path, begin.len);
    if (begin.len && !pm_text_ends(begin, PM_TEXT("/"))) { /* the program's own word follows */
        bool framed = pm_text_ends(path, PM_TEXT("]"));

        add_word(r, "n", (pm_text){path.data, path.len - framed}, path.len == framed);
        path = pm_text_from(path, path.len - framed);
        add(r, path);
        path.len = 0;
    }
    while (path.len) {
        const char *slash = memchr(path.data, '/', path.len);
        size_t n = slash ? (size_t)(slash - path.data) : path.len;

        add_part(r, (pm_text){path.data, n}, !slash);
        add(r, slash ? PM_TEXT("/") : PM_TEXT(""));
        path = pm_text_from(path, n + (slash != NULL));
    }
    add(r, deleted);
}

/* ---- words ---- */

/* True for a cell of the built-in rules: a category, the name of a rule, a note. */
static bool is_built_in(pm_text text)
{
    for (const char *const *name = pm_rules_builtins; *name; name++) {
        pm_text rules = pm_rules_builtin(pm_text_of(*name));
        const char *at = rules.data, *end = rules.data + rules.len;

        while (text.len && (at = memmem(at, (size_t)(end - at), text.data, text.len))) {
            bool begins = at > rules.data && pm_char_in(at[-1], ",\"\n");

            at += text.len;
            if (begins && (at == end || pm_char_in(*at, ",\"\r\n")))
                return true;
        }
    }
    return false;
}

static void add_category(pm_redact *r, pm_text category)
{
    size_t slug = 0; /* bytes of "slug" or "slug/" at the beginning */

    /* A JVM's names for its memory become categories that no rule has. */
    if (is_built_in(category) || pm_text_equal(category, PM_TEXT("anonymous/jvm-cds")) ||
        pm_text_equal(category, PM_TEXT("shared-memory/jvm-heap"))) {
        add(r, category);
        return;
    }
    for (int i = 0; i < PM_CATEGORY_COUNT; i++) {
        pm_text word = pm_text_of(pm_categories[i].slug);

        if (pm_text_starts(category, word) &&
            (category.len == word.len || category.data[word.len] == '/'))
            slug = word.len + (category.len > word.len);
    }
    add(r, (pm_text){category.data, slug});
    add_path(r, pm_text_from(category, slug));
}

/* Functions of the kernel and the system stay. */
static void add_symbol(pm_redact *r, pm_text symbol, pm_text dso)
{
    bool kernel = pm_text_starts(dso, PM_TEXT("[")) && is_public(r, PM_PUBLIC_NAME, dso) &&
                  !pm_text_equal(dso, PM_TEXT("[unknown]"));

    add_word(r, "s", symbol,
             !symbol.len || kernel || is_public(r, PM_PUBLIC_SYSTEM, dso) || is_kept(r, dso) ||
                 is_public(r, PM_PUBLIC_PART, pm_text_basename(dso)));
}

pmapdb_status pm_redact_text(pm_redact *r, pm_redact_how how, pm_text text, pm_text beside,
                             pm_text *out, pmapdb_error *err)
{
    const char *blank = text.len ? memchr(text.data, ' ', text.len) : NULL;

    pm_buf_clear(&r->out);
    switch (how) {
    case PM_REDACT_PATH:
        add_path(r, text);
        break;
    case PM_REDACT_COMMAND:
        add_path(r, (pm_text){text.data, blank ? (size_t)(blank - text.data) : text.len});
        add(r, blank ? PM_TEXT(" ...") : PM_TEXT(""));
        break;
    case PM_REDACT_SYMBOL:
        add_symbol(r, text, beside);
        break;
    case PM_REDACT_CATEGORY:
        add_category(r, text);
        break;
    case PM_REDACT_NOTE:
        add(r, is_built_in(text) ? text : PM_TEXT(""));
        break;
    case PM_REDACT_RULE:
        add_word(r, "rule", text, pm_text_equal(text, PM_TEXT(PM_RULE_LABEL)) || is_built_in(text));
        break;
    case PM_REDACT_HOST:
        add_word(r, "host", text, false);
        break;
    case PM_REDACT_BOOT:
        add_word(r, "boot", text, false);
        break;
    case PM_REDACT_USER:
        add_word(r, "user", text, pm_text_equal(text, PM_TEXT("root")));
        break;
    default:
        add_word(r, "text", text, how == PM_REDACT_WORD && is_public(r, PM_PUBLIC_WORD, text));
    }
    *out = pm_buf_text(&r->out);
    return pm_redact_failed(r, err);
}

pmapdb_status pm_redact_failed(const pm_redact *r, pmapdb_error *err)
{
    if (r->st != PMAPDB_OK && err)
        *err = r->err;
    return r->st;
}
