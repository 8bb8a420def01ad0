/* smaps: rows of /proc/PID/maps and the key lines that /proc/PID/smaps adds to them. */
#include "parse/block.h"

#include "base/num.h"
#include <inttypes.h>

/* Reads hex digits followed by `after`. Returns the end, or NULL on anything else. */
static const char *read_hex(const char *p, const char *end, char after, uint64_t *out)
{
    size_t n = pm_num_hex(p, end, out);

    return n && p + n < end && p[n] == after ? p + n + 1 : NULL;
}

const char *pm_read_place(const char *p, const char *end, const char *pattern, pm_mapping *m)
{
    for (; *pattern; pattern++) {
        uint64_t major = 0, minor = 0;
        size_t n;

        p = pm_skip_blanks(p, end);
        n = *pattern == 'd'   ? pm_num_hex(p, end, &major)
            : *pattern == 'i' ? pm_num_dec(p, end, &m->inode)
                              : pm_num_hex(p, end, &m->offset);
        p += n;
        if (n < (*pattern == 'o' ? 8 : 1))
            return NULL;
        if (*pattern == 'd') {
            n = p < end && *p == ':' ? pm_num_hex(p + 1, end, &minor) : 0;
            p += n + 1;
            if (n == 0 || major > UINT32_MAX || minor > UINT32_MAX)
                return NULL;
            m->dev_major = (uint32_t)major;
            m->dev_minor = (uint32_t)minor;
        }
        m->present |= *pattern == 'd'   ? PM_HAS_DEVICE
                      : *pattern == 'i' ? PM_HAS_INODE
                                        : PM_HAS_OFFSET;
    }
    return p < end && *p != ' ' ? NULL : p;
}

/* True if device and inode are missing, as in /proc/PID/maps of kernels other than Linux. */
static bool is_short(const char *p, const char *end)
{
    return p == end || (end - p > 1 && p[0] == ' ' && p[1] == ' ');
}

/* Offset, device and inode of anonymous memory, the most common kind. */
#define NOWHERE PM_TEXT("00000000 00:00 0 ")

static const char *read_place(const char *p, const char *end, pm_mapping *m)
{
    size_t n;

    if (end - p >= (ptrdiff_t)NOWHERE.len && memcmp(p, NOWHERE.data, NOWHERE.len) == 0)
        return p + NOWHERE.len - 1;
    n = pm_num_hex(p, end, &m->offset);
    if (n < 8 || !is_short(p + n, end))
        return pm_read_place(p, end, "Odi", m);
    m->present &= ~(PM_HAS_DEVICE | PM_HAS_INODE);
    return p + n;
}

bool pm_range_read(pm_text line, pm_mapping *m)
{
    const char *p = line.data, *end = p + line.len;
    ptrdiff_t digits;

    *m = (pm_mapping){.present = PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO};
    if (!(p = read_hex(p, end, '-', &m->start)))
        return false;
    digits = p - 1 - line.data;
    if (digits < PM_ADDRESS_MIN || digits > PM_ADDRESS_MAX ||
        !(p = read_hex(p, end, ' ', &m->end)) || pm_guess_perms(p, end, m->perms) != 4 ||
        end - p < 6 || !(p = read_place(p + 5, end, m)))
        return false;
    p = pm_skip_blanks(p, end);
    m->path = (pm_text){p, (size_t)(end - p)};
    return true;
}

#define HUGE_BYTES (UINT64_C(1) << 40)

/* True if the line seems to have lost its first digits: "f82f6bf0000-7f82f6bfb000" would be huge,
 * and with the lost digits has a usual size. The kernel fills an address up to 8 digits. */
static bool is_headless(pm_text t, const pm_mapping *m)
{
    const uint64_t usual = UINT64_C(1) << 32;
    size_t digits = pm_num_hex_run(t.data, t.data + t.len);
    uint64_t whole;

    if (m->end - m->start < usual || digits >= 12 ||
        (*t.data == '0' && m->end - m->start < HUGE_BYTES))
        return false;
    whole = m->start | (m->end >> 4 * digits << 4 * digits);
    return whole < m->end && m->end - whole < usual;
}

/* True if Size agrees with the range. From Linux 2.6.36 to 4.12 Size includes the guard page of a
 * stack, the range does not. */
static bool size_agrees(const pm_mapping *m)
{
    uint64_t range = (m->end - m->start) / 1024, page = 4;

    if (pm_has(m, PM_BIT(PM_KERNEL_PAGE)))
        page = m->value[PM_KERNEL_PAGE];
    return m->value[PM_SIZE] == range || m->value[PM_SIZE] == range + page;
}

/* True if the row was cut: it lacks keys that all earlier rows have. The kernel prints the same
 * keys for every row. */
static bool lacks_keys(const pm_smaps *s)
{
    return (s->common & ~s->now->present) != 0;
}

/* Gives a row that was read line by line its size and its texts. */
static void complete(pm_smaps *s)
{
    pm_mapping *m = &s->row;

    if (!pm_has(m, PM_BIT(PM_SIZE)))
        pm_set(m, PM_SIZE, (m->end - m->start) / 1024);
    m->path = pm_buf_text(&s->path);
    m->flags = pm_has(m, PM_HAS_FLAGS) ? pm_buf_text(&s->flags) : PM_TEXT("");
    m->extra = pm_buf_text(&s->extra);
}

void pm_smaps_close(pm_reader *r, bool last)
{
    pm_smaps *s = &r->smaps;
    const pm_mapping *m = s->now;
    bool has_size;

    if (!s->open)
        return;
    s->open = false;
    has_size = pm_has(m, PM_BIT(PM_SIZE));
    if (last && (s->bad ? r->lines.unended : lacks_keys(s))) {
        pm_block_mark(r, PM_MARK_CUT, r->b.last_line);
        return;
    }
    if (!s->bad && lacks_keys(s))
        s->bad = "it lacks keys that the earlier rows have";
    if (!s->bad && has_size && !size_agrees(m))
        s->bad = "its Size does not match its addresses";
    if (!s->bad && !has_size && s->headless && m->end - m->start < HUGE_BYTES)
        pm_block_mark(r, PM_MARK_HUGE, s->line);
    else if (!s->bad && !has_size && s->headless)
        s->bad = "its address has lost its first digit";
    if (s->bad) {
        pm_block_bad(r, s->line, s->bad);
        return;
    }
    if (s->common && m->present & ~s->common)
        pm_block_mark(r, PM_MARK_KEYS, s->line);
    s->common = s->common ? s->common & m->present : m->present;
    if (!s->known)
        complete(s);
    pm_block_add(r, m, s->line);
}

/* Ends the previous row and begins a row on the current line. */
static void begin_row(pm_reader *r, const pm_mapping *m)
{
    pm_smaps *s = &r->smaps;

    pm_smaps_close(r, false);
    s->now = m;
    s->open = true;
    s->known = s->torn = s->headless = false;
    s->bad = NULL;
    s->line = r->line;
}

void pm_smaps_row(pm_reader *r, pm_text line, const pm_mapping *m)
{
    pm_smaps *s = &r->smaps;

    begin_row(r, &s->row);
    s->row = *m;
    s->headless = !r->b.rollup && is_headless(line, m);
    pm_buf_clear(&s->path);
    pm_buf_clear(&s->extra);
    pm_keep(r, &s->path, m->path);
}

void pm_smaps_known(pm_reader *r, uint32_t id)
{
    begin_row(r, &r->pool->mappings[id]->m);
    r->smaps.known = true;
    r->smaps.id = id;
}

void pm_smaps_broken(pm_reader *r, const char *why)
{
    static const pm_mapping none;

    pm_smaps_row(r, PM_TEXT(""), &none);
    r->smaps.bad = why;
}

/* ---- key lines ---- */

/* Reads a number and whether a unit follows: "   12 kB", "   0". */
static bool read_value(pm_text t, uint64_t *value, bool *kib)
{
    bool number;

    t = pm_text_skip(t, " \t");
    number = pm_num_take(&t, value);
    *kib = pm_text_equal(t, PM_TEXT(" kB"));
    return number && (t.len == 0 || *kib);
}

static bool is_key(pm_text key)
{
    bool good = key.len > 0 && key.len <= 64 && *key.data >= 'A' && *key.data <= 'Z';

    for (size_t i = 0; i < key.len && good; i++)
        good = pm_is_letter(key.data[i]) || pm_is_digit(key.data[i]) || key.data[i] == '_';
    return good;
}

/* Cuts the key off the line; *line becomes the value. */
static bool take_key(pm_text *line, pm_text *key)
{
    size_t before = line->len;

    *key = pm_text_cut(line, ':');
    return key->len < before && is_key(*key); /* else there is no colon */
}

bool pm_smaps_is_key(pm_text line, bool known)
{
    pm_text key;

    return take_key(&line, &key) && (!known || pm_field_find(key) != PM_FIELD_COUNT ||
                                     pm_text_equal(key, PM_TEXT("VmFlags")));
}

bool pm_read_flags(pm_reader *r, pm_buf *out, pm_text list, bool letters)
{
    size_t at = 0;
    pm_text word;

    list = pm_text_skip(list, PM_BLANKS);
    pm_buf_clear(out);
    while (pm_guess_is_flag(list, at))
        at += 3;
    if (at >= list.len && at) { /* single blanks, as most tools print them */
        pm_keep(r, out, (pm_text){list.data, at - 1});
        return true;
    }
    while ((word = pm_text_word(&list, PM_BLANKS)).len) {
        if (word.len != 2 || (letters && !pm_guess_is_flag(word, 0)))
            return false;
        if (out->len)
            pm_keep(r, out, PM_TEXT(" "));
        pm_keep(r, out, word);
    }
    return true;
}

/* True if the list of flags was cut. The kernel ends the list with a blank. */
static bool is_cut(pm_reader *r, pm_text list)
{
    bool blank = list.len && list.data[list.len - 1] == ' ';

    r->smaps.blank_ends |= blank;
    return r->lines.unended && r->smaps.blank_ends && !blank;
}

static bool number_key(pm_reader *r, pm_text key, pm_text value)
{
    pm_smaps *s = &r->smaps;
    enum pm_field field = pm_field_find(key);
    bool kib = false, needs_kib = !(PM_BIT(field) & PM_WITHOUT_UNIT);
    uint64_t v;
    bool used = read_value(value, &v, &kib);

    if (field == PM_FIELD_COUNT) {
        /* A number of nine digits or more without a unit is a moment that a loop printed. */
        if (!used || (!kib && v >= 100000000))
            return false;
        pm_check(r,
                 pm_buf_addf(&s->extra, r->err, "%s%.*s: %" PRIu64 "%s", s->extra.len ? "\n" : "",
                             (int)key.len, key.data, v, kib ? " kB" : ""));
    } else if (!used || kib != needs_kib || v > PM_KIB_MAX) {
        s->bad = "the value of a key is not a valid number";
    } else if ((s->torn || field == PM_RSS) && pm_has(&s->row, PM_BIT(field))) {
        s->bad = "keys of two rows follow it";
    } else {
        pm_set(&s->row, field, v);
    }
    return true;
}

bool pm_smaps_key(pm_reader *r, pm_text line)
{
    pm_smaps *s = &r->smaps;
    pm_text key, value = pm_text_skip(line, " \t");

    if (!take_key(&value, &key))
        return false;
    if (pm_text_equal(key, PM_TEXT("VmFlags"))) {
        if (!pm_read_flags(r, &s->flags, value, false) || is_cut(r, value))
            s->bad = "its VmFlags are not a list of flags";
        s->row.present |= PM_HAS_FLAGS;
    } else if (pm_text_equal(key, PM_TEXT("Name"))) {
        /* Android kernels before 5.17 print the name of anonymous memory on a separate line. */
        if (s->path.len == 0)
            pm_keep(r, &s->path, pm_text_skip(value, " "));
    } else if (!number_key(r, key, value)) {
        return false;
    }
    s->any_key = true;
    return true;
}
