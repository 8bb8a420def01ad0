/* call: the five system calls that make and end mappings, with their parameters in words. */
#ifndef PM_PERF_CALL_H
#define PM_PERF_CALL_H

#include "base/buf.h"
#include <stdint.h>

/* Part of the file format: call.kind is this number. New ones at the end. */
typedef enum pm_call_kind {
    PM_CALL_MMAP,     /* addr, len, prot, flags, fd, off */
    PM_CALL_MUNMAP,   /* addr, len */
    PM_CALL_BRK,      /* brk */
    PM_CALL_MREMAP,   /* addr, old_len, new_len, flags, new_addr */
    PM_CALL_MPROTECT, /* start, len, prot */
    PM_CALL_COUNT
} pm_call_kind;

#define PM_CALL_ARGS 6

/* "mmap" */
const char *pm_call_name(pm_call_kind kind);
/* As the kernel's trace events call it; NULL: there is no such parameter. */
const char *pm_call_arg_name(pm_call_kind kind, int i);

/* Adds "addr=0, len=8192, prot=PROT_READ|PROT_WRITE, ...": addresses, offsets and descriptors in
 * hex, lengths in bytes, "?" for what `has` (bit i for arg[i]) says is not known. Bits that no
 * kernel up to 6.18 has on x86 (arm64, riscv, s390 and loongarch have the same) stay hex. */
pmapdb_status pm_call_words(pm_call_kind kind, unsigned has, const uint64_t arg[PM_CALL_ARGS],
                            pm_buf *out, pmapdb_error *err);

/* The error that a call returned; 0: it did not fail. A brk that fails returns the old end. */
static inline int pm_call_errno(pm_call_kind kind, uint64_t ret)
{
    return kind != PM_CALL_BRK && ret >= (uint64_t)-4095 ? (int)-(int64_t)ret : 0;
}

/* "ENOMEM"; NULL: none that such a call returns. */
const char *pm_errno_name(int number);

#endif
