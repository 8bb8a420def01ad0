/* formats: every form of row and of sums that a tool prints, one line of data each, with the tool
 * that prints it and an example; and what is refused by name. A new narrow dialect is a name in
 * base/dialect.h and a line or two here. A test feeds every example to the reader. */
#ifndef PM_PARSE_FORMATS_H
#define PM_PARSE_FORMATS_H

#include "base/dialect.h"
#include "base/err.h"
#include "base/mapping.h"

#define PM_SUMS_MAX 5 /* numbers in a line of sums */
#define PM_NUMBERS_MAX 6
#define PM_NO_COLUMN PM_FIELD_COUNT

#define PM_SOLARIS "pmap of Solaris or illumos, not of Linux"
#define PM_PSUTIL "psutil's pmap.py, which prints Rss and no sizes"

/* The numbers of a narrow row, or of a line of sums. */
typedef struct pm_numbers {
    uint64_t v[PM_NUMBERS_MAX];
    int n, dashes; /* dashes stand for numbers, after the others */
    bool k;        /* each with a unit after it */
} pm_numbers;

typedef struct pm_form {
    pm_dialect dialect; /* PM_DIALECT_COUNT: refused, `tool` says whose it is */
    /* A row: "A" address, "P4" or "P5" mode of so many characters, "o D" offset and device,
     * "[o D]" if they may be missing, "N" name. A line of sums: a word, with a colon if it has one.
     * Numbers, with K if they have a unit: s Size, r Rss, p Pss, d Dirty, v Private_Dirty, w Swap,
     * x unknown, 0 a size that is 0; "-" a dash. NULL: smaps.c or pmap_wide.c reads it. */
    const char *pattern;
    const char *tool;    /* what prints it, and with which option; NULL: as the line above */
    const char *gives;   /* what such a capture knows, in words, ", " between */
    const char *example; /* one line as it is printed */
} pm_form;

/* The formats with an example, in the order of the dialects; NULL after the last. */
const pm_form *pm_form_at(size_t i);

/* The format of a row with these numbers before a mode of `perms` characters; NULL: none. */
const pm_form *pm_form_of_row(const pm_numbers *v, size_t perms);
const pm_form *pm_form_of_sums(const pm_numbers *v, bool colon);

/* The field of each number, in their order: PM_NO_COLUMN for x. */
void pm_form_fields(const pm_form *f, enum pm_field field[PM_NUMBERS_MAX]);

typedef struct pm_refused {
    const char *tool;
    const char *example; /* the line that tells it */
} pm_refused;

/* NULL after the last. */
const pm_refused *pm_form_refused(size_t i);
/* Whose header the line is; NULL: no other tool's. */
const char *pm_form_foreign(pm_text line);

/* The dialect of that name, PM_DIALECT_COUNT for NULL (any); else PMAPDB_USAGE with their list. */
pmapdb_status pm_form_find(const char *name, pm_dialect *out, pmapdb_error *err);

#endif
