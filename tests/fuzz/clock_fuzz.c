/* clock_fuzz: moments as people and cron write them: alone, as a line, before a line, in a name. */
#include "kit.h"

#include "base/civil.h"
#include "base/clock.h"
#include "base/clock_scan.h"

/* Years 1970 to 9999, a day of zones to either side. */
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

    if (!pm_clock_parse_prefix(t, &ms, &rest))
        return;
    check_ms(ms);
    FUZZ_CHECK(pm_civil_plausible(ms), "%" PRId64, ms);
    FUZZ_CHECK(rest.len && rest.data > t.data && rest.data + rest.len == t.data + t.len, "rest");
    FUZZ_CHECK(!pm_clock_parse_line(t, &whole), "both a moment and one with more behind it");
}

static void check_name(pm_text t)
{
    int64_t ms = 0;
    pm_text where = {0};

    if (!pm_clock_find_in_name(t, &ms, &where))
        return;
    check_ms(ms);
    FUZZ_CHECK(pm_civil_plausible(ms), "%" PRId64, ms);
    FUZZ_CHECK(where.len && where.data >= t.data && where.data + where.len <= t.data + t.len,
               "where it stands");
}

/* Each part of a date by itself; none reads past the end or takes more than there is. */
static void check_parts(pm_text t)
{
    pm_civil c = {0};
    pm_zone zone;
    bool flag;
    int64_t ms;
    int part;

    FUZZ_CHECK(pm_clock_scan_date(t, &c, &flag) <= t.len, "date");
    FUZZ_CHECK(pm_clock_scan_iso(t, &c, &flag) <= t.len, "iso");
    c = (pm_civil){0};
    FUZZ_CHECK(pm_clock_scan_words(t, &c) <= t.len, "words");
    FUZZ_CHECK(pm_clock_scan_unix(t, &ms) <= t.len, "unix");
    FUZZ_CHECK(pm_clock_scan_zone(t, false, &zone) <= t.len, "zone");
    FUZZ_CHECK(pm_clock_scan_zone(t, true, &zone) <= t.len, "zone apart");
    FUZZ_CHECK(pm_clock_scan_fraction(t, &part) <= t.len, "fraction");
    (void)pm_clock_has_time_of_day(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_alone(data, size);
    pm_text t = {bytes, size};
    int64_t ms = 0;

    if (pm_clock_parse(t, &ms))
        check_ms(ms);
    if (pm_clock_parse_line(t, &ms)) {
        check_ms(ms);
        FUZZ_CHECK(pm_civil_plausible(ms), "%" PRId64, ms);
    }
    check_prefix(t);
    check_name(t);
    check_parts(t);
    free(bytes);
    return 0;
}
