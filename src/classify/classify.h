/* classify: mapping -> category, by one ordered list; the first match wins. Rules refine the
 * category (slug/detail): rules.h.
 *
 * Two categories need the whole capture: `program` (which file is the executable) and, where the
 * tool prints the heap as "[ anon ]", `heap`.
 *
 * What a narrow dialect's text cannot tell, and where it therefore differs from smaps of the same
 * moment: [vdso], [vvar], [vsyscall], names set by prctl, and files without a slash in their name
 * (anon_inode:, socket:) are all "[ anon ]"; a basename has lost its /dev/shm/, and a memfd whose
 * own name holds a slash has lost its "memfd:"; busybox cuts a name, and " (deleted)" with it, at
 * the first blank; of -X and -XX, at 127 bytes.
 */
#ifndef PM_CLASSIFY_CLASSIFY_H
#define PM_CLASSIFY_CLASSIFY_H

#include "base/capture.h"

/* Part of the file format: categories.category_id is this number + 1. New ones at the end. */
typedef enum pm_category {
    PM_CATEGORY_HEAP,
    PM_CATEGORY_STACK,
    PM_CATEGORY_KERNEL,
    PM_CATEGORY_MEMFD,
    PM_CATEGORY_SHARED_MEMORY,
    PM_CATEGORY_SHARED_LIBRARY,
    PM_CATEGORY_PROGRAM,
    PM_CATEGORY_DELETED_FILE,
    PM_CATEGORY_MAPPED_FILE,
    PM_CATEGORY_RESERVE,
    PM_CATEGORY_ANONYMOUS,
    PM_CATEGORY_TOTAL,        /* of no mapping: the sums of a capture that has only those */
    PM_CATEGORY_THREAD_STACK, /* this and the next: by rules */
    PM_CATEGORY_GUARD,
    PM_CATEGORY_COUNT
} pm_category;

typedef struct pm_category_info {
    const char *slug, *description;
} pm_category_info;

extern const pm_category_info pm_categories[PM_CATEGORY_COUNT];

/* What the whole capture shows. */
typedef struct pm_classify_context {
    pm_text program;    /* path of the lowest file-backed executable mapping that is no shared
                           library, without " (deleted)", or empty; points into the capture's pool */
    bool pseudo_hidden; /* this capture prints the kernel's own names as "[ anon ]": a name in
                           brackets is then a file's */
    bool heap_inferred; /* the heap below was found by its place, not by its name */
    uint64_t heap_start, heap_end; /* only when heap_inferred; [start, end) of the rows taken */
} pm_classify_context;

/* Once per capture; its rows may be in any order. */
void pm_classify_prepare(const pm_capture *capture, pm_classify_context *out);
pm_category pm_classify_mapping(const pm_classify_context *context, const pm_mapping *m);

static inline pm_text pm_undeleted(pm_text path)
{
    pm_text mark = PM_TEXT(" (deleted)");

    if (pm_text_ends(path, mark))
        path.len -= mark.len;
    return path;
}

/* A path that is a shared library: ".so" at the end of its last part or before a dot there,
 * deleted or not. */
bool pm_is_shared_library(pm_text path);

#endif
