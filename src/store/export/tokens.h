/* tokens: the replacements of texts in a redacted export: the same text always has the same token.
 *
 * A token is made of numbers in the order of first appearance, never of the text: trying a
 * dictionary would reveal a hash. No token equals a text that stays, and no text stays that equals
 * a token: different texts stay different. */
#ifndef PM_STORE_EXPORT_TOKENS_H
#define PM_STORE_EXPORT_TOKENS_H

#include "base/err.h"
#include "base/text.h"

#define PM_TOKEN_TAIL 24 /* bytes of a text that may stay after its token: .so.1.2 */

typedef struct pm_tokens pm_tokens;

pmapdb_status pm_tokens_new(pm_tokens **out, pmapdb_error *err);
void pm_tokens_free(pm_tokens *t);

/* The token of a text; a new token is `prefix`, a number and `tail`. *out lasts as long as t. */
pmapdb_status pm_tokens_of(pm_tokens *t, const char *prefix, pm_text text, pm_text tail,
                           pm_text *out, pmapdb_error *err);

/* Keeps a text. *stays: false if it equals a token that is in use: then the text needs a token,
 * too. */
pmapdb_status pm_tokens_keep(pm_tokens *t, pm_text text, bool *stays, pmapdb_error *err);

/* Makes a file name public, wherever the name appears. */
pmapdb_status pm_tokens_publish(pm_tokens *t, pm_text name, pmapdb_error *err);
/* Also false if memory runs out: the name is then hidden. */
bool pm_tokens_is_public(pm_tokens *t, pm_text name);

/* The number of texts that have a token. */
size_t pm_tokens_count(const pm_tokens *t);

#endif
