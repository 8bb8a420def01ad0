/* curl: libcurl, loaded when the first request is made. */
#include "http/curl.h"

#include <dlfcn.h>
#include <string.h>

#define CURL "libcurl.so.4"

/* POSIX lets a function address be stored as an object address; C has no cast for this. */
static bool look_up(void *library, const char *name, void *call)
{
    void *address = dlsym(library, name);

    memcpy(call, &address, sizeof address);
    return address != NULL;
}

pmapdb_status pm_curl_load(pm_curl *out, pmapdb_error *err)
{
    void *library = dlopen(CURL, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool whole = library != NULL;

#define LOOK_UP(name) whole = whole && look_up(library, "curl_" #name, &out->name);
    PM_CURL_CALLS(LOOK_UP)
#undef LOOK_UP
    if (library)
        dlclose(library);
    return whole ? PMAPDB_OK
                 : pm_fail(
                       err, PMAPDB_IO,
                       "the network needs " CURL
                       ", which is not installed (Debian: libcurl4); push --to DIR needs nothing");
}
