/* http: requests over libcurl. */
#include "http/http.h"

#include "base/library.h"
#include "base/num.h"
#include "render/pack.h"
#include <curl/curl.h>
#include <stdlib.h>

#define CURL_LIBRARY "libcurl.so.4"
#define CONNECT_MS 5000
#define REQUEST_MS 20000
#define REPLY_MOST (256U << 20)
#define QUOTE 300 /* bytes of the server's words in a message */

struct pm_http {
    CURL *curl;
    struct curl_slist *headers;
    pm_http_place place;
    pm_buf url, packed;
    char error[CURL_ERROR_SIZE];
    bool framed; /* the head of the reply says where its end is */
    pm_http_reply *reply;
};

/* ---- opening ---- */

static pmapdb_status add_header(pm_http *h, const char *name, pm_text value, pmapdb_error *err)
{
    pm_buf line = {0};
    pmapdb_status st = pm_buf_addf(&line, err, "%s: %.*s", name, (int)value.len, value.data);
    struct curl_slist *more =
        st == PMAPDB_OK ? PM_LIBRARY(curl_slist_append)(h->headers, line.data) : NULL;

    if (line.data)
        explicit_bzero(line.data, line.len);
    pm_buf_free(&line);
    if (!more)
        return pm_fail_nomem(err);
    h->headers = more;
    return PMAPDB_OK;
}

static pmapdb_status add_headers(pm_http *h, const pm_http_options *o, pmapdb_error *err)
{
    pm_buf password = {0};
    pmapdb_status st = add_header(h, "Content-Encoding", PM_TEXT("gzip"), err);

    PM_STEP(st, add_header(h, "Expect", PM_TEXT(""), err)); /* libcurl then sends no Expect */
    if (o->user)
        PM_STEP(st, add_header(h, "X-ClickHouse-User", pm_text_of(o->user), err));
    if (o->password_file) {
        PM_STEP(st, pm_http_read_password(o->password_file, &password, err));
        PM_STEP(st, add_header(h, "X-ClickHouse-Key", pm_buf_text(&password), err));
    }
    if (password.data)
        explicit_bzero(password.data, password.len);
    pm_buf_free(&password);
    return st;
}

static size_t take_body(char *bytes, size_t size, size_t n, void *ctx)
{
    pm_http *h = ctx;
    pm_buf *body = &h->reply->body;

    (void)size; /* is 1 */
    if (n > REPLY_MOST - body->len || pm_buf_add(body, bytes, n, NULL) != PMAPDB_OK)
        return 0;
    return n;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *ctx)
{
    static const char *const framing[] = {"content-length:", "transfer-encoding:"};
    pm_http *h = ctx;

    (void)size;
    if (n > 5 && memcmp(bytes, "HTTP/", 5) == 0)
        h->framed = false; /* a new head; the head before may be that of a proxy */
    for (int i = 0; i < 2; i++)
        if (n > strlen(framing[i]) && strncasecmp(bytes, framing[i], strlen(framing[i])) == 0)
            h->framed = true;
    return n;
}

static void set_options(pm_http *h, const pm_http_options *o)
{
    const struct {
        CURLoption option;
        long value;
    } numbers[] = {{CURLOPT_NOSIGNAL, 1},
                   {CURLOPT_FOLLOWLOCATION, 0},
                   {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
                   {CURLOPT_SSL_VERIFYPEER, 1},
                   {CURLOPT_SSL_VERIFYHOST, 2},
                   {CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS},
                   {CURLOPT_TIMEOUT_MS, (long)(o->ms ? o->ms : REQUEST_MS)},
                   {CURLOPT_NETRC, o->netrc ? CURL_NETRC_REQUIRED : CURL_NETRC_IGNORED}};
    /* A request to this machine may have a password and no encryption: the proxy of the environment
     * must not see it. */
    const struct {
        CURLoption option;
        const char *value;
    } texts[] = {
        {CURLOPT_CAINFO, o->ca},   {CURLOPT_SSLCERT, o->cert},
        {CURLOPT_SSLKEY, o->key},  {CURLOPT_NETRC_FILE, o->netrc},
        {CURLOPT_PROXY, o->proxy}, {CURLOPT_NOPROXY, h->place.loopback && !o->proxy ? "*" : NULL}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        PM_LIBRARY(curl_easy_setopt)(h->curl, numbers[i].option, numbers[i].value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value)
            PM_LIBRARY(curl_easy_setopt)(h->curl, texts[i].option, texts[i].value);
#if LIBCURL_VERSION_NUM >= 0x075500
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    PM_LIBRARY(curl_easy_setopt)
    (h->curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_HTTPHEADER, h->headers);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_ERRORBUFFER, h->error);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_WRITEFUNCTION, take_body);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_WRITEDATA, h);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_HEADERFUNCTION, take_header);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_HEADERDATA, h);
}

pmapdb_status pm_http_open(const pm_http_options *options, pm_http **out, pmapdb_error *err)
{
    pm_http *h = calloc(1, sizeof *h);
    pmapdb_status st = h ? pm_http_find_place(options, &h->place, err) : pm_fail_nomem(err);

    if (st == PMAPDB_OK && !pm_library_load(CURL_LIBRARY, "curl_easy_init"))
        st = pm_fail(err, PMAPDB_IO,
                     "the network needs " CURL_LIBRARY
                     ", which is not installed (Debian: libcurl4); push --to DIR needs nothing");
    if (st == PMAPDB_OK && !(h->curl = PM_LIBRARY(curl_easy_init)()))
        st = pm_fail_nomem(err);
    PM_STEP(st, add_headers(h, options, err));
    if (st != PMAPDB_OK) {
        pm_http_close(h);
        return st;
    }
    set_options(h, options);
    *out = h;
    return PMAPDB_OK;
}

void pm_http_close(pm_http *h)
{
    if (!h)
        return;
    if (h->curl)
        PM_LIBRARY(curl_easy_cleanup)(h->curl);
    if (h->headers)
        PM_LIBRARY(curl_slist_free_all)(h->headers);
    pm_buf_free(&h->url);
    pm_buf_free(&h->packed);
    free(h);
}

/* ---- one request ---- */

static pmapdb_status make_url(pm_http *h, const pm_http_param *params, size_t n_params,
                              pmapdb_error *err)
{
    pm_text url = h->place.url;
    pmapdb_status st;

    pm_buf_clear(&h->url);
    st = pm_buf_addf(&h->url, err, "%.*s%s", (int)url.len, url.data,
                     pm_text_ends(url, PM_TEXT("/")) ? "" : "/");
    for (size_t i = 0; i < n_params && st == PMAPDB_OK; i++) {
        pm_text text = params[i].value;
        char *value =
            PM_LIBRARY(curl_easy_escape)(h->curl, text.len ? text.data : "", (int)text.len);

        st = value ? pm_buf_addf(&h->url, err, "%c%s=%s", i ? '&' : '?', params[i].name, value)
                   : pm_fail_nomem(err);
        PM_LIBRARY(curl_free)(value);
    }
    return st;
}

/* ---- what would help ---- */

static bool has(const short *list, size_t n, int code)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == code)
            return true;
    return false;
}

/* The code decides, not the status: version 18 answers the same mistake with 500, 404 or 401. */
pm_http_class pm_http_class_of(long status, int code)
{
    /* socket timeout, network error, a replica or ZooKeeper that is down, too many parts or
     * queries, a quorum that is not reached */
    static const short later[] = {33, 159, 201, 202, 209, 210, 242, 252, 285, 319, 425, 999};
    /* a wrong column, type, text or setting; a missing table, database, right or password */
    static const short person[] = {6,   16,  26,  27,  36,  46,  47,  53,  60,  62, 81,
                                   115, 117, 164, 192, 193, 194, 195, 291, 497, 516};

    if (code == 241 || status == 413)
        return PM_HTTP_LESS;
    if (has(later, sizeof later / sizeof *later, code))
        return PM_HTTP_LATER;
    if (has(person, sizeof person / sizeof *person, code))
        return PM_HTTP_PERSON;
    if (status == 200 && !code)
        return PM_HTTP_DONE;
    return status < 300 || status >= 500 || status == 408 || status == 429 ? PM_HTTP_LATER
                                                                           : PM_HTTP_PERSON;
}

/* Returns N if the reply begins with "Code: N"; 0 otherwise. */
static int code_in(pm_text body)
{
    pm_text rest = pm_text_from(body, 6);
    uint64_t code;

    if (!pm_text_starts(body, PM_TEXT("Code: ")) ||
        !pm_num_dec(rest.data, rest.data + rest.len, &code) || code > INT16_MAX)
        return 0;
    return (int)code;
}

static bool is_tls(CURLcode rc)
{
    return rc == CURLE_PEER_FAILED_VERIFICATION || rc == CURLE_SSL_CACERT_BADFILE ||
           rc == CURLE_SSL_CERTPROBLEM || rc == CURLE_SSL_ISSUER_ERROR ||
           rc == CURLE_SSL_CRL_BADFILE || rc == CURLE_SSL_CIPHER;
}

/* libcurl did not get a whole reply. */
static pmapdb_status fail_curl(pm_http *h, CURLcode rc, pmapdb_error *err)
{
    pm_text host = h->place.host;
    const char *why = *h->error ? h->error : PM_LIBRARY(curl_easy_strerror)(rc);

    h->reply->class =
        is_tls(rc) || rc == CURLE_UNSUPPORTED_PROTOCOL || rc == CURLE_BAD_FUNCTION_ARGUMENT
            ? PM_HTTP_PERSON
            : PM_HTTP_LATER;
    h->reply->code = 0;
    return pm_fail(err, PMAPDB_IO, "%.*s: %s", (int)host.len, host.data, why);
}

/* The server refused. */
static pmapdb_status fail_reply(const pm_http *h, pmapdb_error *err)
{
    pm_text host = h->place.host;
    pm_text words = pm_text_trim(pm_buf_text(&h->reply->body), " \t\r\n");

    if (!words.len)
        words = PM_TEXT("(empty reply)");
    return pm_fail(err, PMAPDB_IO, "%.*s says %ld: %.*s", (int)host.len, host.data,
                   h->reply->status, words.len < QUOTE ? (int)words.len : QUOTE, words.data);
}

static pmapdb_status judge(pm_http *h, CURLcode rc, pmapdb_error *err)
{
    pm_http_reply *r = h->reply;
    pm_text host = h->place.host;

    if (rc != CURLE_OK)
        return fail_curl(h, rc, err);
    PM_LIBRARY(curl_easy_getinfo)(h->curl, CURLINFO_RESPONSE_CODE, &r->status);
    r->code = code_in(pm_buf_text(&r->body));
    r->class = pm_http_class_of(r->status, r->code);
    if (r->class != PM_HTTP_DONE)
        return fail_reply(h, err);
    if (h->framed)
        return PMAPDB_OK;
    r->class = PM_HTTP_LATER;
    return pm_fail(err, PMAPDB_IO, "%.*s: the reply does not say where it ends: it may be cut",
                   (int)host.len, host.data);
}

pmapdb_status pm_http_post(pm_http *h, const pm_http_param *params, size_t n_params, pm_text body,
                           pm_http_reply *reply, pmapdb_error *err)
{
    pmapdb_status st;
    CURLcode rc;

    pm_buf_clear(&reply->body);
    *reply = (pm_http_reply){.class = PM_HTTP_LATER, .body = reply->body};
    h->reply = reply;
    h->framed = false;
    h->error[0] = '\0';
    pm_buf_clear(&h->packed);
    st = make_url(h, params, n_params, err);
    PM_STEP(st, pm_pack(body, PM_PACK_GZIP, &h->packed, err));
    if (st != PMAPDB_OK)
        return st;
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_URL, h->url.data);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_POST, 1L);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)h->packed.len);
    PM_LIBRARY(curl_easy_setopt)(h->curl, CURLOPT_POSTFIELDS, h->packed.data);
    rc = PM_LIBRARY(curl_easy_perform)(h->curl);
    return rc == CURLE_OUT_OF_MEMORY ? pm_fail_nomem(err) : judge(h, rc, err);
}
