/* vmflags: permissions and the VmFlags of smaps as words. */
#include "store/func/functions.h"

#include <stdio.h>

/* The output of show_smap_vma_flags() in the kernel's fs/proc/task_mmu.c, from Linux 3.8, the first
 * with VmFlags, to 6.19; a comment after a flag has its releases, unless all have it. "??" is the
 * kernel's own text for a flag without letters. The words are those of
 * Documentation/filesystems/proc.rst, but shorter. */
static const struct {
    char letters[3];
    const char *words;
} known[] = {
    {"rd", "readable"},
    {"wr", "writable"},
    {"ex", "executable"},
    {"sh", "shared"},
    {"mr", "may read"},
    {"mw", "may write"},
    {"me", "may execute"},
    {"ms", "may share"},
    {"gd", "grows down"},
    {"pf", "pure page frames"},
    {"gu", "may have guard regions"}, /* since 6.19, and in a later 6.18.y */
    {"dw", "file closed to writers"}, /* to 5.14 */
    {"lo", "locked"},
    {"lf", "locked on fault"}, /* since 6.2 */
    {"io", "memory-mapped I/O"},
    {"sr", "read in sequence"},
    {"rr", "read at random"},
    {"dc", "not copied on fork"},
    {"de", "cannot expand"},
    {"ac", "accounted"},
    {"nr", "no swap reserved"},
    {"ht", "hugetlb pages"},
    {"sf", "synchronous faults"}, /* since 4.15 */
    {"nl", "non-linear"},         /* to 3.19 */
    {"ar", "architecture's own"},
    {"wf", "wiped on fork"}, /* since 4.14 */
    {"dd", "not in core dumps"},
    {"sd", "soft-dirty"}, /* since 3.13 */
    {"mm", "mixed map"},
    {"hg", "huge pages advised"},
    {"nh", "no huge pages"},
    {"mg", "mergeable"},
    {"um", "userfaultfd: missing pages"},   /* since 4.3 */
    {"uw", "userfaultfd: write-protected"}, /* since 4.3 */
    {"ui", "userfaultfd: minor faults"},    /* since 5.13 */
    {"bt", "branch targets guarded"},       /* since 5.8, arm64 */
    {"mt", "memory tagging"},               /* since 5.10, arm64 */
    {"mp", "MPX bounds"},                   /* 3.19 to 5.5, x86 */
    {"ss", "shadow stack"},                 /* since 6.6 */
    {"dp", "droppable"},                    /* since 6.11 */
    {"sl", "sealed"},                       /* since 6.10 */
};

pm_text pm_vmflags_word(pm_text letters)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pm_text_equal(letters, pm_text_of(known[i].letters)))
            return pm_text_of(known[i].words);
    return (pm_text){NULL, 0};
}

pmapdb_status pm_vmflags_text(pm_text flags, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    bool first = true;
    pm_text word;

    while (st == PMAPDB_OK && (word = pm_text_word(&flags, " \t\r\n")).len) {
        pm_text words = pm_vmflags_word(word);

        if (!first)
            st = pm_buf_add(out, ", ", 2, err);
        PM_STEP(st, pm_buf_add(out, words.data ? words.data : word.data,
                               words.data ? words.len : word.len, err));
        first = false;
    }
    return st;
}

void pm_perms_text(const char perms[4], char out[PM_PERMS_TEXT])
{
    bool none = memcmp(perms, "---", 3) == 0;

    snprintf(out, PM_PERMS_TEXT, "%s%s%s%s%s", perms[0] == 'r' ? "read, " : "",
             perms[1] == 'w' ? "write, " : "", perms[2] == 'x' ? "execute, " : "",
             none ? "no access, " : "", perms[3] == 's' ? "shared" : "private");
}
