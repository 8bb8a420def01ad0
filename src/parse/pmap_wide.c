/* pmap_wide: the rows of pmap -X and -XX. They are held until the block ends: the name begins
 * behind the VmFlags column, whose right edge only all rows together show. */
#include "parse/block.h"

#include "base/num.h"
#include <inttypes.h>

/* procps reads the name of -X and -XX with "%127[^\n]". */
#define NAME_CUT 127

pmapdb_status pm_wide_hold(pm_reader *r, pm_text line, pmapdb_error *err)
{
    pm_wide *w = &r->wide;
    pmapdb_status st = pm_grow(&w->rows, &w->cap, w->n, sizeof *w->rows, err);

    if (st != PMAPDB_OK)
        return st;
    w->rows[w->n] = (pm_wide_row){.at = w->text.len, .len = line.len, .line = r->line};
    st = pm_buf_add(&w->text, line.data, line.len, err);
    if (st != PMAPDB_OK)
        return st;
    w->n++;
    w->due += line.len / 2 < PM_COLUMNS_MAX ? line.len / 2 : PM_COLUMNS_MAX;
    return PMAPDB_OK;
}

size_t pm_wide_lead(const pm_columns *c, pm_text line, pm_wide_place *out)
{
    const char *p = line.data, *end = p + line.len;
    uint64_t major = 0, minor = 0;
    size_t n;

    *out = (pm_wide_place){0};
    p = pm_skip_blanks(p, end);
    p = pm_skip_blanks(p + pm_num_hex(p, end, &out->start), end);
    n = pm_guess_perms(p, end, out->perms);
    if (n == 4) {
        p += n;
    } else if (c->no_perms && p > line.data && p[-1] == ' ') {
        memset(out->perms, 0, sizeof out->perms);
        p--;
    } else {
        return 0;
    }
    if (c->offset) {
        p = pm_skip_blanks(p, end);
        n = pm_num_hex(p, end, &out->offset);
        p += n;
        if (n < 8)
            return 0;
    }
    if (c->device) {
        p = pm_skip_blanks(p, end);
        n = pm_num_hex(p, end, &major);
        p += n;
        if (n == 0 || p == end || *p++ != ':' || (n = pm_num_hex(p, end, &minor)) == 0)
            return 0;
        p += n;
        out->dev_major = (uint32_t)major;
        out->dev_minor = (uint32_t)minor;
    }
    if (c->inode) {
        p = pm_skip_blanks(p, end);
        n = pm_num_dec(p, end, &out->inode);
        p += n;
        if (n == 0)
            return 0;
    }
    return p < end && *p != ' ' ? 0 : (size_t)(p - line.data);
}

size_t pm_wide_numbers(pm_text line, size_t *at, size_t max, uint64_t *out)
{
    const char *end = line.data + line.len;
    size_t n = 0;

    for (const char *p = line.data + *at; n < max; n++) {
        size_t digits;

        p = pm_skip_blanks(p, end);
        digits = pm_num_dec(p, end, &out[n]);
        p += digits;
        if (digits == 0 || (p < end && *p != ' '))
            break;
        *at = (size_t)(p - line.data);
    }
    return n;
}

pmapdb_status pm_wide_read(pm_wide *w, size_t max, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    w->n_values = 0;
    for (size_t i = 0; i < w->n; i++) {
        pm_wide_row *row = &w->rows[i];
        pm_text line = pm_wide_line(w, i);
        size_t at = pm_wide_lead(&w->columns, line, &row->place);

        while (st == PMAPDB_OK && w->cap_values < w->n_values + max)
            st = pm_grow(&w->values, &w->cap_values, w->cap_values, sizeof *w->values, err);
        if (st != PMAPDB_OK)
            return st;
        row->first = w->n_values;
        row->n = at ? pm_wide_numbers(line, &at, max, w->values + row->first) : 0;
        row->behind = at;
        w->n_values += row->n;
    }
    return PMAPDB_OK;
}

static bool is_flag(pm_text line, size_t at)
{
    const char *p = line.data + at;

    if (at + 2 > line.len || (at + 2 < line.len && p[2] != ' '))
        return false;
    return ((p[0] >= 'a' && p[0] <= 'z') || p[0] == '?') &&
           ((p[1] >= 'a' && p[1] <= 'z') || p[1] == '?');
}

size_t pm_wide_flags_end(pm_text line, size_t at)
{
    size_t end = 0;

    while (at < line.len && line.data[at] == ' ')
        at++;
    for (; is_flag(line, at); at += 3)
        end = at + 2;
    return end;
}

/* All flag lists of a block end in one column, and a name is seldom two small letters: the column
 * where most lists seem to end (Boyer and Moore's majority vote). */
size_t pm_wide_vote(const pm_wide *w)
{
    size_t winner = 0, votes = 0;

    for (size_t i = 0; i < w->n; i++) {
        size_t end;

        if (!pm_wide_values(w, i))
            continue;
        end = pm_wide_flags_end(pm_wide_line(w, i), w->rows[i].behind);
        if (votes == 0)
            winner = end;
        votes += winner == end ? 1 : (size_t)-1;
    }
    return winner;
}

/* "  rd mr mw me": flags with one blank between them, as procps prints them; then they are *out. */
static bool are_plain_flags(pm_text list, pm_text *out)
{
    size_t at = 0;

    *out =
        pm_text_from(list, (size_t)(pm_skip_blanks(list.data, list.data + list.len) - list.data));
    while (is_flag(*out, at))
        at += 3;
    return at == out->len + 1;
}

/* Nothing but flags and blanks. */
static pmapdb_status read_flags(pm_wide *w, pm_text list, bool *ok, pm_text *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    pm_text word;

    *ok = true;
    if (are_plain_flags(list, out))
        return PMAPDB_OK;
    pm_buf_clear(&w->flags);
    for (size_t at = 0; st == PMAPDB_OK && *ok && pm_guess_word(list, &at, &word);) {
        *ok = word.len == 2 && is_flag(word, 0);
        if (w->flags.len)
            st = pm_buf_add(&w->flags, " ", 1, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&w->flags, word.data, word.len, err);
    }
    *out = pm_buf_text(&w->flags);
    return st;
}

/* Flags and name, from behind the last number. */
static pmapdb_status read_rest(pm_wide *w, pm_text line, size_t at, pm_mapping *m,
                               pmapdb_error *err)
{
    size_t end = w->columns.flags_end < line.len ? w->columns.flags_end : line.len;
    pmapdb_status st;
    bool ok;

    if (w->columns.has_flags) {
        if (end < at || (end < line.len && line.data[end] != ' '))
            end = at;
        st = read_flags(w, (pm_text){line.data + at, end - at}, &ok, &m->flags, err);
        if (st == PMAPDB_OK && (!ok || end == at)) {
            end = pm_wide_flags_end(line, at);
            end = end ? end : at;
            st = read_flags(w, (pm_text){line.data + at, end - at}, &ok, &m->flags, err);
        }
        if (st != PMAPDB_OK)
            return st;
        at = end;
        m->present |= PM_HAS_FLAGS;
    }
    m->path = pm_text_from(line, at < line.len ? at + 1 : at);
    m->name_cut = m->path.len == NAME_CUT;
    return PMAPDB_OK;
}

static pm_mapping at_place(const pm_columns *c, const pm_wide_place *place)
{
    pm_mapping m = {.start = place->start,
                    .offset = place->offset,
                    .inode = place->inode,
                    .dev_major = place->dev_major,
                    .dev_minor = place->dev_minor,
                    .present = PM_HAS_PSEUDO | (c->offset ? PM_HAS_OFFSET : 0) |
                               (c->device ? PM_HAS_DEVICE : 0) | (c->inode ? PM_HAS_INODE : 0)};

    memcpy(m.perms, place->perms, sizeof m.perms);
    return m;
}

static pmapdb_status set_values(pm_wide *w, const uint64_t *values, pm_mapping *m,
                                pmapdb_error *err)
{
    const pm_columns *c = &w->columns;
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(&w->extra);
    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        if (c->field[i] != PM_NO_COLUMN)
            pm_set(m, c->field[i], values[i]);
        else if (c->name[i].len)
            st = pm_buf_addf(&w->extra, err, "%s%.*s: %" PRIu64 " kB", w->extra.len ? "\n" : "",
                             (int)c->name[i].len, c->name[i].data, values[i]);
    }
    m->extra = pm_buf_text(&w->extra);
    m->end = m->value[PM_SIZE] > PM_KIB_MAX ? 0 : m->start + m->value[PM_SIZE] * 1024;
    return st;
}

static pmapdb_status add_row(pm_reader *r, size_t i, pmapdb_error *err)
{
    pm_wide *w = &r->wide;
    const pm_wide_row *row = &w->rows[i];
    const uint64_t *values = pm_wide_values(w, i);
    pm_text line = pm_wide_line(w, i);
    pm_mapping m;
    pmapdb_status st;

    if (!values || memchr(line.data, '\0', line.len)) {
        if (r->unterminated && row->line == r->line)
            r->b.cut_line = r->line;
        else
            pm_block_bad(r, row->line, "it has not the columns of the others");
        return PMAPDB_OK;
    }
    m = at_place(&w->columns, &row->place);
    st = set_values(w, values, &m, err);
    if (st == PMAPDB_OK)
        st = read_rest(w, line, row->behind, &m, err);
    if (st == PMAPDB_OK)
        st = pm_block_add(r, &m, row->line, err);
    return st;
}

/* Header and footer without a row between them: what `grep` or `tail` left. */
static void take_sums(pm_reader *r)
{
    const pm_columns *c = &r->wide.columns;

    r->b.family = PM_FAMILY_WIDE;
    for (size_t i = 0; i < c->n; i++)
        if (c->field[i] != PM_NO_COLUMN && r->wide.footer[i] <= PM_KIB_MAX)
            r->b.tool[c->field[i]] = (int64_t)r->wide.footer[i];
}

pmapdb_status pm_wide_end(pm_reader *r, pmapdb_error *err)
{
    pm_wide *w = &r->wide;
    pm_columns *c = &w->columns;
    pmapdb_status st = pm_layout_find(w, pm_buf_text(&r->columns), &r->b.refused, err);
    size_t vote;

    if (st != PMAPDB_OK || r->b.refused)
        return st;
    vote = pm_wide_vote(w);
    if (!r->b.columns_line)
        c->has_flags = vote != 0;
    /* Up to procps 3.3.14 the list ends in a blank, one short of the column's edge. */
    if (!r->b.columns_line || (vote && vote != c->flags_end && vote + 1 != c->flags_end))
        c->flags_end = vote;
    for (size_t i = 0; i < w->n && st == PMAPDB_OK; i++)
        st = add_row(r, i, err);
    if (w->n == 0 && w->n_footer == c->n)
        take_sums(r);
    return st;
}
