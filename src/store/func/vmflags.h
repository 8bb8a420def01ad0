/* vmflags: permissions and the VmFlags of smaps as words. Nothing is hidden: unknown letters stay,
 * so a flag of a newer kernel is visible. */
#ifndef PM_STORE_VMFLAGS_H
#define PM_STORE_VMFLAGS_H

#include "base/buf.h"

#define PM_PERMS_TEXT 64

/* "rd" -> "readable"; an unknown flag -> {NULL, 0}. */
pm_text pm_vmflags_word(pm_text letters);

/* Adds the words of all flags, separated by commas: "rd ex zz" is "readable, executable, zz". */
pmapdb_status pm_vmflags_text(pm_text flags, pm_buf *out, pmapdb_error *err);

/* From four letters of the kernel: "rw-p" is "read, write, private". */
void pm_perms_text(const char perms[4], char out[PM_PERMS_TEXT]);

#endif
