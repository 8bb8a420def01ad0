/* rules_read: parses the language of rules: the text of a cell becomes conditions. */
#include "classify/rules_set.h"

#include "base/num.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN 40
#define FLAG_LETTERS 2
#define KIB_MOST (UINT64_MAX >> 10) /* also fits when converted to bytes */

const pm_rule_kind pm_rule_kinds[PM_RULE_KEYS] = {
    [PM_RULE_KEY_BASE] = {"base", PM_RULE_BASES},
    [PM_RULE_KEY_PATH] = {"path", PM_RULE_GLOBS},
    [PM_RULE_KEY_NAME] = {"name", PM_RULE_GLOBS},
    [PM_RULE_KEY_PERMS] = {"perms", PM_RULE_LETTERS},
    [PM_RULE_KEY_FLAGS] = {"flags", PM_RULE_MARKS},
    [PM_RULE_KEY_SIZE] = {"size", PM_RULE_NUMBERS},
    [PM_RULE_KEY_START] = {"start", PM_RULE_NUMBERS},
    [PM_RULE_KEY_END] = {"end", PM_RULE_NUMBERS},
    [PM_RULE_KEY_FILLS] = {"fills", PM_RULE_REACH},
    [PM_RULE_KEY_COVERS] = {"covers", PM_RULE_REACH},
};

/* ---- mistakes ---- */

int pm_rule_shown(pm_text t)
{
    return (int)pm_utf8_head(t, SHOWN).len;
}

void pm_rule_wrong(pm_rule_reader *r, const char *format, ...)
{
    char why[400];
    va_list args;

    if (r->st != PMAPDB_OK)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    r->st = pm_fail(r->err, PMAPDB_INPUT, "%s: %s%s%s", r->column, r->key ? r->key : "",
                    r->key ? ": " : "", why);
}

/* ---- pieces ---- */

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

/* Adds a part without spare room, because nearly all conditions have one part and nearly all rules
 * four conditions. Returns NULL without memory. */
static pm_rule_part *add_part(pm_rule_reader *r, pm_rule_condition *c)
{
    pm_rule_part *grown = realloc(c->part, (c->n + 1) * sizeof *grown);

    if (!grown) {
        PM_STEP(r->st, pm_fail_nomem(r->err));
        return NULL;
    }
    c->part = grown;
    grown += c->n++;
    *grown = (pm_rule_part){0};
    return grown;
}

/* ---- base, perms, flags ---- */

static void read_bases(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    bool more = true;

    while (more && r->st == PMAPDB_OK) {
        pm_text slug = pm_rule_piece(&text, '|', &more);
        int base = pm_category_find(slug, PM_BASES);

        if (base == PM_BASES)
            pm_rule_wrong(r, "there is no base '%.*s'", PM_RULE_SHOW(slug));
        else
            c->bases |= 1U << base;
    }
}

static void read_perms(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    static const char *const may[] = {"r-?", "w-?", "x-?", "ps?"};

    for (size_t i = 0; i < 4; i++)
        if (text.len != 4 || !pm_char_in(text.data[i], may[i]))
            pm_rule_wrong(
                r,
                "'%.*s' is not four letters, rwxp or rwxs, with - for a missing one and ? for any",
                PM_RULE_SHOW(text));
        else
            c->perms[i] = text.data[i];
}

static void read_flag(pm_rule_reader *r, pm_text word, pm_rule_condition *c)
{
    pm_text flag = pm_text_from(word, word.data[0] == '!');
    pm_rule_part *part;

    for (size_t i = 0; i < FLAG_LETTERS; i++)
        if (flag.len != FLAG_LETTERS || flag.data[i] < 'a' || flag.data[i] > 'z')
            pm_rule_wrong(r, "'%.*s' is not a flag: two letters, perhaps after a !",
                          PM_RULE_SHOW(word));
    part = r->st == PMAPDB_OK ? add_part(r, c) : NULL;
    if (!part)
        return;
    memcpy(part->flag, flag.data, FLAG_LETTERS);
    part->lacks = flag.len < word.len;
}

static void read_flags(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    pm_text word;

    while (r->st == PMAPDB_OK && (word = pm_text_word(&text, " \t,")).len) {
        bool hidden = pm_text_equal(word, PM_TEXT("?"));

        if (c->none || (c->n && hidden))
            pm_rule_wrong(r, "? stands alone: it means that no flags are shown");
        c->none |= hidden;
        if (!hidden)
            read_flag(r, word, c);
    }
}

/* ---- paths, names ---- */

static pm_regex *compile(pm_rule_reader *r, pm_text text, bool glob)
{
    pm_regex *out = NULL;
    pmapdb_error why;
    pmapdb_status st =
        glob ? pm_glob_new(text, &out, &why) : pm_regex_new(text, r->set->n, &out, &why);

    if (st == PMAPDB_INPUT)
        pm_rule_wrong(r, "%s", why.text);
    else if (st != PMAPDB_OK)
        PM_STEP(r->st, pm_fail_nomem(r->err));
    return out;
}

static void read_glob(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    pm_rule_part *part = NULL;
    pm_text glob;

    if (text.len == 0)
        pm_rule_wrong(r, "a | needs a glob on both sides");
    else
        part = add_part(r, c);
    if (!part || !(part->glob = compile(r, text, true)))
        return;
    glob = pm_text_of(part->glob->pattern);
    part->whole = strchr(glob.data, '/') != NULL;
    part->deleted = pm_text_ends(glob, PM_TEXT("(deleted)"));
}

static void read_globs(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    bool more = true;

    c->none = c->key == PM_RULE_KEY_PATH && pm_text_equal(text, PM_TEXT("-"));
    if (c->key == PM_RULE_KEY_PATH && text.data[0] == '~')
        c->regex = compile(r, pm_text_from(text, 1), false);
    else
        while (!c->none && more && r->st == PMAPDB_OK)
            read_glob(r, pm_rule_piece(&text, '|', &more), c);
}

/* ---- sizes and addresses ---- */

/* Reads "64", "64K", "1M" as KiB. An address is in bytes and is "0xHEX" or has a unit. */
static uint64_t read_number(pm_rule_reader *r, pm_text t, bool address)
{
    static const char units[] = "KMGT";
    uint64_t value;
    size_t digits = pm_num_dec(t.data, t.data + t.len, &value);
    const char *unit = digits + 1 == t.len ? memchr(units, t.data[digits], sizeof units - 1) : NULL;
    int shift = unit ? (int)(unit - units) * 10 : 0;

    if (digits && (unit || (!address && digits == t.len)) && value <= KIB_MOST >> shift)
        return value << shift << (address ? 10 : 0);
    if (address && pm_text_starts(t, PM_TEXT("0x")) && t.len > 2 &&
        pm_num_hex(t.data + 2, t.data + t.len, &value) == t.len - 2)
        return value;
    pm_rule_wrong(r, "'%.*s' is not %s, or a number followed by K, M, G or T", PM_RULE_SHOW(t),
                  address ? "an address: 0xHEX" : "a size: KiB");
    return 0;
}

/* Reads "from..to", of which one may be missing, or one number. The end of a range of addresses is
 * exclusive. */
static void read_range(pm_rule_reader *r, pm_text word, bool address, pm_rule_part *part)
{
    const char *dots = memmem(word.data, word.len, "..", 2);
    pm_text from = dots ? (pm_text){word.data, (size_t)(dots - word.data)} : word;
    pm_text to = dots ? pm_text_from(word, from.len + 2) : word;

    if (dots && from.len == 0 && to.len == 0)
        pm_rule_wrong(r, "'..' says nothing: FROM.., ..TO or FROM..TO");
    part->from = from.len ? read_number(r, from, address) : 0;
    part->last = to.len && r->st == PMAPDB_OK ? read_number(r, to, address) : UINT64_MAX;
    if (part->from > part->last)
        pm_rule_wrong(r, "'%.*s' begins after its end", PM_RULE_SHOW(word));
    if (address && dots && to.len && part->last-- == part->from)
        pm_rule_wrong(r, "'%.*s' is empty: a range does not include its end", PM_RULE_SHOW(word));
}

/* Reads "%64M", and for addresses also "%2M+16K". */
static void read_multiple(pm_rule_reader *r, pm_text word, bool address, pm_rule_part *part)
{
    const char *plus = address ? memchr(word.data, '+', word.len) : NULL;
    pm_text step = {word.data + 1, (plus ? (size_t)(plus - word.data) : word.len) - 1};
    uint64_t scale = address ? 1024 : 1;

    part->step = read_number(r, step, false) * scale;
    part->remain = plus ? read_number(r, pm_text_from(word, step.len + 2), false) * scale : 0;
    if (part->step == 0)
        pm_rule_wrong(r, "'%.*s': nothing is a multiple of 0", PM_RULE_SHOW(word));
    if (part->remain >= part->step)
        pm_rule_wrong(r, "'%.*s': the remainder is not less than the step", PM_RULE_SHOW(word));
}

static void read_numbers(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    bool address = c->key != PM_RULE_KEY_SIZE;
    pm_rule_part *part;
    pm_text word;

    while (r->st == PMAPDB_OK && (word = pm_text_word(&text, " \t,")).len &&
           (part = add_part(r, c)))
        (word.data[0] == '%' ? read_multiple : read_range)(r, word, address, part);
}

static void read_reach(pm_rule_reader *r, pm_text text, pm_rule_condition *c)
{
    c->reach = read_number(r, text, false) * 1024;
    if (c->reach == 0)
        pm_rule_wrong(r, "'%.*s': nothing is a multiple of 0", PM_RULE_SHOW(text));
}

/* ---- all types ---- */

void pm_rule_conditions_free(pm_rule_conditions *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->item[i].n; k++)
            pm_regex_free(c->item[i].part[k].glob);
        free(c->item[i].part);
        pm_regex_free(c->item[i].regex);
    }
    free(c->item);
    *c = (pm_rule_conditions){0};
}

void pm_rule_read(pm_rule_reader *r, pm_rule_key key, pm_text text, pm_rule_conditions *out)
{
    static void (*const read[])(pm_rule_reader *, pm_text, pm_rule_condition *) = {
        [PM_RULE_BASES] = read_bases,     [PM_RULE_GLOBS] = read_globs,
        [PM_RULE_LETTERS] = read_perms,   [PM_RULE_MARKS] = read_flags,
        [PM_RULE_NUMBERS] = read_numbers, [PM_RULE_REACH] = read_reach};
    pm_rule_type type = pm_rule_kinds[key].type;
    pm_rule_condition *c;

    if (text.len == 0) {
        pm_rule_wrong(r, "there is no value");
        return;
    }
    c = realloc(out->item, (out->n + 1) * sizeof *c);
    if (!c) {
        PM_STEP(r->st, pm_fail_nomem(r->err));
        return;
    }
    out->item = c;
    c += out->n++;
    *c = (pm_rule_condition){.key = key};
    read[type](r, text, c);
    if (c->n == 0 && !c->none && (type == PM_RULE_MARKS || type == PM_RULE_NUMBERS))
        pm_rule_wrong(r, "nothing but separators");
}

/* Reads one "key=value". */
static void read_pair(pm_rule_reader *r, pm_text word, pm_rule_conditions *out)
{
    const char *equals = memchr(word.data, '=', word.len);
    pm_text name = {word.data, equals ? (size_t)(equals - word.data) : word.len};
    pm_rule_key key = 0;

    while (key < PM_RULE_KEYS && !pm_text_equal(name, pm_text_of(pm_rule_kinds[key].name)))
        key++;
    if (!equals)
        pm_rule_wrong(r, "'%.*s' is not key=value", PM_RULE_SHOW(word));
    else if (key == PM_RULE_KEYS)
        pm_rule_wrong(r,
                      "there is no key '%.*s': base, path, name, perms, flags, size, start, end; "
                      "above also fills, covers",
                      PM_RULE_SHOW(name));
    else if (key >= PM_RULE_KEY_FILLS && strcmp(r->column, "above") != 0)
        pm_rule_wrong(r, "%s can only be used in above: it tests where the mapping above ends",
                      pm_rule_kinds[key].name);
    else if (pm_rule_find(out, key))
        pm_rule_wrong(r, "%s occurs twice", pm_rule_kinds[key].name);
    else {
        r->key = pm_rule_kinds[key].name;
        pm_rule_read(r, key, pm_text_from(word, name.len + 1), out);
        r->key = NULL;
    }
}

/* Pairs are separated only by blanks; a comma is part of a value. */
void pm_rule_read_pairs(pm_rule_reader *r, pm_text text, pm_rule_conditions *out)
{
    pm_text word;

    while (r->st == PMAPDB_OK && (word = pm_text_word(&text, " \t")).len)
        read_pair(r, word, out);
    if (out->n == 0)
        pm_rule_wrong(r, "a term without a condition");
}
