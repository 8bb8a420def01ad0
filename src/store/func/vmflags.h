/* vmflags: permissions and the VmFlags of smaps in words. Nothing is hidden: letters that are not
 * known stay as they are, a flag of a newer kernel is still seen. */
#ifndef PM_STORE_VMFLAGS_H
#define PM_STORE_VMFLAGS_H

#include "base/buf.h"

#define PM_PERMS_TEXT 64

/* "rd" -> "readable"; an unknown flag -> {NULL, 0}. */
pm_text pm_vmflags_word(pm_text letters);

/* Adds the words of all, commas between: "rd ex zz" is "readable, executable, zz". */
pmapdb_status pm_vmflags_text(pm_text flags, pm_buf *out, pmapdb_error *err);

/* Of four letters as the kernel prints them: "rw-p" is "read, write, private". */
void pm_perms_text(const char perms[4], char out[PM_PERMS_TEXT]);

#endif
