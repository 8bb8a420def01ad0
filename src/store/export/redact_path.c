/* redact_path: paths, their parts, names of programs, command lines. */
#include "store/export/redact_run.h"

#include "store/export/common.h"

#define DELETED " (deleted)"

static const pm_text nothing = {"", 0};

/* ---- parts ---- */

/* `prefix` tells a folder from a last part. */
static pmapdb_status add_part(pm_redact *r, const char *prefix, pm_text part, pmapdb_error *err)
{
    bool last = prefix[0] == 'f';

    if (!part.len || pm_text_equal(part, PM_TEXT(".")) || pm_text_equal(part, PM_TEXT("..")))
        return pm_redact_add(r, part, err);
    if (pm_redact_is_kept(r, part) || (last && pm_common_library(part)))
        return pm_redact_add_kept(r, prefix, part, err);
    return pm_redact_add_token(r, prefix, part, last ? pm_common_tail(part) : nothing, err);
}

/* The part at the begin of `path`. */
static pm_text first_part(pm_text path)
{
    const char *slash = path.len ? memchr(path.data, '/', path.len) : NULL;

    return (pm_text){path.data, slash ? (size_t)(slash - path.data) : path.len};
}

/* Folders that every system has right below its first ones. */
static bool is_usual(pm_text top, pm_text part)
{
    static const char *const pairs[][2] = {{"dev", "shm"}, {"usr", "local"}, {"var", "lib"},
                                           {"var", "tmp"}, {"var", "log"},   {"var", "cache"},
                                           {"run", "user"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pm_text_equal(top, pm_text_of(pairs[i][0])) &&
            pm_text_equal(part, pm_text_of(pairs[i][1])))
            return true;
    return false;
}

/* "/opt/" and such, which are added; what is left is the owner's. */
static pmapdb_status add_top(pm_redact *r, pm_text *path, pmapdb_error *err)
{
    pm_text top = first_part(pm_text_from(*path, 1)), next;
    size_t n = 1 + top.len;

    if (path->data[0] != '/' || n == path->len || !pm_common_top(top))
        return PMAPDB_OK;
    next = first_part(pm_text_from(*path, n + 1));
    if (n + 1 + next.len < path->len && is_usual(top, next))
        n += 1 + next.len;
    *path = pm_text_from(*path, n);
    return pm_redact_add(r, (pm_text){path->data - n, n}, err);
}

static pmapdb_status add_parts(pm_redact *r, pm_text path, pmapdb_error *err)
{
    pmapdb_status st = add_top(r, &path, err);

    while (st == PMAPDB_OK && path.len) {
        pm_text part = first_part(path);
        bool last = part.len == path.len;

        st = add_part(r, last ? "f" : "d", part, err);
        if (st == PMAPDB_OK && !last)
            st = pm_redact_add(r, PM_TEXT("/"), err);
        path = pm_text_from(path, part.len + !last);
    }
    return st;
}

/* ---- what is no path ---- */

static pmapdb_status add_framed(pm_redact *r, size_t before, pm_text text, size_t behind,
                                const char *prefix, pmapdb_error *err)
{
    pm_text middle = {text.data + before, text.len - before - behind};
    pmapdb_status st = pm_redact_add(r, (pm_text){text.data, before}, err);

    if (st == PMAPDB_OK && pm_redact_is_kept(r, middle))
        st = pm_redact_add_kept(r, prefix, middle, err);
    else if (st == PMAPDB_OK)
        st = pm_redact_add_token(r, prefix, middle, nothing, err);
    return st == PMAPDB_OK ? pm_redact_add(r, pm_text_from(text, text.len - behind), err) : st;
}

/* [heap], [anon:NAME]. */
static pmapdb_status add_bracket(pm_redact *r, pm_text text, pmapdb_error *err)
{
    pm_text inside = {text.data + 1, text.len - 2};
    size_t before = 1;

    if (pm_common_bracket(inside))
        return pm_redact_add_kept(r, "n", text, err);
    if (pm_text_starts(inside, PM_TEXT("anon:")))
        before += 5;
    else if (pm_text_starts(inside, PM_TEXT("anon_shmem:")))
        before += 11;
    return add_framed(r, before, text, 1, "n", err);
}

/* Names that are no files', by what they begin with; what stands behind that is the program's. */
static const struct special {
    pm_text begin;
    const char *prefix;
    size_t behind;
} specials[] = {{PM_TEXT("/memfd:"), "f", 0},  {PM_TEXT("memfd:"), "f", 0},
                {PM_TEXT("/SYSV"), "k", 0},    {PM_TEXT("SYSV"), "k", 0},
                {PM_TEXT("/dmabuf:"), "f", 0}, {PM_TEXT("socket:["), "i", 1},
                {PM_TEXT("pipe:["), "i", 1},   {PM_TEXT("anon_inode:"), "n", 0}};

static const struct special *special_of(pm_text text)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (pm_text_starts(text, specials[i].begin) &&
            text.len > specials[i].begin.len + specials[i].behind)
            return &specials[i];
    return NULL;
}

static pmapdb_status add_special(pm_redact *r, const struct special *s, pm_text text,
                                 pmapdb_error *err)
{
    pm_text rest = pm_text_from(text, s->begin.len);

    if (pm_common_memfd(rest) || pm_text_equal(rest, PM_TEXT("00000000")))
        return pm_redact_add_kept(r, s->prefix, text, err);
    return add_framed(r, s->begin.len, text, s->behind, s->prefix, err);
}

/* ---- names ---- */

static pmapdb_status add_name(pm_redact *r, pm_text name, pmapdb_error *err)
{
    bool is_public = pm_tokens_is_public(r->tokens, name) || pm_text_equal(name, PM_TEXT("?"));

    return is_public ? pm_redact_add_kept(r, "f", name, err) : add_part(r, "f", name, err);
}

/* A title begins "nginx:"; of "[anon:dalvik-/a/boot.art]" some tools leave "boot.art]". */
static pmapdb_status add_bare(pm_redact *r, pm_text name, pmapdb_error *err)
{
    size_t n = name.len && pm_char_in(name.data[name.len - 1], ":]") ? name.len - 1 : name.len;
    pmapdb_status st = add_name(r, (pm_text){name.data, n}, err);

    return st == PMAPDB_OK ? pm_redact_add(r, pm_text_from(name, n), err) : st;
}

/* ---- all of it ---- */

static pmapdb_status add_undeleted(pm_redact *r, pm_text path, pmapdb_error *err)
{
    const struct special *special = special_of(path);

    if (!path.len)
        return PMAPDB_OK;
    if (pm_common_kernel_file(path) || pm_common_path(path) || pm_redact_is_kept(r, path))
        return pm_redact_add_kept(r, "f", path, err);
    if (path.len > 1 && path.data[0] == '[' && path.data[path.len - 1] == ']')
        return add_bracket(r, path, err);
    if (special)
        return add_special(r, special, path, err);
    return memchr(path.data, '/', path.len) ? add_parts(r, path, err) : add_bare(r, path, err);
}

pmapdb_status pm_redact_path(pm_redact *r, pm_text path, pmapdb_error *err)
{
    bool deleted = pm_text_ends(path, PM_TEXT(DELETED));
    pmapdb_status st;

    path.len -= deleted ? strlen(DELETED) : 0;
    st = add_undeleted(r, path, err);
    return st == PMAPDB_OK && deleted ? pm_redact_add(r, PM_TEXT(DELETED), err) : st;
}

pmapdb_status pm_redact_name(pm_redact *r, pm_text name, pmapdb_error *err)
{
    return pm_redact_path(r, name, err);
}

pmapdb_status pm_redact_command(pm_redact *r, pm_text command, pmapdb_error *err)
{
    const char *blank = command.len ? memchr(command.data, ' ', command.len) : NULL;
    pm_text first = {command.data, blank ? (size_t)(blank - command.data) : command.len};
    pmapdb_status st = pm_redact_path(r, first, err);

    return st == PMAPDB_OK && blank ? pm_redact_add(r, PM_TEXT(" ..."), err) : st;
}

pmapdb_status pm_redact_cgroup(pm_redact *r, pm_text path, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && path.len) {
        pm_text part = first_part(path);
        bool last = part.len == path.len;

        if (pm_common_cgroup(part))
            st = pm_redact_add_kept(r, "f", part, err);
        else
            st = add_part(r, "f", part, err);
        if (st == PMAPDB_OK && !last)
            st = pm_redact_add(r, PM_TEXT("/"), err);
        path = pm_text_from(path, part.len + !last);
    }
    return st;
}
