/* connection: opens the connection to a server of ClickHouse. */
#include "cli/push/connection.h"

pm_http *pm_connection_open(pm_connection *c, const char *url)
{
    pm_http *http = NULL;
    pmapdb_error err;

    c->http.url = url;
    pm_cli_must(pm_http_open(&c->http, &http, &err), &err);
    return http;
}
