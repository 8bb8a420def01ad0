/* skip: names of /proc that can be no capture, so that what bears them is never opened. */
#include "source/skip.h"

typedef struct skip_name {
    pm_text name;
    bool common; /* people name their own files so: only inside a process's folder */
} skip_name;

static const skip_name names[] = {
    {{"environ", 7}, false},     /* passwords and keys */
    {{"pagemap", 7}, false},     /* a word per page of address space: terabytes, sparse */
    {{"kpageflags", 10}, false}, /* a word per page of the machine */
    {{"kpagecount", 10}, false},
    {{"kpagecgroup", 11}, false},
    {{"kcore", 5}, false}, /* memory itself */
    {{"mem", 3}, true},
    {{"kmsg", 4}, false},        /* reading waits, and takes the messages from who needs them */
    {{"auxv", 4}, false},        /* binary */
    {{"exe", 3}, true},          /* the program, or a link to one of this machine */
    {{"clear_refs", 10}, false}, /* for writing only */
    {{"timers", 6}, true},       /* as a rule empty, but no map that is */
};

/* Folders of a process. Links in fd and map_files, copied, lead to files of this machine that have
 * nothing to do with it; a thread's smaps are those of its process once more; of the others many
 * files are empty or cannot be read. */
static const pm_text folders[] = {{"fd", 2},  {"map_files", 9}, {"task", 4},
                                  {"net", 3}, {"ns", 2},        {"attr", 4}};

#define PID_MAX_DIGITS 7 /* 20261121 is a day */

static bool is_process(pm_text name)
{
    size_t i = 0;

    while (i < name.len && name.data[i] >= '0' && name.data[i] <= '9')
        i++;
    return (name.len && i == name.len && i <= PID_MAX_DIGITS) ||
           pm_text_equal(name, PM_TEXT("self")) || pm_text_equal(name, PM_TEXT("thread-self"));
}

/* Takes the last part off the path. */
static pm_text cut_last(pm_text *path)
{
    pm_text part = pm_text_basename(*path);

    path->len -= part.len;
    while (path->len && path->data[path->len - 1] == '/')
        path->len--;
    return part;
}

bool pm_skip_path(pm_text path)
{
    pm_text name = cut_last(&path), inner = cut_last(&path);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pm_text_equal(name, names[i].name) && (!names[i].common || is_process(inner)))
            return true;
    while (inner.len) {
        pm_text outer = cut_last(&path);

        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
            if (pm_text_equal(inner, folders[i]) && is_process(outer))
                return true;
        inner = outer;
    }
    return false;
}
