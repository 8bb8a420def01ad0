/* rules_condition: one condition of a rule: from a cell's text to "does it hold for this row". */
#include "classify/rules_condition.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN 40
#define FLAG_LETTERS 2

/* ---- mistakes ---- */

int pm_rule_shown(pm_text t)
{
    size_t n = t.len > SHOWN ? SHOWN : t.len;

    while (n < t.len && n > SHOWN - 3 && ((unsigned char)t.data[n] & 0xc0) == 0x80)
        n--;
    return (int)n;
}

pmapdb_status pm_rule_wrong(const pm_rule_place *place, const char *format, ...)
{
    char why[400];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return pm_fail(place->err, PMAPDB_INPUT, "%s: %s%s%s", place->column,
                   place->key ? place->key : "", place->key ? ": " : "", why);
}

/* ---- words and pieces ---- */

static bool separates(char c)
{
    return pm_char_in(c, " \t,");
}

bool pm_rule_word(pm_text *rest, pm_text *word)
{
    size_t n = 0;

    while (rest->len && separates(rest->data[0]))
        *rest = pm_text_from(*rest, 1);
    while (n < rest->len && !separates(rest->data[n]))
        n++;
    *word = (pm_text){rest->data, n};
    *rest = pm_text_from(*rest, n);
    return n > 0;
}

pm_text pm_rule_piece(pm_text *rest, char separator, bool *more)
{
    size_t n = 0;
    pm_text piece;

    while (n < rest->len && rest->data[n] != separator)
        n += rest->data[n] == '\\' && n + 1 < rest->len ? 2 : 1;
    *more = n < rest->len;
    piece = (pm_text){rest->data, n};
    *rest = pm_text_from(*rest, n + *more);
    return piece;
}

/* Nearly all conditions have one part, nearly all rules four conditions: room for just as many. */
pm_rule_part *pm_rule_part_new(pm_rule_condition *c)
{
    pm_rule_part *grown = realloc(c->part, (c->n + 1) * sizeof *grown);

    if (!grown)
        return NULL;
    c->part = grown;
    grown += c->n++;
    *grown = (pm_rule_part){0};
    return grown;
}

/* ---- base, perms, flags ---- */

static pmapdb_status read_bases(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    bool more = true;

    while (more) {
        pm_text slug = pm_rule_piece(&text, '|', &more);
        int base = 0;

        while (base < PM_BASES && !pm_text_equal(slug, pm_text_of(pm_categories[base].slug)))
            base++;
        if (base == PM_BASES)
            return pm_rule_wrong(place, "there is no base '%.*s'", pm_rule_shown(slug), slug.data);
        c->bases |= 1U << base;
    }
    return PMAPDB_OK;
}

static bool base_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    (void)space;
    return c->bases >> row->base & 1;
}

static pmapdb_status read_perms(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    static const char *const may[] = {"r-?", "w-?", "x-?", "ps?"};

    for (size_t i = 0; i < 4; i++)
        if (text.len != 4 || !pm_char_in(text.data[i], may[i]))
            return pm_rule_wrong(place,
                                 "'%.*s' is not of four places, r w x p or r w x s, with - for "
                                 "those that lack and ? for any",
                                 pm_rule_shown(text), text.data);
    memcpy(c->perms, text.data, 4);
    return PMAPDB_OK;
}

/* Tools print "private" as p or -. */
static bool perms_hold(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    (void)space;
    for (size_t i = 0; i < 3; i++)
        if (c->perms[i] != '?' && c->perms[i] != row->perms[i])
            return false;
    return c->perms[3] == '?' || (c->perms[3] == 's') == (row->perms[3] == 's');
}

static pmapdb_status read_flag(const pm_rule_place *place, pm_text word, pm_rule_condition *c)
{
    pm_text flag = word.data[0] == '!' ? pm_text_from(word, 1) : word;
    pm_rule_part *part;

    for (size_t i = 0; i < FLAG_LETTERS; i++)
        if (flag.len != FLAG_LETTERS || flag.data[i] < 'a' || flag.data[i] > 'z')
            return pm_rule_wrong(place,
                                 "'%.*s' is no flag: two letters, perhaps with ! before them",
                                 pm_rule_shown(word), word.data);
    part = pm_rule_part_new(c);
    if (!part)
        return pm_fail_nomem(place->err);
    memcpy(part->flag, flag.data, FLAG_LETTERS);
    part->lacks = flag.len < word.len;
    for (size_t i = 0; i + 1 < c->n; i++)
        if (memcmp(c->part[i].flag, part->flag, FLAG_LETTERS) == 0 &&
            c->part[i].lacks != part->lacks)
            return pm_rule_wrong(place, "no row both has and lacks %.2s", part->flag);
    return PMAPDB_OK;
}

static pmapdb_status read_flags(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pmapdb_status st = PMAPDB_OK;
    pm_text word;

    while (st == PMAPDB_OK && pm_rule_word(&text, &word)) {
        if (c->none || (c->n && pm_text_equal(word, PM_TEXT("?"))))
            return pm_rule_wrong(place, "? stands alone: no flags are shown");
        if (pm_text_equal(word, PM_TEXT("?")))
            c->none = true;
        else
            st = read_flag(place, word, c);
    }
    return st;
}

static bool has_flag(pm_text flags, const char flag[2])
{
    pm_text word;

    while (pm_rule_word(&flags, &word))
        if (word.len == FLAG_LETTERS && memcmp(word.data, flag, FLAG_LETTERS) == 0)
            return true;
    return false;
}

static bool flags_hold(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    (void)space;
    if (c->none || !row->has_flags)
        return c->none && !row->has_flags;
    for (size_t i = 0; i < c->n; i++)
        if (has_flag(row->flags, c->part[i].flag) == c->part[i].lacks)
            return false;
    return true;
}

/* ---- all kinds ---- */

static const struct {
    const char *name;
    pmapdb_status (*read)(const pm_rule_place *place, pm_text text, pm_rule_condition *c);
    bool (*holds)(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space);
} kinds[PM_RULE_KEYS] = {
    [PM_RULE_KEY_BASE] = {"base", read_bases, base_holds},
    [PM_RULE_KEY_PATH] = {"path", pm_rule_read_path, pm_rule_path_holds},
    [PM_RULE_KEY_NAME] = {"name", pm_rule_read_globs, pm_rule_name_holds},
    [PM_RULE_KEY_PERMS] = {"perms", read_perms, perms_hold},
    [PM_RULE_KEY_FLAGS] = {"flags", read_flags, flags_hold},
    [PM_RULE_KEY_SIZE] = {"size", pm_rule_read_sizes, pm_rule_size_holds},
    [PM_RULE_KEY_START] = {"start", pm_rule_read_addresses, pm_rule_start_holds},
    [PM_RULE_KEY_END] = {"end", pm_rule_read_addresses, pm_rule_end_holds},
    [PM_RULE_KEY_DEVICE] = {"device", pm_rule_read_globs, pm_rule_device_holds},
    [PM_RULE_KEY_FILLS] = {"fills", pm_rule_read_reach, NULL},
    [PM_RULE_KEY_COVERS] = {"covers", pm_rule_read_reach, NULL},
};

static void condition_free(pm_rule_condition *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->part[i].glob);
    free(c->part);
    pm_regex_free(c->regex);
}

void pm_rule_conditions_free(pm_rule_conditions *c)
{
    for (size_t i = 0; i < c->n; i++)
        condition_free(&c->item[i]);
    free(c->item);
    *c = (pm_rule_conditions){0};
}

pmapdb_status pm_rule_condition_read(pm_rule_place *place, pm_rule_key key, pm_text text,
                                     pm_rule_conditions *out)
{
    pm_rule_condition *c;
    pmapdb_status st;

    if (text.len == 0)
        return pm_rule_wrong(place, "there is no value");
    c = realloc(out->item, (out->n + 1) * sizeof *c);
    if (!c)
        return pm_fail_nomem(place->err);
    out->item = c;
    c += out->n++;
    *c = (pm_rule_condition){.key = key};
    st = kinds[key].read(place, text, c);
    if (st == PMAPDB_OK && !c->n && !c->none && !c->bases && !c->reach && !c->regex &&
        key != PM_RULE_KEY_PERMS)
        return pm_rule_wrong(place, "nothing but separators");
    return st;
}

/* One "key=value". */
static pmapdb_status read_pair(pm_rule_place *place, pm_text word, pm_rule_conditions *out)
{
    const char *equals = memchr(word.data, '=', word.len);
    pm_text name = {word.data, equals ? (size_t)(equals - word.data) : word.len};
    bool above = strcmp(place->column, "above") == 0;
    pm_rule_key key = 0;
    pmapdb_status st;

    while (key < PM_RULE_KEYS && !pm_text_equal(name, pm_text_of(kinds[key].name)))
        key++;
    if (!equals)
        return pm_rule_wrong(place, "'%.*s' is not of the form key=value", pm_rule_shown(word),
                             word.data);
    if (key == PM_RULE_KEYS || key == PM_RULE_KEY_DEVICE)
        return pm_rule_wrong(place,
                             "there is no key '%.*s': base, path, name, perms, flags, size, "
                             "start, end; above also fills, covers",
                             pm_rule_shown(name), name.data);
    if (key >= PM_RULE_KEY_FILLS && !above)
        return pm_rule_wrong(place, "%s is for above: it is about where that ends",
                             kinds[key].name);
    if (pm_rule_find(out, key))
        return pm_rule_wrong(place, "%s is asked twice", kinds[key].name);
    place->key = kinds[key].name;
    st = pm_rule_condition_read(place, key, pm_text_from(word, name.len + 1), out);
    place->key = NULL;
    return st;
}

/* A comma belongs to its value here: only blanks separate. */
pmapdb_status pm_rule_conditions_read(pm_rule_place *place, pm_text text, pm_rule_conditions *out)
{
    pmapdb_status st = PMAPDB_OK;

    while (text.len && st == PMAPDB_OK) {
        size_t n = 0;

        while (n < text.len && !pm_char_in(text.data[n], " \t"))
            n++;
        if (n)
            st = read_pair(place, (pm_text){text.data, n}, out);
        text = pm_text_from(text, n < text.len ? n + 1 : n);
    }
    if (st == PMAPDB_OK && out->n == 0)
        return pm_rule_wrong(place, "a term without a condition");
    return st;
}

bool pm_rule_condition_holds(const pm_rule_condition *c, const pm_rule_row *of,
                             const pm_rule_row *row, pm_regex_space *space)
{
    if (kinds[c->key].holds)
        return kinds[c->key].holds(c, of, space);
    return pm_rule_reach_holds(c, of, row);
}

const pm_rule_condition *pm_rule_first_failing(const pm_rule_conditions *c, const pm_rule_row *of,
                                               const pm_rule_row *row, pm_regex_space *space)
{
    for (size_t i = 0; i < c->n; i++)
        if (!pm_rule_condition_holds(&c->item[i], of, row, space))
            return &c->item[i];
    return NULL;
}
