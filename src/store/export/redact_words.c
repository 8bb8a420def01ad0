/* redact_words: texts that are no paths: categories, rules, labels, what the kernel prints. */
#include "store/export/redact_run.h"

#include "base/capture.h"
#include "store/export/common.h"

static const pm_text nothing = {"", 0};

static pmapdb_status add_word(pm_redact *r, const char *prefix, pm_text text, bool stays,
                              pmapdb_error *err)
{
    return stays || pm_redact_is_kept(r, text) ? pm_redact_add_kept(r, prefix, text, err)
                                               : pm_redact_add_token(r, prefix, text, nothing, err);
}

/* ---- the program's own words ---- */

static bool is_word(pm_text text)
{
    for (int i = PM_TIME_NONE; i <= PM_TIME_EVERY; i++)
        if (pm_text_equal(text, pm_text_of(pm_time_source_name((pm_time_source)i))))
            return true;
    return pm_dialect_find(text) != PM_DIALECT_COUNT;
}

/* ---- rules and what they give ---- */

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

/* Bytes of "slug/" at its begin, or 0. */
static size_t slug_len(pm_text category)
{
    const char *slash = memchr(category.data, '/', category.len);
    pm_text slug = {category.data, slash ? (size_t)(slash - category.data) : 0};

    for (int i = 0; i < PM_CATEGORY_COUNT; i++)
        if (pm_text_equal(slug, pm_text_of(pm_categories[i].slug)))
            return slug.len + 1;
    return 0;
}

/* Names that a JVM gives its memory become categories that no rule has. */
static bool is_labels(pm_text category)
{
    static const char *const of_labels[] = {"anonymous/jvm-cds", "shared-memory/jvm-heap"};

    for (size_t i = 0; i < sizeof of_labels / sizeof *of_labels; i++)
        if (pm_text_equal(category, pm_text_of(of_labels[i])))
            return true;
    return false;
}

static pmapdb_status add_category(pm_redact *r, pm_text category, pmapdb_error *err)
{
    size_t slug = category.len ? slug_len(category) : 0;
    pmapdb_status st;

    if (is_built_in(r, category, pm_rules_template) || is_labels(category))
        return pm_redact_add_kept(r, "f", category, err);
    st = pm_redact_add(r, (pm_text){category.data, slug}, err);
    return st == PMAPDB_OK ? pm_redact_path(r, pm_text_from(category, slug), err) : st;
}

static pmapdb_status add_note(pm_redact *r, pm_text note, pmapdb_error *err)
{
    return is_built_in(r, note, pm_rules_note) ? pm_redact_add(r, note, err) : PMAPDB_OK;
}

/* ---- labels ---- */

/* STACK-4712-main: everything behind the number is the thread's name. */
static pmapdb_status add_label(pm_redact *r, pm_text label, pmapdb_error *err)
{
    size_t n = strlen("STACK-");
    pmapdb_status st;

    if (!pm_text_starts(label, PM_TEXT("STACK-")))
        return add_word(r, "n", label, pm_common_label(label), err);
    while (n < label.len && label.data[n] >= '0' && label.data[n] <= '9')
        n++;
    n += n < label.len && label.data[n] == '-';
    st = pm_redact_add(r, (pm_text){label.data, n}, err);
    return st == PMAPDB_OK && n < label.len ? add_word(r, "n", pm_text_from(label, n), false, err)
                                            : st;
}

/* ---- what the kernel prints ---- */

static bool has_only(pm_text text, const char *chars)
{
    for (size_t i = 0; i < text.len; i++)
        if (!pm_char_in(text.data[i], chars))
            return false;
    return true;
}

/* Two letters each. */
static bool is_flags(pm_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (i % 3 == 2 ? text.data[i] != ' '
                       : !pm_char_in(text.data[i], "abcdefghijklmnopqrstuvwxyz0123456789?"))
            return false;
    return true;
}

/* "Key: N kB" */
static pmapdb_status add_extra_line(pm_redact *r, pm_text line, pmapdb_error *err)
{
    const char *colon = line.len ? memchr(line.data, ':', line.len) : NULL;
    size_t n = colon ? (size_t)(colon - line.data) : line.len;
    pm_text rest = pm_text_from(line, n);
    pmapdb_status st = add_word(r, "key", (pm_text){line.data, n}, false, err);

    if (st == PMAPDB_OK && !has_only(rest, ": 0123456789kB"))
        rest = nothing;
    return st == PMAPDB_OK ? pm_redact_add(r, rest, err) : st;
}

static pmapdb_status add_extra(pm_redact *r, pm_text text, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (text.len && st == PMAPDB_OK) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t n = end ? (size_t)(end - text.data) : text.len;

        if (n)
            st = add_extra_line(r, (pm_text){text.data, n}, err);
        if (st == PMAPDB_OK && end)
            st = pm_redact_add(r, PM_TEXT("\n"), err);
        text = pm_text_from(text, n + (end != NULL));
    }
    return st;
}

/* ---- all of them ---- */

pmapdb_status pm_redact_word(pm_redact *r, pm_redact_how how, pm_text text, pmapdb_error *err)
{
    switch (how) {
    case PM_REDACT_WORD:
        return add_word(r, "text", text, is_word(text), err);
    case PM_REDACT_SENTENCE:
        return add_word(r, "text", text, pm_common_sentence(text), err);
    case PM_REDACT_HOST:
        return add_word(r, "host", text, false, err);
    case PM_REDACT_BOOT:
        return add_word(r, "boot", text, false, err);
    case PM_REDACT_USER:
        return add_word(r, "user", text, pm_text_equal(text, PM_TEXT("root")), err);
    case PM_REDACT_RULE:
        return add_word(r, "rule", text,
                        pm_text_equal(text, PM_TEXT(PM_RULE_LABEL)) ||
                            is_built_in(r, text, pm_rules_name),
                        err);
    case PM_REDACT_SELECTION:
        return add_word(r, "text", text, pm_text_equal(text, PM_TEXT("--all")), err);
    case PM_REDACT_CATEGORY:
        return add_category(r, text, err);
    case PM_REDACT_NOTE:
        return add_note(r, text, err);
    case PM_REDACT_LABEL:
        return add_label(r, text, err);
    case PM_REDACT_EXTRA:
        return add_extra(r, text, err);
    case PM_REDACT_PERMS:
        return add_word(r, "text", text, text.len == 4 && has_only(text, "rwxsp-?"), err);
    case PM_REDACT_DEVICE:
        return add_word(r, "text", text, has_only(text, "0123456789abcdef:"), err);
    case PM_REDACT_FLAGS:
        return add_word(r, "text", text, is_flags(text), err);
    default: /* what somebody wrote down */
        return add_word(r, "text", text, false, err);
    }
}
