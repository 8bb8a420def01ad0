/* classify: the ordered table of categories. */
#include "classify/classify.h"

#include "base/num.h"
#include "classify/shape.h"

const pm_category_info pm_categories[PM_CATEGORY_COUNT] = {
    [PM_CATEGORY_HEAP] = {"heap", "The brk heap: [heap], or inferred from its place"},
    [PM_CATEGORY_STACK] = {"stack", "Stacks that the kernel names: [stack], [stack:TID]"},
    [PM_CATEGORY_KERNEL] = {"kernel", "Pages the kernel provides: vdso, vvar, vsyscall"},
    [PM_CATEGORY_MEMFD] = {"memfd", "Files of memfd_create"},
    [PM_CATEGORY_SHARED_MEMORY] = {"shared-memory", "Shared memory: System V, /dev/shm, anonymous"},
    [PM_CATEGORY_SHARED_LIBRARY] = {"shared-library", "Shared objects, all of their segments"},
    [PM_CATEGORY_PROGRAM] = {"program", "The executable itself"},
    [PM_CATEGORY_DELETED_FILE] = {"deleted-file", "Mapped files that are deleted"},
    [PM_CATEGORY_MAPPED_FILE] = {"mapped-file", "Other mapped files"},
    [PM_CATEGORY_RESERVE] = {"reserve", "Address space without permissions: guards, reservations"},
    [PM_CATEGORY_ANONYMOUS] = {"anonymous", "Other memory without a file"},
    [PM_CATEGORY_TOTAL] = {"total", "Everything, of captures that give sums only"},
    [PM_CATEGORY_THREAD_STACK] = {"anonymous/thread-stack",
                                  "Stacks of threads: of a usual size, right above a guard"},
    [PM_CATEGORY_GUARD] = {"reserve/guard", "Guards: up to 1 MiB, right below writable memory"},
};

typedef bool (*predicate)(const pm_classify_context *context, const pm_mapping *m);

static bool nameless(const pm_classify_context *context, const pm_mapping *m)
{
    return pm_shape_nameless(m, context->pseudo_hidden);
}

static bool is_heap(const pm_classify_context *context, const pm_mapping *m)
{
    if (!context->pseudo_hidden)
        return pm_text_equal(m->path, PM_TEXT("[heap]")) && nameless(context, m);
    return context->heap_inferred && m->start >= context->heap_start &&
           m->end <= context->heap_end && pm_shape_private_rw(m) && nameless(context, m);
}

/* [stack:TID] is what Linux 3.4 to 4.4 print. */
static bool is_stack(const pm_classify_context *context, const pm_mapping *m)
{
    (void)context;
    return pm_text_equal(m->path, PM_TEXT("[stack]")) ||
           pm_text_starts(m->path, PM_TEXT("[stack:"));
}

/* [vvar_vclock] came with Linux 6.13. */
static bool is_kernel(const pm_classify_context *context, const pm_mapping *m)
{
    static const char *const names[] = {"[vdso]", "[vsyscall]", "[vectors]", "[sigpage]",
                                        "[uprobes]"};

    if (m->path.len == 0 || !nameless(context, m))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pm_text_equal(m->path, pm_text_of(names[i])))
            return true;
    return pm_text_starts(m->path, PM_TEXT("[vvar"));
}

static bool is_memfd(const pm_classify_context *context, const pm_mapping *m)
{
    (void)context;
    return pm_text_starts(m->path, PM_TEXT("/memfd:")) ||
           pm_text_starts(m->path, PM_TEXT("memfd:"));
}

/* "SYSV" and the key in eight hex digits, as the kernel writes it, without the slash. */
static bool is_bare_sysv(pm_text path)
{
    pm_text prefix = PM_TEXT("SYSV"), key = pm_shape_undeleted(path);
    uint64_t value;

    if (!pm_text_starts(key, prefix) || key.len != prefix.len + 8)
        return false;
    key = pm_text_from(key, prefix.len);
    return pm_num_hex(key.data, key.data + key.len, &value) == key.len;
}

/* A bare name is shared memory only where the mapping is shared: any file may be called "zero". */
static bool is_shared_memory(const pm_classify_context *context, const pm_mapping *m)
{
    pm_text path = m->path;

    if (path.len && path.data[0] == '/')
        return pm_text_equal(path, PM_TEXT("/dev/zero (deleted)")) ||
               pm_text_starts(path, PM_TEXT("/dev/shm/")) || pm_text_starts(path, PM_TEXT("/SYSV"));
    if (pm_text_starts(path, PM_TEXT("[anon_shmem:")) || pm_text_starts(path, PM_TEXT("[ shmid=")))
        return true;
    return pm_shape_shared(m) && (nameless(context, m) || is_bare_sysv(path) ||
                                  pm_text_equal(path, PM_TEXT("zero (deleted)")));
}

static bool is_shared_library(const pm_classify_context *context, const pm_mapping *m)
{
    return !nameless(context, m) && pm_is_shared_library(m->path);
}

static bool is_program(const pm_classify_context *context, const pm_mapping *m)
{
    return context->program.len && pm_text_equal(pm_shape_undeleted(m->path), context->program);
}

static bool is_deleted_file(const pm_classify_context *context, const pm_mapping *m)
{
    (void)context;
    return pm_text_ends(m->path, PM_TEXT(" (deleted)"));
}

static bool is_file(const pm_classify_context *context, const pm_mapping *m)
{
    return !nameless(context, m);
}

/* A name by prctl makes it anonymous: somebody wanted to tell it from a mere reservation. */
static bool is_reserve(const pm_classify_context *context, const pm_mapping *m)
{
    (void)context;
    return m->path.len == 0 && memcmp(m->perms, "---", 3) == 0;
}

static bool is_anything(const pm_classify_context *context, const pm_mapping *m)
{
    (void)context;
    (void)m;
    return true;
}

/* The order is the contract: what an earlier line takes, a later one never sees. */
static const struct {
    predicate matches;
    pm_category category;
} rules[] = {
    {is_heap, PM_CATEGORY_HEAP},
    {is_stack, PM_CATEGORY_STACK},
    {is_kernel, PM_CATEGORY_KERNEL},
    {is_memfd, PM_CATEGORY_MEMFD},
    {is_shared_memory, PM_CATEGORY_SHARED_MEMORY},
    {is_shared_library, PM_CATEGORY_SHARED_LIBRARY},
    {is_program, PM_CATEGORY_PROGRAM},
    {is_deleted_file, PM_CATEGORY_DELETED_FILE},
    {is_file, PM_CATEGORY_MAPPED_FILE},
    {is_reserve, PM_CATEGORY_RESERVE},
    {is_anything, PM_CATEGORY_ANONYMOUS},
};

pm_category pm_classify_mapping(const pm_classify_context *context, const pm_mapping *m)
{
    size_t i = 0;

    while (!rules[i].matches(context, m))
        i++;
    return rules[i].category;
}

/* The last part only: a basename must be judged as its full path is. */
bool pm_is_shared_library(pm_text path)
{
    pm_text name = pm_text_basename(pm_shape_undeleted(path)), dot = PM_TEXT(".so.");
    pm_text end = PM_TEXT(".so");

    return pm_text_ends(name, end) ||
           (name.len && memmem(name.data, name.len, dot.data, dot.len) != NULL);
}
