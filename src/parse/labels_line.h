/* labels_line: one line of what a JVM says of its memory; used by labels.c alone. */
#ifndef PM_PARSE_LABELS_LINE_H
#define PM_PARSE_LABELS_LINE_H

#include "base/text.h"
#include <stdint.h>

typedef enum pm_label_kind {
    PM_LABEL_NOTHING, /* blank, a stack frame, a legend: no range and no damage */
    PM_LABEL_RESERVED,
    PM_LABEL_COMMITTED, /* NMT: a part of the RESERVED before it */
    PM_LABEL_DAMAGED
} pm_label_kind;

typedef struct pm_label_line {
    uint64_t start, end;
    bool committed; /* RESERVED: all of it is */
    pm_text text;   /* RESERVED: in the JVM's words; System.map: empty where it has none */
} pm_label_line;

/* A line of NMT's "Virtual memory map:", without blanks at either end. */
pm_label_kind pm_label_nmt(pm_text line, pm_label_line *out);

/* A line below "Memory mappings:" of System.map, without blanks at either end. */
pm_label_kind pm_label_system_map(pm_text line, pm_label_line *out);

#endif
