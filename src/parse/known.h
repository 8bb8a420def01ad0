/* known: what the reader knows, for people: one line of each kind of capture, and whose output is
 * refused by name. A test feeds every example to the reader. */
#ifndef PM_PARSE_KNOWN_H
#define PM_PARSE_KNOWN_H

#include "base/dialect.h"
#include "base/err.h"

typedef struct pm_known {
    pm_dialect dialect;
    const char *tool;    /* what prints it, and with which option */
    const char *gives;   /* what a capture of that kind knows, in words, ", " between */
    const char *example; /* one line as it is printed */
} pm_known;

/* In the order of the dialects; NULL behind the last. */
const pm_known *pm_known_form(size_t i);

typedef struct pm_known_other {
    const char *tool;
    const char *example; /* the line that it is told by */
} pm_known_other;

/* What is refused by name; NULL behind the last. */
const pm_known_other *pm_known_refused(size_t i);

/* The dialect of that name, PM_DIALECT_COUNT for NULL (any); else PMAPDB_USAGE with their list. */
pmapdb_status pm_known_find(const char *name, pm_dialect *out, pmapdb_error *err);

#endif
