/* call: the five system calls that make and end mappings, and their arguments as text. */
#ifndef PM_PERF_CALL_H
#define PM_PERF_CALL_H

#include "base/buf.h"
#include <stdint.h>

/* Part of the file format: the column call.kind has these numbers. Append new kinds. */
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
/* The name in the kernel's trace events; NULL: the call has no such parameter. */
const char *pm_call_arg_name(pm_call_kind kind, int i);

/* Appends "addr=0, len=8192, prot=PROT_READ|PROT_WRITE, ...": addresses, offsets and descriptors in
 * hex, lengths in bytes, "?" for arg[i] if bit i of `has` is 0. Bits without a name in kernels up
 * to 6.18 on x86 (the same on arm64, riscv, s390, loongarch) are printed in hex. */
pmapdb_status pm_call_words(pm_call_kind kind, unsigned has, const uint64_t arg[PM_CALL_ARGS],
                            pm_buf *out, pmapdb_error *err);

/* The error number that a call returned; 0: success. A failed brk returns the old end instead. */
static inline int pm_call_errno(pm_call_kind kind, uint64_t ret)
{
    return kind != PM_CALL_BRK && ret >= (uint64_t)-4095 ? (int)-(int64_t)ret : 0;
}

/* "ENOMEM"; NULL: not an error number. */
const char *pm_errno_name(int number);

#endif
