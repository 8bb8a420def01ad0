/* http: requests to a server of ClickHouse over libcurl. pm_http_open() loads libcurl, so that the
 * other commands do not need it.
 *
 * A request is done if the server said 200 and the whole reply arrived. After any other outcome the
 * server may or may not have done what was asked; the caller sends the same request again later.
 * A failure says by its class what would help. No redirect is followed.
 */
#ifndef PM_HTTP_HTTP_H
#define PM_HTTP_HTTP_H

#include "base/buf.h"

/* A text that is NULL is not given. Without a proxy, the environment (https_proxy, NO_PROXY) names
 * one, except for requests to this machine. The texts must outlive the handle. */
typedef struct pm_http_options {
    const char *url;           /* http://HOST[:PORT][/PATH] or https://; without a user */
    const char *user;          /* of ClickHouse; NULL: the server's default */
    const char *password_file; /* its first line; only its owner may read the file */
    const char *netrc;         /* a file of lines "machine HOST login USER password WORD", in place
                                  of password_file */
    const char *ca;            /* PEM: who may sign the server's certificate; NULL: the system's */
    const char *cert, *key;    /* PEM: this client's certificate */
    const char *proxy;
    bool insecure_http; /* a password may go unencrypted to another machine */
    int64_t ms;         /* the longest time of one request; 0: 20 s */
} pm_http_options;

typedef enum pm_http_class {
    PM_HTTP_DONE,
    PM_HTTP_LATER,  /* the network or the server; the same request may succeed later */
    PM_HTTP_PERSON, /* a person must change something: password, right, schema, certificate */
    PM_HTTP_LESS,   /* the request was too large for the server */
} pm_http_class;

typedef struct pm_http_reply {
    pm_http_class class;
    long status; /* of HTTP; 0: no reply */
    int code;    /* the "Code: N" of ClickHouse; 0: none */
    pm_buf body;
} pm_http_reply;

/* One setting of a request, name=value in the query string; value is any text. */
typedef struct pm_http_param {
    const char *name;
    pm_text value;
} pm_http_param;

#define PM_HTTP_PARAMS(...)               \
    (const pm_http_param[]){__VA_ARGS__}, \
        sizeof((const pm_http_param[]){__VA_ARGS__}) / sizeof(pm_http_param)

typedef struct pm_http pm_http;

/* PMAPDB_USAGE: the options are wrong. PMAPDB_IO: a file or libcurl cannot be read, or others may
 * read the password. PMAPDB_INPUT: the password is not valid. */
pmapdb_status pm_http_open(const pm_http_options *options, pm_http **out, pmapdb_error *err);
void pm_http_close(pm_http *http);

/* Sends a POST with this body, gzipped, and waits for the reply. The caller zeroes *reply before
 * the first request and frees reply->body after the last one. A failure is PMAPDB_IO; reply->class
 * and err, which names the host and quotes the server, are then valid. The only other failure is
 * PMAPDB_NOMEM. */
pmapdb_status pm_http_post(pm_http *http, const pm_http_param *params, size_t n_params,
                           pm_text body, pm_http_reply *reply, pmapdb_error *err);

/* True for a host that is this machine by its name or address: localhost, 127.0.0.0/8, ::1. */
bool pm_http_is_loopback(pm_text host);

/* Returns the class of a reply. status 0: there was no reply; code 0: the reply has no code. */
pm_http_class pm_http_class_of(long status, int code);

/* ---- place.c: where requests go and with which password ---- */

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
