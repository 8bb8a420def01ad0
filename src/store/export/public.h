/* public: what is public knowledge, so that an export may show it: names that the kernel, the C
 * library and distributions give, and that say nothing of who owns the machine. Pure. */
#ifndef PM_STORE_EXPORT_PUBLIC_H
#define PM_STORE_EXPORT_PUBLIC_H

#include "base/text.h"

/* `list` is "|one|two|"; the empty text is in one with "||". */
bool pm_public_is_in(const char *list, pm_text text);

/* A path below a folder of the system: /usr/lib, /usr/bin, /usr/share, ... None with ".." in it. */
bool pm_public_path(pm_text path);
/* What the kernel calls what is no file: /dev/zero, /anon_hugepage, anon_inode:[io_uring]. */
bool pm_public_kernel_file(pm_text path);
/* The first part of a path as all systems have it: home, opt, var. */
bool pm_public_top(pm_text part);
/* The last part of a path: a library that is everywhere, with any version: libc.so.6. */
bool pm_public_library(pm_text name);
/* What may stay of a name: ".so.1.2", ".jar"; empty where its end is no well-known one. */
pm_text pm_public_tail(pm_text name);
/* What stands inside brackets: heap, stack:17, anon: glibc: malloc arena. */
bool pm_public_bracket(pm_text inside);
/* What stands behind "/memfd:". */
bool pm_public_memfd(pm_text name);
/* A part of the path of a cgroup. */
bool pm_public_cgroup(pm_text part);
/* What a JVM calls a part of its memory. */
bool pm_public_label(pm_text label);
/* A sentence of ours: all of its words are in sentences that this program writes into a store. */
bool pm_public_sentence(pm_text text);

#endif
