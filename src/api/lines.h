/* lines: what the parser says in several lines -> an array of texts. */
#ifndef PM_API_LINES_H
#define PM_API_LINES_H

#include <stddef.h>
#include <string.h>

#define PM_LINES_MAX 16

/* Lines become texts of their own, in place; the last one of a full array keeps the rest. */
static inline size_t pm_lines_split(char *text, const char *out[PM_LINES_MAX])
{
    size_t n = 0;

    for (char *next; text && *text; text = next) {
        next = n + 1 < PM_LINES_MAX ? strchr(text, '\n') : NULL;
        if (next)
            *next++ = '\0';
        out[n++] = text;
    }
    return n;
}

#endif
