/* intern: frames and stacks, each once in the store. What was seen lately is remembered, in tables
 * of a fixed size; the rest is looked up. */
#ifndef PM_STORE_PERF_INTERN_H
#define PM_STORE_PERF_INTERN_H

#include "base/text.h"
#include "store/sql.h"

typedef struct pm_intern pm_intern;

pmapdb_status pm_intern_new(pm_sql *sql, pm_intern **out, pmapdb_error *err);
void pm_intern_free(pm_intern *i);

typedef struct pm_frame_texts {
    pm_text symbol, dso;
    uint64_t offset;
    bool inlined;
} pm_frame_texts;

/* Made where they are missing. Stack 0 is that of nothing. */
pmapdb_status pm_intern_frame(pm_intern *i, const pm_frame_texts *f, int64_t *frame_id,
                              pmapdb_error *err);
pmapdb_status pm_intern_stack(pm_intern *i, int64_t caller_id, int64_t frame_id, int64_t *stack_id,
                              pmapdb_error *err);

/* Of a chain as perf prints it; *depth is the number of its frames. */
pmapdb_status pm_intern_chain(pm_intern *i, pm_text chain, int64_t *stack_id, size_t *depth,
                              pmapdb_error *err);

#endif
