/* library: functions of a shared library that is loaded when the first of them is needed. */
#ifndef PM_BASE_LIBRARY_H
#define PM_BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>

/* Loads a library. `newest` is the function that it has had for the shortest time. False: the
 * library is not there, or too old. It stays loaded: some cannot be unloaded. */
static inline bool pm_library_load(const char *file, const char *newest)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    bool loaded = library && dlsym(library, newest);

    if (library)
        dlclose(library);
    return loaded;
}

/* A function of a library that is loaded, as a header declares it. */
#define PM_LIBRARY(function) ((__typeof__(&(function)))dlsym(RTLD_DEFAULT, #function))

#endif
