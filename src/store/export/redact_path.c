/* redact_path: paths, their parts, names of programs, command lines. */
#include "store/export/redact.h"

static const pm_text nothing = PM_TEXT(""), deleted = PM_TEXT(" (deleted)");

/* ---- parts ---- */

/* The tail of a last part that may stay: ".so.1.2", ".jar"; empty for an unknown tail. */
static pm_text tail_of(pm_redact *r, pm_text name)
{
    for (size_t i = 1; i < name.len; i++)
        if (name.data[i] == '.' && pm_redact_is_public(r, PM_PUBLIC_TAIL, pm_text_from(name, i)))
            return pm_text_from(name, i);
    return nothing;
}

/* `prefix`: "d" for a folder, "f" for a last part. */
static void add_part(pm_redact *r, const char *prefix, pm_text part)
{
    bool last = prefix[0] == 'f';

    if (!part.len || pm_text_equal(part, PM_TEXT(".")) || pm_text_equal(part, PM_TEXT("..")))
        pm_redact_add(r, part);
    else if (pm_redact_is_kept(r, part) ||
             (last && pm_redact_is_public(r, PM_PUBLIC_LIBRARY, part)))
        pm_redact_add_kept(r, prefix, part);
    else
        pm_redact_add_token(r, prefix, part, last ? tail_of(r, part) : nothing);
}

/* The part at the beginning of `path`. */
static pm_text first_part(pm_text path)
{
    const char *slash = path.len ? memchr(path.data, '/', path.len) : NULL;

    return (pm_text){path.data, slash ? (size_t)(slash - path.data) : path.len};
}

/* Appends "/opt/", "/var/lib/" and the like; leaves the owner's rest in *path. */
static void add_top(pm_redact *r, pm_text *path)
{
    size_t n = 0, slashes = 0;

    for (size_t i = 0; i < path->len && slashes < 3; i++)
        if (path->data[i] == '/' && slashes++ > 0 &&
            pm_redact_is_public(r, PM_PUBLIC_TOP, (pm_text){path->data, i + 1}))
            n = i + 1;
    pm_redact_add(r, (pm_text){path->data, n});
    *path = pm_text_from(*path, n);
}

/* Appends part by part the path of a cgroup or a file. */
static void add_parts(pm_redact *r, pm_text path, bool is_cgroup)
{
    while (path.len) {
        pm_text part = first_part(path);
        bool last = part.len == path.len;

        if (is_cgroup && pm_redact_is_public(r, PM_PUBLIC_CGROUP, part))
            pm_redact_add_kept(r, "f", part);
        else
            add_part(r, last || is_cgroup ? "f" : "d", part);
        if (!last)
            pm_redact_add(r, PM_TEXT("/"));
        path = pm_text_from(path, part.len + !last);
    }
}

/* ---- names that are not paths ---- */

/* Names without a file, by their beginning and end; the text between is the program's own word. */
static const struct special {
    pm_text begin, end;
    const char *prefix;
} specials[] = {
    {PM_TEXT("[anon:"), PM_TEXT("]"), "n"},    {PM_TEXT("[anon_shmem:"), PM_TEXT("]"), "n"},
    {PM_TEXT("["), PM_TEXT("]"), "n"},         {PM_TEXT("/memfd:"), PM_TEXT(""), "f"},
    {PM_TEXT("memfd:"), PM_TEXT(""), "f"},     {PM_TEXT("/SYSV"), PM_TEXT(""), "k"},
    {PM_TEXT("SYSV"), PM_TEXT(""), "k"},       {PM_TEXT("/dmabuf:"), PM_TEXT(""), "f"},
    {PM_TEXT("socket:["), PM_TEXT("]"), "i"},  {PM_TEXT("pipe:["), PM_TEXT("]"), "i"},
    {PM_TEXT("anon_inode:"), PM_TEXT(""), "n"}};

static bool add_special(pm_redact *r, pm_text text)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const struct special *s = &specials[i];
        size_t framed = s->begin.len + s->end.len;

        if (text.len <= framed || !pm_text_starts(text, s->begin) || !pm_text_ends(text, s->end))
            continue;
        pm_redact_add(r, s->begin);
        pm_redact_add_word(r, s->prefix, (pm_text){text.data + s->begin.len, text.len - framed},
                           false);
        pm_redact_add(r, s->end);
        return true;
    }
    return false;
}

/* A title begins with "nginx:"; some tools shorten "[anon:dalvik-/a/boot.art]" to "boot.art]". */
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

/* ---- whole paths and commands ---- */

void pm_redact_path(pm_redact *r, pm_text path)
{
    bool is_deleted = pm_text_ends(path, deleted);

    path.len -= is_deleted ? deleted.len : 0;
    if (path.len &&
        (pm_redact_is_public(r, PM_PUBLIC_NAME, path) ||
         pm_redact_is_public(r, PM_PUBLIC_SYSTEM, path) || pm_redact_is_kept(r, path))) {
        pm_redact_add_kept(r, "f", path);
    } else if (path.len && !add_special(r, path)) {
        if (memchr(path.data, '/', path.len)) {
            add_top(r, &path);
            add_parts(r, path, false);
        } else {
            add_bare(r, path);
        }
    }
    pm_redact_add(r, is_deleted ? deleted : nothing);
}

/* Keeps the first word of the stored command line. */
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
