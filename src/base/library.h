/* library: functions of a shared library that is loaded when the first of them is needed. */
#ifndef PM_BASE_LIBRARY_H
#define PM_BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Looks up PREFIX + name for each name, and stores the addresses at `calls`, a struct of as many
 * pointers to functions. False if the library or a function is missing. The library stays loaded:
 * some cannot be unloaded. POSIX lets a function address be stored as an object address; C has no
 * cast for this. */
static inline bool pm_library_load(const char *file, const char *prefix, const char *const *names,
                                   size_t n, void *calls)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool whole = library != NULL;
    char name[64];

    for (size_t i = 0; whole && i < n; i++) {
        void *address;

        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        address = dlsym(library, name);
        whole = address != NULL;
        memcpy((char *)calls + i * sizeof address, &address, sizeof address);
    }
    if (library)
        dlclose(library);
    return whole;
}

#endif
