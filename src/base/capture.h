/* capture: one process at one moment, as read and not yet stored. What the parser found, what the
 * source knew about the file, and what import decided about time and identity. */
#ifndef PM_BASE_CAPTURE_H
#define PM_BASE_CAPTURE_H

#include "base/dialect.h"
#include "base/live.h"
#include "base/pool.h"

/* Where a capture's time came from. Names are those of snapshot.time_source. */
typedef enum pm_time_source {
    PM_TIME_NONE,
    PM_TIME_GIVEN,  /* --at */
    PM_TIME_STREAM, /* a time line before the block */
    PM_TIME_NAME,   /* the file's name */
    PM_TIME_MTIME,  /* the file's or archive member's mtime */
    PM_TIME_NOW,    /* standard input: when it was read */
    PM_TIME_LIVE,   /* the beat of a live capture */
    PM_TIME_EVERY   /* counted: --every, --first */
} pm_time_source;

const char *pm_time_source_name(pm_time_source source);

/* How good a name is; the lower the better. */
typedef enum pm_name_rank {
    PM_NAME_GIVEN,   /* --name */
    PM_NAME_EXE,     /* live: the exe link */
    PM_NAME_COMM,    /* sibling comm, cmdline or status */
    PM_NAME_HEADER,  /* basename of the first word of the tool's header line */
    PM_NAME_PROGRAM, /* basename of the program's mapping */
    PM_NAME_UNKNOWN  /* ? */
} pm_name_rank;

/* How sure the dialect is. */
typedef enum pm_confidence {
    PM_CONFIDENCE_CERTAIN, /* no other tool prints this */
    PM_CONFIDENCE_LIKELY,  /* others could, but what is there speaks for one */
    PM_CONFIDENCE_GUESS    /* little was there to go by, or what was there is damaged */
} pm_confidence;

const char *pm_confidence_name(pm_confidence confidence);

/* What one block of text says. Texts point into the reader and last for the call. */
typedef struct pm_block {
    pm_dialect dialect;
    int64_t pid;                    /* or PMAPDB_UNKNOWN */
    pm_text command;                /* the header line after "PID:   ", as printed; empty if none */
    int64_t time_ms;                /* of the time line before it, or PMAPDB_UNKNOWN */
    uint64_t first_line, last_line; /* in the stream, from 1 */
    uint64_t hash;   /* of the block's lines, without the time line: parse/block_hash.c */
    uint64_t fields; /* union of the mappings' present bits */
    pm_state state;
    pm_checked checked;
    pm_totals totals; /* state totals: what the tool says; -1 where it says nothing */
    int64_t tool_size_kib, tool_rss_kib; /* what the footer claims, or PMAPDB_UNKNOWN */
    pm_text missing; /* partial: what is missing, in words and numbers; else empty */
    pm_text notes;   /* what was made good (a tool's doubled rows), lines, '\n' between; or empty */
    pm_text why;     /* what the dialect was told by, like notes */
    pm_text tool;    /* what printed it: "procps 3.3.7 to 3.3.12"; or empty */
    pm_confidence confidence;
    bool overlaps; /* a row overlaps the one before it: read live, the map changed meanwhile */
    bool foreign;  /* empty because its rows are of a kind that cannot be read */
    pm_text empty; /* not empty: no mappings, and why ("kernel thread", ...); not stored */
} pm_block;

/* A capture on its way into the store. Owns its arrays and strings (plain malloc). */
typedef struct pm_capture {
    pm_block block;      /* its texts point into the strings below */
    const pm_pool *pool; /* what `rows` are ids of; outlives the capture */
    uint32_t *rows;      /* mapping ids, in the order of the text */
    size_t n_rows;
    char *command, *missing, *notes;
    char *source_dir, *source_name; /* where it was found: DIR or ARCHIVE:DIR, and the last part */
    const char *host;               /* NULL: unknown; the import's option */
    char *name;
    pm_name_rank name_rank;
    int64_t pid;        /* resolved: header, path, --pid; PMAPDB_UNKNOWN */
    int64_t start_time; /* clock ticks since boot, from PID/stat; PMAPDB_UNKNOWN */
    int64_t taken_ms;
    pm_time_source time_source;
    int64_t ordinal;     /* orders captures of one process that share taken_ms */
    uint64_t log_id;     /* 0, or the untimed log that the block belongs to */
    const pm_live *live; /* NULL: from text; outlives the capture */
} pm_capture;

void pm_capture_free(pm_capture *c);

static inline const pm_mapping *pm_capture_row(const pm_capture *c, size_t i)
{
    return pm_pool_get(c->pool, c->rows[i]);
}

#endif
