/* wide: the rows of pmap -X and -XX (pmap_wide.c) and their columns (layout.c). Internal to
 * src/parse.
 */
#ifndef PM_PARSE_WIDE_H
#define PM_PARSE_WIDE_H

#include "parse/block.h"

static inline pm_text pm_wide_line(const pm_wide *w, size_t i)
{
    return (pm_text){w->text.data + w->rows[i].at, w->rows[i].len};
}

void pm_wide_hold(pm_reader *r, pm_text line);
void pm_wide_end(pm_reader *r);
/* Reads at most `max` numbers of a row from *at on and moves *at after the last number. */
size_t pm_wide_numbers(pm_text line, size_t *at, size_t max, uint64_t *out);
/* Returns the position after the columns before the numbers; 0 if the row has another shape. */
size_t pm_wide_lead(const pm_columns *c, pm_text line, pm_mapping *out);
/* Reads places and numbers of all rows, at most `max` numbers of each row. */
pmapdb_status pm_wide_read(pm_wide *w, size_t max, pmapdb_error *err);
/* Returns the numbers of a row; NULL if their count differs from the number of columns. */
static inline const uint64_t *pm_wide_values(const pm_wide *w, size_t i)
{
    return w->rows[i].n == w->columns.n ? w->values + w->rows[i].first : NULL;
}
/* Returns the position where the flags of most rows end; 0 without flags. */
size_t pm_wide_vote(const pm_wide *w);

/* Boyer and Moore's majority vote. */
typedef struct pm_vote {
    size_t winner, votes;
} pm_vote;

static inline void pm_vote_for(pm_vote *v, size_t value)
{
    if (v->votes == 0)
        v->winner = value;
    v->votes += v->winner == value ? 1 : (size_t)-1;
}

/* Fills w->columns and reads the rows accordingly. *refused is NULL, or the reason why the block
 * cannot be read. */
pmapdb_status pm_layout_find(pm_wide *w, pm_text header, const char **refused, pmapdb_error *err);

#endif
