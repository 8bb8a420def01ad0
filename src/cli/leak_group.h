/* leak_group: the rows of one process among those of the leaks queries, and which are findings. */
#ifndef PM_CLI_LEAK_GROUP_H
#define PM_CLI_LEAK_GROUP_H

#include "cli/leak_row.h"

/* One process: its rows from `begin` to before `end`, the whole first. */
typedef struct pm_leak_group {
    const pm_leak_row *begin, *end;
    size_t leaks, suspects; /* parts; the whole where it stands alone */
    size_t steady, plateau, shrinking, too_few;
} pm_leak_group;

/* The process whose first row is number `begin`. */
pm_leak_group pm_leak_group_at(const pm_leak_rows *rows, size_t begin);

/* Whether a row of the process is a leak or a suspect that is to be told of. */
bool pm_leak_group_finds(const pm_leak_group *p, const pm_leak_row *r);

#endif
