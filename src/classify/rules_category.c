/* rules_category: the text of a category and the templates in it. */
#include "classify/rules_category.h"

#include "classify/shape.h"
#include <strings.h>

#define SLUG_MAX 40

pmapdb_status pm_rule_read_category(const pm_rule_place *place, pm_text cell, pm_rule *rule)
{
    pm_buf text = {0};
    pmapdb_status st = pm_rule_application(place, cell, "%", '%', &text);

    rule->category = text.data;
    return st;
}

/* ---- checking ---- */

/* What stands before the first / of a category, and the slug that it is. */
static pm_text first_word(pm_text category)
{
    const char *slash = category.len ? memchr(category.data, '/', category.len) : NULL;

    return slash ? (pm_text){category.data, (size_t)(slash - category.data)} : category;
}

/* PM_CATEGORY_TOTAL: what sums are called; PM_CATEGORY_COUNT: none. */
static pm_category slug_of(pm_text word)
{
    for (int i = 0; i <= PM_CATEGORY_TOTAL; i++)
        if (pm_text_equal(word, pm_text_of(pm_categories[i].slug)))
            return (pm_category)i;
    return PM_CATEGORY_COUNT;
}

/* What tables print for sums and for what is not known. */
static bool is_taken(pm_text category)
{
    return (category.len == 5 && strncasecmp(category.data, "total", 5) == 0) ||
           pm_text_equal(category, PM_TEXT("?")) || pm_text_equal(category, PM_TEXT("-"));
}

static pmapdb_status check_refinement(const pm_rule_place *place, pm_text category, pm_rule *rule)
{
    pm_text word = first_word(category);
    pm_category slug = slug_of(word);
    const pm_rule_condition *base = pm_rule_find(&rule->own, PM_RULE_KEY_BASE);

    if (slug == PM_CATEGORY_TOTAL || is_taken(category))
        return pm_rule_wrong(place, "'%.*s' is what sums or unknown ones are called",
                             pm_rule_shown(category), category.data);
    if (slug == PM_CATEGORY_COUNT)
        return PMAPDB_OK;
    if (!base || base->bases != 1U << slug)
        return pm_rule_wrong(place, "'%.*s' begins with a slug, which its base must be, and alone",
                             pm_rule_shown(category), category.data);
    if (word.len < category.len &&
        memchr(word.data + word.len + 1, '/', category.len - word.len - 1))
        return pm_rule_wrong(place, "'%.*s': a refinement is slug/detail", pm_rule_shown(category),
                             category.data);
    rule->refines = true;
    return PMAPDB_OK;
}

static pmapdb_status check_template(const pm_rule_place *place, char c, const pm_rule *rule)
{
    const pm_rule_condition *path = pm_rule_find(&rule->own, PM_RULE_KEY_PATH);
    unsigned groups = path && path->regex ? pm_regex_groups(path->regex) : 0;

    if (c && strchr("bpnwr%", c))
        return PMAPDB_OK;
    if (c < '1' || c > '9')
        return pm_rule_wrong(place, "there is no template %%%c", c ? c : ' ');
    if ((unsigned)(c - '0') > groups)
        return pm_rule_wrong(place, "%%%c, and the path has no regex with so many groups", c);
    return PMAPDB_OK;
}

pmapdb_status pm_rule_check_category(const pm_rule_place *place, pm_rule *rule)
{
    pm_text category = pm_text_of(rule->category);
    pmapdb_status st = PMAPDB_OK;

    if (category.len == 0)
        return pm_rule_wrong(place, "there is none");
    if (category.len > PM_RULES_CATEGORY_MAX)
        return pm_rule_wrong(place, "longer than %d bytes", PM_RULES_CATEGORY_MAX);
    if (category.data[0] == '/' || category.data[category.len - 1] == '/')
        return pm_rule_wrong(place, "a / at an end");
    for (size_t i = 0; i < category.len && st == PMAPDB_OK; i++) {
        if ((unsigned char)category.data[i] < 0x20 || category.data[i] == 0x7f)
            return pm_rule_wrong(place, "a control character");
        if (category.data[i] == '%')
            st = check_template(place, category.data[++i], rule);
    }
    return st == PMAPDB_OK ? check_refinement(place, category, rule) : st;
}

/* ---- expanding ---- */

/* "main space 17" -> "main-space". */
static pmapdb_status add_slug(pm_text t, pm_buf *out, pmapdb_error *err)
{
    char slug[SLUG_MAX];
    size_t n = 0;
    bool gap = false;

    for (size_t i = 0; i < t.len && n < SLUG_MAX; i++) {
        char c = t.data[i];

        if (c >= '0' && c <= '9')
            continue;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        if ((c < 'a' || c > 'z') && c != '.') {
            gap = n > 0;
            continue;
        }
        if (n == 0 && c == '.')
            continue;
        if (gap && n + 1 == SLUG_MAX)
            break;
        if (gap)
            slug[n++] = '-';
        gap = false;
        slug[n++] = c;
    }
    while (n && pm_char_in(slug[n - 1], "-."))
        n--;
    return n ? pm_buf_add(out, slug, n, err) : pm_buf_addf(out, err, "unnamed");
}

static pm_text behind_colon(pm_text t)
{
    const char *colon = t.len ? memchr(t.data, ':', t.len) : NULL;

    return colon ? pm_text_from(t, (size_t)(colon - t.data) + 1) : t;
}

static pmapdb_status add_template(const pm_rules *set, const pm_rule *rule, char c,
                                  const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    const pm_rule_condition *path = pm_rule_find(&rule->own, PM_RULE_KEY_PATH);
    pm_text inside = {"", 0}, text;

    pm_rule_bracket(row, &inside);
    switch (c) {
    case 'b':
        text = pm_text_basename(pm_shape_undeleted(row->path));
        break;
    case 'p':
        text = row->path;
        break;
    case 'r':
        text = inside;
        break;
    case 'n':
        text = behind_colon(inside);
        break;
    case 'w':
        return add_slug(behind_colon(inside), out, err);
    case '%':
        text = PM_TEXT("%");
        break;
    default:
        text = pm_regex_group(path->regex, set->space, row->path, (unsigned)(c - '0'));
    }
    return pm_buf_add(out, text.data, text.len, err);
}

static pmapdb_status expand(const pm_rules *set, const pm_rule *rule, const pm_rule_row *row,
                            pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (const char *p = rule->category; *p && st == PMAPDB_OK; p++)
        st = *p == '%' ? add_template(set, rule, *++p, row, out, err) : pm_buf_add(out, p, 1, err);
    return st;
}

/* Bytes of the text from `at` on that belong to no character begun before it. */
static size_t whole_from(pm_text t, size_t at)
{
    while (at < t.len && ((unsigned char)t.data[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static size_t whole_to(pm_text t, size_t at)
{
    while (at > 0 && ((unsigned char)t.data[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/* The end of a path tells most. */
static pmapdb_status add_short(pm_text t, pm_buf *out, pmapdb_error *err)
{
    static const char gap[] = "...";
    size_t room = PM_RULES_CATEGORY_MAX - (sizeof gap - 1), begin, end;
    pmapdb_status st;

    if (t.len <= PM_RULES_CATEGORY_MAX)
        return pm_buf_add(out, t.data, t.len, err);
    begin = whole_to(t, room / 3);
    end = whole_from(t, t.len - (room - room / 3));
    st = pm_buf_add(out, t.data, begin, err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(out, gap, sizeof gap - 1, err);
    return st == PMAPDB_OK ? pm_buf_add(out, t.data + end, t.len - end, err) : st;
}

pmapdb_status pm_rules_category(const pm_rules *set, size_t index, const pm_rule_row *row,
                                pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = index == PM_NO_RULE ? NULL : &set->rule[index];
    pm_text slug = pm_text_of(pm_categories[row->base].slug), text;
    pm_buf all = {0};
    pmapdb_status st;

    if (!rule)
        return pm_buf_add(out, slug.data, slug.len, err);
    st = expand(set, rule, row, &all, err);
    text = pm_buf_text(&all);
    if (st != PMAPDB_OK)
        ;
    else if (text.len == 0)
        st = pm_buf_add(out, slug.data, slug.len, err);
    else if (rule->refines || slug_of(first_word(text)) == PM_CATEGORY_COUNT)
        st = add_short(text, out, err);
    else { /* a file or a name that is called like a slug */
        pm_buf quoted = {0};

        st = pm_buf_addf(&quoted, err, "'%.*s'", (int)text.len, text.data);
        if (st == PMAPDB_OK)
            st = add_short(pm_buf_text(&quoted), out, err);
        pm_buf_free(&quoted);
    }
    pm_buf_free(&all);
    return st;
}
