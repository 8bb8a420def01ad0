/* formats: the search in the table of formats (base/record/formats.def), and the output of other
 * tools, which is refused by the name of the tool. */
#ifndef PM_PARSE_FORMATS_H
#define PM_PARSE_FORMATS_H

#include "base/err.h"
#include "base/record/dialect.h"
#include "base/record/mapping.h"

#define PM_NUMBERS_MAX 6
#define PM_NO_COLUMN PM_FIELD_COUNT

#define PM_SOLARIS "pmap of Solaris or illumos, not of Linux"
#define PM_PSUTIL "psutil's pmap.py, which prints Rss and no sizes"

/* The numbers of a narrow row, or of a line of sums. */
typedef struct pm_numbers {
    uint64_t v[PM_NUMBERS_MAX];
    int n, dashes; /* dashes: the dashes in place of numbers, after the n numbers */
    bool k;        /* a unit follows each number */
} pm_numbers;

/* Adds the number at *at, and its unit if a K or its translation follows. False if another
 * character than a blank follows, or only some of the numbers have a unit. */
bool pm_form_number(const char **at, const char *end, pm_numbers *v);

typedef struct pm_form {
    pm_dialect dialect; /* PM_DIALECT_COUNT: refused, `tool` names its tool */
    const char *pattern, *tool, *gives, *example; /* as in formats.def */
} pm_form;

/* Returns the i-th format that has an example, in the order of the dialects, or NULL. */
const pm_form *pm_form_at(size_t i);

/* Returns the format of a row with these numbers before a mode of `perms` characters, or NULL. */
const pm_form *pm_form_of_row(const pm_numbers *v, size_t perms);
/* The same for a line of sums; of several formats, that of `dialect`. */
const pm_form *pm_form_of_sums(const pm_numbers *v, bool colon, pm_dialect dialect);

/* Fills in the field of each number in order: PM_NO_COLUMN for x. */
void pm_form_fields(const pm_form *f, enum pm_field field[PM_NUMBERS_MAX]);

typedef struct pm_refused {
    const char *tool;
    const char *example; /* the line that identifies the tool */
} pm_refused;

/* Returns the i-th refused tool; NULL after the last. */
const pm_refused *pm_form_refused(size_t i);
/* Returns why the line is refused, if the line is the header of another tool; otherwise NULL. */
const char *pm_form_foreign(pm_text line);

/* Finds the dialect of that name; PM_DIALECT_COUNT (any) if the name is NULL. Fails with
 * PMAPDB_USAGE and a list of the names if the name is unknown. */
pmapdb_status pm_form_find(const char *name, pm_dialect *out, pmapdb_error *err);

#endif
