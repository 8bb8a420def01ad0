/* redact_run: what the parts of redact share: redact.c has what is known and tells the columns
 * apart, redact_path.c paths and names, redact_words.c what else is text. */
#ifndef PM_STORE_EXPORT_REDACT_RUN_H
#define PM_STORE_EXPORT_REDACT_RUN_H

#include "base/buf.h"
#include "classify/rules.h"
#include "classify/rules_regex.h"
#include "store/dict/pairs.h"
#include "store/export/redact.h"

#define PM_REDACT_SETS 8 /* of rules that are built in, at most */

struct pm_redact {
    pm_tokens *tokens, *inodes, *kernel; /* of the last two only the numbers are used */
    pm_places *places;
    pm_pairs uids;
    int64_t n_uids;
    pm_regex **keep;
    size_t n_keep;
    pm_regex_space space;
    pm_rules *set[PM_REDACT_SETS];
    size_t n_sets;
    pm_buf out; /* what pm_redact_text gave */
};

/* --keep says that it stays. */
bool pm_redact_is_kept(pm_redact *r, pm_text text);

/* ---- adding to `out` ---- */

static inline pmapdb_status pm_redact_add(pm_redact *r, pm_text text, pmapdb_error *err)
{
    return pm_buf_add(&r->out, text.len ? text.data : "", text.len, err);
}

pmapdb_status pm_redact_add_token(pm_redact *r, const char *prefix, pm_text text, pm_text tail,
                                  pmapdb_error *err);
/* As it is, unless a token is spelt so. */
pmapdb_status pm_redact_add_kept(pm_redact *r, const char *prefix, pm_text text, pmapdb_error *err);

pmapdb_status pm_redact_path(pm_redact *r, pm_text path, pmapdb_error *err);
pmapdb_status pm_redact_name(pm_redact *r, pm_text name, pmapdb_error *err);
pmapdb_status pm_redact_command(pm_redact *r, pm_text command, pmapdb_error *err);
pmapdb_status pm_redact_cgroup(pm_redact *r, pm_text path, pmapdb_error *err);
pmapdb_status pm_redact_word(pm_redact *r, pm_redact_how how, pm_text text, pmapdb_error *err);

#endif
