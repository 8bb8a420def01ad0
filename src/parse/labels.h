/* labels: what a JVM says of its own memory -> ranges of addresses with names. Pure, push-fed.
 *
 * Two texts: `jcmd PID VM.native_memory detail` (NMT, JDK 8 and later), of which the part "Virtual
 * memory map:" counts, and `jcmd PID System.map` (JDK 22 and later). One stream may hold several
 * reports (`jcmd 0 ...` asks every JVM, cron appends): on_report comes once for each, at its end. A
 * line that is a moment ends the report before it and is the time of the reports that follow.
 *
 * A line that begins like a range and cannot be one (torn, its size is not that of its addresses,
 * no program can have that memory, a committed part outside of its reservation) is left out and
 * counted. */
#ifndef PM_PARSE_LABELS_H
#define PM_PARSE_LABELS_H

#include "base/buf.h"
#include <stdint.h>

/* Ranges of a report at most; vm.max_map_count is 65530 unless somebody raised it. */
#define PM_LABELS_MAX ((size_t)1 << 18)
/* Bytes of a line at most: no path is longer. */
#define PM_LABELS_LINE ((size_t)16 << 10)

typedef enum pm_labels_source { PM_LABELS_NMT, PM_LABELS_SYSTEM_MAP } pm_labels_source;

/* "nmt", "system-map": table label and the news of an import. */
const char *pm_labels_source_name(pm_labels_source source);

typedef struct pm_label {
    uint64_t start, end;
    bool committed; /* else address space alone */
    size_t text;    /* see pm_label_text */
} pm_label;

/* One report. Its ranges are sorted and do not overlap: committed parts are cut out of their
 * reservation. */
typedef struct pm_labels {
    pm_labels_source source;
    int64_t pid;         /* of a line "4711:" before the report, or PMAPDB_UNKNOWN */
    int64_t time_ms;     /* of a line before the report, or PMAPDB_UNKNOWN */
    uint64_t first_line; /* in the stream, from 1 */
    pm_label *label;
    size_t n, cap;
    pm_buf texts;
    bool has_map;          /* NMT: false for a summary without addresses */
    bool off;              /* System.map: the JVM says that NMT is off */
    bool torn;             /* the text ends before its map does */
    bool full;             /* there are more ranges than PM_LABELS_MAX */
    uint64_t damaged;      /* lines left out */
    uint64_t damaged_line; /* the first of them */
} pm_labels;

void pm_labels_free(pm_labels *l);

/* The whole map was read: an address outside of all ranges has no name. */
static inline bool pm_labels_whole(const pm_labels *l)
{
    return !l->torn && !l->full && !l->damaged;
}

/* In the JVM's own words: "Java Heap", "JAVAHEAP", "STACK-4712-main", "CODE,META". */
static inline const char *pm_label_text(const pm_labels *l, const pm_label *label)
{
    return l->texts.data + label->text;
}

/* The head of a file holds the words that begin such a text. */
#define PM_LABELS_HEAD ((size_t)4 << 10)
bool pm_labels_guess(pm_text begin);

typedef struct pm_labels_reader pm_labels_reader;

/* The callee may keep the report: then it empties *l. */
typedef pmapdb_status (*pm_labels_fn)(void *ctx, pm_labels *l, pmapdb_error *err);

pmapdb_status pm_labels_reader_new(pm_labels_fn on_report, void *ctx, pm_labels_reader **out,
                                   pmapdb_error *err);
void pm_labels_reader_free(pm_labels_reader *r);

pmapdb_status pm_labels_feed(pm_labels_reader *r, const char *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_labels_finish(pm_labels_reader *r, pmapdb_error *err);

#endif
