/* redact_words: texts that are no paths: categories, rules, labels, what the kernel prints. */
#include "store/export/redact_run.h"

#include "base/capture.h"
#include "store/export/public.h"

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

static void add_category(pm_redact *r, pm_text category)
{
    size_t slug = category.len ? slug_len(category) : 0;

    if (is_built_in(r, category, pm_rules_template) || is_labels(category)) {
        pm_redact_add_kept(r, "f", category);
        return;
    }
    pm_redact_add(r, (pm_text){category.data, slug});
    pm_redact_path(r, pm_text_from(category, slug));
}

/* STACK-4712-main: all after the number is the thread's name. */
static void add_label(pm_redact *r, pm_text label)
{
    size_t n = strlen("STACK-");

    if (!pm_text_starts(label, PM_TEXT("STACK-"))) {
        pm_redact_add_word(r, "n", label, pm_public_label(label));
        return;
    }
    while (n < label.len && label.data[n] >= '0' && label.data[n] <= '9')
        n++;
    n += n < label.len && label.data[n] == '-';
    pm_redact_add(r, (pm_text){label.data, n});
    if (n < label.len)
        pm_redact_add_word(r, "n", pm_text_from(label, n), false);
}

/* What is a function of the kernel's or the system's stays. */
void pm_redact_symbol(pm_redact *r, pm_text symbol, pm_text dso)
{
    bool kernel = dso.len > 2 && dso.data[0] == '[' &&
                  pm_public_bracket((pm_text){dso.data + 1, dso.len - 2}) &&
                  !pm_text_equal(dso, PM_TEXT("[unknown]"));

    pm_redact_add_word(r, "s", symbol,
                       !symbol.len || kernel || pm_public_path(dso) || pm_redact_is_kept(r, dso) ||
                           pm_public_library(pm_text_basename(dso)));
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
        if (has_only(rest, ": 0123456789kB"))
            pm_redact_add(r, rest);
        if (end)
            pm_redact_add(r, PM_TEXT("\n"));
        text = pm_text_from(text, line.len + (end != NULL));
    }
}

/* ---- all of them ---- */

/* The prefix of a word's token; its tokens are counted apart. */
static const char *prefix_of(pm_redact_how how)
{
    switch (how) {
    case PM_REDACT_HOST:
        return "host";
    case PM_REDACT_BOOT:
        return "boot";
    case PM_REDACT_USER:
        return "user";
    case PM_REDACT_RULE:
        return "rule";
    default:
        return "text";
    }
}

static bool stays(const pm_redact *r, pm_redact_how how, pm_text text)
{
    switch (how) {
    case PM_REDACT_WORD:
        return is_word(text);
    case PM_REDACT_SENTENCE:
        return pm_public_sentence(text);
    case PM_REDACT_USER:
        return pm_text_equal(text, PM_TEXT("root"));
    case PM_REDACT_RULE:
        return pm_text_equal(text, PM_TEXT(PM_RULE_LABEL)) || is_built_in(r, text, pm_rules_name);
    case PM_REDACT_SELECTION:
        return pm_text_equal(text, PM_TEXT("--all"));
    case PM_REDACT_PERMS:
        return text.len == 4 && has_only(text, "rwxsp-?");
    case PM_REDACT_DEVICE:
        return has_only(text, "0123456789abcdef:");
    case PM_REDACT_FLAGS:
        return is_flags(text);
    default: /* hosts, boots, what somebody wrote down */
        return false;
    }
}

void pm_redact_word(pm_redact *r, pm_redact_how how, pm_text text)
{
    switch (how) {
    case PM_REDACT_CATEGORY:
        add_category(r, text);
        break;
    case PM_REDACT_NOTE:
        pm_redact_add(r, is_built_in(r, text, pm_rules_note) ? text : PM_TEXT(""));
        break;
    case PM_REDACT_LABEL:
        add_label(r, text);
        break;
    case PM_REDACT_EXTRA:
        add_extra(r, text);
        break;
    default:
        pm_redact_add_word(r, prefix_of(how), text, stays(r, how, text));
    }
}
