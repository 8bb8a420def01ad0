/* evidence: the facts that link captures of one pid to one life or tell the lives apart: start time
 * and boot, addresses that do not change until the next exec, the command. */
#ifndef PM_STORE_EVIDENCE_H
#define PM_STORE_EVIDENCE_H

#include "base/record/capture.h"
#include "classify/classify.h"

enum pm_anchor {
    PM_ANCHOR_STACK_END,
    PM_ANCHOR_VDSO_START,
    PM_ANCHOR_LIBC_START,
    PM_ANCHOR_LD_START,
    PM_ANCHOR_COUNT
};

/* From the strongest link to the weakest. process.identity stores the weakest link of the captures
 * of a process. NONE: two different lives. */
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
    pm_text boot_id; /* live captures only; otherwise start_time may be of any boot */
    pm_text command; /* the full command line */
} pm_evidence;

pm_evidence pm_evidence_none(void);
/* Texts belong to the capture. */
pm_evidence pm_evidence_of(const pm_capture *c, const pm_classify_context *context);

pm_link pm_evidence_compare(const pm_evidence *a, const pm_evidence *b);

/* Returns the link of a single capture to its life: the strongest that it shows. */
pm_link pm_evidence_alone(const pm_evidence *e);

#endif
