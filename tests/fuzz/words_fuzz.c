/* words_fuzz: readers of a single word or line: numbers, sizes, spans, flags, pids, the kind of a
 * line, the nearest word, facts from the path of a file. */
#include "kit.h"

#include "api/import/place.h"
#include "base/near.h"
#include "base/num.h"
#include "base/unit.h"
#include "parse/block.h"
#include "parse/formats.h"
#include "parse/guess.h"
#include "source/walk.h"
#include "store/func/functions.h"

static bool is_within(pm_text part, pm_text t)
{
    return part.len == 0 || (part.data >= t.data && part.data + part.len <= t.data + t.len);
}

static void check_numbers(pm_text t)
{
    const char *end = t.data + t.len;
    uint64_t v = 0, again = 0;
    int64_t amount = 0;
    size_t n = pm_num_dec(t.data, end, &v);
    char text[32];

    FUZZ_CHECK(n <= t.len && pm_num_all(t, &again) == (n && n == t.len), "decimal");
    if (n) {
        size_t zeros = 0, len = (size_t)snprintf(text, sizeof text, "%" PRIu64, v);

        while (zeros + 1 < n && t.data[zeros] == '0')
            zeros++;
        FUZZ_CHECK(n - zeros == len && memcmp(t.data + zeros, text, len) == 0, "%s", text);
    }
    n = pm_num_hex(t.data, end, &v);
    FUZZ_CHECK(n == 0 || n == pm_num_hex_run(t.data, end), "hexadecimal");
    if (pm_num_size(t, &amount))
        FUZZ_CHECK(amount >= 0, "size %" PRId64, amount);
    if (pm_num_span(t, &amount))
        FUZZ_CHECK(amount >= 0, "span %" PRId64, amount);
}

static void check_flags(pm_text t)
{
    static pm_buf out;
    char perms[4] = {0}, words[PM_PERMS_TEXT];

    pm_buf_clear(&out);
    FUZZ_CHECK(pm_vmflags_text(t, &out, NULL) == PMAPDB_OK, "memory");
    for (size_t i = 0; i < 4 && i < t.len; i++)
        perms[i] = t.data[i];
    pm_perms_text(perms, words);
    FUZZ_CHECK(memchr(words, '\0', sizeof words), "permissions without end");
}

static void check_line(pm_text t)
{
    pm_text command = {0};
    int64_t pid = 0;
    bool tentative = false;
    pm_line_kind kind = pm_guess(t);

    if (kind == PM_LINE_PID)
        FUZZ_CHECK(pm_guess_pid(t, &pid, &command, &tentative) && is_within(command, t) &&
                       (pid == PMAPDB_UNKNOWN || pid >= 0),
                   "pid %" PRId64, pid);
    if (kind == PM_LINE_DENIED)
        FUZZ_CHECK(pm_guess_denied(t, &pid), "denied");
    if (pm_pid_in_words(t, &pid))
        FUZZ_CHECK(pid >= 1 && pid <= 4194304, "pid %" PRId64, pid);
}

static void check_near(pm_text t, pm_text other)
{
    pm_near near;

    pm_near_start(&near, t);
    pm_near_try(&near, other);
    pm_near_try(&near, PM_TEXT("rss_kib"));
    FUZZ_CHECK(memchr(pm_near_hint(&near), '\0', sizeof near.hint), "a hint without end");
    FUZZ_CHECK(pm_unit_find(t) <= PM_UNIT_COUNT_OF_UNITS, "unit");
}

static void check_place(pm_text dir, pm_text name)
{
    static const char *const kinds[] = {"", "stat", "status", "comm", "cmdline", "smaps_rollup"};
    const int64_t pids[] = {pm_place_pid(dir, name), pm_place_folder_pid(dir)};
    pm_slot slot = pm_place_slot(name);
    bool only = false, known = false;
    pm_text kind;

    for (size_t i = 0; i < 2; i++)
        FUZZ_CHECK(pids[i] == PMAPDB_UNKNOWN || pids[i] >= 0, "pid %" PRId64, pids[i]);
    FUZZ_CHECK(is_within(slot.before, name) && is_within(slot.after, name), "slot");
    FUZZ_CHECK(is_within(pm_place_name(name), name), "name");
    FUZZ_CHECK(is_within(pm_place_stem(name), name), "stem");
    kind = pm_place_sibling(name, &slot, &only);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        known |= pm_text_equal(kind, pm_text_of(kinds[i]));
    FUZZ_CHECK(known, "another kind");
    (void)pm_walk_skips(dir);
    (void)pm_walk_skips(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    pm_text a = fuzz_until(&in, '\n'), b = fuzz_rest(&in);
    char *one = fuzz_alone(a.data, a.len), *two = fuzz_alone(b.data, b.len), *name = fuzz_string(a);
    pm_dialect dialect;
    pmapdb_error err;

    a.data = one;
    b.data = two;
    check_numbers(a);
    check_flags(a);
    check_line(a);
    check_near(a, b);
    check_place(b, a);
    if (pm_form_find(name, &dialect, &err) != PMAPDB_OK)
        fuzz_message(&err);
    free(one);
    free(two);
    free(name);
    return 0;
}
