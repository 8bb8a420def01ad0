/* wrap: files that may hold captures in a wrapping that import does not take off. */
#ifndef PM_API_WRAP_H
#define PM_API_WRAP_H

#include "base/text.h"

typedef struct pm_wrap {
    const char *what; /* what it is and what to do; NULL: nothing is around it */
    bool likely;      /* of a text or an archive among captures; else programs and documents are
                         wrapped so as well */
} pm_wrap;

/* `begin`: 512 bytes or more where the file has as many. */
pm_wrap pm_wrap_of(pm_text begin, bool in_archive);

#endif
