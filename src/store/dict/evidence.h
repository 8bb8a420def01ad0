/* evidence: what ties captures of one pid to one life or tells them apart: start time and boot,
 * addresses that stay from exec to exec, the command. */
#ifndef PM_STORE_EVIDENCE_H
#define PM_STORE_EVIDENCE_H

#include "base/capture.h"
#include "classify/classify.h"

enum pm_anchor {
    PM_ANCHOR_STACK_END,
    PM_ANCHOR_VDSO_START,
    PM_ANCHOR_LIBC_START,
    PM_ANCHOR_LD_START,
    PM_ANCHOR_COUNT
};

/* From the strongest to the weakest; stored in process.identity, the weakest link of a process's
 * captures. NONE: they are different lives. */
typedef enum pm_link {
    PM_LINK_NONE,
    PM_LINK_START_TIME,
    PM_LINK_ADDRESSES,
    PM_LINK_COMMAND,
    PM_LINK_ASSUMED
} pm_link;

const char *pm_link_name(pm_link link);

typedef struct pm_evidence {
    int64_t anchor[PM_ANCHOR_COUNT]; /* or PMAPDB_UNKNOWN */
    int64_t exe;                     /* lowest address of the executable */
    int64_t start_time;
    pm_text boot_id; /* live captures only; without it start_time may be of any boot */
    pm_text command; /* whole */
} pm_evidence;

/* Texts are the capture's. */
pm_evidence pm_evidence_of(const pm_capture *c, const pm_classify_context *context);

pm_link pm_evidence_compare(const pm_evidence *a, const pm_evidence *b);

/* How well a lone capture is tied to its life: by the best that it shows. */
pm_link pm_evidence_alone(const pm_evidence *e);

#endif
