/* frame: the frames of a chain, one a line: ADDRESS SYMBOL+0xOFFSET (DSO) */
#include "base/num.h"
#include "perf/line.h"

#define KERNEL_HALF ((uint64_t)1 << 63) /* of the addresses of a 64-bit machine */

/* Reads blanks and an address. Returns the rest of the line; data is NULL if there is no address.
 */
static pm_text read_address(pm_text line, uint64_t *address)
{
    const char *p = line.data, *end = p + line.len;
    size_t n;

    while (p < end && pm_perf_blank(*p))
        p++;
    n = pm_num_hex(p, end, address);
    p += n;
    if (n == 0 || (p < end && !pm_perf_blank(*p)))
        return (pm_text){NULL, 0};
    return (pm_text){p, (size_t)(end - p)};
}

bool pm_perf_is_frame(pm_text line)
{
    uint64_t address;

    return read_address(line, &address).data != NULL;
}

/* The position of a trailing "+0xOFFSET", else the length of the text. */
static size_t offset_at(pm_text t, uint64_t *offset)
{
    size_t i = t.len;

    while (i > 0 && pm_num_hex_run(t.data + i - 1, t.data + i))
        i--;
    if (i == t.len || i < 3 || memcmp(t.data + i - 3, "+0x", 3) != 0 ||
        !pm_num_hex(t.data + i, t.data + t.len, offset))
        return t.len;
    return i - 3;
}

/* The position of the parenthesis that matches the last one, else the length. */
static size_t matching(pm_text t)
{
    size_t depth = 0;

    for (size_t i = t.len; i-- > 0;) {
        if (t.data[i] == ')')
            depth++;
        else if (t.data[i] == '(' && --depth == 0)
            return i;
    }
    return t.len;
}

/* The position of the parenthesis before the DSO in "SYMBOL+0xOFFSET (DSO)", else the length. Paths
 * ("/memfd:jit (deleted)") and symbols may contain parentheses, so the DSO follows an offset;
 * without offsets, the parenthesis that matches the last one begins the DSO. */
static size_t dso_at(pm_text t)
{
    uint64_t offset;
    size_t at;

    for (size_t i = t.len - 1; i-- > 0;) {
        pm_text before = {t.data, i};

        if (t.data[i] == ' ' && t.data[i + 1] == '(' &&
            (offset_at(before, &offset) < i || pm_text_equal(before, PM_TEXT("[unknown]"))))
            return i + 1;
    }
    at = matching(t);
    return at == t.len || at == 0 || t.data[at - 1] == ' ' ? at : t.len;
}

/* "/usr/lib/libc.so.6", or "/usr/lib/libc.so.6+0x109a00" with -F +dsoff */
static pm_text read_dso(pm_text t)
{
    uint64_t offset;

    if (pm_text_equal(t, PM_TEXT("[unknown]")))
        return (pm_text){t.data, 0};
    t.len = offset_at(t, &offset);
    return t;
}

static void read_symbol(pm_text t, pm_perf_frame *out)
{
    uint64_t offset = 0;

    t.len = offset_at(t, &offset);
    out->offset = offset;
    out->symbol = pm_text_equal(t, PM_TEXT("[unknown]")) ? (pm_text){t.data, 0} : t;
}

static bool read_frame(pm_text line, pm_perf_frame *out)
{
    pm_text t = read_address(line, &out->address);

    if (!t.data)
        return false;
    out->inlined = pm_text_ends(t, PM_TEXT(" (inlined)"));
    if (out->inlined)
        t.len -= PM_TEXT(" (inlined)").len;
    while (t.len && pm_perf_blank(t.data[0]))
        t = pm_text_from(t, 1);
    out->dso = (pm_text){t.data + t.len, 0};
    if (!out->inlined && pm_text_ends(t, PM_TEXT(")"))) {
        size_t at = dso_at(t);

        if (at < t.len) {
            out->dso = read_dso((pm_text){t.data + at + 1, t.len - at - 2});
            t.len = at ? at - 1 : 0;
        }
    }
    read_symbol(t, out);
    return true;
}

/* Decides by the address; on 32-bit machines by the name. The vsyscall page has a high address too.
 */
static bool is_kernel(const pm_perf_frame *f)
{
    if (f->address & KERNEL_HALF)
        return !pm_text_equal(f->dso, PM_TEXT("[vsyscall]"));
    return pm_text_starts(f->dso, PM_TEXT("[kernel")) ||
           pm_text_starts(f->dso, PM_TEXT("[guest.kernel"));
}

bool pm_perf_next_frame(pm_text chain, size_t *at, pm_perf_frame *out)
{
    while (*at < chain.len) {
        const char *from = chain.data + *at;
        const char *newline = memchr(from, '\n', chain.len - *at);
        size_t n = newline ? (size_t)(newline - from) : chain.len - *at;

        *at += n + (newline != NULL);
        if (read_frame((pm_text){from, n}, out) && !is_kernel(out))
            return true;
    }
    return false;
}
