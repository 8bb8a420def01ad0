/* place: checks where requests go, and who may read the password. */
#include "http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSWORD_MOST 4096

/* Opens a file with a secret. A group may read a file of root: root chose the group. */
static pmapdb_status open_secret(const char *path, int *fd, pmapdb_error *err)
{
    struct stat info;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return pm_fail_io(err, errno, "cannot read '%s'", path);
    if (fstat(*fd, &info) != 0 || !S_ISREG(info.st_mode))
        pm_fail(err, PMAPDB_IO, "'%s' is not a regular file", path);
    else if (info.st_mode & 07 || (info.st_mode & 070 && info.st_uid != 0))
        pm_fail(err, PMAPDB_IO, "others may read the password in '%s'; chmod 600 '%s'", path, path);
    else
        return PMAPDB_OK;
    close(*fd);
    return PMAPDB_IO;
}

pmapdb_status pm_http_read_password(const char *path, pm_buf *out, pmapdb_error *err)
{
    char bytes[PASSWORD_MOST];
    pm_text line, rest;
    int fd;
    ssize_t n;
    pmapdb_status st = open_secret(path, &fd, err);

    if (st != PMAPDB_OK)
        return st;
    n = read(fd, bytes, sizeof bytes);
    if (n < 0)
        st = pm_fail_io(err, errno, "cannot read '%s'", path);
    close(fd);
    if (st != PMAPDB_OK)
        return st;
    rest = (pm_text){bytes, (size_t)n};
    line = pm_text_trim(pm_text_cut(&rest, '\n'), "\r");
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.data[i] < ' ')
            st = pm_fail(err, PMAPDB_INPUT,
                         "'%s': the password must not contain control characters", path);
    if (line.len == sizeof bytes)
        st = pm_fail(err, PMAPDB_INPUT, "'%s': the password must be shorter than %d bytes", path,
                     PASSWORD_MOST);
    PM_STEP(st, pm_buf_add(out, line.data, line.len, err));
    explicit_bzero(bytes, sizeof bytes);
    return st;
}

bool pm_http_is_loopback(pm_text host)
{
    char *name = pm_text_copy(host);
    struct in6_addr six;
    struct in_addr four;
    bool is = false;

    if (!name)
        return false;
    if (inet_pton(AF_INET, name, &four) == 1)
        is = ntohl(four.s_addr) >> 24 == 127;
    else if (inet_pton(AF_INET6, name, &six) == 1)
        is = IN6_IS_ADDR_LOOPBACK(&six);
    else
        is = strcmp(name, "localhost") == 0;
    free(name);
    return is;
}

/* Cuts the host, without brackets, off "HOST[:PORT]". */
static pm_text host_of(pm_text authority)
{
    if (pm_text_starts(authority, PM_TEXT("["))) {
        authority = pm_text_from(authority, 1);
        return pm_text_cut(&authority, ']');
    }
    return pm_text_cut(&authority, ':');
}

static pmapdb_status read_url(const char *url, pm_http_place *out, bool *plain, pmapdb_error *err)
{
    pm_text rest = pm_text_of(url), authority;

    out->url = rest;
    *plain = pm_text_take(&rest, "http://");
    if (!*plain && !pm_text_take(&rest, "https://"))
        return pm_fail(err, PMAPDB_USAGE, "'%s' does not begin with https:// or http://", url);
    if (strpbrk(url, "?# \t\r\n"))
        return pm_fail(err, PMAPDB_USAGE, "the URL must not contain a blank, '?' or '#': '%s'",
                       url);
    authority = pm_text_cut(&rest, '/');
    if (authority.len && memchr(authority.data, '@', authority.len))
        return pm_fail(err, PMAPDB_USAGE,
                       "the URL must not contain a user, because everybody can see command lines: "
                       "give --user NAME --password-file FILE");
    out->host = host_of(authority);
    if (!out->host.len)
        return pm_fail(err, PMAPDB_USAGE, "'%s' names no host", url);
    out->loopback = pm_http_is_loopback(out->host);
    return PMAPDB_OK;
}

static pmapdb_status check_secret(const char *path, pmapdb_error *err)
{
    int fd;
    pmapdb_status st = path ? open_secret(path, &fd, err) : PMAPDB_OK;

    if (path && st == PMAPDB_OK)
        close(fd);
    return st;
}

pmapdb_status pm_http_find_place(const pm_http_options *o, pm_http_place *out, pmapdb_error *err)
{
    bool plain = false;
    bool secret = o->password_file || o->netrc;
    pmapdb_status st = read_url(o->url, out, &plain, err);

    if (st != PMAPDB_OK)
        return st;
    if (o->password_file && o->netrc)
        return pm_fail(err, PMAPDB_USAGE, "a password file or a netrc, not both");
    if (plain && secret && !o->insecure_http && (!out->loopback || o->proxy))
        return pm_fail(err, PMAPDB_USAGE,
                       "the password would go unencrypted over the network; use https, or "
                       "--insecure-http if nobody listens there");
    for (const char *c = o->user ? o->user : ""; *c; c++)
        if ((unsigned char)*c < ' ')
            return pm_fail(err, PMAPDB_USAGE,
                           "the user's name must not contain control characters");
    return check_secret(o->netrc, err);
}
