/* labels: files in which a JVM names its own memory (parse/files/labels.h), read together with the
 * captures and stored after them. */
#ifndef PM_API_LABELS_H
#define PM_API_LABELS_H

#include "api/import/intake.h"
#include "store/rules/label.h"

/* A report that waits to be stored. */
typedef struct pm_label_pending {
    pm_labels labels;
    pm_label_put put; /* without `labels` and `since` */
    char *path;
    uint64_t hash; /* by which a refused report is remembered; 0: it is reported each time */
} pm_label_pending;

/* Hears bytes of a file, the first of which decide whether the rest is heard. */
pmapdb_status pm_labels_hear(pm_intake *in, const char *bytes, size_t n, bool first,
                             pmapdb_error *err);
/* Ends the file: reports with names wait, others become problems, and the blocks that the reader of
 * captures saw in the text are forgotten. */
pmapdb_status pm_labels_end(pm_intake *in, pmapdb_error *err);
void pm_labels_forget(pm_intake *in);

#endif
