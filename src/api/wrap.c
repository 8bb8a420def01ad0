/* wrap: recognizes captures in a wrapping that import does not remove. */
#include "api/wrap.h"

static bool has_at(pm_text t, size_t at, pm_text what)
{
    return t.len >= at && pm_text_starts(pm_text_from(t, at), what);
}

/* True for several lines that all end in a lone CR. */
static bool is_cr_only(pm_text t)
{
    const char *first = t.len ? memchr(t.data, '\r', t.len) : NULL;

    return first && !memchr(t.data, '\n', t.len) &&
           memchr(first + 1, '\r', t.len - (size_t)(first + 1 - t.data));
}

pm_wrap pm_wrap_of(pm_text begin, bool in_archive)
{
    /* A tar on disk is opened; a tar inside a tar would be read as one text of many processes. */
    if (in_archive && has_at(begin, 257, PM_TEXT("ustar")))
        return (pm_wrap){"an archive inside an archive: unpack it and import the folder", true};
    if (has_at(begin, 0, PM_TEXT("\xff\xfe")) || has_at(begin, 0, PM_TEXT("\xfe\xff")))
        return (pm_wrap){"text in UTF-16: convert it first (iconv -f UTF-16 -t UTF-8)", true};
    if (is_cr_only(begin))
        return (pm_wrap){"text whose lines end in CR alone: convert it first (tr '\\r' '\\n')",
                         false};
    if (has_at(begin, 0, PM_TEXT("PK\3\4")))
        return (pm_wrap){"a zip archive: unpack it and import the folder", false};
    if (has_at(begin, 0, PM_TEXT("7z\xbc\xaf\x27\x1c")))
        return (pm_wrap){"a 7z archive: unpack it and import the folder", false};
    return (pm_wrap){NULL, false};
}
