/* again_state: what again.c remembers of a map; also filled by again_parse.c. */
#ifndef PM_PARSE_AGAIN_STATE_H
#define PM_PARSE_AGAIN_STATE_H

#include "base/buf.h"
#include "parse/again.h"
#include "parse/reader.h"
#include "parse/running.h"

typedef struct pm_piece {
    uint64_t hash; /* of the block */
    uint64_t start, end;
    uint32_t len; /* of the block; 0: not known, and the mapping is parsed again */
    uint32_t id;  /* of the mapping in the pool */
} pm_piece;

typedef struct pm_reading {
    pm_piece *piece;
    size_t n, cap;
    pm_running sums;
} pm_reading;

struct pm_again {
    pm_pool *pool;
    size_t fresh_bytes; /* of the pool when it held only what was in use */
    pm_reader *reader;  /* of the blocks that differ; made when one does */
    pm_dialect dialect;
    pm_reading last, now;
    size_t cursor; /* in last */
    bool torn;
    pm_buf rest;     /* the begin of a block */
    uint64_t hash;   /* of the text so far: text_hash.h */
    size_t *changed; /* places in now of what the reader was given */
    size_t n_changed, cap_changed, n_parsed;
    pm_block verdict; /* of the reader, on them */
    uint32_t *rows;
    size_t cap_rows;
};

void pm_again_forget(pm_again *a);

/* ---- again_parse.c ---- */

/* The whole block that is added next. */
pmapdb_status pm_again_parse(pm_again *a, pm_text text, pmapdb_error *err);
/* No more of them come, for now; those of before have their ids. */
pmapdb_status pm_again_end_parse(pm_again *a, pmapdb_error *err);

#endif
