/* explain: for each block, the tool and version that printed it, the confidence, the evidence, and
 * the repairs. */
#include "parse/kit.h"

typedef struct told {
    const char *text;
    pm_dialect dialect;
    pm_confidence confidence;
    const char *tool, *why, *notes;
} told;

static void expect(const told *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pm_seen *s = kit_read(pm_text_of(cases[i].text));
        const pm_block *b = s->n_blocks ? &s->blocks[s->n_blocks - 1] : NULL;

        if (!b || b->dialect != cases[i].dialect || b->confidence != cases[i].confidence)
            fail_msg("%s: %s, %s", cases[i].text, b ? pm_dialect_name(b->dialect) : "no block",
                     b ? pm_confidence_name(b->confidence) : "");
        assert_string_equal(b->tool.data, cases[i].tool);
        assert_string_equal(b->why.data, cases[i].why);
        assert_string_equal(b->notes.data, cases[i].notes);
        kit_free(s);
        kit_every_chunk(pm_text_of(cases[i].text), 64);
    }
}

#define EXPECT(cases) expect(cases, sizeof(cases) / sizeof *(cases))

#define X "1:   a\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
#define X3 "1:   a\nAddress           Kbytes     RSS   Dirty Mode   Mapping\n"
#define X_WHY " rows like pmap-x: size, rss, dirty, names\n"
#define X_HEADER "the header: Address Kbytes RSS Dirty Mode Mapping"
#define AGREE "\nthe sums below the rows agree"
#define A1 "0000000000400000      12       8       4 r-x-- a\n"
#define A2 "0000000000400000      12       8       4 r-x--  a\n"
#define K_WHY "1 rows like pmap: size, names"

static void versions_of_procps(void **state)
{
    static const told cases[] = {
        {X A1 "total kB              12       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         PM_CONFIDENCE_CERTAIN, "procps 3.3.7 or later", "1" X_WHY X_HEADER AGREE, ""},
        {X3 A2 "total kB              12       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         PM_CONFIDENCE_CERTAIN, "procps of RHEL 5 or 6, or 3.3.2 to 3.3.6",
         "1" X_WHY X_HEADER "\ntwo blanks before the name" AGREE, ""},
        {"0000000000400000     12K r-x-- a\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps 3.3.7 or later", K_WHY, ""},
        {"0000000000400000     12K r-x--  a\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps up to 3.3.6", K_WHY "\ntwo blanks before the name", ""},
        /* A page that keeps one blank of each run hides which one it was. */
        {"0000000000400000 12K r-x-- a\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS, "procps", K_WHY,
         ""},
        {"0000000000400000     12K r-x-- [vdso]\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps 4.0.6 or later, with -k", K_WHY, ""},
        {"0000000000400000     12K r-xp- a\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps of openSUSE", K_WHY "\nmodes like r-xp-", ""},
        {" total               12K\n", PM_DIALECT_PMAP, PM_CONFIDENCE_LIKELY, "procps",
         "a line of sums like that of pmap", ""},
        {"1:   a\n total               12K\n", PM_DIALECT_PMAP, PM_CONFIDENCE_CERTAIN, "procps",
         "a line of sums like that of pmap", ""},
    };

    EXPECT(cases);
}

#define DOUBLED                                                                             \
    "1 rows are printed twice, the second time with zeroes: counted once (procps 3.3.2 to " \
    "3.3.12 on Linux 4.3 or later)"
#define ZEROES "0000000000400000       0       0       0 "
#define SHARED "0000000000500000       4       0       0 rw-s- "
#define TWICE "the footer counts shared mappings twice: 4 KiB taken off (procps 3.3.2 to 3.3.11)"

/* The faults of a tool date it. A footer that counts shared mappings twice proves nothing unless
 * doubled rows show that the tool is one of those that do so: a row may be missing instead. */
static void faults_of_procps(void **state)
{
    static const told cases[] = {
        {X A1 ZEROES "r-x-- a\ntotal kB              12       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         PM_CONFIDENCE_CERTAIN, "procps 3.3.7 to 3.3.12", "2" X_WHY X_HEADER AGREE, DOUBLED},
        {X3 A2 ZEROES "r-x--  a\ntotal kB              12       8       4\n",
         PM_DIALECT_PMAP_SMALL_X, PM_CONFIDENCE_CERTAIN, "procps 3.3.2 to 3.3.6",
         "2" X_WHY X_HEADER "\ntwo blanks before the name" AGREE, DOUBLED},
        {X A1 SHARED "b\ntotal kB              20       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         PM_CONFIDENCE_GUESS, "procps 3.3.7 to 3.3.11", "2" X_WHY X_HEADER, TWICE},
        {X3 A2 SHARED " b\ntotal kB              20       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         PM_CONFIDENCE_GUESS, "procps 3.3.2 to 3.3.6",
         "2" X_WHY X_HEADER "\ntwo blanks before the name", TWICE},
        {X A1 ZEROES "r-x-- a\n" SHARED "b\ntotal kB              20       8       4\n",
         PM_DIALECT_PMAP_SMALL_X, PM_CONFIDENCE_CERTAIN, "procps 3.3.7 to 3.3.11",
         "3" X_WHY X_HEADER AGREE, DOUBLED "\n" TWICE},
        {X "0000000000300000       0       8       4  r--p (null)\n" A1
           "total kB              12       8       4\n",
         PM_DIALECT_PMAP_SMALL_X, PM_CONFIDENCE_CERTAIN, "procps 3.3.7 to 3.3.12",
         "2" X_WHY X_HEADER AGREE,
         "1 rows of size 0 lie outside of the range of -A: left out (procps 3.3.2 to 3.3.14)"},
        {X A1 "total kB              12      10       4\n", PM_DIALECT_PMAP_SMALL_X,
         PM_CONFIDENCE_CERTAIN, "procps 3.3.7 or later", "1" X_WHY X_HEADER AGREE,
         "the footer counts 2 KiB of RSS outside of these rows: only a range was asked for (-A)"},
    };

    EXPECT(cases);
}

#define WIDE_ROW \
    "    00401000 r--p    4   4 a\n    00402000 r--p    4   4 a\n    00403000 r--p    4   4 a\n"
#define WIDE_WHY \
    "3 rows like pmap-X: size, rss, pss, swap, offset, names\nthe header: Address Perm "
#define RULE "                  ==== === \n"
#define NO_FOOTER "no footer: whether rows are missing cannot be told"
#define NAME32 "0123456789abcdef0123456789abcdef"
#define NAME127 NAME32 NAME32 NAME32 "0123456789abcdef0123456789abcde"

static void wide_ones(void **state)
{
    static const told cases[] = {
        {"1:   a\n     Address Perm Size Rss Mapping\n" WIDE_ROW RULE
         "                    12  12 KB \n",
         PM_DIALECT_PMAP_X, PM_CONFIDENCE_CERTAIN, "procps 3.3.7 or later",
         WIDE_WHY "Size Rss Mapping" AGREE, ""},
        {"1:   a\n     Address Perm Size Rss Mapping\n" WIDE_ROW RULE
         "                    12  12 KB \n"
         "2:   a\n     Address Perm Size Rss Mapping\n" WIDE_ROW RULE
         "                    24  24 KB \n",
         PM_DIALECT_PMAP_X, PM_CONFIDENCE_CERTAIN, "procps 3.3.7 to 4.0.3",
         WIDE_WHY "Size Rss Mapping" AGREE,
         "the footer goes on from the process before: that was taken off (procps before 4.0.4)"},
        {"     Address Perm Size KSM Mapping\n" WIDE_ROW, PM_DIALECT_PMAP_X, PM_CONFIDENCE_CERTAIN,
         "procps 3.3.7 or later on Linux 6.8 or later", WIDE_WHY "Size KSM Mapping", NO_FOOTER},
        {"     Address Perm Size VmFlagsMapping\n    00401000 r--p    4   rd  a\n",
         PM_DIALECT_PMAP_XX, PM_CONFIDENCE_GUESS, "procps 3.3.7 to 3.3.14 on Linux 3.8 or later",
         "1 rows like pmap-XX: size, rss, pss, private, swap, flags, offset, names\nthe header: "
         "Address Perm Size VmFlagsMapping",
         NO_FOOTER},
        {"     Address Perm Size Mapping\n    00401000 r--p    4 " NAME127 "\n", PM_DIALECT_PMAP_X,
         PM_CONFIDENCE_GUESS, "procps 3.3.7 or later",
         "1 rows like pmap-X: size, rss, pss, swap, offset, names\nthe header: Address Perm Size "
         "Mapping",
         "the tool cut 1 of its names at 127 bytes\n" NO_FOOTER},
        {"1:   a\n00401000 r--p 00000000 fe:00 17 4 4 4 4 4 0 0 a\n", PM_DIALECT_PMAP_X,
         PM_CONFIDENCE_GUESS, "procps 3.3.7 or later",
         "1 rows like pmap-X: size, rss, pss, swap, offset, names\n7 columns without names, told "
         "by "
         "what Linux prints",
         ""},
    };

    EXPECT(cases);
}

#define MAP "00400000-00401000 r--p 00000000 fe:00 17 /a\n"
#define MAPS "1 rows like maps: size, offset, names"
#define SMAPS "1 rows like smaps: size, rss, pss, private, swap, flags, offset, names"

/* The youngest key dates the kernel. */
static void kernels(void **state)
{
    static const struct {
        const char *key, *tool;
    } keys[] = {{"Rss", "Linux"},
                {"SwapPss", "Linux 4.3 or later"},
                {"Shared_Hugetlb", "Linux 4.4 or later"},
                {"ShmemPmdMapped", "Linux 4.8 or later"},
                {"LazyFree", "Linux 4.12 or later"},
                {"FilePmdMapped", "Linux 5.4 or later"},
                {"Pss_Dirty", "Linux 6.0 or later"},
                {"KSM", "Linux 6.8 or later"}};
    static const told cases[] = {
        {MAP, PM_DIALECT_MAPS, PM_CONFIDENCE_GUESS, "Linux", MAPS, ""},
        {MAP "VmFlags: rd \n", PM_DIALECT_SMAPS, PM_CONFIDENCE_CERTAIN, "Linux 3.8 or later", SMAPS,
         ""},
        {MAP "THPeligible:    0\n", PM_DIALECT_SMAPS, PM_CONFIDENCE_CERTAIN, "Linux 5.0 or later",
         SMAPS, ""},
        {"00400000-7ff000 ---p 00000000 00:00 0   [rollup]\nRss:    8 kB\nPss:    4 kB\n",
         PM_DIALECT_ROLLUP, PM_CONFIDENCE_CERTAIN, "Linux",
         "1 rows like smaps_rollup: rss, pss, private, swap", ""},
    };
    char text[256];

    EXPECT(cases);
    for (size_t i = 0; i < COUNT(keys); i++) {
        told c = {text, PM_DIALECT_SMAPS, PM_CONFIDENCE_CERTAIN, keys[i].tool, SMAPS, ""};

        snprintf(text, sizeof text, MAP "Rss:       4 kB\n%s:       0 kB\n", keys[i].key);
        if (i)
            expect(&c, 1);
    }
}

/* One row is a guess, three are likely, a header or a sum make it certain; damage does not. */
static void how_sure(void **state)
{
    static const struct {
        const char *text;
        pm_confidence confidence;
    } cases[] = {
        {MAP, PM_CONFIDENCE_GUESS},
        {MAP "00401000-00402000 r--p 00000000 fe:00 17 /a\n"
             "00402000-00403000 r--p 00000000 fe:00 17 /a\n",
         PM_CONFIDENCE_LIKELY},
        {"1:   a\n" A1, PM_CONFIDENCE_GUESS},
        {"1:   a\n" A1 "0000000000403000       4       0       0 r---- a\n"
         "0000000000404000       4       0       0 r---- a\n",
         PM_CONFIDENCE_CERTAIN},
        {A1 "total kB 12 8 4\n", PM_CONFIDENCE_CERTAIN},
        /* -Xq: which number is which had to be guessed. */
        {"1:   a\n00401000 r--p 00000000 fe:00 17 4 4 4 4 4 0 0 a\n"
         "00402000 r--p 00000000 fe:00 17 4 4 4 4 4 0 0 a\n"
         "00403000 r--p 00000000 fe:00 17 4 4 4 4 4 0 0 a\n",
         PM_CONFIDENCE_GUESS},
        /* one damaged row of four */
        {"1:   a\n" A1 "0000000000403000       4       0       0 r---- a\n"
         "0000000000404000       4       0       0 r---- a\n0000000000405000 ?\n",
         PM_CONFIDENCE_GUESS},
        /* no whole pages */
        {X "0000000000400000      13       8       4 r-x-- a\ntotal kB 13 8 4\n",
         PM_CONFIDENCE_GUESS},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s = kit_read(pm_text_of(cases[i].text));

        assert_int_equal(s->n_blocks, 1);
        if (s->blocks[0].confidence != cases[i].confidence)
            fail_msg("%s: %s", cases[i].text, pm_confidence_name(s->blocks[0].confidence));
        kit_free(s);
    }
}

static void what_was_made_good(void **state)
{
    static const told cases[] = {
        {"> 0000000000400000     12K rw--- a <1>\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps 3.3.7 or later", K_WHY,
         "\"> \" was taken off\nmarks like <1> were taken off the names"},
        {"0000000000400000     12K r-x--   [ анон ]\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps 3.3.7 or later", K_WHY, "\"[ anon ]\" and \"[ stack ]\" are in another language"},
        {"0000000000400000     13K r-x-- a\n", PM_DIALECT_PMAP, PM_CONFIDENCE_GUESS,
         "procps 3.3.7 or later", K_WHY,
         "sizes that are no whole pages (1, the first in line 1): edited or made up"},
        {"0000000000400000      12K r-xp  /a\n", PM_DIALECT_BUSYBOX, PM_CONFIDENCE_GUESS, "busybox",
         "1 rows like busybox: size, names",
         "busybox cuts a name at its first blank: \" (deleted)\" and what else follows is lost"},
    };

    EXPECT(cases);
}

RUN_TESTS(TEST(versions_of_procps), TEST(faults_of_procps), TEST(wide_ones), TEST(kernels),
          TEST(how_sure), TEST(what_was_made_good))
