/* object_alike: can two objects be the same thing? */
#include "store/dict/object.h"

static bool pseudo_or_none(pm_text path)
{
    return path.len == 0 || path.data[0] == '[';
}

static bool names_alike(const pm_object *a, const pm_object *b)
{
    if (pm_text_equal(a->path, b->path))
        return true;
    if ((!a->has_pseudo || !b->has_pseudo) && pseudo_or_none(a->path) && pseudo_or_none(b->path))
        return a->path.len == 0 || b->path.len == 0;
    return pm_text_equal(pm_text_basename(a->path), pm_text_basename(b->path)) &&
           (!memchr(a->path.data, '/', a->path.len) || !memchr(b->path.data, '/', b->path.len));
}

bool pm_object_alike(const pm_object *a, const pm_object *b)
{
    if (a == b || a->who == b->who)
        return true;
    if (memcmp(a->perms, b->perms, sizeof a->perms) != 0)
        return false;
    if (a->has_device && b->has_device && strcmp(a->device, b->device) != 0)
        return false;
    if (a->has_inode && b->has_inode)
        return a->inode == b->inode && a->name_cut != b->name_cut &&
               pm_text_starts(a->name_cut ? b->path : a->path, a->name_cut ? a->path : b->path);
    return names_alike(a, b);
}
