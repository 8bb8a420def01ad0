/* prepare: what the whole capture shows: the program, and the heap where its name is hidden.
 *
 * The heap is found by its place. The executable's image is its rows and the anonymous rows that
 * touch them (bss), each within IMAGE_GAP of what lies below it. The kernel puts the brk heap
 * behind the image, after a random gap; the first private rw anonymous row there that does not
 * touch the image is the heap, with the private rw rows that touch it. Without randomisation the
 * heap touches the bss and is one row with it: then nothing is inferred.
 *
 * Rows may come in any order (`pmap -x | sort -k3n`), so ranges grow in passes until one adds
 * nothing; rows sorted by address take two.
 */
#include "classify/classify.h"
#include "classify/shape.h"

/* Two mappings of one file further apart are no one image: a program that maps itself as data. */
#define IMAGE_GAP (UINT64_C(1) << 30)
/* arch_randomize_brk: up to 32 MiB behind the image on 32-bit and on x86-64 before Linux 6.9, up to
 * 1 GiB on arm64 and on x86-64 since. */
#define HEAP_GAP (IMAGE_GAP + (UINT64_C(32) << 20))

/* A tool that hides names hides them all: one that is shown (pmap -k of procps 4.0.6, toybox,
 * busybox) says that a "[heap]" would be shown too. That name itself says nothing: a file may be
 * called so, and its basename is then all that is printed. */
static bool shows_pseudo(const pm_mapping *m)
{
    return pm_has(m, PM_HAS_PSEUDO) || pm_text_equal(m->path, PM_TEXT("[vdso]")) ||
           pm_text_starts(m->path, PM_TEXT("[vvar")) ||
           pm_text_equal(m->path, PM_TEXT("[vsyscall]"));
}

static bool hides_pseudo(const pm_capture *capture)
{
    if (!pm_dialect_hides_pseudo(capture->block.dialect))
        return false;
    for (size_t i = 0; i < capture->n_rows; i++)
        if (shows_pseudo(pm_capture_row(capture, i)))
            return false;
    return true;
}

/* As long as the context has no program, its own rows are files like any other. */
static bool may_be_program(const pm_classify_context *context, const pm_mapping *m)
{
    pm_category category;

    if (!pm_shape_executable(m))
        return false;
    category = pm_classify_mapping(context, m);
    return category == PM_CATEGORY_MAPPED_FILE || category == PM_CATEGORY_DELETED_FILE;
}

static const pm_mapping *find_program(const pm_capture *capture, const pm_classify_context *context)
{
    const pm_mapping *lowest = NULL;

    for (size_t i = 0; i < capture->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(capture, i);

        if ((!lowest || m->start < lowest->start) && may_be_program(context, m))
            lowest = m;
    }
    return lowest;
}

static bool may_be_heap(const pm_classify_context *context, const pm_mapping *m)
{
    return pm_shape_private_rw(m) && pm_shape_nameless(m, context->pseudo_hidden);
}

static bool in_image(const pm_classify_context *context, const pm_mapping *m, uint64_t end)
{
    if (pm_shape_nameless(m, context->pseudo_hidden))
        return m->start == end;
    return m->start >= end && m->start - end <= IMAGE_GAP &&
           pm_text_equal(pm_shape_undeleted(m->path), context->program);
}

static bool in_heap(const pm_classify_context *context, const pm_mapping *m, uint64_t end)
{
    return m->start == end && may_be_heap(context, m);
}

/* The end of the range that begins with a row ending at `end` and goes on through the rows that
 * `belongs` takes. */
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
    out->program = pm_shape_undeleted(program->path);
    if (out->pseudo_hidden)
        infer_heap(capture, grow(capture, out, program->end, in_image), out);
}
