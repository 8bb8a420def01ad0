/* connection: the options of push and fleet that say how to reach a server of ClickHouse. */
#ifndef PM_CLI_CONNECTION_H
#define PM_CLI_CONNECTION_H

#include "cli/options/options.h"
#include "http/http.h"

typedef struct pm_connection {
    pm_http_options http;
    const char *database; /* NULL: pmapdb */
} pm_connection;

/* Rows of an option table whose struct has the pm_connection `field`. */
#define PM_CONNECTION_OPTIONS(type, field)                                                        \
    {"database",  0,                                                                              \
     PM_OPT_NAME, offsetof(type, field.database),                                                 \
     "NAME",      "The database of the server (pmapdb)",                                          \
     NULL},                                                                                       \
        {"user", 0, PM_OPT_NAME, offsetof(type, field.http.user), "NAME", "User of the server",   \
         NULL},                                                                                   \
        {"password-file",                                                                         \
         0,                                                                                       \
         PM_OPT_WORD,                                                                             \
         offsetof(type, field.http.password_file),                                                \
         "FILE",                                                                                  \
         "Its password; only you may read the file",                                              \
         NULL},                                                                                   \
        {"netrc",     0,                                                                          \
         PM_OPT_WORD, offsetof(type, field.http.netrc),                                           \
         "FILE",      "User and password from a netrc",                                           \
         NULL},                                                                                   \
        {"ca",        0,                                                                          \
         PM_OPT_WORD, offsetof(type, field.http.ca),                                              \
         "FILE",      "Who may sign the server's certificate (PEM)",                              \
         NULL},                                                                                   \
        {"cert",      0,                                                                          \
         PM_OPT_WORD, offsetof(type, field.http.cert),                                            \
         "FILE",      "This client's certificate (PEM)",                                          \
         NULL},                                                                                   \
        {"key", 0, PM_OPT_WORD, offsetof(type, field.http.key), "FILE", "... and its key", NULL}, \
        {"proxy",     0,                                                                          \
         PM_OPT_WORD, offsetof(type, field.http.proxy),                                           \
         "URL",       "A proxy (default: https_proxy, NO_PROXY)",                                 \
         NULL},                                                                                   \
    {                                                                                             \
        "insecure-http", 0, PM_OPT_FLAG, offsetof(type, field.http.insecure_http), NULL,          \
            "A password may go over plain http", NULL                                             \
    }

/* Returns a handle for pm_http_post; ends the program if the options are wrong. */
pm_http *pm_connection_open(pm_connection *c, const char *url);

/* Returns the database. */
const char *pm_connection_database(const pm_connection *c);

#endif
