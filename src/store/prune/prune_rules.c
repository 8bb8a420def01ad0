/* prune_rules: which of the moments of one series stay. Pure. */
#include "store/prune/prune_rules.h"

#include <string.h>
#include <time.h>

static const char *const names[PM_KEPT_COUNT] = {"last",   "hourly", "daily",  "weekly", "monthly",
                                                 "yearly", "within", "pinned", "fits",   "newest"};

#define PERIODS (PM_KEPT_YEARLY + 1)

static void counts_of(const pmapdb_keep *keep, int64_t left[PERIODS])
{
    left[PM_KEPT_LAST] = keep->last;
    left[PM_KEPT_HOURLY] = keep->hourly;
    left[PM_KEPT_DAILY] = keep->daily;
    left[PM_KEPT_WEEKLY] = keep->weekly;
    left[PM_KEPT_MONTHLY] = keep->monthly;
    left[PM_KEPT_YEARLY] = keep->yearly;
}

bool pm_prune_has_rules(const pmapdb_keep *keep)
{
    int64_t left[PERIODS];
    bool has = keep->within_ms > 0;

    counts_of(keep, left);
    for (int i = 0; i < PERIODS; i++)
        has |= left[i] != 0;
    return has;
}

pmapdb_status pm_prune_check_rules(const pmapdb_keep *keep, pmapdb_error *err)
{
    int64_t left[PERIODS];

    counts_of(keep, left);
    for (int i = 0; i < PERIODS; i++)
        if (left[i] < PMAPDB_KEEP_ALL)
            return pm_fail(err, PMAPDB_USAGE, "a rule keeps a number of moments, not %lld",
                           (long long)left[i]);
    if (keep->within_ms < 0)
        return pm_fail(err, PMAPDB_USAGE, "keep-within wants a span above zero");
    return PMAPDB_OK;
}

/* Days since 1970 of the local date, which is a Thursday. */
static int64_t local_day(const struct tm *tm)
{
    struct tm day = {.tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday};

    return timegm(&day) / 86400;
}

/* Numbers that are equal for moments of one period and differ for neighbouring ones. */
static void periods_of(int64_t ms, size_t i, int64_t period[PERIODS])
{
    time_t t = (time_t)(ms / 1000 - (ms % 1000 < 0));
    struct tm tm = {0};
    int64_t day;

    localtime_r(&t, &tm);
    day = local_day(&tm);
    period[PM_KEPT_LAST] = (int64_t)i;
    period[PM_KEPT_HOURLY] = (int64_t)t - (int64_t)tm.tm_min * 60 - tm.tm_sec; /* when it began */
    period[PM_KEPT_DAILY] = day;
    period[PM_KEPT_WEEKLY] = (day + 3) / 7;
    period[PM_KEPT_MONTHLY] = (int64_t)tm.tm_year * 12 + tm.tm_mon;
    period[PM_KEPT_YEARLY] = tm.tm_year;
}

static int64_t counts_from(const int64_t *ms, size_t n, int64_t now_ms)
{
    for (size_t i = 0; i < n; i++)
        if (ms[i] <= now_ms)
            return ms[i];
    return n ? ms[0] : 0;
}

void pm_prune_rules(const pmapdb_keep *keep, const int64_t *ms, size_t n, int64_t now_ms,
                    unsigned *why)
{
    int64_t left[PERIODS], seen[PERIODS], period[PERIODS], newest = counts_from(ms, n, now_ms);

    counts_of(keep, left);
    for (size_t i = 0; i < n; i++) {
        why[i] = 0;
        if (keep->within_ms > 0 && ms[i] > newest - keep->within_ms)
            why[i] |= PM_KEPT(PM_KEPT_WITHIN);
        periods_of(ms[i], i, period);
        for (int p = 0; p < PERIODS; p++) {
            bool begins = i == 0 || period[p] != seen[p];

            if (left[p] == 0 || (!begins && i != n - 1))
                continue;
            seen[p] = period[p];
            left[p] -= left[p] > 0;
            why[i] |= begins ? PM_KEPT(p) : PM_KEPT_OLDEST(p);
        }
    }
}

pmapdb_status pm_prune_why(unsigned why, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    bool first = true;

    for (int i = 0; i < PM_KEPT_COUNT && st == PMAPDB_OK; i++) {
        bool oldest = why & PM_KEPT_OLDEST(i);

        if (!oldest && !(why & PM_KEPT(i)))
            continue;
        st = pm_buf_addf(out, err, "%s%s%s", first ? "" : ", ", oldest ? "oldest " : "", names[i]);
        first = false;
    }
    return st;
}
