/* call: the five system calls that make and end mappings, and their arguments as text. */
#include "perf/call.h"

#include <inttypes.h>
#include <string.h>

typedef enum style { HEX, BYTES, PROT, MMAP_FLAGS, MREMAP_FLAGS } style;

typedef struct parameter {
    const char *name;
    style style;
} parameter;

/* Names as in the kernel's SYSCALL_DEFINEs; perf prints them. */
static const struct {
    const char *name;
    parameter parameters[PM_CALL_ARGS];
} calls[PM_CALL_COUNT] = {
    [PM_CALL_MMAP] = {"mmap",
                      {{"addr", HEX},
                       {"len", BYTES},
                       {"prot", PROT},
                       {"flags", MMAP_FLAGS},
                       {"fd", HEX},
                       {"off", HEX}}},
    [PM_CALL_MUNMAP] = {"munmap", {{"addr", HEX}, {"len", BYTES}}},
    [PM_CALL_BRK] = {"brk", {{"brk", HEX}}},
    [PM_CALL_MREMAP] = {"mremap",
                        {{"addr", HEX},
                         {"old_len", BYTES},
                         {"new_len", BYTES},
                         {"flags", MREMAP_FLAGS},
                         {"new_addr", HEX}}},
    [PM_CALL_MPROTECT] = {"mprotect", {{"start", HEX}, {"len", BYTES}, {"prot", PROT}}},
};

const char *pm_call_name(pm_call_kind kind)
{
    return calls[kind].name;
}

const char *pm_call_arg_name(pm_call_kind kind, int i)
{
    return calls[kind].parameters[i].name;
}

/* ---- bits ---- */

/* include/uapi/asm-generic/mman{-common,}.h and arch/x86/include/uapi/asm/mman.h, with the first
 * release of recent flags; the name stands for these bits of the mask. The meaning of the PROT bits
 * 0x10 to 0x80 differs between machines; alpha, mips, parisc, powerpc, sparc and xtensa have some
 * MAP flags at other bits. */
static const struct {
    style style;
    uint64_t mask, bits;
    const char *name;
} names[] = {
    {PROT, UINT64_MAX, 0, "PROT_NONE"},
    {PROT, 0x1, 0x1, "PROT_READ"},
    {PROT, 0x2, 0x2, "PROT_WRITE"},
    {PROT, 0x4, 0x4, "PROT_EXEC"},
    {PROT, 0x8, 0x8, "PROT_SEM"},
    {PROT, 0x01000000, 0x01000000, "PROT_GROWSDOWN"},
    {PROT, 0x02000000, 0x02000000, "PROT_GROWSUP"},
    {MMAP_FLAGS, 0xf, 0x1, "MAP_SHARED"},
    {MMAP_FLAGS, 0xf, 0x2, "MAP_PRIVATE"},
    {MMAP_FLAGS, 0xf, 0x3, "MAP_SHARED_VALIDATE"}, /* 4.15 */
    {MMAP_FLAGS, 0xf, 0x8, "MAP_DROPPABLE"},       /* 6.11 */
    {MMAP_FLAGS, 0x10, 0x10, "MAP_FIXED"},
    {MMAP_FLAGS, 0x20, 0x20, "MAP_ANONYMOUS"},
    {MMAP_FLAGS, 0x40, 0x40, "MAP_32BIT"},
    {MMAP_FLAGS, 0x80, 0x80, "MAP_ABOVE4G"}, /* 6.6 */
    {MMAP_FLAGS, 0x100, 0x100, "MAP_GROWSDOWN"},
    {MMAP_FLAGS, 0x800, 0x800, "MAP_DENYWRITE"},
    {MMAP_FLAGS, 0x1000, 0x1000, "MAP_EXECUTABLE"},
    {MMAP_FLAGS, 0x2000, 0x2000, "MAP_LOCKED"},
    {MMAP_FLAGS, 0x4000, 0x4000, "MAP_NORESERVE"},
    {MMAP_FLAGS, 0x8000, 0x8000, "MAP_POPULATE"},
    {MMAP_FLAGS, 0x10000, 0x10000, "MAP_NONBLOCK"},
    {MMAP_FLAGS, 0x20000, 0x20000, "MAP_STACK"},
    {MMAP_FLAGS, 0x40000, 0x40000, "MAP_HUGETLB"},
    {MMAP_FLAGS, 0x80000, 0x80000, "MAP_SYNC"},              /* 4.15 */
    {MMAP_FLAGS, 0x100000, 0x100000, "MAP_FIXED_NOREPLACE"}, /* 4.17 */
    {MMAP_FLAGS, 0x4040000, 0x4000000, "MAP_UNINITIALIZED"},
    {MREMAP_FLAGS, 0x1, 0x1, "MREMAP_MAYMOVE"},
    {MREMAP_FLAGS, 0x2, 0x2, "MREMAP_FIXED"},
    {MREMAP_FLAGS, 0x4, 0x4, "MREMAP_DONTUNMAP"}, /* 5.7 */
};

#define HUGETLB 0x40000u
#define HUGE_SHIFT 26
#define HUGE_MASK ((uint64_t)0x3f << HUGE_SHIFT)

/* Appends the names of known bits, with bars between them, and the other bits in hex. */
static void add_bits(style how, uint64_t value, pm_buf *out)
{
    uint64_t rest = value;
    unsigned log = (unsigned)((value & HUGE_MASK) >> HUGE_SHIFT);
    const char *bar = "";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].style == how && (value & names[i].mask) == names[i].bits) {
            pm_buf_addf(out, NULL, "%s%s", bar, names[i].name);
            rest &= ~names[i].bits;
            bar = "|";
        }
    /* With MAP_HUGETLB, six bits hold the base-2 logarithm of the page size; 0: the default size.
     */
    if (how == MMAP_FLAGS && value & HUGETLB && log >= 10 && log < 40) {
        pm_buf_addf(out, NULL, "|MAP_HUGE_%u%cB", 1u << log % 10, "KMG"[log / 10 - 1]);
        rest &= ~HUGE_MASK;
    }
    if (rest || !*bar)
        pm_buf_addf(out, NULL, rest ? "%s0x%" PRIx64 : "%s%" PRIx64, bar, rest);
}

/* ---- a whole call ---- */

static void add_value(style how, uint64_t value, pm_buf *out)
{
    if (how == HEX || how == BYTES)
        pm_buf_addf(out, NULL, how == HEX ? "%" PRIx64 : "%" PRIu64, value);
    else
        add_bits(how, value, out);
}

pmapdb_status pm_call_words(pm_call_kind kind, unsigned has, const uint64_t arg[PM_CALL_ARGS],
                            pm_buf *out, pmapdb_error *err)
{
    const parameter *p = calls[kind].parameters;

    for (int i = 0; i < PM_CALL_ARGS && p[i].name; i++) {
        pm_buf_addf(out, NULL, "%s%s=", i ? ", " : "", p[i].name);
        if (has >> i & 1)
            add_value(p[i].style, arg[i], out);
        else
            pm_buf_addf(out, NULL, "?");
    }
    return pm_buf_status(out, err);
}

/* ---- errors ---- */

/* Errors from 512 on are the kernel's own: trace events see them before they become EINTR, or
 * before the call is made again. */
const char *pm_errno_name(int number)
{
    static const char *const restarts[] = {"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", NULL,
                                           "ERESTART_RESTARTBLOCK"};

    if (number >= 512 && number <= 516)
        return restarts[number - 512];
    return number > 0 ? strerrorname_np(number) : NULL;
}
