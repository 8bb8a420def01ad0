/* rules_mapping: a mapping of one snapshot as rules see it, among its neighbours. */
#ifndef PM_CLI_RULES_MAPPING_H
#define PM_CLI_RULES_MAPPING_H

#include "cli/rules.h"

#include "base/buf.h"
#include "classify/rules.h"

/* One row; its texts are offsets into `text` while that grows. */
typedef struct pm_rules_seen {
    pm_rule_row row;
    size_t path, flags, perms, device;
} pm_rules_seen;

/* Zeroed before. */
typedef struct pm_rules_mapping {
    pm_rules_seen *seen; /* all of the snapshot, by address */
    size_t n, cap, at;   /* which of them it is */
    pm_buf text;
    int64_t process_id;
    uint64_t facts; /* of the capture */
    /* What the store says of it: */
    char category[256], rule[64], first_at[32], name[128];
    int64_t lineage, first_id, snapshot, pid;
} pm_rules_mapping;

/* The one at the address, in the process and the snapshot of the command line. */
pmapdb_status pm_rules_mapping_read(const pm_rules_cli *r, uint64_t address, pm_rules_mapping *out,
                                    pmapdb_error *err);
void pm_rules_mapping_free(pm_rules_mapping *m);

/* Sets facts. */
void pm_rules_mapping_facts(pm_rules_mapping *m, const pm_rules *rules);

/* NULL: there is none. */
const pm_rule_row *pm_rules_mapping_row(const pm_rules_mapping *m);
const pm_rule_row *pm_rules_mapping_below(const pm_rules_mapping *m);
const pm_rule_row *pm_rules_mapping_above(const pm_rules_mapping *m);

#endif
