/* rules_range: conditions on sizes and addresses: ranges and multiples. */
#include "base/num.h"
#include "classify/rules_condition.h"

#define KIB_MOST (UINT64_MAX >> 10) /* as bytes it still fits */

/* "64", "64K", "1M": KiB. */
static bool read_kib(pm_text t, bool *has_unit, uint64_t *kib)
{
    static const char units[] = "KMGT";
    uint64_t value;
    size_t digits = pm_num_dec(t.data, t.data + t.len, &value);
    const char *unit = digits + 1 == t.len ? memchr(units, t.data[digits], sizeof units - 1) : NULL;
    int shift = unit ? (int)(unit - units) * 10 : 0;

    if (!digits || (!unit && digits != t.len) || value > KIB_MOST >> shift)
        return false;
    *has_unit = unit != NULL;
    *kib = value << shift;
    return true;
}

static pmapdb_status read_size(const pm_rule_place *place, pm_text t, uint64_t *kib)
{
    bool has_unit;

    if (read_kib(t, &has_unit, kib))
        return PMAPDB_OK;
    return pm_rule_wrong(place, "'%.*s' is no size: KiB, or a number with K, M, G or T behind it",
                         pm_rule_shown(t), t.data);
}

static pmapdb_status read_address(const pm_rule_place *place, pm_text t, uint64_t *address)
{
    bool has_unit;
    uint64_t kib;

    if (pm_text_starts(t, PM_TEXT("0x")) && t.len > 2 &&
        pm_num_hex(t.data + 2, t.data + t.len, address) == t.len - 2)
        return PMAPDB_OK;
    if (read_kib(t, &has_unit, &kib) && has_unit) {
        *address = kib * 1024;
        return PMAPDB_OK;
    }
    return pm_rule_wrong(place,
                         "'%.*s' is no address: 0xHEX, or a number with K, M, G or T behind it",
                         pm_rule_shown(t), t.data);
}

typedef pmapdb_status (*read_number)(const pm_rule_place *place, pm_text t, uint64_t *out);

/* "from..to", of which one may be missing, or one number. */
static pmapdb_status read_range(const pm_rule_place *place, pm_text word, read_number number,
                                pm_rule_part *part)
{
    const char *dots = memmem(word.data, word.len, "..", 2);
    pm_text from = dots ? (pm_text){word.data, (size_t)(dots - word.data)} : word;
    pm_text to = dots ? pm_text_from(word, from.len + 2) : word;
    pmapdb_status st = PMAPDB_OK;

    if (dots && from.len == 0 && to.len == 0)
        return pm_rule_wrong(place, "'..' says nothing: FROM.., ..TO or FROM..TO");
    part->last = UINT64_MAX;
    if (from.len)
        st = number(place, from, &part->from);
    if (st == PMAPDB_OK && to.len)
        st = number(place, to, &part->last);
    if (st == PMAPDB_OK && part->from > part->last)
        st = pm_rule_wrong(place, "'%.*s' begins behind its end", pm_rule_shown(word), word.data);
    return st;
}

/* "%64M", "%2M+16K". */
static pmapdb_status read_multiple(const pm_rule_place *place, pm_text word, bool may_remain,
                                   uint64_t scale, pm_rule_part *part)
{
    const char *plus = may_remain ? memchr(word.data, '+', word.len) : NULL;
    pm_text step = {word.data + 1, (plus ? (size_t)(plus - word.data) : word.len) - 1};
    pmapdb_status st = read_size(place, step, &part->step);

    if (st == PMAPDB_OK && plus)
        st = read_size(place, pm_text_from(word, step.len + 2), &part->remain);
    if (st == PMAPDB_OK && part->step == 0)
        return pm_rule_wrong(place, "'%.*s': nothing is a multiple of 0", pm_rule_shown(word),
                             word.data);
    if (st == PMAPDB_OK && part->remain >= part->step)
        return pm_rule_wrong(place, "'%.*s': what remains is not less than the step",
                             pm_rule_shown(word), word.data);
    part->step *= scale;
    part->remain *= scale;
    return st;
}

pmapdb_status pm_rule_read_sizes(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pmapdb_status st = PMAPDB_OK;
    pm_rule_part *part;
    pm_text word;

    while (st == PMAPDB_OK && pm_rule_word(&text, &word)) {
        part = pm_rule_part_new(c);
        if (!part)
            return pm_fail_nomem(place->err);
        if (word.data[0] == '%')
            st = read_multiple(place, word, false, 1, part);
        else
            st = read_range(place, word, read_size, part);
    }
    return st;
}

/* The end of a range of addresses does not belong to it. */
static pmapdb_status read_addresses(const pm_rule_place *place, pm_text word, pm_rule_part *part)
{
    pmapdb_status st = read_range(place, word, read_address, part);
    bool has_end = !pm_text_ends(word, PM_TEXT("..")) && memmem(word.data, word.len, "..", 2);

    if (st == PMAPDB_OK && has_end && part->last-- == part->from)
        return pm_rule_wrong(place, "'%.*s' is empty: its end does not belong to it",
                             pm_rule_shown(word), word.data);
    return st;
}

pmapdb_status pm_rule_read_addresses(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pmapdb_status st = PMAPDB_OK;
    pm_rule_part *part;
    pm_text word;

    while (st == PMAPDB_OK && pm_rule_word(&text, &word)) {
        part = pm_rule_part_new(c);
        if (!part)
            return pm_fail_nomem(place->err);
        if (word.data[0] == '%')
            st = read_multiple(place, word, true, 1024, part);
        else
            st = read_addresses(place, word, part);
    }
    return st;
}

pmapdb_status pm_rule_read_reach(const pm_rule_place *place, pm_text text, pm_rule_condition *c)
{
    pmapdb_status st = read_size(place, text, &c->reach);

    if (st == PMAPDB_OK && c->reach == 0)
        return pm_rule_wrong(place, "'%.*s': nothing is a multiple of 0", pm_rule_shown(text),
                             text.data);
    c->reach *= 1024;
    return st;
}

/* ---- rows ---- */

/* Any of the ranges, and all of the multiples. */
bool pm_rule_size_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    (void)space;
    uint64_t kib = row->length / 1024;
    bool ranges = false, in = false;

    for (size_t i = 0; i < c->n; i++) {
        const pm_rule_part *p = &c->part[i];

        if (p->step && kib % p->step != 0)
            return false;
        ranges |= p->step == 0;
        in |= p->step == 0 && kib >= p->from && kib <= p->last;
    }
    return in || !ranges;
}

static bool address_holds(const pm_rule_condition *c, uint64_t address)
{
    for (size_t i = 0; i < c->n; i++) {
        const pm_rule_part *p = &c->part[i];

        if (p->step ? address % p->step != p->remain : address < p->from || address > p->last)
            return false;
    }
    return true;
}

bool pm_rule_start_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    (void)space;
    return address_holds(c, row->start);
}

/* 0 where a row ends with the address space. */
bool pm_rule_end_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    (void)space;
    return address_holds(c, row->start + row->length);
}

/* Last bytes are compared, for an end can be that of the address space. */
bool pm_rule_reach_holds(const pm_rule_condition *c, const pm_rule_row *other,
                         const pm_rule_row *row)
{
    uint64_t last = row->start + row->length - 1, other_last = other->start + other->length - 1;
    uint64_t wanted = last / c->reach * c->reach + (c->reach - 1);

    return c->key == PM_RULE_KEY_FILLS ? other_last == wanted : other_last >= wanted;
}
