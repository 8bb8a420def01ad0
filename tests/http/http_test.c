/* http: requests and their errors, against a server that sends the reply of each test. */
#include "http/http.h"
#include "unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef struct server {
    const char *says;
    int listener;
    char url[64];
    char heard[8192]; /* head and body of the request */
    size_t n;
    pthread_t thread;
} server;

/* Reads a head and the body of its Content-Length. */
static void hear(server *s, int fd)
{
    ssize_t n = 1;

    while (n > 0) {
        const char *head_end = memmem(s->heard, s->n, "\r\n\r\n", 4);
        const char *length = head_end ? strcasestr(s->heard, "content-length:") : NULL;

        if (length && s->n >= (size_t)(head_end + 4 - s->heard) + strtoul(length + 15, NULL, 10))
            return;
        n = read(fd, s->heard + s->n, sizeof s->heard - 1 - s->n);
        s->n += n > 0 ? (size_t)n : 0;
        s->heard[s->n] = '\0';
    }
}

static void *serve(void *ctx)
{
    server *s = ctx;
    int fd = accept(s->listener, NULL, NULL);

    hear(s, fd);
    assert_int_equal(write(fd, s->says, strlen(s->says)), (ssize_t)strlen(s->says));
    close(fd);
    return NULL;
}

static void begin(server *s, const char *says)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;

    *s = (server){.says = says, .listener = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(bind(s->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s->listener, 1), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&at, &n), 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void end(server *s)
{
    pthread_join(s->thread, NULL);
    close(s->listener);
}

/* Sends one request to a server that replies with `says`. */
static pmapdb_status post(const char *says, pm_http_options *o, pm_http_reply *reply, server *s,
                          pmapdb_error *err)
{
    pm_http *http;
    pmapdb_status st;

    begin(s, says);
    o->url = s->url;
    assert_int_equal(pm_http_open(o, &http, err), PMAPDB_OK);
    st = pm_http_post(http, PM_HTTP_PARAMS({"query", PM_TEXT("INSERT \xc3\xa4 & b")}),
                      PM_TEXT("1\t2\n"), reply, err);
    pm_http_close(http);
    end(s);
    return st;
}

TEST(request_is_whole)
{
    char file[] = "/tmp/pm-password-XXXXXX", body[16] = "";
    pm_http_options o = {.user = "pusher", .password_file = file};
    pm_http_reply reply = {0};
    pmapdb_error err;
    server s;
    int fd = mkstemp(file);
    const char *packed;
    z_stream z = {0};

    assert_int_equal(write(fd, "secret\nmore\n", 12), 12);
    close(fd);
    assert_int_equal(post("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", &o, &reply, &s, &err),
                     PMAPDB_OK);
    assert_int_equal(reply.class, PM_HTTP_DONE);
    assert_string_equal(reply.body.data, "ok");
    assert_non_null(strstr(s.heard, "POST /?query=INSERT%20%C3%A4%20%26%20b HTTP/1.1\r\n"));
    assert_non_null(strstr(s.heard, "X-ClickHouse-User: pusher\r\n"));
    assert_non_null(strstr(s.heard, "X-ClickHouse-Key: secret\r\n"));
    assert_non_null(strstr(s.heard, "Content-Encoding: gzip\r\n"));
    assert_null(strstr(s.heard, "Expect"));
    packed = strstr(s.heard, "\r\n\r\n") + 4;
    z.next_in = (Bytef *)packed;
    z.avail_in = (uInt)(s.heard + s.n - packed);
    z.next_out = (Bytef *)body;
    z.avail_out = sizeof body - 1;
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    assert_string_equal(body, "1\t2\n");
    pm_buf_free(&reply.body);
    remove(file);
}

/* A reply, and who has to act. */
static const struct {
    const char *says;
    pm_http_class class;
    int code;
    const char *words;
} replies[] = {
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", PM_HTTP_DONE, 0,
     ""},
    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", PM_HTTP_LATER, 0, "127.0.0.1: "},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", PM_HTTP_LATER, 0,
     "127.0.0.1: "},
    {"HTTP/1.1 200 OK\r\n\r\nok", PM_HTTP_LATER, 0, "may be cut"},
    {"HTTP/1.1 200 OK\r\nContent-L", PM_HTTP_LATER, 0, "127.0.0.1: "},
    {"", PM_HTTP_LATER, 0, "127.0.0.1: "},
    {"HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nCode: 252, e.what() = parts", PM_HTTP_LATER, 252,
     "parts"},
    {"HTTP/1.1 500 No\r\nContent-Length: 13\r\n\r\nCode: 193. pw\n", PM_HTTP_PERSON, 193,
     "127.0.0.1 says 500: Code: 193. pw"},
    {"HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nCode: 81.", PM_HTTP_PERSON, 81, "81"},
    {"HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nCode: 242.", PM_HTTP_LATER, 242, "242"},
    {"HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nCode: 241.", PM_HTTP_LESS, 241, "241"},
    {"HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n", PM_HTTP_LESS, 0, "413"},
    {"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", PM_HTTP_PERSON, 0, "401: (empty reply)"},
    {"HTTP/1.1 302 There\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
     PM_HTTP_PERSON, 0, "302"},
    {"HTTP/1.1 503 Busy\r\nContent-Length: 6\r\n\r\nwait\x1b!", PM_HTTP_LATER, 0,
     "says 503: wait?!"},
};

TEST(reply_is_judged)
{
    pm_http_reply reply = {0};
    pmapdb_error err;
    server s;

    for (size_t i = 0; i < COUNT(replies); i++) {
        pm_http_options o = {0};
        pmapdb_status st = post(replies[i].says, &o, &reply, &s, &err);

        if (reply.class != replies[i].class || reply.code != replies[i].code ||
            st != (replies[i].class == PM_HTTP_DONE ? PMAPDB_OK : PMAPDB_IO) ||
            (st != PMAPDB_OK && !strstr(err.text, replies[i].words)))
            fail_msg("reply %zu: class %d, code %d, %s", i, (int)reply.class, reply.code,
                     st == PMAPDB_OK ? "" : err.text);
    }
    pm_buf_free(&reply.body);
}

TEST(nobody_there_is_later)
{
    pm_http_options o = {.url = "http://127.0.0.1:1"};
    pm_http_reply reply = {0};
    pm_http *http;
    pmapdb_error err;

    assert_int_equal(pm_http_open(&o, &http, &err), PMAPDB_OK);
    assert_int_equal(pm_http_post(http, NULL, 0, PM_TEXT("x"), &reply, &err), PMAPDB_IO);
    assert_int_equal(reply.class, PM_HTTP_LATER);
    assert_int_equal(reply.status, 0);
    pm_http_close(http);
    pm_buf_free(&reply.body);
}

TEST(silence_ends)
{
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    char url[64];
    pm_http_options o = {.url = url, .ms = 50};
    pm_http_reply reply = {0};
    pm_http *http;
    pmapdb_error err;

    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &n), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(at.sin_port));
    assert_int_equal(pm_http_open(&o, &http, &err), PMAPDB_OK);
    assert_int_equal(pm_http_post(http, NULL, 0, PM_TEXT("x"), &reply, &err), PMAPDB_IO);
    assert_int_equal(reply.class, PM_HTTP_LATER);
    pm_http_close(http);
    pm_buf_free(&reply.body);
    close(listener);
}

/* Options that are refused, and a part of the reason. */
TEST(options_are_checked)
{
    char file[] = "/tmp/pm-password-XXXXXX";
    int fd = mkstemp(file);
    const struct {
        pm_http_options o;
        mode_t mode;
        const char *why;
    } wrong[] = {
        {{.url = "ftp://h/"}, 0600, "does not begin"},
        {{.url = "h:8123"}, 0600, "does not begin"},
        {{.url = "http://me:word@h/"}, 0600, "contain a user"},
        {{.url = "http://h/?user=me"}, 0600, "blank, '?'"},
        {{.url = "http:///x"}, 0600, "no host"},
        {{.url = "http://h/", .password_file = file}, 0600, "unencrypted"},
        {{.url = "http://h/", .netrc = file}, 0600, "unencrypted"},
        {{.url = "http://127.0.0.1.h/", .password_file = file}, 0600, "unencrypted"},
        {{.url = "http://[::2]:1/", .password_file = file}, 0600, "unencrypted"},
        {{.url = "http://localhost/", .password_file = file, .proxy = "http://p"},
         0600,
         "unencrypted"},
        {{.url = "https://h/", .password_file = file, .netrc = file}, 0600, "not both"},
        {{.url = "https://h/", .password_file = file}, 0644, "others may read"},
        {{.url = "https://h/", .netrc = file}, 0604, "others may read"},
        {{.url = "https://h/", .password_file = "/nowhere/at/all"}, 0600, "cannot read"},
        {{.url = "https://h/", .password_file = "/dev/null"}, 0600, "regular"},
        {{.url = "https://h/", .user = "a\r\nb: c"}, 0600, "control"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        pm_http *http = NULL;
        pmapdb_error err = {0};

        fchmod(fd, wrong[i].mode);
        if (pm_http_open(&wrong[i].o, &http, &err) == PMAPDB_OK || !strstr(err.text, wrong[i].why))
            fail_msg("options %zu: %s", i, err.text);
    }
    close(fd);
    remove(file);
}

TEST(hosts_of_this_machine)
{
    assert_true(pm_http_is_loopback(PM_TEXT("localhost")));
    assert_true(pm_http_is_loopback(PM_TEXT("127.8.9.1")));
    assert_true(pm_http_is_loopback(PM_TEXT("::1")));
    assert_false(pm_http_is_loopback(PM_TEXT("127.0.0.1.example.org")));
    assert_false(pm_http_is_loopback(PM_TEXT("10.0.0.1")));
    assert_false(pm_http_is_loopback(PM_TEXT("")));
}

RUN_TESTS(NULL, NULL)
