/* labels: files in which a JVM names its own memory (parse/labels.h), read together with the
 * captures and stored after them. */
#ifndef PM_API_LABELS_H
#define PM_API_LABELS_H

#include "api/import/intake.h"
#include "parse/labels.h"
#include "store/rules/label.h"

/* A report that waits to be stored. */
typedef struct pm_label_pending {
    pm_labels labels;
    pm_label_put put; /* without `labels` and `since` */
    char *path;
    uint64_t hash; /* the key by which a refused report is remembered */
    bool named;    /* the user named the file itself */
    size_t file;   /* number of its file */
    size_t older;  /* number of reports of the same pid before it in its file */
} pm_label_pending;

/* Begins a file; hears its bytes, the first of which decide whether the rest is heard; ends it. At
 * the end, reports with names wait, others become problems, and the blocks that the reader of
 * captures saw in the text are forgotten. */
void pm_labels_begin(pm_intake *in);
pmapdb_status pm_labels_hear(pm_intake *in, const char *bytes, size_t n, bool first,
                             pmapdb_error *err);
pmapdb_status pm_labels_end(pm_intake *in, pmapdb_error *err);

/* Sorts by time, the order in which storing takes the least work. */
void pm_labels_settle(pm_intake *in);
void pm_labels_forget(pm_intake *in);

/* The words in the news of a stored one: NULL or a text for free(). */
char *pm_labels_missing(const pm_labels *labels);
char *pm_labels_warning(const pm_label_pending *p, const pm_label_stored *stored);

#endif
