/* frame: the frames of a chain, one a line: ADDRESS SYMBOL+0xOFFSET (DSO) */
#include "base/num.h"
#include "perf/text.h"

#define KERNEL_HALF ((uint64_t)1 << 63) /* of the addresses of a 64-bit machine */

/* Cuts blanks and an address off the line. */
static bool take_address(pm_text *line, uint64_t *address)
{
    *line = pm_text_skip(*line, " \t");
    return pm_num_take_hex(line, address) && (line->len == 0 || pm_char_in(*line->data, " \t"));
}

bool pm_perf_is_frame(pm_text line)
{
    uint64_t address;

    return take_address(&line, &address);
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

/* Cuts off "+0xOFFSET". "[unknown]" becomes empty. */
static pm_text read_name(pm_text t, uint64_t *offset)
{
    *offset = 0;
    t.len = pm_text_equal(t, PM_TEXT("[unknown]")) ? 0 : offset_at(t, offset);
    return t;
}

static bool read_frame(pm_text t, pm_perf_frame *out)
{
    if (!take_address(&t, &out->address))
        return false;
    out->inlined = pm_text_ends(t, PM_TEXT(" (inlined)"));
    if (out->inlined)
        t.len -= PM_TEXT(" (inlined)").len;
    t = pm_text_skip(t, " \t");
    out->dso = (pm_text){t.data + t.len, 0};
    if (!out->inlined && pm_text_ends(t, PM_TEXT(")"))) {
        size_t at = dso_at(t);

        if (at < t.len) { /* -F +dsoff adds an offset to the DSO */
            out->dso = read_name((pm_text){t.data + at + 1, t.len - at - 2}, &out->offset);
            t.len = at ? at - 1 : 0;
        }
    }
    out->symbol = read_name(t, &out->offset);
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
        pm_text rest = pm_text_from(chain, *at), line = pm_text_cut(&rest, '\n');

        *at = chain.len - rest.len;
        if (read_frame(line, out) && !is_kernel(out))
            return true;
    }
    return false;
}
