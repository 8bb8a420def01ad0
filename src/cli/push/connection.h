/* connection: the options of push and fleet that say how to reach a server of ClickHouse. */
#ifndef PM_CLI_CONNECTION_H
#define PM_CLI_CONNECTION_H

#include "cli/options/options.h"
#include "http/http.h"

typedef struct pm_connection {
    pm_http_options http;
    const char *database; /* begins as PM_CONNECTION_DATABASE */
} pm_connection;

#define PM_CONNECTION_DATABASE "pmapdb"

#define PM_CONNECTION_ROW(type, at, name, kind, arg, help)    \
    {                                                         \
        name, 0, PM_OPT_##kind, offsetof(type, at), arg, help \
    }

/* Rows of an option table whose struct has the pm_connection `f`. */
#define PM_CONNECTION_OPTIONS(type, f)                                                    \
    PM_CONNECTION_ROW(type, f.database, "database", NAME, "NAME",                         \
                      "The database of the server (pmapdb)"),                             \
        PM_CONNECTION_ROW(type, f.http.user, "user", NAME, "NAME", "User of the server"), \
        PM_CONNECTION_ROW(type, f.http.password_file, "password-file", WORD, "FILE",      \
                          "Its password; only you may read the file"),                    \
        PM_CONNECTION_ROW(type, f.http.netrc, "netrc", WORD, "FILE",                      \
                          "User and password from a netrc"),                              \
        PM_CONNECTION_ROW(type, f.http.ca, "ca", WORD, "FILE",                            \
                          "Who may sign the server's certificate (PEM)"),                 \
        PM_CONNECTION_ROW(type, f.http.cert, "cert", WORD, "FILE",                        \
                          "This client's certificate (PEM)"),                             \
        PM_CONNECTION_ROW(type, f.http.key, "key", WORD, "FILE", "... and its key"),      \
        PM_CONNECTION_ROW(type, f.http.proxy, "proxy", WORD, "URL",                       \
                          "A proxy (default: https_proxy, NO_PROXY)"),                    \
        PM_CONNECTION_ROW(type, f.http.insecure_http, "insecure-http", FLAG, NULL,        \
                          "A password may go over plain http")

#endif
