/* curl: the functions of libcurl that this folder uses, loaded from the library of the system. */
#ifndef PM_HTTP_CURL_H
#define PM_HTTP_CURL_H

#include "base/err.h"
#include <curl/curl.h>

/* Their types are those that curl.h declares. */
#define PM_CURL_CALLS(_) \
    _(easy_init)         \
    _(easy_setopt)       \
    _(easy_perform)      \
    _(easy_getinfo)      \
    _(easy_strerror)     \
    _(easy_escape)       \
    _(easy_cleanup)      \
    _(free)              \
    _(slist_append)      \
    _(slist_free_all)

typedef struct pm_curl {
#define PM_CURL_MEMBER(name) __typeof__(&(curl_##name)) name;
    PM_CURL_CALLS(PM_CURL_MEMBER)
#undef PM_CURL_MEMBER
} pm_curl;

/* The library stays loaded: its TLS library cannot be unloaded. */
pmapdb_status pm_curl_load(pm_curl *out, pmapdb_error *err);

#endif
