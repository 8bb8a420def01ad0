/* explain: for each block, the repairs. */
#include "parse/kit.h"

typedef struct told {
    const char *text;
    pm_dialect dialect;
    const char *notes;
} told;

static void expect(const told *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pm_seen *s = kit_read(pm_text_of(cases[i].text));
        const pm_block *b = s->n_blocks ? &s->blocks[s->n_blocks - 1] : NULL;

        if (!b || b->dialect != cases[i].dialect)
            fail_msg("%s: %s", cases[i].text, b ? pm_dialect_name(b->dialect) : "no block");
        assert_string_equal(b->notes.data, cases[i].notes);
        kit_free(s);
        kit_every_chunk(pm_text_of(cases[i].text), 64);
    }
}

#define EXPECT(cases) expect(cases, sizeof(cases) / sizeof *(cases))

#define X "1:   a\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
#define X3 "1:   a\nAddress           Kbytes     RSS   Dirty Mode   Mapping\n"
#define A1 "0000000000400000      12       8       4 r-x-- a\n"
#define A2 "0000000000400000      12       8       4 r-x--  a\n"

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
         DOUBLED},
        {X3 A2 ZEROES "r-x--  a\ntotal kB              12       8       4\n",
         PM_DIALECT_PMAP_SMALL_X, DOUBLED},
        {X A1 SHARED "b\ntotal kB              20       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         TWICE},
        {X3 A2 SHARED " b\ntotal kB              20       8       4\n", PM_DIALECT_PMAP_SMALL_X,
         TWICE},
        {X A1 ZEROES "r-x-- a\n" SHARED "b\ntotal kB              20       8       4\n",
         PM_DIALECT_PMAP_SMALL_X, DOUBLED "\n" TWICE},
        {X "0000000000300000       0       8       4  r--p (null)\n" A1
           "total kB              12       8       4\n",
         PM_DIALECT_PMAP_SMALL_X,
         "1 rows of size 0 lie outside of the range of -A: left out (procps 3.3.2 to 3.3.14)"},
        {X A1 "total kB              12      10       4\n", PM_DIALECT_PMAP_SMALL_X,
         "the footer counts 2 KiB of RSS outside of these rows: only a range was asked for (-A)"},
    };

    EXPECT(cases);
}

#define WIDE_ROW \
    "    00401000 r--p    4   4 a\n    00402000 r--p    4   4 a\n    00403000 r--p    4   4 a\n"
#define RULE "                  ==== === \n"
#define NO_FOOTER "no footer: whether rows are missing cannot be told"
#define NAME32 "0123456789abcdef0123456789abcdef"
#define NAME127 NAME32 NAME32 NAME32 "0123456789abcdef0123456789abcde"

static void wide_ones(void **state)
{
    static const told cases[] = {
        {"1:   a\n     Address Perm Size Rss Mapping\n" WIDE_ROW RULE
         "                    12  12 KB \n",
         PM_DIALECT_PMAP_X, ""},
        {"1:   a\n     Address Perm Size Rss Mapping\n" WIDE_ROW RULE
         "                    12  12 KB \n"
         "2:   a\n     Address Perm Size Rss Mapping\n" WIDE_ROW RULE
         "                    24  24 KB \n",
         PM_DIALECT_PMAP_X,
         "the footer goes on from the process before: that was taken off (procps before 4.0.4)"},
        {"     Address Perm Size KSM Mapping\n" WIDE_ROW, PM_DIALECT_PMAP_X, NO_FOOTER},
        {"     Address Perm Size VmFlagsMapping\n    00401000 r--p    4   rd  a\n",
         PM_DIALECT_PMAP_XX, NO_FOOTER},
        {"     Address Perm Size Mapping\n    00401000 r--p    4 " NAME127 "\n", PM_DIALECT_PMAP_X,
         "the tool cut 1 of its names at 127 bytes\n" NO_FOOTER},
        {"1:   a\n00401000 r--p 00000000 fe:00 17 4 4 4 4 4 0 0 a\n", PM_DIALECT_PMAP_X,
         "no header: which number is which was told by what Linux prints"},
    };

    EXPECT(cases);
}

static void what_was_made_good(void **state)
{
    static const told cases[] = {
        {"> 0000000000400000     12K rw--- a <1>\n", PM_DIALECT_PMAP,
         "\"> \" was taken off\nmarks like <1> were taken off the names"},
        {"0000000000400000     12K r-x--   [ анон ]\n", PM_DIALECT_PMAP,
         "\"[ anon ]\" and \"[ stack ]\" are in another language"},
        {"0000000000400000     13K r-x-- a\n", PM_DIALECT_PMAP,
         "sizes that are no whole pages (1, the first in line 1): edited or made up"},
        {"0000000000400000      12K r-xp  /a\n", PM_DIALECT_BUSYBOX,
         "busybox cuts a name at its first blank: \" (deleted)\" and what else follows is lost"},
    };

    EXPECT(cases);
}

RUN_TESTS(TEST(faults_of_procps), TEST(wide_ones), TEST(what_was_made_good))
