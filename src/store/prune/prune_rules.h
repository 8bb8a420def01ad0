/* prune_rules: which of the moments of one series stay. Pure.
 *
 * As restic's forget: newest first, the last moment of each of the newest N hours (days, weeks ...)
 * that have one; a moment stays if any rule keeps it; where a rule has places left at the end, the
 * oldest stays too. Periods are those of the local calendar (TZ): weeks begin on Monday. The hour
 * that a clock shows twice in autumn is two.
 */
#ifndef PM_STORE_PRUNE_RULES_H
#define PM_STORE_PRUNE_RULES_H

#include "base/buf.h"

/* Bits of `why`, in the order in which they are told. */
enum pm_kept {
    PM_KEPT_LAST,
    PM_KEPT_HOURLY,
    PM_KEPT_DAILY,
    PM_KEPT_WEEKLY,
    PM_KEPT_MONTHLY,
    PM_KEPT_YEARLY,
    PM_KEPT_WITHIN,
    PM_KEPT_PINNED,
    PM_KEPT_FITS,   /* there is no rule about time: only --max-size removes */
    PM_KEPT_NEWEST, /* --max-size does not take the last of a series */
    PM_KEPT_COUNT
};
#define PM_KEPT(bit) (1U << (bit))
/* The rule keeps it only for being the oldest. */
#define PM_KEPT_OLDEST(bit) (1U << ((bit) + PM_KEPT_COUNT))

/* True where a rule about time is given. */
bool pm_prune_has_rules(const pmapdb_keep *keep);

/* PMAPDB_USAGE for numbers that mean nothing. */
pmapdb_status pm_prune_check_rules(const pmapdb_keep *keep, pmapdb_error *err);

/* ms[n], the newest first; why[i] becomes the rules that keep ms[i], 0: none does. now_ms:
 * keep-within counts from the newest that is not in the future; without one, from the newest. */
void pm_prune_rules(const pmapdb_keep *keep, const int64_t *ms, size_t n, int64_t now_ms,
                    unsigned *why);

/* "last, daily, oldest weekly"; nothing for 0. */
pmapdb_status pm_prune_why(unsigned why, pm_buf *out, pmapdb_error *err);

#endif
