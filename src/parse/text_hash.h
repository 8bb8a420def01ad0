/* text_hash: what the text of a block is known by: XXH3 of each of its pieces, chained. A piece is
 * a line that begins as an address does (0-9, a-f), with the lines up to the next of these: of
 * smaps a mapping's row and its keys. Who has seen a piece before need not read it again for this.
 * The same on every machine. */
#ifndef PM_PARSE_TEXT_HASH_H
#define PM_PARSE_TEXT_HASH_H

#include "base/hash.h"
#include <stdbool.h>

static inline bool pm_text_begins_piece(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* `hash` of the pieces before (none: 0), `piece` of the next. */
static inline uint64_t pm_text_hash_on(uint64_t hash, uint64_t piece)
{
    return pm_hash_number(piece, hash);
}

#endif
