/* proc_hidden: whether /proc shows processes of others at all. */
#include "source/proc.h"

#include "base/num.h"
#include "source/proc_text.h"
#include <sys/stat.h>
#include <unistd.h>

#define MOUNTINFO_MAX ((size_t)1 << 20)
#define STATUS_MAX 4096
#define CAP_SYS_PTRACE_BIT 19

/* As it was given, up to Linux 5.7, or by name. 1, noaccess, does not hide: such processes are
 * listed, and counted as unreadable. */
static bool option_hides(pm_text option)
{
    pm_text name = pm_proc_cut(&option, '=');

    return pm_text_equal(name, PM_TEXT("hidepid")) &&
           (pm_text_equal(option, PM_TEXT("2")) || pm_text_equal(option, PM_TEXT("invisible")) ||
            pm_text_equal(option, PM_TEXT("4")) || pm_text_equal(option, PM_TEXT("ptraceable")));
}

/* "46 44 0:21 / /proc rw,relatime shared:5 - proc proc rw,hidepid=invisible"; of several that are
 * mounted there the last one is seen. */
bool pm_proc_mount_hides(pm_text mountinfo)
{
    bool hides = false;

    while (mountinfo.len) {
        pm_text line = pm_proc_cut(&mountinfo, '\n'), options;

        for (int i = 0; i < 4; i++)
            pm_proc_word(&line);
        if (!pm_text_equal(pm_proc_word(&line), PM_TEXT("/proc")))
            continue;
        while (line.len && !pm_text_equal(pm_proc_word(&line), PM_TEXT("-")))
            ;
        pm_proc_word(&line);
        pm_proc_word(&line);
        options = pm_proc_word(&line);
        hides = false;
        while (options.len)
            hides |= option_hides(pm_proc_cut(&options, ','));
    }
    return hides;
}

/* From nobody with this right is anything hidden. */
static bool may_trace_all(int root)
{
    static const char key[] = "\nCapEff:";
    char block[STATUS_MAX];
    pm_text text, word;
    const char *at;
    uint64_t set;

    if (!pm_proc_peek(root, "self/status", block, sizeof block, &text))
        return false;
    at = memmem(text.data, text.len, key, sizeof key - 1);
    if (!at)
        return false;
    text = pm_text_from(text, (size_t)(at - text.data) + sizeof key - 1);
    text = pm_proc_cut(&text, '\n');
    word = pm_proc_word(&text);
    return pm_num_hex(word.data, word.data + word.len, &set) == word.len && word.len &&
           set >> CAP_SYS_PTRACE_BIT & 1;
}

/* Nor from the group that the mount names (gid=): it sees the first process, which is always
 * there. Where that is the user's own, as in a container, it tells nothing. */
static bool sees_others(int root)
{
    struct stat info;

    return fstatat(root, "1", &info, 0) == 0 && info.st_uid != geteuid();
}

bool pm_proc_hides(int root)
{
    pm_buf text = {0};
    bool hides = pm_proc_slurp(root, "self/mountinfo", MOUNTINFO_MAX, &text) == 0 &&
                 pm_proc_mount_hides(pm_buf_text(&text)) && !may_trace_all(root) &&
                 !sees_others(root);

    pm_buf_free(&text);
    return hides;
}
