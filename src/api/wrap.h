/* wrap: recognizes captures in a wrapping that import does not remove. */
#ifndef PM_API_WRAP_H
#define PM_API_WRAP_H

#include "base/text.h"

typedef struct pm_wrap {
    const char *what; /* the wrapping and what to do; NULL: no wrapping */
    bool likely;      /* a text or an archive is likely among captures; other wrappings are also of
                         programs and documents */
} pm_wrap;

/* `begin`: at least the first 512 bytes, or all of a shorter file. */
pm_wrap pm_wrap_of(pm_text begin, bool in_archive);

#endif
