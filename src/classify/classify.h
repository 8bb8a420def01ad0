/* classify: assigns a category to each mapping by one ordered list; the first match wins. Rules
 * refine the category (slug/detail): rules.h.
 *
 * Two categories need the whole capture: `program` (the file that is the executable) and, if the
 * tool prints the heap as "[ anon ]", `heap`.
 *
 * The text of a narrow dialect lacks details, so its categories may differ from those of smaps at
 * the same moment: [vdso], [vvar], [vsyscall], names set by prctl, and files without a slash in
 * their name (anon_inode:, socket:) are all "[ anon ]"; a basename lacks its /dev/shm/, and a memfd
 * with a slash in its name lacks "memfd:"; busybox cuts a name, including " (deleted)", at the
 * first blank; -X and -XX cut a name at 127 bytes.
 */
#ifndef PM_CLASSIFY_CLASSIFY_H
#define PM_CLASSIFY_CLASSIFY_H

#include "base/record/capture.h"

typedef enum pm_category {
#define PM_CATEGORY(id, slug, description) PM_CATEGORY_##id,
#include "classify/categories.def"
#undef PM_CATEGORY
    PM_CATEGORY_COUNT
} pm_category;

typedef struct pm_category_info {
    const char *slug, *description;
} pm_category_info;

extern const pm_category_info pm_categories[PM_CATEGORY_COUNT];

/* Searches the first `n` categories for this slug. Returns n if no category has the slug. */
static inline int pm_category_find(pm_text slug, int n)
{
    int i = 0;

    while (i < n && !pm_text_equal(slug, pm_text_of(pm_categories[i].slug)))
        i++;
    return i;
}

/* Facts that only the whole capture shows. */
typedef struct pm_classify_context {
    pm_text program;    /* path of the lowest file-backed executable mapping that is not a shared
                           library, without " (deleted)", or empty; points into the pool */
    bool pseudo_hidden; /* the capture prints the names of the kernel as "[ anon ]", so a name in
                           brackets is that of a file */
    bool heap_inferred; /* the heap below was found by its address, not by its name */
    uint64_t heap_start, heap_end; /* only when heap_inferred; [start, end) of the heap */
} pm_classify_context;

/* Fills *out; called once per capture. The rows may be in any order. */
void pm_classify_prepare(const pm_capture *capture, pm_classify_context *out);
pm_category pm_classify_mapping(const pm_classify_context *context, const pm_mapping *m);

static inline pm_text pm_undeleted(pm_text path)
{
    pm_text mark = PM_TEXT(" (deleted)");

    if (pm_text_ends(path, mark))
        path.len -= mark.len;
    return path;
}

/* True if the path is a shared library, deleted or not: its last part ends with ".so" or contains
 * ".so.". */
bool pm_is_shared_library(pm_text path);

#endif
