/* place: where requests go and with which password: the checks of the options. */
#ifndef PM_HTTP_PLACE_H
#define PM_HTTP_PLACE_H

#include "http/http.h"

/* Parts of the URL. The texts point into the options. */
typedef struct pm_http_place {
    pm_text url;
    pm_text host; /* without the brackets of an IPv6 address */
    bool loopback;
} pm_http_place;

/* PMAPDB_USAGE: the URL is neither http nor https, has a user or a query, or a password would go
 * unencrypted to another machine; PMAPDB_IO: others may read the netrc. */
pmapdb_status pm_http_find_place(const pm_http_options *options, pm_http_place *out,
                                 pmapdb_error *err);

/* Appends the first line of a file that only its owner may read. */
pmapdb_status pm_http_read_password(const char *path, pm_buf *out, pmapdb_error *err);

#endif
