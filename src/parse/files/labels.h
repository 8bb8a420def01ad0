/* labels: the reports of a JVM about its own memory -> ranges of addresses with names. Pure.
 *
 * Two texts: `jcmd PID VM.native_memory detail` (NMT, JDK 8 and later), of which the part "Virtual
 * memory map:" counts, and `jcmd PID System.map` (JDK 22 and later). One text may hold several
 * reports (`jcmd 0 ...` asks every JVM, cron appends): on_report is called at the end of each. A
 * line that is a moment ends the report before it and is the time of the reports that follow.
 *
 * A line of a map that cannot be right (cut off, no program can have that memory) is left out and
 * counted. */
#ifndef PM_PARSE_LABELS_H
#define PM_PARSE_LABELS_H

#include "base/err.h"
#include "base/text.h"

/* The most ranges of a report; vm.max_map_count is 65530 unless somebody raised it. */
#define PM_LABELS_MAX ((size_t)1 << 18)
/* The most bytes of a text: more than PM_LABELS_MAX ranges take. */
#define PM_LABELS_BYTES ((size_t)128 << 20)

typedef enum pm_labels_source {
    PM_LABELS_NMT,
    PM_LABELS_SYSTEM_MAP,
    PM_LABELS_NONE
} pm_labels_source;

/* "nmt", "system-map": table label and the news of an import. */
const char *pm_labels_source_name(pm_labels_source source);

/* Bytes of a name; the JVM cuts a thread's name at 63. */
#define PM_LABEL_TEXT 96

typedef struct pm_label {
    uint64_t start, end;
    /* In the JVM's own words: "Java Heap", "JAVAHEAP", "STACK-4712-main", "CODE,META". */
    char text[PM_LABEL_TEXT];
} pm_label;

/* One report. Its ranges are sorted and do not overlap. */
typedef struct pm_labels {
    pm_labels_source source;
    int64_t pid;     /* of a line "4711:" before the report, or PMAPDB_UNKNOWN */
    int64_t time_ms; /* of a line before the report, or PMAPDB_UNKNOWN */
    pm_label *label;
    size_t n, cap;
    uint64_t damaged;      /* lines left out, and one for a map without an end; 0: all was read */
    uint64_t damaged_line; /* number in the stream of the first of them, from 1 */
} pm_labels;

void pm_labels_free(pm_labels *l);

/* True if these first bytes of a file hold the words that begin such a text. */
#define PM_LABELS_HEAD ((size_t)4 << 10)
bool pm_labels_guess(pm_text begin);

/* The callee may keep the report: then it empties *l. */
typedef pmapdb_status (*pm_labels_fn)(void *ctx, pm_labels *l, pmapdb_error *err);

pmapdb_status pm_labels_read(pm_text text, pm_labels_fn on_report, void *ctx, pmapdb_error *err);

#endif
