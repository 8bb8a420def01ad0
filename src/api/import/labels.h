/* labels: files in which a JVM says itself what its memory is (parse/labels.h), read together
 * with the captures and stored after them. */
#ifndef PM_API_LABELS_H
#define PM_API_LABELS_H

#include "api/import/intake.h"
#include "parse/labels.h"
#include "store/rules/label.h"

/* A report that waits to be stored. */
typedef struct pm_label_pending {
    pm_labels labels;
    pm_label_put put; /* but for `labels` and `since` */
    char *path;
    uint64_t hash; /* what it is remembered by where it is refused */
    bool named;    /* the file itself stood in the list */
    size_t file;   /* number of the file it came from */
    size_t older;  /* reports of the same pid before it in its file */
} pm_label_pending;

/* A file begins; its bytes, of which the first say whether the rest is listened to; its end:
 * reports with names wait, others become problems, and what the reader of captures takes the text
 * for is forgotten. */
void pm_labels_begin(pm_intake *in);
pmapdb_status pm_labels_hear(pm_intake *in, const char *bytes, size_t n, bool first,
                             pmapdb_error *err);
pmapdb_status pm_labels_end(pm_intake *in, pmapdb_error *err);

/* In the order of time, in which they are stored with least work. */
void pm_labels_settle(pm_intake *in);
void pm_labels_forget(pm_intake *in);

/* What the news of a stored one says: NULL or words, for free(). */
char *pm_labels_missing(const pm_labels *labels);
char *pm_labels_warning(const pm_label_pending *p, const pm_label_stored *stored);

#endif
