/* redact_path: paths, their parts, names of programs, command lines. */
#include "store/export/redact_run.h"

#include "store/export/public.h"

static const pm_text nothing = PM_TEXT(""), deleted = PM_TEXT(" (deleted)");

/* ---- parts ---- */

/* `prefix` tells a folder ("d") from a last part. */
static void add_part(pm_redact *r, const char *prefix, pm_text part)
{
    bool last = prefix[0] == 'f';

    if (!part.len || pm_text_equal(part, PM_TEXT(".")) || pm_text_equal(part, PM_TEXT("..")))
        pm_redact_add(r, part);
    else if (pm_redact_is_kept(r, part) || (last && pm_public_library(part)))
        pm_redact_add_kept(r, prefix, part);
    else
        pm_redact_add_token(r, prefix, part, last ? pm_public_tail(part) : nothing);
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

/* Adds "/opt/" and such; what is left of the path is the owner's. */
static void add_top(pm_redact *r, pm_text *path)
{
    pm_text top = first_part(pm_text_from(*path, 1)), next;
    size_t n = 1 + top.len;

    if (path->data[0] != '/' || n == path->len || !pm_public_top(top))
        return;
    next = first_part(pm_text_from(*path, n + 1));
    if (n + 1 + next.len < path->len && is_usual(top, next))
        n += 1 + next.len;
    pm_redact_add(r, (pm_text){path->data, n});
    *path = pm_text_from(*path, n);
}

/* Part by part, those of a cgroup's path or of a file's. */
static void add_parts(pm_redact *r, pm_text path, bool is_cgroup)
{
    while (path.len) {
        pm_text part = first_part(path);
        bool last = part.len == path.len;

        if (is_cgroup && pm_public_cgroup(part))
            pm_redact_add_kept(r, "f", part);
        else
            add_part(r, last || is_cgroup ? "f" : "d", part);
        if (!last)
            pm_redact_add(r, PM_TEXT("/"));
        path = pm_text_from(path, part.len + !last);
    }
}

/* ---- names that are no paths ---- */

/* All but `before` bytes at the begin and `after` at the end gets a token. */
static void add_framed(pm_redact *r, size_t before, pm_text text, size_t after, const char *prefix)
{
    pm_redact_add(r, (pm_text){text.data, before});
    pm_redact_add_word(r, prefix, (pm_text){text.data + before, text.len - before - after}, false);
    pm_redact_add(r, pm_text_from(text, text.len - after));
}

/* [heap], [anon:NAME]. */
static void add_bracket(pm_redact *r, pm_text text)
{
    pm_text inside = {text.data + 1, text.len - 2};
    size_t named = pm_text_starts(inside, PM_TEXT("anon:"))         ? strlen("anon:")
                   : pm_text_starts(inside, PM_TEXT("anon_shmem:")) ? strlen("anon_shmem:")
                                                                    : 0;

    if (pm_public_bracket(inside))
        pm_redact_add_kept(r, "n", text);
    else
        add_framed(r, 1 + named, text, 1, "n");
}

/* Names without a file, by what they begin with; what follows is the program's, but for `after`
 * bytes. */
static const struct special {
    pm_text begin;
    const char *prefix;
    size_t after;
} specials[] = {{PM_TEXT("/memfd:"), "f", 0},  {PM_TEXT("memfd:"), "f", 0},
                {PM_TEXT("/SYSV"), "k", 0},    {PM_TEXT("SYSV"), "k", 0},
                {PM_TEXT("/dmabuf:"), "f", 0}, {PM_TEXT("socket:["), "i", 1},
                {PM_TEXT("pipe:["), "i", 1},   {PM_TEXT("anon_inode:"), "n", 0}};

static const struct special *special_of(pm_text text)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (pm_text_starts(text, specials[i].begin) &&
            text.len > specials[i].begin.len + specials[i].after)
            return &specials[i];
    return NULL;
}

static void add_special(pm_redact *r, const struct special *s, pm_text text)
{
    pm_text rest = pm_text_from(text, s->begin.len);

    if (pm_public_memfd(rest) || pm_text_equal(rest, PM_TEXT("00000000")))
        pm_redact_add_kept(r, s->prefix, text);
    else
        add_framed(r, s->begin.len, text, s->after, s->prefix);
}

/* A title begins "nginx:"; of "[anon:dalvik-/a/boot.art]" some tools leave "boot.art]". */
static void add_bare(pm_redact *r, pm_text name)
{
    size_t n = name.len && pm_char_in(name.data[name.len - 1], ":]") ? name.len - 1 : name.len;
    pm_text bare = {name.data, n};

    if (pm_tokens_is_public(r->tokens, bare) || pm_text_equal(bare, PM_TEXT("?")))
        pm_redact_add_kept(r, "f", bare);
    else
        add_part(r, "f", bare);
    pm_redact_add(r, pm_text_from(name, n));
}

/* ---- all of them ---- */

void pm_redact_path(pm_redact *r, pm_text path)
{
    bool is_deleted = pm_text_ends(path, deleted);
    const struct special *special;

    path.len -= is_deleted ? deleted.len : 0;
    special = special_of(path);
    if (path.len &&
        (pm_public_kernel_file(path) || pm_public_path(path) || pm_redact_is_kept(r, path)))
        pm_redact_add_kept(r, "f", path);
    else if (path.len > 1 && path.data[0] == '[' && path.data[path.len - 1] == ']')
        add_bracket(r, path);
    else if (special)
        add_special(r, special, path);
    else if (path.len && memchr(path.data, '/', path.len)) {
        add_top(r, &path);
        add_parts(r, path, false);
    } else if (path.len)
        add_bare(r, path);
    pm_redact_add(r, is_deleted ? deleted : nothing);
}

/* Of what is kept of a command line, the first word. */
void pm_redact_command(pm_redact *r, pm_text command)
{
    const char *blank = command.len ? memchr(command.data, ' ', command.len) : NULL;

    pm_redact_path(r,
                   (pm_text){command.data, blank ? (size_t)(blank - command.data) : command.len});
    if (blank)
        pm_redact_add(r, PM_TEXT(" ..."));
}

void pm_redact_cgroup(pm_redact *r, pm_text path)
{
    add_parts(r, path, true);
}
