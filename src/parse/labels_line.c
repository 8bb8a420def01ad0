/* labels_line: one line of what a JVM says of its memory.
 *
 * NMT, one more step in where it is a part of what is reserved, each with its call stack below:
 *   [0x00000000f0000000 - 0x0000000100000000] reserved 262144KB for Java Heap from
 *       [0x00007fcd6a11a461] ReservedSpace::reserve(...)+0x291
 *     [0x00000000f0000000 - 0x00000000fbb00000] committed 191488KB from
 * System.map; the columns between the range and the names differ from version to version:
 *   0x00000000f0000000 - 0x00000000fbb00000  196083712 rw-p  155402240  0 4K  com  JAVAHEAP /FILE
 */
#include "parse/labels_line.h"

#include "base/num.h"

/* The longest name that a report gives a range: a thread's is cut at 63 by the JVM. */
#define TEXT_MAX 128

/* ---- pieces ---- */

static bool take(pm_text *t, pm_text what)
{
    if (!pm_text_starts(*t, what))
        return false;
    *t = pm_text_from(*t, what.len);
    return true;
}

static bool take_number(pm_text *t, uint64_t *out)
{
    size_t n = pm_num_dec(t->data, t->data + t->len, out);

    *t = pm_text_from(*t, n);
    return n != 0;
}

/* 0x and digits, as wide as HotSpot prints a pointer or narrower. */
static bool take_address(pm_text *t, uint64_t *out)
{
    size_t n;

    if (!take(t, PM_TEXT("0x")))
        return false;
    n = pm_num_hex(t->data, t->data + t->len, out);
    *t = pm_text_from(*t, n);
    return n != 0;
}

static pm_text take_word(pm_text *t)
{
    pm_text word;
    size_t n = 0;

    while (t->len && t->data[0] == ' ')
        *t = pm_text_from(*t, 1);
    while (n < t->len && t->data[n] != ' ')
        n++;
    word = (pm_text){t->data, n};
    *t = pm_text_from(*t, n);
    return word;
}

/* Memory that a program can have: x86-64 and arm64 give it at most 2^57 addresses, what lies above
 * is the kernel's. Names of more than 2^47 bytes are nobody's: then everything would be called so.
 */
static bool is_possible(const pm_label_line *l)
{
    return l->start > 0 && l->start < l->end && l->end < UINT64_C(1) << 57 &&
           l->end - l->start <= UINT64_C(1) << 47;
}

/* What HotSpot prints of so many bytes in a unit: rounded, halves up. */
static bool is_size(uint64_t bytes, uint64_t number, uint64_t unit)
{
    return bytes / unit + (bytes % unit >= (unit + 1) / 2 && unit > 1) == number;
}

/* "262144KB", and with scale= also MB, GB, B. */
static bool take_size(pm_text *t, uint64_t bytes)
{
    static const struct {
        pm_text name;
        uint64_t bytes;
    } units[] = {
        {{"KB", 2}, 1U << 10}, {{"MB", 2}, 1U << 20}, {{"GB", 2}, 1U << 30}, {{"B", 1}, 1}};
    uint64_t number;

    if (!take_number(t, &number))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (take(t, units[i].name))
            return is_size(bytes, number, units[i].bytes);
    return is_size(bytes, number, 1); /* scale=1 prints none */
}

/* ---- NMT ---- */

/* Behind the range. */
static pm_label_kind nmt_part(pm_text t, pm_label_line *out)
{
    bool whole = take(&t, PM_TEXT("reserved and committed "));
    bool reserved = whole || take(&t, PM_TEXT("reserved "));

    if (!reserved && !take(&t, PM_TEXT("committed ")))
        return PM_LABEL_DAMAGED;
    if (!take_size(&t, out->end - out->start))
        return PM_LABEL_DAMAGED;
    if (!reserved)
        return t.len == 0 || pm_text_equal(t, PM_TEXT(" from")) ? PM_LABEL_COMMITTED
                                                                : PM_LABEL_DAMAGED;
    if (!take(&t, PM_TEXT(" for ")))
        return PM_LABEL_DAMAGED;
    if (pm_text_ends(t, PM_TEXT(" from")))
        t.len -= 5;
    if (t.len == 0 || t.len > TEXT_MAX || memchr(t.data, '\0', t.len))
        return PM_LABEL_DAMAGED;
    out->committed = whole;
    out->text = t;
    return PM_LABEL_RESERVED;
}

pm_label_kind pm_label_nmt(pm_text line, pm_label_line *out)
{
    *out = (pm_label_line){0};
    if (line.len == 0 || line.data[0] == '(') /* what was allocated below a stack */
        return PM_LABEL_NOTHING;
    if (!take(&line, PM_TEXT("[")) || !take_address(&line, &out->start))
        return PM_LABEL_DAMAGED;
    if (take(&line, PM_TEXT("]")))
        return PM_LABEL_NOTHING; /* a frame */
    if (!take(&line, PM_TEXT(" - ")) || !take_address(&line, &out->end) ||
        !take(&line, PM_TEXT("] ")) || !is_possible(out))
        return PM_LABEL_DAMAGED;
    return nmt_part(line, out);
}

/* ---- System.map ---- */

static bool consists_of(pm_text word, const char *set)
{
    for (size_t i = 0; i < word.len; i++)
        if (!pm_char_in(word.data[i], set))
            return false;
    return word.len != 0;
}

static bool is_perms(pm_text w)
{
    return w.len == 4 && pm_char_in(w.data[0], "r-") && pm_char_in(w.data[1], "w-") &&
           pm_char_in(w.data[2], "x-") && pm_char_in(w.data[3], "ps");
}

/* Numbers, page sizes (4K), offsets (0x1000), notes (thp,nores or -). */
static bool is_column(pm_text w)
{
    if (pm_text_starts(w, PM_TEXT("0x")))
        return consists_of(pm_text_from(w, 2), "0123456789abcdef");
    if (w.len > 1 && pm_char_in(w.data[w.len - 1], "KMGkmg"))
        w.len--;
    return consists_of(w, "0123456789") || consists_of(w, "abcdefghijklmnopqrstuvwxyz,-");
}

/* JAVAHEAP, CODE,META, STACK-4712-main, mtCompiler; no file: that begins with a slash or bracket.
 */
static bool is_name(pm_text w)
{
    const char *upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (w.len == 0 || w.len > TEXT_MAX || memchr(w.data, '\0', w.len))
        return false;
    if (pm_text_starts(w, PM_TEXT("mt")))
        w = pm_text_from(w, 2);
    return w.len > 1 && pm_char_in(w.data[0], upper);
}

pm_label_kind pm_label_system_map(pm_text line, pm_label_line *out)
{
    pm_text word, perms = {0};
    uint64_t size;

    *out = (pm_label_line){0};
    if (!pm_text_starts(line, PM_TEXT("0x")))
        return PM_LABEL_NOTHING;
    if (!take_address(&line, &out->start) ||
        !(take(&line, PM_TEXT(" - ")) || take(&line, PM_TEXT("-"))) ||
        !take_address(&line, &out->end) || !take(&line, PM_TEXT(" ")) || out->start >= out->end)
        return PM_LABEL_DAMAGED;
    if (!pm_num_all(take_word(&line), &size) || size != out->end - out->start)
        return PM_LABEL_DAMAGED;
    for (word = take_word(&line); word.len; word = take_word(&line)) {
        if (!perms.len && is_perms(word))
            perms = word;
        else if (!is_column(word))
            break;
    }
    if (!perms.len)
        return PM_LABEL_DAMAGED;
    out->committed = !pm_text_starts(perms, PM_TEXT("---"));
    out->text = is_name(word) ? word : (pm_text){0};
    if (out->text.len && !is_possible(out)) /* [vsyscall] is the kernel's, and has no name */
        return PM_LABEL_DAMAGED;
    return PM_LABEL_RESERVED;
}
