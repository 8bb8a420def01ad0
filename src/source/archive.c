/* archive: libarchive, loaded when the first archive is read. */
#include "source/archive.h"

#ifdef PM_ARCHIVE_SONAME
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* POSIX lets a function's address be an object's; C has no cast for it. */
static bool look_up(void *library, const char *name, void *call, size_t size)
{
    void *address = dlsym(library, name);

    memcpy(call, &address, size);
    return address != NULL;
}

pmapdb_status pm_archive_load(pm_archive *out, pmapdb_error *err)
{
    void *library;
    bool whole;

    errno = 0;
    library = dlopen(PM_ARCHIVE_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    whole = library != NULL;

#define LOOK_UP(name) whole = whole && look_up(library, #name, &out->name, sizeof out->name);
    PM_ARCHIVE_CALLS(LOOK_UP)
#undef LOOK_UP
    if (library)
        dlclose(library);
    if (whole)
        return PMAPDB_OK;
    if (errno == ENOMEM) /* it is there, for all that is known */
        return pm_fail_nomem(err);
    return pm_fail(err, PMAPDB_IO,
                   "archives and compressed files cannot be read: the library " PM_ARCHIVE_SONAME
                   " is not installed");
}

#else

pmapdb_status pm_archive_load(pm_archive *out, pmapdb_error *err)
{
    (void)err;
#define TAKE(name) out->name = name;
    PM_ARCHIVE_CALLS(TAKE)
#undef TAKE
    return PMAPDB_OK;
}

#endif
