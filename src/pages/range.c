/* range: the kinds of pages that a mapping can have. */
#include "pages/range.h"

#include "base/hash.h"
#include "base/num.h"

static uint64_t device_key(uint32_t major, uint32_t minor)
{
    return (uint64_t)major << 32 | minor;
}

/* "36 35 0:25 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=64k": the device is the third word, the
 * type the first one after the dash. */
static pmapdb_status read_mount(pm_text line, pm_map *out, pmapdb_error *err)
{
    pm_text word = {0}, major, dash = PM_TEXT("-");
    uint64_t a, b;
    int64_t kind;

    for (int i = 0; i < 3; i++)
        word = pm_text_word(&line, " ");
    major = pm_text_cut(&word, ':');
    if (!pm_num_all(major, &a) || !pm_num_all(word, &b))
        return PMAPDB_OK;
    do
        word = pm_text_word(&line, " ");
    while (word.len && !pm_text_equal(word, dash));
    word = pm_text_word(&line, " ");
    kind = pm_text_equal(word, PM_TEXT("hugetlbfs")) ? PM_MOUNT_HUGETLBFS
           : pm_text_equal(word, PM_TEXT("tmpfs"))   ? PM_MOUNT_TMPFS
                                                     : 0;
    return kind ? pm_map_put(out, device_key((uint32_t)a, (uint32_t)b), kind, err) : PMAPDB_OK;
}

pmapdb_status pm_mounts_read(pm_text mountinfo, pm_map *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (mountinfo.len && st == PMAPDB_OK)
        st = read_mount(pm_text_cut(&mountinfo, '\n'), out, err);
    return st;
}

/* The kernel's own mounts, which no table lists: shared memory has the device 0:1. Segments and
 * memfds elsewhere are in huge pages. */
static bool is_own_mount(const pm_mapping *m)
{
    return m->dev_major == 0 && m->dev_minor == 1;
}

static bool is_segment(pm_text path)
{
    return pm_text_starts(path, PM_TEXT("/SYSV")) || pm_text_starts(path, PM_TEXT("/memfd:"));
}

static bool is_special(pm_text path)
{
    return path.len && path.data[0] == '[' && !pm_text_equal(path, PM_TEXT("[heap]")) &&
           !pm_text_starts(path, PM_TEXT("[stack")) && !pm_text_starts(path, PM_TEXT("[anon"));
}

/* Returns the number of the first page. The name stands for the file of [vdso], which all processes
 * of the kernel share. */
static uint64_t file_of(const pm_mapping *m, uint64_t page_bytes, pm_sets *sets)
{
    uint64_t place[3] = {device_key(m->dev_major, m->dev_minor), m->inode, 0};
    uint64_t page = m->offset / page_bytes % PM_SPACE_SLOTS;

    if (m->inode == 0)
        place[2] = pm_hash(m->path.data, m->path.len, 0);
    return pm_sets_space(sets, pm_hash(place, sizeof place, 0)) + page;
}

pm_page_range pm_page_range_of(const pm_mapping *m, const pm_map *mounts, uint64_t page_bytes,
                               pm_sets *sets)
{
    pm_page_range r = {
        .start = m->start, .end = m->end, .is_shared = m->perms[3] == 's', .of_file = PM_PAGE_FILE};
    int64_t kind = 0;

    pm_map_get(mounts, device_key(m->dev_major, m->dev_minor), &kind);
    r.is_kernel = is_special(m->path) && !pm_text_starts(m->path, PM_TEXT("[vdso"));
    r.is_hugetlb = kind == PM_MOUNT_HUGETLBFS ||
                   pm_text_starts(m->path, PM_TEXT("/anon_hugepage")) ||
                   (is_segment(m->path) && !is_own_mount(m));
    if (m->inode && (is_own_mount(m) || kind == PM_MOUNT_TMPFS ||
                     pm_text_starts(m->path, PM_TEXT("/dev/shm/"))))
        r.of_file = PM_PAGE_SHMEM;
    r.has_file = m->inode || is_special(m->path);
    if (sets && r.has_file)
        r.file = file_of(m, page_bytes, sets);
    return r;
}

void pm_family_add(uint64_t *key, const pm_mapping *m)
{
    if (pm_text_equal(m->path, PM_TEXT("[stack]")))
        *key = pm_hash(&m->end, sizeof m->end, *key);
    else if (pm_text_equal(m->path, PM_TEXT("[vdso]")))
        *key = pm_hash(&m->start, sizeof m->start, *key);
}

void pm_page_counts_add(pm_page_counts *sum, const pm_page_counts *c, int64_t times)
{
    for (int i = 0; i < PM_PAGE_CLASSES; i++)
        sum->class[i] += times * c->class[i];
    sum->own += times * c->own;
    sum->zero += times * c->zero;
    sum->hugetlb += times * c->hugetlb;
}
