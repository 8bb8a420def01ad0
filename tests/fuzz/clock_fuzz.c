/* clock_fuzz: times as people and cron write them: alone, as a line, before a line, in a name. */
#include "kit.h"

#include "../base/clock_kit.h"
#include "base/clock/clock_read.h"

/* Years 1970 to 9999, with a day for zones at both ends. */
#define MS_MIN (-INT64_C(86400000))
#define MS_MAX INT64_C(253402387200000)

static void check_ms(int64_t ms)
{
    char text[PM_CLOCK_TEXT];
    int64_t back = 0;

    FUZZ_CHECK(ms >= MS_MIN && ms <= MS_MAX, "%" PRId64, ms);
    pm_clock_format(ms, text);
    if (ms >= 0 && ms < INT64_C(253402300800000))
        FUZZ_CHECK(pm_clock_parse(pm_text_of(text), &back) && back == ms,
                   "%" PRId64 " is %s is %" PRId64, ms, text, back);
}

static void check_prefix(pm_text t)
{
    int64_t ms = 0, whole;
    pm_text rest = {0};

    if (!begins_with_moment(t, &ms, &rest))
        return;
    check_ms(ms);
    FUZZ_CHECK(pm_clock_plausible(ms), "%" PRId64, ms);
    FUZZ_CHECK(rest.len && rest.data > t.data && rest.data + rest.len == t.data + t.len, "rest");
    FUZZ_CHECK(!is_moment(t, &whole), "both a moment and one with more behind it");
}

static void check_name(pm_text t)
{
    int64_t ms = 0;
    pm_text where = {0};

    if (!pm_clock_in_name(t, &ms, &where))
        return;
    check_ms(ms);
    FUZZ_CHECK(pm_clock_plausible(ms), "%" PRId64, ms);
    FUZZ_CHECK(where.len && where.data >= t.data && where.data + where.len <= t.data + t.len,
               "where it stands");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_alone(data, size);
    pm_text t = {bytes, size};
    int64_t ms = 0;

    if (pm_clock_parse(t, &ms))
        check_ms(ms);
    if (is_moment(t, &ms)) {
        check_ms(ms);
        FUZZ_CHECK(pm_clock_plausible(ms), "%" PRId64, ms);
    }
    check_prefix(t);
    check_name(t);
    free(bytes);
    return 0;
}
