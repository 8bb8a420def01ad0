/* classify: the ordered list of categories, and the facts that only the whole capture shows: the
 * program, and the heap if the name of the heap is hidden.
 *
 * A heap without a name is found by its address. The image of the executable consists of its rows
 * and the anonymous rows that touch them (bss), each within IMAGE_GAP of the row below. The kernel
 * places the brk heap after the image, after a random gap. The heap is the first private rw
 * anonymous row after the image that does not touch the image, together with the private rw rows
 * that touch this row. Without randomisation the heap and the bss form one row, and nothing is
 * inferred.
 *
 * Rows may come in any order (`pmap -x | sort -k3n`), so ranges grow in passes until a pass adds
 * nothing; rows sorted by address need two passes.
 */
#include "classify/classify.h"

#include "base/num.h"

/* Two mappings of one file that are further apart are not one image: the program maps itself as
 * data. */
#define IMAGE_GAP (UINT64_C(1) << 30)
/* arch_randomize_brk: up to 32 MiB after the image on 32-bit and on x86-64 before Linux 6.9, up to
 * 1 GiB on arm64 and on x86-64 since Linux 6.9. */
#define HEAP_GAP (IMAGE_GAP + (UINT64_C(32) << 20))

const pm_category_info pm_categories[PM_CATEGORY_COUNT] = {
#define PM_CATEGORY(id, slug, description) {slug, description},
#include "classify/categories.def"
#undef PM_CATEGORY
};

/* ---- one row ---- */

/* True if the fourth permission is 's'. Tools print "private" as 'p' or '-', but all print shared
 * as 's'. */
static bool is_shared(const pm_mapping *m)
{
    return m->perms[3] == 's';
}

/* True if the row does not show a file. A name in brackets comes from the kernel or from the
 * program (prctl), unless the capture hides such names or the row has an inode: then the name is
 * the last part of a file name. "boot.art]" is the rest of
 * "[anon:dalvik-/system/framework/boot.art]" in tools that print only the part after the last
 * slash. */
static bool is_nameless(const pm_classify_context *context, const pm_mapping *m)
{
    pm_text path = m->path;

    if (path.len == 0)
        return true;
    if (path.data[path.len - 1] != ']' || path.data[0] == '/' ||
        (pm_has(m, PM_HAS_INODE) && m->inode != 0))
        return false;
    return path.data[0] == '[' ? !context->pseudo_hidden : !memchr(path.data, '[', path.len);
}

/* True for private rw rows, executable or not, because the heap is rwx under the personality
 * READ_IMPLIES_EXEC. */
static bool may_be_heap(const pm_classify_context *context, const pm_mapping *m)
{
    return m->perms[0] == 'r' && m->perms[1] == 'w' && !is_shared(m) && is_nameless(context, m);
}

static bool is_heap(const pm_classify_context *context, const pm_mapping *m)
{
    if (!context->pseudo_hidden)
        return pm_text_equal(m->path, PM_TEXT("[heap]")) && is_nameless(context, m);
    return context->heap_inferred && m->start >= context->heap_start &&
           m->end <= context->heap_end && may_be_heap(context, m);
}

/* Linux 3.4 to 4.4 print [stack:TID]. */
static bool is_stack(pm_text path)
{
    return pm_text_equal(path, PM_TEXT("[stack]")) || pm_text_starts(path, PM_TEXT("[stack:"));
}

/* [vvar_vclock] exists since Linux 6.13. */
static bool is_kernel(pm_text path)
{
    return pm_text_listed(path, " [vdso] [vsyscall] [vectors] [sigpage] [uprobes] ") ||
           pm_text_starts(path, PM_TEXT("[vvar"));
}

static bool is_memfd(pm_text path)
{
    return pm_text_starts(path, PM_TEXT("/memfd:")) || pm_text_starts(path, PM_TEXT("memfd:"));
}

/* True for "SYSV" and a key of eight hex digits, as the kernel prints them, without the slash. */
static bool is_bare_sysv(pm_text path)
{
    pm_text prefix = PM_TEXT("SYSV"), key = pm_undeleted(path);

    return pm_text_starts(key, prefix) && key.len == prefix.len + 8 &&
           pm_num_hex_run(key.data + prefix.len, key.data + key.len) == 8;
}

/* A name without a path is shared memory only if the mapping is shared, because any file may be
 * called "zero". */
static bool is_shared_memory(const pm_mapping *m, bool nameless)
{
    pm_text path = m->path;

    if (path.len && path.data[0] == '/')
        return pm_text_equal(path, PM_TEXT("/dev/zero (deleted)")) ||
               pm_text_starts(path, PM_TEXT("/dev/shm/")) || pm_text_starts(path, PM_TEXT("/SYSV"));
    if (pm_text_starts(path, PM_TEXT("[anon_shmem:")) || pm_text_starts(path, PM_TEXT("[ shmid=")))
        return true;
    return is_shared(m) &&
           (nameless || is_bare_sysv(path) || pm_text_equal(path, PM_TEXT("zero (deleted)")));
}

/* Checks only the last part, so that a basename and its full path give the same result. */
bool pm_is_shared_library(pm_text path)
{
    pm_text name = pm_text_basename(pm_undeleted(path));

    return pm_text_ends(name, PM_TEXT(".so")) || pm_text_holds(name, ".so.");
}

/* The order is part of the interface: the first line that matches decides. */
pm_category pm_classify_mapping(const pm_classify_context *context, const pm_mapping *m)
{
    bool nameless = is_nameless(context, m);
    pm_text path = m->path;

    if (is_heap(context, m))
        return PM_CATEGORY_HEAP;
    if (is_stack(path))
        return PM_CATEGORY_STACK;
    if (nameless && is_kernel(path))
        return PM_CATEGORY_KERNEL;
    if (is_memfd(path))
        return PM_CATEGORY_MEMFD;
    if (is_shared_memory(m, nameless))
        return PM_CATEGORY_SHARED_MEMORY;
    if (!nameless && pm_is_shared_library(path))
        return PM_CATEGORY_SHARED_LIBRARY;
    if (context->program.len && pm_text_equal(pm_undeleted(path), context->program))
        return PM_CATEGORY_PROGRAM;
    if (pm_text_ends(path, PM_TEXT(" (deleted)")))
        return PM_CATEGORY_DELETED_FILE;
    if (!nameless)
        return PM_CATEGORY_MAPPED_FILE;
    /* a row named by prctl is anonymous: the name shows that it is more than a reservation */
    if (path.len == 0 && memcmp(m->perms, "---", 3) == 0)
        return PM_CATEGORY_RESERVE;
    return PM_CATEGORY_ANONYMOUS;
}

/* ---- the whole capture ---- */

/* True if the row proves that the tool shows the names of pseudo mappings. A tool that hides such
 * names hides all of them, so one visible name (pmap -k of procps 4.0.6, toybox, busybox) proves
 * that "[heap]" would be visible too. "[heap]" itself proves nothing, because it may be the
 * basename of a file. */
static bool shows_pseudo(const pm_mapping *m)
{
    return pm_has(m, PM_HAS_PSEUDO) || pm_text_listed(m->path, " [vdso] [vsyscall] ") ||
           pm_text_starts(m->path, PM_TEXT("[vvar"));
}

static bool hides_pseudo(const pm_capture *capture)
{
    if (!pm_dialect_hides_pseudo[capture->block.dialect])
        return false;
    for (size_t i = 0; i < capture->n_rows; i++)
        if (shows_pseudo(pm_capture_row(capture, i)))
            return false;
    return true;
}

/* While the context has no program, the rows of the program are classified as ordinary files. */
static bool may_be_program(const pm_classify_context *context, const pm_mapping *m)
{
    pm_category category;

    if (m->perms[2] != 'x')
        return false;
    category = pm_classify_mapping(context, m);
    return category == PM_CATEGORY_MAPPED_FILE || category == PM_CATEGORY_DELETED_FILE;
}

static const pm_mapping *find_program(const pm_capture *capture, const pm_classify_context *context)
{
    const pm_mapping *lowest = NULL;

    /* in an ordered capture, the first is the lowest */
    for (size_t i = 0; i < capture->n_rows && !(lowest && capture->block.ordered); i++) {
        const pm_mapping *m = pm_capture_row(capture, i);

        if ((!lowest || m->start < lowest->start) && may_be_program(context, m))
            lowest = m;
    }
    return lowest;
}

static bool in_image(const pm_classify_context *context, const pm_mapping *m, uint64_t end)
{
    if (is_nameless(context, m))
        return m->start == end;
    return m->start >= end && m->start - end <= IMAGE_GAP &&
           pm_text_equal(pm_undeleted(m->path), context->program);
}

static bool in_heap(const pm_classify_context *context, const pm_mapping *m, uint64_t end)
{
    return m->start == end && may_be_heap(context, m);
}

/* Returns the end of the range that begins with a row ending at `end` and continues through the
 * rows that `belongs` accepts. */
static uint64_t grow(const pm_capture *capture, const pm_classify_context *context, uint64_t end,
                     bool (*belongs)(const pm_classify_context *, const pm_mapping *, uint64_t))
{
    uint64_t before;

    do {
        before = end;
        for (size_t i = 0; i < capture->n_rows; i++) {
            const pm_mapping *m = pm_capture_row(capture, i);

            if (m->end > end && belongs(context, m, end))
                end = m->end;
        }
    } while (end != before);
    return end;
}

static void infer_heap(const pm_capture *capture, uint64_t image_end, pm_classify_context *out)
{
    const pm_mapping *first = NULL;

    for (size_t i = 0; i < capture->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(capture, i);

        if (m->start > image_end && m->start - image_end <= HEAP_GAP && may_be_heap(out, m) &&
            (!first || m->start < first->start))
            first = m;
    }
    if (!first)
        return;
    out->heap_inferred = true;
    out->heap_start = first->start;
    out->heap_end = grow(capture, out, first->end, in_heap);
}

void pm_classify_prepare(const pm_capture *capture, pm_classify_context *out)
{
    const pm_mapping *program;

    *out = (pm_classify_context){.pseudo_hidden = hides_pseudo(capture)};
    program = find_program(capture, out);
    if (!program)
        return;
    out->program = pm_undeleted(program->path);
    if (out->pseudo_hidden)
        infer_heap(capture, grow(capture, out, program->end, in_image), out);
}
