/* redact_run: what the parts of redact share: redact.c knows the columns and what to keep,
 * redact_path.c has paths and names, redact_words.c all other text, redact_sql.c the functions of
 * SQL.
 *
 * The parts add to r->out. The first failure is kept in r->st and r->err, and nothing is added
 * after it. */
#ifndef PM_STORE_EXPORT_REDACT_RUN_H
#define PM_STORE_EXPORT_REDACT_RUN_H

#include "base/buf.h"
#include "base/pool.h"
#include "classify/rules.h"
#include "classify/rules_regex.h"
#include "store/export/redact.h"

#define PM_REDACT_SETS 8 /* of rules that are built in, at most */

struct pm_redact {
    pm_tokens *tokens;
    pm_pool *inodes, *kernel, *uids; /* a new number is the id of the old one */
    pm_addresses *addresses;
    bool settled; /* all addresses were noted */
    pm_regex **keep;
    size_t n_keep;
    pm_regex_space space;
    pm_rules *set[PM_REDACT_SETS];
    size_t n_sets;
    pm_buf out;
    pmapdb_status st;
    pmapdb_error err;
};

/* --keep says that the text stays. */
bool pm_redact_is_kept(pm_redact *r, pm_text text);

/* As it is. */
void pm_redact_add(pm_redact *r, pm_text text);
void pm_redact_add_token(pm_redact *r, const char *prefix, pm_text text, pm_text tail);
/* As it is, unless a token is spelt so. */
void pm_redact_add_kept(pm_redact *r, const char *prefix, pm_text text);
/* Kept where it `stays` or --keep says so; else a token. */
void pm_redact_add_word(pm_redact *r, const char *prefix, pm_text text, bool stays);

void pm_redact_path(pm_redact *r, pm_text path);
void pm_redact_command(pm_redact *r, pm_text command);
void pm_redact_cgroup(pm_redact *r, pm_text path);
void pm_redact_word(pm_redact *r, pm_redact_how how, pm_text text);
void pm_redact_symbol(pm_redact *r, pm_text symbol, pm_text dso);

#endif
