/* narrow: rows of pmap, pmap -x and pmap -d, printed by procps and similar tools. Their formats are
 * in base/record/formats.def. */
#include "parse/block.h"

#include "base/num.h"

/* ---- the row ---- */

/* Reads the numbers between address and mode, then dashes in place of numbers. A number with
 * leading zeroes is not a size but the address after a moment in Unix seconds. */
static bool read_numbers(const char **at, const char *end, pm_numbers *out)
{
    const char *p = pm_skip_blanks(*at, end);

    *out = (pm_numbers){0};
    while (end - p > 1 && ((*p >= '0' && *p <= '9') || (*p == '-' && p[1] == ' '))) {
        if (*p == '-') {
            out->dashes++;
            p++;
        } else if (out->dashes || (*p == '0' && p[1] >= '0' && p[1] <= '9') ||
                   !pm_form_number(&p, end, out)) {
            return false;
        }
        p = pm_skip_blanks(p, end);
    }
    *at = p;
    return out->n > 0;
}

/* Reads offset and device after the mode if the format has them, and returns their end; NULL if
 * they are missing. */
static const char *place_of(const pm_form *f, const char *p, const char *end, pm_mapping *m)
{
    const char *place = strstr(f->pattern, "o D"), *after;
    pm_mapping with = *m;

    if (!place)
        return p;
    after = pm_read_place(p, end, "od", &with);
    if (after)
        *m = with;
    return after || place[-1] != '[' ? after : p;
}

/* Returns the name of an unsupported tool, or NULL. The script of psutil prints no sizes: its one
 * number is Rss, and more blanks follow the mode. */
static const char *why_refused(const pm_form *f, pm_text address, pm_text rest)
{
    pm_text name = pm_text_skip(rest, " ");

    for (size_t i = 0; i < address.len; i++)
        if (address.data[i] >= 'A' && address.data[i] <= 'F')
            return PM_SOLARIS;
    if (f->dialect == PM_DIALECT_BUSYBOX && rest.len - name.len > 2 &&
        !pm_text_starts(name, PM_TEXT("[ ")))
        return PM_PSUTIL;
    return f->dialect == PM_DIALECT_COUNT ? f->tool : NULL;
}

bool pm_narrow_read(pm_text line, pm_narrow *out)
{
    const char *p = line.data, *end = p + line.len, *first;
    enum pm_field field[PM_NUMBERS_MAX];
    const pm_form *f;
    pm_mapping *m = &out->m;
    pm_numbers v;
    size_t perms, digits;

    *out = (pm_narrow){.dialect = PM_DIALECT_COUNT};
    digits = pm_num_hex(p, end, &m->start);
    p = first = p + digits;
    if (!read_numbers(&p, end, &v))
        return false;
    perms = pm_guess_perms(p, end, m->perms);
    f = pm_form_of_row(&v, perms);
    if (!f || !(p = place_of(f, p + perms, end, m)))
        return false;
    out->digits = digits;
    out->outside = f->pattern[2] == '0';
    out->padded = end - first > 2 && first[1] == ' ';
    out->suse_mode = perms == 5 && memchr(line.data, 'p', (size_t)(p - line.data)) != NULL;
    out->rest = (pm_text){p, (size_t)(end - p)};
    out->refused = why_refused(f, (pm_text){line.data, digits}, out->rest);
    out->dialect = out->refused ? PM_DIALECT_COUNT : f->dialect;
    pm_form_fields(f, field);
    for (int i = 0; i < v.n && !out->refused; i++)
        pm_set(m, field[i], v.v[i]);
    /* An end past the last address wraps around: pm_block_add sees a row without extent. */
    m->end = m->value[PM_SIZE] > PM_KIB_MAX ? 0 : m->start + m->value[PM_SIZE] * 1024;
    return true;
}

/* ---- the name: most tools print the names of the kernel, some add their own in brackets ---- */

/* Converts "[ anon ]", "[ stack ]" and their translations in procps; other names ("[ shmid=0x1 ]")
 * stay unchanged. */
static pm_text pseudo_name(pm_reader *r, pm_text name)
{
    static const char *const anon[] = {"анон", "vô danh", "anôn"};
    static const char *const stack[] = {"pile", "stos", "стек", "pila", "ngăn xếp", "pilha"};
    pm_text word = pm_text_trim((pm_text){name.data + 1, name.len - 2}, " ");
    bool is_anon = pm_text_index(word, anon, 3) < 3, is_stack = pm_text_index(word, stack, 6) < 6;

    if (is_anon || is_stack)
        pm_block_mark(r, PM_MARK_TRANSLATED, r->line);
    if (is_anon || pm_text_equal(word, PM_TEXT("anon")))
        return PM_TEXT("");
    return is_stack || pm_text_equal(word, PM_TEXT("stack")) ? PM_TEXT("[stack]") : name;
}

/* True for the name of a pseudo mapping. "[ anon ]" has a blank inside, and procps prints two more
 * blanks before it than before the name of a file. A web page that reduces each run of blanks to
 * one keeps only the blank inside. */
static bool is_pseudo(const pm_style *style, pm_text name, size_t blanks, size_t separator)
{
    if (name.len < 4 || name.data[0] != '[' || name.data[name.len - 1] != ']')
        return false;
    return name.data[1] == ' ' ? blanks > separator || !style->padded : blanks == separator + 2;
}

/* True for "[anon]" and names of the kernel: where procps prints "[ anon ]", toybox prints these.
 */
static bool is_tool_name(pm_text name)
{
    return pm_text_listed(name, " [anon] [heap] [vdso] [vsyscall] ") ||
           pm_text_starts(name, PM_TEXT("[vvar")) || pm_text_starts(name, PM_TEXT("[anon:"));
}

static void read_name(pm_reader *r, pm_dialect dialect, pm_text rest, pm_mapping *m)
{
    pm_style *style = &r->b.style;
    pm_text name = pm_text_skip(rest, " ");
    size_t blanks = rest.len - name.len, separator;

    if (!pm_dialect_hides_pseudo[dialect])
        m->present |= PM_HAS_PSEUDO;
    m->path = PM_TEXT("");
    if (!name.len)
        return;
    if (style->name_blanks == 0)
        style->name_blanks = blanks == 2 || (blanks == 4 && name.data[0] == '[') ? 2 : 1;
    separator = blanks < (size_t)style->name_blanks ? blanks : (size_t)style->name_blanks;
    if (pm_text_equal(name, PM_TEXT("[anon]"))) {
        style->tool_names |= blanks > separator;
        return;
    }
    m->path = pm_text_from(rest, separator);
    if (is_pseudo(style, name, blanks, separator)) {
        bool own = name.data[1] == ' ';

        m->path = own ? pseudo_name(r, name) : name;
        style->tool_names |= !own && is_tool_name(name);
        if (!own)
            m->present |= PM_HAS_PSEUDO;
    }
}

/* Removes "<1>" after a row, a mark that an explanation refers to. */
static void strip_callout(pm_reader *r, pm_text *t)
{
    pm_text rest = *t;
    size_t digits = 0;

    if (!pm_text_ends(rest, PM_TEXT(">")))
        return;
    rest.len--;
    for (; digits < 2 && rest.len && pm_char_in(rest.data[rest.len - 1], "0123456789"); digits++)
        rest.len--;
    if (!digits || !pm_text_ends(rest, PM_TEXT(" <")))
        return;
    t->len = rest.len - 2;
    pm_wear(r, PM_MARK_CALLOUT);
}

void pm_narrow_row(pm_reader *r, pm_narrow *row)
{
    if (row->outside) {
        pm_block_mark(r, PM_MARK_OUTSIDE, r->line);
        pm_block_add_up(&row->m, r->b.outside);
        return;
    }
    /* Only SLES does not fill addresses up to 8 or 16 digits. */
    if ((row->dialect != PM_DIALECT_SUSE || row->suse_mode) &&
        ((row->digits != PM_ADDRESS_MIN && row->digits != PM_ADDRESS_MAX) ||
         (r->b.digits && r->b.digits != row->digits)))
        pm_block_mark(r, PM_MARK_DIGITS, r->line);
    r->b.digits = row->digits;
    r->b.style.padded |= row->padded;
    strip_callout(r, &row->rest);
    r->b.worn |= r->worn;
    read_name(r, row->dialect, row->rest, &row->m);
    pm_block_add(r, &row->m, r->line);
}
