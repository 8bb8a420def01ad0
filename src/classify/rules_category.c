/* rules_category: the text of a category and the templates in it.
 *
 *   %b  last part of the path, undeleted    %p  the path unchanged
 *   %r  the text inside brackets            %n  the part of it after its first :
 *   %w  %n as a slug: a-z and ., - for all others, at most 40    %1..%9  groups of the path's regex
 *   %%  a %
 */
#include "classify/rules_set.h"

#include <strings.h>

#define SLUG_MAX 40
#define GAP "..."

/* ---- reading ---- */

/* Returns the slug that a category begins with: PM_CATEGORY_TOTAL for the name of sums,
 * PM_CATEGORY_COUNT if the first word is not a slug. */
static int slug_of(pm_text category)
{
    return pm_category_find(pm_text_cut(&category, '/'), PM_CATEGORY_COUNT);
}

static void check_refinement(pm_rule_reader *r, pm_text category, pm_rule *rule)
{
    const char *slash = strchr(category.data, '/');
    int slug = slug_of(category);
    const pm_rule_condition *base = pm_rule_find(&rule->own, PM_RULE_KEY_BASE);

    rule->refines = slug < PM_CATEGORY_TOTAL;
    /* tables print these words for sums and for unknown categories */
    if (slug == PM_CATEGORY_TOTAL || strcasecmp(category.data, "total") == 0 ||
        pm_text_listed(category, " ? - "))
        pm_rule_wrong(r, "'%.*s' is the name of sums or of unknown categories",
                      PM_RULE_SHOW(category));
    else if (rule->refines && (!base || base->bases != 1U << slug))
        pm_rule_wrong(r, "'%.*s' begins with a slug: the base must be that slug alone",
                      PM_RULE_SHOW(category));
    else if (rule->refines && slash && strchr(slash + 1, '/'))
        pm_rule_wrong(r, "'%.*s': a refinement is slug/detail", PM_RULE_SHOW(category));
}

static void check_template(pm_rule_reader *r, char c, const pm_rule *rule)
{
    const pm_rule_condition *path = pm_rule_find(&rule->own, PM_RULE_KEY_PATH);
    unsigned groups = path && path->regex ? path->regex->groups : 0;

    if (pm_char_in(c, "bpnwr%"))
        return;
    if (c < '1' || c > '9')
        pm_rule_wrong(r, "there is no template %%%c", c ? c : ' ');
    else if ((unsigned)(c - '0') > groups)
        pm_rule_wrong(r, "%%%c: the path needs a regex with at least that many groups", c);
}

void pm_rule_read_category(pm_rule_reader *r, pm_rule *rule)
{
    pm_text category = pm_text_of(rule->texts.category);

    if (category.len == 0)
        pm_rule_wrong(r, "it is empty");
    else if (category.len > PM_RULES_CATEGORY_MAX)
        pm_rule_wrong(r, "longer than %d bytes", PM_RULES_CATEGORY_MAX);
    else if (category.data[0] == '/' || category.data[category.len - 1] == '/')
        pm_rule_wrong(r, "a / at the start or the end");
    for (size_t i = 0; i < category.len && r->st == PMAPDB_OK; i++) {
        if ((unsigned char)category.data[i] < 0x20 || category.data[i] == 0x7f)
            pm_rule_wrong(r, "a control character");
        if (category.data[i] == '%')
            check_template(r, category.data[++i], rule);
    }
    if (r->st == PMAPDB_OK)
        check_refinement(r, category, rule);
}

/* ---- expanding ---- */

/* Adds a text as a slug: "main space 17" becomes "main-space". */
static void add_slug(pm_text t, pm_buf *out)
{
    char slug[SLUG_MAX];
    size_t n = 0;
    bool gap = false;

    for (size_t i = 0; i < t.len && n < SLUG_MAX; i++) {
        char c = t.data[i];

        if (pm_is_digit(c) || (n == 0 && c == '.'))
            continue;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        if ((c < 'a' || c > 'z') && c != '.') {
            gap = n > 0;
            continue;
        }
        if (gap && n + 1 == SLUG_MAX)
            break;
        if (gap)
            slug[n++] = '-';
        gap = false;
        slug[n++] = c;
    }
    while (n && pm_char_in(slug[n - 1], "-."))
        n--;
    pm_buf_addf(out, NULL, "%.*s", n ? (int)n : 7, n ? slug : "unnamed");
}

static pm_text after_colon(pm_text t)
{
    const char *colon = t.len ? memchr(t.data, ':', t.len) : NULL;

    return colon ? pm_text_from(t, (size_t)(colon - t.data) + 1) : t;
}

static pm_text template_text(const pm_rules *set, const pm_rule *rule, char c,
                             const pm_rule_row *row, pm_text inside)
{
    switch (c) {
    case 'b':
        return pm_text_basename(pm_undeleted(row->path));
    case 'p':
        return row->path;
    case 'r':
        return inside;
    case 'n':
        return after_colon(inside);
    case '%':
        return PM_TEXT("%");
    default:
        return pm_regex_group(pm_rule_find(&rule->own, PM_RULE_KEY_PATH)->regex, set->space,
                              row->path, (unsigned)(c - '0'));
    }
}

static void expand(const pm_rules *set, const pm_rule *rule, const pm_rule_row *row, pm_buf *out)
{
    pm_text inside = PM_TEXT("");

    pm_rule_bracket(row, &inside);
    for (const char *p = rule->texts.category; *p; p++) {
        if (*p != '%') {
            pm_buf_add(out, p, 1, NULL);
        } else if (*++p == 'w') {
            add_slug(after_colon(inside), out);
        } else {
            pm_text text = template_text(set, rule, *p, row, inside);

            pm_buf_add(out, text.data, text.len, NULL);
        }
    }
}

/* Adds a text. If the text is too long, its beginning is left out, because the end of a path is the
 * most informative part. */
static void add_short(pm_text t, pm_buf *out)
{
    size_t left = t.len > PM_RULES_CATEGORY_MAX ? t.len - PM_RULES_CATEGORY_MAX + strlen(GAP) : 0;

    while (left && left < t.len &&
           ((unsigned char)t.data[left] & 0xc0) == 0x80) /* in a character */
        left++;
    pm_buf_add(out, GAP, left ? strlen(GAP) : 0, NULL);
    pm_buf_add(out, t.data + left, t.len - left, NULL);
}

pmapdb_status pm_rules_category(const pm_rules *set, size_t index, const pm_rule_row *row,
                                pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = index == PM_NO_RULE ? NULL : &set->rule[index];
    pm_buf all = {0};
    pm_text category;

    if (rule) {
        pm_buf_add(&all, "'", 1, NULL); /* in case the name of a file or of memory equals a slug */
        expand(set, rule, row, &all);
    }
    category = all.len > 1 ? (pm_text){all.data + 1, all.len - 1} : PM_TEXT("");
    if (!category.len)
        pm_buf_addf(out, NULL, "%s", pm_categories[row->base].slug);
    else if (rule->refines || slug_of(category) == PM_CATEGORY_COUNT)
        add_short(category, out);
    else if (pm_buf_add(&all, "'", 1, NULL) == PMAPDB_OK)
        add_short(pm_buf_text(&all), out);
    out->failed |= all.failed;
    pm_buf_free(&all);
    return pm_buf_status(out, err);
}
