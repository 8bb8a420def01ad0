/* familiar: rows whose text was read before, in this stream of captures or an earlier one. What the
 * kernel prints of a mapping that did not change is the same bytes again: they are recognised by
 * their hash and not parsed. For readers that are fed one after the other; rows are ids of a pool.
 *
 * Of each mapping's text (its row and the key lines behind it) length and hash are kept, and what
 * came behind it the last time, which is where the next is looked for: the captures of several
 * processes may take turns. */
#ifndef PM_PARSE_FAMILIAR_H
#define PM_PARSE_FAMILIAR_H

#include "base/pool.h"

typedef struct pm_familiar pm_familiar;

/* Nothing is known. The pool outlives it, or the next renewal. */
pmapdb_status pm_familiar_new(pm_pool *pool, pm_familiar **out, pmapdb_error *err);
void pm_familiar_renew(pm_familiar *f, pm_pool *pool);
void pm_familiar_free(pm_familiar *f);

/* Bytes that it holds, for a caller with a budget. */
size_t pm_familiar_bytes(const pm_familiar *f);

/* ---- for the reader ---- */

typedef struct pm_familiar_text {
    uint64_t hash, head; /* head: see pm_familiar_head */
    uint32_t len, lines;
    uint32_t id; /* of the row */
    bool blank;  /* its VmFlags end in a blank */
} pm_familiar_text;

#define PM_FAMILIAR_HEAD 12 /* bytes of a row that its head is made of */

/* Tells rows of one capture apart at first sight, most of the time. */
uint64_t pm_familiar_head(const char *row);

pm_pool *pm_familiar_pool(const pm_familiar *f);

/* A capture begins: what was behind the last row does not matter. */
void pm_familiar_begin(pm_familiar *f);

/* The text at p, whole and with another mapping's row behind it, if it is one that is looked for;
 * else NULL. Valid until the next is kept. */
const pm_familiar_text *pm_familiar_find(pm_familiar *f, const char *p, const char *end);

/* The text found last is the next of its capture. */
void pm_familiar_take(pm_familiar *f);

/* A text that had to be parsed is the next. */
pmapdb_status pm_familiar_keep(pm_familiar *f, const pm_familiar_text *text, pmapdb_error *err);

#endif
