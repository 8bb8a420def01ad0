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

typedef struct bit {
    uint64_t value;
    const char *name;
} bit;

/* include/uapi/asm-generic/mman-common.h. The meaning of 0x10 to 0x80 differs between machines. */
static const bit prot_bits[] = {
    {0x1, "PROT_READ"},
    {0x2, "PROT_WRITE"},
    {0x4, "PROT_EXEC"},
    {0x8, "PROT_SEM"},
    {0x01000000, "PROT_GROWSDOWN"},
    {0x02000000, "PROT_GROWSUP"},
};

/* include/uapi/asm-generic/mman{-common,}.h, arch/x86/include/uapi/asm/mman.h, with the first
 * release of recent flags. The lowest four bits are a number, see map_types. Other machines (alpha,
 * mips, parisc, powerpc, sparc, xtensa) have some of these flags at other bits. */
static const bit mmap_bits[] = {
    {0x10, "MAP_FIXED"},
    {0x20, "MAP_ANONYMOUS"},
    {0x40, "MAP_32BIT"},
    {0x80, "MAP_ABOVE4G"}, /* 6.6 */
    {0x100, "MAP_GROWSDOWN"},
    {0x800, "MAP_DENYWRITE"},
    {0x1000, "MAP_EXECUTABLE"},
    {0x2000, "MAP_LOCKED"},
    {0x4000, "MAP_NORESERVE"},
    {0x8000, "MAP_POPULATE"},
    {0x10000, "MAP_NONBLOCK"},
    {0x20000, "MAP_STACK"},
    {0x40000, "MAP_HUGETLB"},
    {0x80000, "MAP_SYNC"},             /* 4.15 */
    {0x100000, "MAP_FIXED_NOREPLACE"}, /* 4.17 */
};

static const char *const map_types[16] = {
    [1] = "MAP_SHARED",
    [2] = "MAP_PRIVATE",
    [3] = "MAP_SHARED_VALIDATE", /* 4.15 */
    [8] = "MAP_DROPPABLE",       /* 6.11 */
};

static const bit mremap_bits[] = {
    {0x1, "MREMAP_MAYMOVE"}, {0x2, "MREMAP_FIXED"}, {0x4, "MREMAP_DONTUNMAP"}, /* 5.7 */
};

#define MAP_TYPE 0xfu
#define HUGETLB 0x40000u
#define HUGE_SHIFT 26
#define HUGE_MASK 0x3fu

/* Words with bars between them. */
typedef struct bars {
    pm_buf *out;
    pmapdb_error *err;
    pmapdb_status st;
    bool any;
} bars;

static void add_word(bars *b, const char *word)
{
    if (b->st == PMAPDB_OK)
        b->st = pm_buf_addf(b->out, b->err, "%s%s", b->any ? "|" : "", word);
    b->any = true;
}

/* Appends the names of known bits; returns the unknown bits. */
static uint64_t add_bits(bars *b, const bit *bits, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++)
        if (value & bits[i].value) {
            add_word(b, bits[i].name);
            value &= ~bits[i].value;
        }
    return value;
}

static void add_rest(bars *b, uint64_t value)
{
    if (!value && b->any)
        return;
    if (b->st == PMAPDB_OK)
        b->st = pm_buf_addf(b->out, b->err, value ? "%s0x%" PRIx64 : "%s%" PRIx64,
                            b->any ? "|" : "", value);
}

/* With MAP_HUGETLB, six bits hold the base-2 logarithm of the page size; 0: the default size. */
static uint64_t add_huge(bars *b, uint64_t value)
{
    unsigned log = (unsigned)(value >> HUGE_SHIFT & HUGE_MASK);

    if (log < 10 || log >= 40)
        return value;
    if (b->st == PMAPDB_OK)
        b->st = pm_buf_addf(b->out, b->err, "|MAP_HUGE_%u%cB", 1u << log % 10, "KMG"[log / 10 - 1]);
    return value & ~((uint64_t)HUGE_MASK << HUGE_SHIFT);
}

static void add_mmap_flags(bars *b, uint64_t value)
{
    static const bit uninitialized = {0x4000000, "MAP_UNINITIALIZED"};
    const char *type = map_types[value & MAP_TYPE];
    uint64_t rest = value;

    if (type) {
        add_word(b, type);
        rest &= ~(uint64_t)MAP_TYPE;
    }
    rest = add_bits(b, mmap_bits, sizeof mmap_bits / sizeof *mmap_bits, rest);
    rest = value & HUGETLB ? add_huge(b, rest) : add_bits(b, &uninitialized, 1, rest);
    add_rest(b, rest);
}

static void add_prot(bars *b, uint64_t value)
{
    if (value)
        add_rest(b, add_bits(b, prot_bits, sizeof prot_bits / sizeof *prot_bits, value));
    else
        add_word(b, "PROT_NONE");
}

/* ---- a whole call ---- */

static pmapdb_status add_value(style how, uint64_t value, pm_buf *out, pmapdb_error *err)
{
    bars b = {.out = out, .err = err};

    switch (how) {
    case HEX:
        return pm_buf_addf(out, err, "%" PRIx64, value);
    case BYTES:
        return pm_buf_addf(out, err, "%" PRIu64, value);
    case PROT:
        add_prot(&b, value);
        break;
    case MMAP_FLAGS:
        add_mmap_flags(&b, value);
        break;
    case MREMAP_FLAGS:
        add_rest(&b, add_bits(&b, mremap_bits, sizeof mremap_bits / sizeof *mremap_bits, value));
        break;
    }
    return b.st;
}

pmapdb_status pm_call_words(pm_call_kind kind, unsigned has, const uint64_t arg[PM_CALL_ARGS],
                            pm_buf *out, pmapdb_error *err)
{
    const parameter *p = calls[kind].parameters;
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < PM_CALL_ARGS && p[i].name && st == PMAPDB_OK; i++) {
        st = pm_buf_addf(out, err, "%s%s=", i ? ", " : "", p[i].name);
        if (st == PMAPDB_OK)
            st = has >> i & 1 ? add_value(p[i].style, arg[i], out, err)
                              : pm_buf_add(out, "?", 1, err);
    }
    return st;
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
