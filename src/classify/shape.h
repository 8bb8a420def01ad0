/* shape: what both parts of classify ask of one row. */
#ifndef PM_CLASSIFY_SHAPE_H
#define PM_CLASSIFY_SHAPE_H

#include "base/mapping.h"

/* Permissions by their place; tools print "private" as 'p' or '-', shared is 's' everywhere. */
static inline bool pm_shape_shared(const pm_mapping *m)
{
    return m->perms[3] == 's';
}

static inline bool pm_shape_executable(const pm_mapping *m)
{
    return m->perms[2] == 'x';
}

/* Executable or not: READ_IMPLIES_EXEC personalities have an rwx heap. */
static inline bool pm_shape_perms_private_rw(const char perms[5])
{
    return perms[0] == 'r' && perms[1] == 'w' && perms[3] != 's';
}

static inline bool pm_shape_private_rw(const pm_mapping *m)
{
    return pm_shape_perms_private_rw(m->perms);
}

static inline pm_text pm_shape_undeleted(pm_text path)
{
    pm_text mark = PM_TEXT(" (deleted)");

    if (pm_text_ends(path, mark))
        path.len -= mark.len;
    return path;
}

/* No file stands behind the row. A name in brackets is the kernel's or the program's (prctl) own,
 * unless the capture hides those (`pseudo_hidden`) or the row has an inode: then it is the last
 * part of a file's. A bare "boot.art]" is what a tool that prints the part after the last slash
 * leaves of "[anon:dalvik-/system/framework/boot.art]". */
static inline bool pm_shape_nameless(const pm_mapping *m, bool pseudo_hidden)
{
    pm_text path = m->path;

    if (path.len == 0)
        return true;
    if (path.data[path.len - 1] != ']' || path.data[0] == '/' ||
        (pm_has(m, PM_HAS_INODE) && m->inode != 0))
        return false;
    return path.data[0] == '[' ? !pseudo_hidden : !memchr(path.data, '[', path.len);
}

#endif
