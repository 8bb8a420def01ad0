/* rules_text: conditions on texts: paths, names in brackets, devices. */
#include "classify/rules_condition.h"
#include "classify/shape.h"

#include <stdlib.h>

/* ---- reading ---- */

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c & 0x80;
}

pmapdb_status pm_rule_application(const pm_rule_place *place, pm_text text, const char *special,
                                  char mark, pm_buf *out)
{
    pm_text app = PM_TEXT("{app}");
    pmapdb_status st = PMAPDB_OK;

    for (;;) {
        const char *found = memmem(text.data, text.len, app.data, app.len);
        size_t before = found ? (size_t)(found - text.data) : text.len;

        if (st == PMAPDB_OK)
            st = pm_buf_add(out, text.data, before, place->err);
        if (!found || st != PMAPDB_OK)
            return st;
        for (const char *p = place->application; *p && st == PMAPDB_OK; p++) {
            if (special ? pm_char_in(*p, special) : !is_plain(*p))
                st = pm_buf_add(out, &mark, 1, place->err);
            if (st == PMAPDB_OK)
                st = pm_buf_add(out, p, 1, place->err);
        }
        text = pm_text_from(text, before + app.len);
    }
}

static pmapdb_status read_glob(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pm_rule_part *part;
    pm_buf glob = {0};
    pmapdb_error why;
    pmapdb_status st;

    if (text.len == 0)
        return pm_rule_wrong(place, "nothing stands before or behind a |");
    part = pm_rule_part_new(c);
    if (!part)
        return pm_fail_nomem(place->err);
    st = pm_rule_application(place, text, "*?[\\", '\\', &glob);
    part->glob = glob.data;
    part->whole = memchr(pm_buf_text(&glob).data, '/', glob.len) != NULL;
    part->deleted = pm_text_ends(pm_buf_text(&glob), PM_TEXT("(deleted)"));
    part->number = (*place->n_globs)++;
    if (st == PMAPDB_OK)
        st = pm_glob_check(pm_buf_text(&glob), &why);
    return st == PMAPDB_INPUT ? pm_rule_wrong(place, "%s", why.text)
           : st               ? pm_fail_nomem(place->err)
                              : st;
}

pmapdb_status pm_rule_read_globs(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pmapdb_status st = PMAPDB_OK;
    bool more = true;

    while (more && st == PMAPDB_OK)
        st = read_glob(place, pm_rule_piece(&text, '|', &more), c);
    return st;
}

static pmapdb_status read_regex(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pm_buf pattern = {0};
    pmapdb_error why;
    pmapdb_status st = pm_rule_application(place, text, NULL, '\\', &pattern);

    if (st == PMAPDB_OK) {
        st = pm_regex_new(pm_buf_text(&pattern), place->rule, &c->regex, &why);
        if (st == PMAPDB_INPUT)
            st = pm_rule_wrong(place, "%s", why.text);
        else if (st != PMAPDB_OK)
            st = pm_fail_nomem(place->err);
    }
    pm_buf_free(&pattern);
    return st;
}

pmapdb_status pm_rule_read_path(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    c->none = pm_text_equal(text, PM_TEXT("-"));
    if (c->none)
        return PMAPDB_OK;
    if (text.data[0] == '~')
        return read_regex(place, pm_text_from(text, 1), c);
    return pm_rule_read_globs(place, text, c);
}

/* ---- rows ---- */

/* What classify.h calls a file's has a file's base slug: so a base tells whether a name in brackets
 * is one, however the capture prints names. */
static bool may_be_bracket(pm_category base)
{
    return base == PM_CATEGORY_HEAP || base == PM_CATEGORY_STACK || base == PM_CATEGORY_KERNEL ||
           base == PM_CATEGORY_RESERVE || base == PM_CATEGORY_ANONYMOUS ||
           base == PM_CATEGORY_SHARED_MEMORY;
}

/* A bare "boot.art]" is the rest of a name of which a tool shows the part behind the last slash. */
bool pm_rule_bracket(const pm_rule_row *row, pm_text *out)
{
    pm_text path = row->path;

    if (path.len == 0 || path.data[path.len - 1] != ']' || path.data[0] == '/' ||
        !may_be_bracket(row->base))
        return false;
    if (path.data[0] != '[' && memchr(path.data, '[', path.len))
        return false;
    path.len--;
    *out = path.len && path.data[0] == '[' ? pm_text_from(path, 1) : path;
    return true;
}

bool pm_rule_path_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    pm_text inside, undeleted = pm_shape_undeleted(row->path);

    if (c->none || row->path.len == 0)
        return c->none && row->path.len == 0;
    if (pm_rule_bracket(row, &inside))
        return false;
    if (c->regex)
        return pm_regex_matches(c->regex, space, row->path);
    for (size_t i = 0; i < c->n; i++) {
        const pm_rule_part *p = &c->part[i];
        pm_text path = p->deleted ? row->path : undeleted;

        if (pm_glob_matches(p->glob, p->number, space, p->whole ? path : pm_text_basename(path)))
            return true;
    }
    return false;
}

static bool any_glob(const pm_rule_condition *c, pm_regex_space *space, pm_text text)
{
    for (size_t i = 0; i < c->n; i++)
        if (pm_glob_matches(c->part[i].glob, c->part[i].number, space, text))
            return true;
    return false;
}

bool pm_rule_name_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    pm_text inside;

    return pm_rule_bracket(row, &inside) && any_glob(c, space, inside);
}

bool pm_rule_device_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    return row->device && any_glob(c, space, pm_text_of(row->device));
}
