/* capture: one process at one moment, read but not yet stored. Contains the results of the parser,
 * the facts about the source file, and the decisions of import about time and identity. */
#ifndef PM_BASE_CAPTURE_H
#define PM_BASE_CAPTURE_H

#include "base/pool.h"
#include "base/record/dialect.h"
#include "base/record/live.h"

/* The origin of the time of a capture. The names are those of snapshot.time_source. */
typedef enum pm_time_source {
    PM_TIME_NONE,
    PM_TIME_GIVEN,  /* --at */
    PM_TIME_STREAM, /* a time line before the block */
    PM_TIME_NAME,   /* the file's name */
    PM_TIME_MTIME,  /* the file's or archive member's mtime */
    PM_TIME_NOW,    /* standard input, a file on a proc filesystem: when it was read */
    PM_TIME_LIVE,   /* the scheduled moment of a live capture */
    PM_TIME_EVERY   /* counted: --every, --first */
} pm_time_source;

/* The quality of a name; a lower value is better. */
typedef enum pm_name_rank {
    PM_NAME_GIVEN,   /* --name */
    PM_NAME_LIVE,    /* live: comm, or the script of an interpreter */
    PM_NAME_COMM,    /* the same, from comm, cmdline or status beside the capture */
    PM_NAME_HEADER,  /* the program in the tool's header line, or the script of an interpreter */
    PM_NAME_PROGRAM, /* basename of the program's mapping */
    PM_NAME_UNKNOWN  /* ? */
} pm_name_rank;

/* The contents of one block of text. Texts point into the reader and are valid during the call. */
typedef struct pm_block {
    pm_dialect dialect;
    int64_t pid;                    /* or PMAPDB_UNKNOWN */
    pm_text command;                /* the header line after "PID:   ", as printed; empty if none */
    int64_t time_ms;                /* from the time line before the block, or PMAPDB_UNKNOWN */
    uint64_t first_line, last_line; /* in the stream, from 1 */
    uint64_t hash;   /* of the block's lines, without the time line; live: pm_live.mono_ns */
    uint64_t fields; /* union of the mappings' present bits */
    pm_state state;
    pm_checked checked;
    pm_totals totals;                    /* in state `totals`, the sums of the tool */
    int64_t tool_size_kib, tool_rss_kib; /* from the footer, or PMAPDB_UNKNOWN */
    pm_text missing; /* partial: what is missing, in words and numbers; else empty */
    pm_text notes; /* what was repaired (such as doubled rows), lines separated by '\n'; or empty */
    bool overlaps; /* a row overlaps the previous row; if read live, the map changed meanwhile */
    bool ordered;  /* each row begins at a higher address than the row before */
    bool foreign;  /* empty because the format of its rows is not supported, or all are damaged */
    pm_text empty; /* why nothing is stored ("kernel thread"), in static memory; or empty */
} pm_block;

/* A capture that is to be stored. Owns its arrays and strings (plain malloc). */
typedef struct pm_capture {
    pm_block block;      /* texts point into the strings below */
    const pm_pool *pool; /* the pool of the ids in `rows`; outlives the capture */
    uint32_t *rows;      /* mapping ids, in the order of the text */
    size_t n_rows;
    char *command, *missing, *notes;
    char *source_dir, *source_name; /* the location: DIR or ARCHIVE:DIR, and the file name */
    const char *host;               /* NULL: unknown */
    char *name;
    pm_name_rank name_rank;
    int64_t pid;        /* from header, path or --pid; or PMAPDB_UNKNOWN */
    int64_t start_time; /* clock ticks since boot, from PID/stat; or PMAPDB_UNKNOWN */
    int64_t taken_ms;
    pm_time_source time_source;
    int64_t ordinal;     /* orders captures of one process that share taken_ms */
    uint64_t log_id;     /* id of the log without times that the block belongs to, or 0 */
    const pm_live *live; /* NULL if the capture comes from text; outlives the capture */
} pm_capture;

void pm_capture_free(pm_capture *c);

static inline const pm_mapping *pm_capture_row(const pm_capture *c, size_t i)
{
    return &c->pool->mappings[c->rows[i]]->m;
}

#endif
