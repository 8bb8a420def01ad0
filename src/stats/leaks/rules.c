/* rules: the verdict of one key from its curves, by rules of its category.
 *
 * What a growing rss means depends on whose memory it is: private pages are the process's own
 * doing; shared ones may have been there before and are only touched; pages of files are cache
 * that the kernel can drop; stacks count by their number, touched or not.
 */
#include "stats/leaks/work.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *slug;
    pm_leak_family family;
} families[] = {
    {"heap", PM_FAMILY_EXTENDED},     {"stack", PM_FAMILY_EXTENDED},
    {"anonymous", PM_FAMILY_PRIVATE}, {"anonymous/thread-stack", PM_FAMILY_THREAD_STACK},
    {"kernel", PM_FAMILY_PRIVATE},    {"shared-memory", PM_FAMILY_SHARED},
    {"memfd", PM_FAMILY_SHARED},      {"shared-library", PM_FAMILY_FILE},
    {"program", PM_FAMILY_FILE},      {"mapped-file", PM_FAMILY_FILE},
    {"deleted-file", PM_FAMILY_FILE}, {"reserve", PM_FAMILY_RESERVE},
};

/* The family of the refined slug if the table has it, otherwise of its first word. */
pm_leak_family pm_leaks_family(const char *slug)
{
    size_t word = strcspn(slug, "/");
    pm_leak_family found = PM_FAMILY_PRIVATE;

    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strcmp(families[i].slug, slug) == 0)
            return families[i].family;
        if (strlen(families[i].slug) == word && strncmp(families[i].slug, slug, word) == 0)
            found = families[i].family;
    }
    return found;
}

bool pm_leaks_collected(const char *slug)
{
    static const char *const heaps[] = {"anonymous/v8-heap", "anonymous/blink-gc",
                                        "anonymous/go-heap", "anonymous/jvm-heap",
                                        "memfd/jvm-heap",    "anonymous/dotnet-gc"};

    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
        if (strcmp(heaps[i], slug) == 0)
            return true;
    return false;
}

const pm_trend *pm_leaks_curve(const pm_leak_facts *facts, pm_metric metric)
{
    if (metric == PM_METRIC_SIZE)
        return &facts->size;
    return metric == PM_METRIC_MAPPINGS ? &facts->count : &facts->rss;
}

static void settle(pm_leak *row, pm_verdict verdict, pm_metric why)
{
    row->verdict = verdict;
    row->why_metric = why;
}

static bool flagged(const pm_trend *t)
{
    return pm_leaks_flagged(t->verdict);
}

static bool leaks(const pm_trend *t)
{
    return t->verdict == PM_VERDICT_LEAK;
}

#define GROWN(f, metric) ((f)->grown[PM_METRIC_##metric])
#define SIZE(kib) (pm_leaks_size(kib).text)
#define MORE(f, metric) (pm_leaks_more(GROWN(f, metric)).text)
#define PIECES(f) (pm_leaks_pieces(GROWN(f, MAPPINGS)).text)

/* Takes the verdict of the curve of rss, and its reason if there is one. */
static void as_rss(const pm_leak_facts *f, pm_leak *row)
{
    settle(row, f->tooth ? PM_VERDICT_SUSPECT : f->rss.verdict, PM_METRIC_RSS);
    if (row->reason[0] == '\0' && f->rss.reason[0] != '\0')
        pm_leaks_say(row, "%s", f->rss.reason);
}

static void decide_reserve(pm_leak_facts *f, pm_leak *row)
{
    if (!flagged(&f->size) && !flagged(&f->count)) {
        settle(row, f->size.verdict == PM_VERDICT_TOO_FEW ? PM_VERDICT_TOO_FEW : PM_VERDICT_STEADY,
               PM_METRIC_SIZE);
        return;
    }
    settle(row, PM_VERDICT_SUSPECT, flagged(&f->size) ? PM_METRIC_SIZE : PM_METRIC_MAPPINGS);
    pm_leaks_say(row, "address space only: size %s, %s; nothing of it is resident", MORE(f, SIZE),
                 PIECES(f));
}

static void say_stacks(const pm_leak_facts *f, pm_leak *row)
{
    double n = GROWN(f, MAPPINGS);

    if (n > 0)
        pm_leaks_say(row, "%+.0f stacks of %s", n, SIZE(GROWN(f, SIZE) / n));
    else
        pm_leaks_say(row, "number of stacks grows");
    if (f->has_rss)
        pm_leaks_say(row, "%s of it resident", SIZE(fmax(0, GROWN(f, RSS))));
}

/* Stacks count by their number; where that is unknown, by their size. */
static void decide_thread_stack(pm_leak_facts *f, pm_leak *row)
{
    bool counted = f->count.verdict != PM_VERDICT_TOO_FEW;
    const pm_trend *number = counted ? &f->count : &f->size;
    pm_metric why = counted ? PM_METRIC_MAPPINGS : PM_METRIC_SIZE;

    if (leaks(number)) {
        settle(row, PM_VERDICT_LEAK, why);
        say_stacks(f, row);
    } else if (counted && leaks(&f->size) && GROWN(f, MAPPINGS) >= PM_MATERIAL_COUNT) {
        settle(row, PM_VERDICT_LEAK, PM_METRIC_SIZE);
        say_stacks(f, row);
    } else if (flagged(number)) {
        settle(row, PM_VERDICT_SUSPECT, why);
        say_stacks(f, row);
    } else if (!f->has_rss) {
        settle(row, number->verdict, why);
    } else if (number->verdict != PM_VERDICT_TOO_FEW && flagged(&f->rss)) {
        settle(row, PM_VERDICT_PLATEAU, PM_METRIC_RSS);
        pm_leaks_say(row, "stacks get deeper (%s), their number is flat: bounded by %s",
                     MORE(f, RSS), SIZE(f->last[PM_METRIC_SIZE]));
    } else {
        as_rss(f, row);
    }
}

/* Notes that the key fills its mappings, and whether these have a constant size. Memory that the
 * kernel extends has no such end. */
static void note_fixed(pm_leak_facts *f)
{
    f->fills = f->family != PM_FAMILY_EXTENDED;
    f->fixed = f->fills && GROWN(f, SIZE) == 0 && GROWN(f, MAPPINGS) == 0 &&
               f->first[PM_METRIC_SIZE] == f->last[PM_METRIC_SIZE];
}

/* rss grows in shared memory. Unknown private memory is not 0: then the size alone decides. */
static void shared_grows(pm_leak_facts *f, pm_leak *row)
{
    double rss = GROWN(f, RSS), size = GROWN(f, SIZE), private = GROWN(f, PRIVATE);
    bool any_leaks = leaks(&f->rss) || leaks(&f->size) || leaks(&f->count);

    if (size > 0 && size >= PM_FOLLOWS * rss) {
        settle(row, any_leaks ? PM_VERDICT_LEAK : PM_VERDICT_SUSPECT,
               leaks(&f->size)                       ? PM_METRIC_SIZE
               : leaks(&f->rss) || !leaks(&f->count) ? PM_METRIC_RSS
                                                     : PM_METRIC_MAPPINGS);
        pm_leaks_say(row, "shared memory is created: size %s, %s", MORE(f, SIZE), PIECES(f));
    } else if (private > 0 && private >= PM_FOLLOWS * rss) {
        note_fixed(f);
        settle(row, f->rss.verdict, PM_METRIC_RSS);
        pm_leaks_say(row, "fills a shared mapping that exists: private %s, ends at %s",
                     MORE(f, PRIVATE), SIZE(f->last[PM_METRIC_SIZE]));
    } else {
        settle(row, PM_VERDICT_PLATEAU, PM_METRIC_RSS);
        pm_leaks_say(row, "touches shared pages that exist: private %s, size flat; ends at %s",
                     isnan(private) ? "unknown" : "flat", SIZE(f->last[PM_METRIC_SIZE]));
    }
}

static void decide_shared(pm_leak_facts *f, pm_leak *row)
{
    if (flagged(&f->rss)) {
        shared_grows(f, row);
    } else if (leaks(&f->size) || leaks(&f->count)) {
        settle(row, PM_VERDICT_SUSPECT, leaks(&f->size) ? PM_METRIC_SIZE : PM_METRIC_MAPPINGS);
        pm_leaks_say(row, "shared memory is mapped and not touched: size %s, %s", MORE(f, SIZE),
                     PIECES(f));
    } else {
        as_rss(f, row);
    }
}

static void decide_file(pm_leak_facts *f, pm_leak *row)
{
    double rss = GROWN(f, RSS), size = GROWN(f, SIZE), dirty = GROWN(f, PRIVATE_DIRTY);

    if (leaks(&f->count) && GROWN(f, MAPPINGS) >= PM_FILES_MIN && (flagged(&f->size) || size > 0)) {
        settle(row, PM_VERDICT_LEAK, PM_METRIC_MAPPINGS);
        pm_leaks_say(row, "%s of files that are never unmapped: size %s", PIECES(f), MORE(f, SIZE));
    } else if (!flagged(&f->rss) && !leaks(&f->size)) {
        as_rss(f, row);
    } else if (size < PM_FOLLOWS * rss && !(dirty >= PM_FOLLOWS * rss)) {
        settle(row, PM_VERDICT_PLATEAU, PM_METRIC_RSS);
        pm_leaks_say(row, "touches pages of mapped files: private dirty %s, size flat",
                     isnan(dirty) ? "unknown" : "flat");
    } else if (dirty >= PM_FOLLOWS * fmax(rss, 1)) {
        note_fixed(f);
        settle(row, f->rss.verdict, PM_METRIC_RSS);
        pm_leaks_say(row, "private copies of pages of files: %s", MORE(f, PRIVATE_DIRTY));
        if (f->fixed)
            pm_leaks_say(row, "ends at %s", SIZE(f->last[PM_METRIC_SIZE]));
    } else {
        settle(row, PM_VERDICT_SUSPECT, leaks(&f->size) ? PM_METRIC_SIZE : PM_METRIC_RSS);
        pm_leaks_say(row, "mapped files grow: size %s; cache, the kernel can drop it",
                     MORE(f, SIZE));
    }
}

/* rss grows in private memory: says how. */
static void private_grows(pm_leak_facts *f, pm_leak *row)
{
    double rss = GROWN(f, RSS), n = GROWN(f, MAPPINGS);

    settle(row, f->rss.verdict, PM_METRIC_RSS);
    if (f->tooth) {
        settle(row, PM_VERDICT_SUSPECT, PM_METRIC_RSS);
        pm_leaks_say(row, "may be garbage since the last collection, which the next one frees");
    }
    if (GROWN(f, SIZE) < PM_SIZE_FLAT * rss) {
        note_fixed(f);
        pm_leaks_say(row, "fills %s, %s of %s",
                     f->fixed ? "a reservation of fixed size" : "a reservation",
                     SIZE(f->last[PM_METRIC_RSS]), SIZE(f->last[PM_METRIC_SIZE]));
        if (f->last[PM_METRIC_RSS] > PM_FULL * f->last[PM_METRIC_SIZE])
            pm_leaks_say(row, "full: from here on rss shows nothing");
    } else if (flagged(&f->count) && n > 0) {
        pm_leaks_say(row, "%s of about %s each", PIECES(f), SIZE(rss / n));
    } else if (flagged(&f->size)) {
        pm_leaks_say(row, "rss and size grow together");
    }
    if (row->reason[0] != '\0' && f->rss.verdict == PM_VERDICT_SUSPECT && f->rss.reason[0] != '\0')
        pm_leaks_say(row, "%s", f->rss.reason); /* why the curve is no leak */
    as_rss(f, row);
}

static void decide_private(pm_leak_facts *f, pm_leak *row)
{
    double rss = GROWN(f, RSS), last = f->last[PM_METRIC_RSS];

    if (flagged(&f->rss)) {
        private_grows(f, row);
        return;
    }
    if (leaks(&f->size) || leaks(&f->count)) {
        settle(row, PM_VERDICT_SUSPECT, leaks(&f->size) ? PM_METRIC_SIZE : PM_METRIC_MAPPINGS);
        pm_leaks_say(row, "address space grows (size %s, %s), rss does not", MORE(f, SIZE),
                     PIECES(f));
        return;
    }
    if ((f->rss.verdict == PM_VERDICT_PLATEAU || f->rss.verdict == PM_VERDICT_STEADY) &&
        GROWN(f, SIZE) < PM_SIZE_FLAT * fmax(rss, 0) && last > PM_FULL * f->last[PM_METRIC_SIZE] &&
        rss > PM_FULL_GREW * last)
        pm_leaks_say(row,
                     "a reservation of fixed size is full: a leak in it would not show in rss");
    as_rss(f, row);
}

/* Plain pmap and maps give size and number only, and address space by itself costs nothing. */
static void decide_blind(const pm_leak_facts *f, pm_leak *row)
{
    if (!flagged(&f->size) && !flagged(&f->count)) {
        settle(row, f->size.verdict, PM_METRIC_SIZE);
        pm_leaks_say(row, "judged by size: resident memory is unknown");
        return;
    }
    settle(row, PM_VERDICT_SUSPECT, flagged(&f->size) ? PM_METRIC_SIZE : PM_METRIC_MAPPINGS);
    pm_leaks_say(row, "address space grows (size %s, %s); resident memory is unknown",
                 MORE(f, SIZE), PIECES(f));
}

void pm_leaks_decide(pm_leak_facts *facts, pm_leak *row)
{
    static void (*const decide[])(pm_leak_facts *, pm_leak *) = {
        [PM_FAMILY_PRIVATE] = decide_private,
        [PM_FAMILY_EXTENDED] = decide_private,
        [PM_FAMILY_THREAD_STACK] = decide_thread_stack,
        [PM_FAMILY_SHARED] = decide_shared,
        [PM_FAMILY_FILE] = decide_file,
        [PM_FAMILY_RESERVE] = decide_reserve,
    };
    bool own_rules = facts->family == PM_FAMILY_THREAD_STACK || facts->family == PM_FAMILY_RESERVE;

    if (!facts->has_rss && !own_rules)
        decide_blind(facts, row);
    else if (facts->has_rss && facts->rss.verdict == PM_VERDICT_TOO_FEW)
        settle(row, PM_VERDICT_TOO_FEW, PM_METRIC_RSS);
    else
        decide[facts->family](facts, row);
}
