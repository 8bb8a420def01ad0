/* sums: lines of sums without rows above them are totals, in every tool and language; lines that
 * only look like sums are not. */
#include "parse/kit.h"

#define NONE (-1)

typedef struct sum {
    const char *line;
    pm_dialect dialect;
    int64_t size, rss, pss, dirty, swap;
} sum;

/* The only block of the text is totals, of these. */
static void expect_totals(const char *text, const sum *c)
{
    pm_seen *s = kit_read(pm_text_of(text));
    const int64_t *v;

    if (s->n_blocks != 1 || s->blocks[0].state != PM_STATE_TOTALS || s->blocks[0].empty.len)
        fail_msg("no totals in: %s", text);
    v = s->blocks[0].totals.v;
    assert_int_equal(s->blocks[0].dialect, c->dialect);
    assert_int_equal(v[PM_TOTAL_MAPPINGS], NONE);
    assert_int_equal(v[PM_TOTAL_SIZE], c->size);
    assert_int_equal(v[PM_TOTAL_RSS], c->rss);
    assert_int_equal(v[PM_TOTAL_PSS], c->pss);
    assert_int_equal(v[PM_TOTAL_PRIVATE], NONE);
    assert_int_equal(v[PM_TOTAL_PRIVATE_DIRTY], c->dirty);
    assert_int_equal(v[PM_TOTAL_SWAP], c->swap);
    assert_int_equal(s->blocks[0].checked, PM_CHECKED_NONE);
    kit_free(s);
    kit_every_chunk(pm_text_of(text), 512);
}

static const sum sums[] = {
    {" total         17831808K\n", PM_DIALECT_PMAP, 17831808, NONE, NONE, NONE, NONE},
    {" total              144K\n", PM_DIALECT_PMAP, 144, NONE, NONE, NONE, NONE},
    {"total          17831808K\n", PM_DIALECT_PMAP, 17831808, NONE, NONE, NONE, NONE},
    {" gesamt           35904K\n", PM_DIALECT_PMAP, 35904, NONE, NONE, NONE, NONE},
    {" razem            35904K\n", PM_DIALECT_PMAP, 35904, NONE, NONE, NONE, NONE},
    {" totalt         35904 k\n", PM_DIALECT_PMAP, 35904, NONE, NONE, NONE, NONE},
    {" загалом        35904 К\n", PM_DIALECT_PMAP, 35904, NONE, NONE, NONE, NONE},
    {" tổng             35904K\n", PM_DIALECT_PMAP, 35904, NONE, NONE, NONE, NONE},
    {"total kB           35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"total kB 35904 8076 6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE, NONE},
    {"kB gesamt          35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"ko total           35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"razem kB           35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"totalt kB          35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"кБ загалом         35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"tổng kB            35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    {"kB total           35904    8076    6368\n", PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE,
     NONE},
    /* procps 3.2 */
    {"total kB           35904       -       -       -\n", PM_DIALECT_PMAP_SMALL_X, 35904, NONE,
     NONE, NONE, NONE},
    {"mapped: 25036K    writeable/private: 2704K    shared: 28K\n", PM_DIALECT_PMAP_D, 25036, NONE,
     NONE, NONE, NONE},
    {"mappé: 25036K    inscriptible/privé: 2704K    partagé: 28K\n", PM_DIALECT_PMAP_D, 25036, NONE,
     NONE, NONE, NONE},
    {"odwzorowane: 25036K    do zapisu/prywatne: 2704K    dzielone: 28K\n", PM_DIALECT_PMAP_D,
     25036, NONE, NONE, NONE, NONE},
    {"mappat: 25036 k    skrivbart/privat: 2704 k    delat: 28 k\n", PM_DIALECT_PMAP_D, 25036, NONE,
     NONE, NONE, NONE},
    {"пов'язано: 25036К    записуване/приватне: 2704К    спільне: 28К\n", PM_DIALECT_PMAP_D, 25036,
     NONE, NONE, NONE, NONE},
    {"ánhxạ: 25036K    ghi/riêng: 2704K    chia: 28K\n", PM_DIALECT_PMAP_D, 25036, NONE, NONE, NONE,
     NONE},
    {"asignado: 25036K    escritura/privado: 2704K    compartido: 28K\n", PM_DIALECT_PMAP_D, 25036,
     NONE, NONE, NONE, NONE},
    {"mapeado: 25036K    gravável/privado: 2704K    compartilhado: 28K\n", PM_DIALECT_PMAP_D, 25036,
     NONE, NONE, NONE, NONE},
    {"mapped: 992K\n", PM_DIALECT_BUSYBOX, 992, NONE, NONE, NONE, NONE},
    {"total           17831808    2256     144      16\n", PM_DIALECT_TOYBOX_X, 17831808, NONE,
     2256, 144, 16},
    {"total\t\t 17831808    2256     144      16\n", PM_DIALECT_BUSYBOX_X, 17831808, NONE, 2256,
     144, 16},
    {"total kB          222568    6704    2402    1832     640\n", PM_DIALECT_SUSE, 222568, 6704,
     2402, NONE, 640},
    {"Total:            10560K    636K     79K     48K     88K\n", PM_DIALECT_SUSE, 10560, 636, 79,
     NONE, 88},
    {"336K writable-private, 10224K readonly-private, 0K shared, and 636K referenced\n",
     PM_DIALECT_SUSE, 10560, NONE, NONE, NONE, NONE},
    {"2784K writable-private, 21052K readonly-private, and 28K shared\n", PM_DIALECT_SUSE, 23864,
     NONE, NONE, NONE, NONE},
};

static void alone(void **state)
{
    for (size_t i = 0; i < COUNT(sums); i++)
        expect_totals(sums[i].line, &sums[i]);
}

static void stamped(void **state)
{
    char text[256];

    for (size_t i = 0; i < COUNT(sums); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, "2026-11-21 02:05:32 %s", sums[i].line);
        s = kit_read(pm_text_of(text));
        if (s->n_blocks != 1 || s->blocks[0].time_ms != 1795226732000 ||
            s->blocks[0].totals.v[PM_TOTAL_SIZE] != sums[i].size)
            fail_msg("no totals at its time in: %s", text);
        kit_free(s);
    }
}

/* `pmap -x PID | tail -1 >> log`: each line is one capture. */
static void a_log_of_sums(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("total kB 12 8 4\ntotal kB 16 8 4\n2026-11-21 02:05:32\n"
                                  "mapped: 12K    writeable/private: 0K    shared: 0K\n"
                                  "4711:   a\n total               12K\n"));

    assert_int_equal(s->n_blocks, 4);
    assert_int_equal(s->blocks[1].totals.v[PM_TOTAL_SIZE], 16);
    assert_int_equal(s->blocks[1].time_ms, PMAPDB_UNKNOWN);
    assert_int_equal(s->blocks[2].time_ms, 1795226732000);
    assert_int_equal(s->blocks[3].pid, 4711);
    assert_int_equal(s->foreign, 0);
    kit_free(s);
}

/* SLES prints two lines of one process; with the first, the second adds up to no other size. */
static void two_lines_of_sles(void **state)
{
    expect_totals("Total:            10560K    636K     79K     48K     88K\n\n336K "
                  "writable-private, 10224K readonly-private, 0K shared, and 636K referenced\n",
                  &(sum){NULL, PM_DIALECT_SUSE, 10560, 636, 79, NONE, 88});
}

static void what_is_no_sum(void **state)
{
    static const char *const lines[] = {
        "total 48K",
        "total 48",
        "insgesamt 48K",
        "gesamt 48K",
        "48K\ttotal",
        "48\ttotal",
        "  1  2  3  4 total",
        "Mem:           4004        1000        3004           0          12        3004",
        "Swap:             0           0           0",
        "Total:         4004        1000        3004",
        "Total: 12K",
        "Total: 5K in 5K files of 5K, 5K, 5K",
        " 1  0      0 3076544  12345 678901    0    0     1     2    3    4  0  0 100  0  0",
        "     4096312 K total memory",
        "      pages paged in 12345",
        " total used  48K",
        " total memory  48K",
        "total kB used 12 8 4",
        "mapped: none of 12K",
        "mapped: 12",
        "mapped: 12    writeable/private: 4    shared: 0K",
        "unmapped: 12K",
        "total:   48K",
        "Total    48K",
        " PSYoungGen      total 76288K, used 5243K [0x00000000eab00000, 0x00000000f0000000)",
        " garbage-first heap   total 258048K, used 3072K",
        "  class space    used 1024K, committed 1088K, reserved 1048576K",
        "request took 12 34 56",
        "GET /total  12K",
        "12K writable-private",
        "12K writable, 4K readonly-private and more",
        "336 writable-private, 10224 readonly-private, 0 shared",
        "total kB 12 8 4 rows",
        "total kB 12 8",
        "total kB 1 2 3 4 5 6",
        "total kB 12 8 x4",
        "total kB 12 - 4",
        " total  12K 8",
        " total  -12K",
        " total  12M",
        /* No process has more than 2^46 KiB. */
        " total  70368744177665K",
        "total kB 12 9223372036854775807 4",
        "total kB 12 99999999999999999999 4",
    };
    char text[256];

    for (size_t i = 0; i < COUNT(lines); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, "%s\n", lines[i]);
        s = kit_read(pm_text_of(text));
        if (s->n_blocks)
            fail_msg("a block in: %s", text);
        kit_free(s);
    }
}

/* Nor are they the sums of the rows above them, whose own were left out. */
static void what_is_no_sum_of_rows(void **state)
{
    static const char *const lines[] = {
        "-rw-r--r--   1 root root    12 Nov 21  2025", "total 48K",
        "Mem:           4004        1000        3004", "load  1  2  3  4  5",
        " 1  0      0 3076544  12345 678901    0    0     1     2    3    4  0  0 100  0  0"};
    char text[512];

    for (size_t i = 0; i < COUNT(lines); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, "4711:   a\n0000000000400000     12K r-x-- demo\n%s\n",
                 lines[i]);
        s = kit_read(pm_text_of(text));
        assert_int_equal(s->n_blocks, 1);
        assert_string_equal(s->blocks[0].missing.data, "");
        assert_int_equal(s->blocks[0].checked, PM_CHECKED_NONE);
        assert_int_equal(s->foreign, 1);
        kit_free(s);
    }
}

/* Below rows, and set off as their columns are, the words may be of any language. */
static void words_that_nobody_knows(void **state)
{
    kit_expect_block(PM_TEXT("4711:   a\n0000000000400000     12K r-x-- demo\n yhteens\xc3\xa4"
                             "           12K\n"),
                     PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
    kit_expect_block(PM_TEXT("0000000000400000      12       8       4 r-x-- demo\n"
                             "kB yhteens\xc3\xa4          16       8       4\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 12 KiB, footer says 16 KiB: 4 KiB are missing");
}

/* A process without memory is a kernel thread or denied, and no capture of zeroes. */
static void zeroes_are_no_totals(void **state)
{
    static const char *const texts[] = {
        "total kB               0       0       0\n", " total                0K\n",
        "mapped: 0K    writeable/private: 0K    shared: 0K\n", "total kB 0 0 0 0 0\n",
        ("7:   a\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
         "---------------- ------- ------- ------- \ntotal kB               0       0       0\n")};

    for (size_t i = 0; i < COUNT(texts); i++) {
        pm_seen *s = kit_read(pm_text_of(texts[i]));

        assert_int_equal(s->n_blocks, 1);
        assert_string_equal(s->blocks[0].empty.data, "no mappings: kernel thread or no permission");
        assert_int_not_equal(s->blocks[0].state, PM_STATE_TOTALS);
        kit_free(s);
    }
}

/* Header and sums, no rows: what `grep` or `head -1; tail -1` left. */
static void header_and_sums(void **state)
{
    pm_seen *s;

    expect_totals("4711:   a\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
                  "total kB           35904    8076    6368\n",
                  &(sum){NULL, PM_DIALECT_PMAP_SMALL_X, 35904, 8076, NONE, NONE, NONE});
    expect_totals("4711:   a\n     Address Perm Size Rss Pss Swap Mapping\n"
                  "                  ==== === === ==== \n                    16   8   7    3 KB \n",
                  &(sum){NULL, PM_DIALECT_PMAP_X, 16, 8, 7, NONE, 3});
    s = kit_read(PM_TEXT("4711:   a\n     Address Perm Size KernelPageSize Rss Private_Dirty "
                         "Private_Clean VmFlags Mapping\n"
                         "                  ==== ============== === ============= =============\n"
                         "                    16              8   8             3             2 "
                         "KB \n"));
    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].state, PM_STATE_TOTALS);
    assert_int_equal(s->blocks[0].dialect, PM_DIALECT_PMAP_XX);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_PRIVATE], 5);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_PRIVATE_DIRTY], 3);
    kit_free(s);
    /* Sums for other columns than the header's are of nobody knows what. */
    s = kit_read(PM_TEXT("4711:   a\n     Address Perm Size Rss Pss Swap Mapping\n"
                         "                  ==== === === ==== \n                 16   8   7 KB "
                         "\n"));
    assert_int_equal(s->n_blocks, 1);
    assert_int_not_equal(s->blocks[0].state, PM_STATE_TOTALS);
    kit_free(s);
}

/* WSL1 has no Rss to add up: 0 there is unknown. */
static void no_rss_beside_a_size(void **state)
{
    expect_totals("total kB           35904       0       0\n",
                  &(sum){NULL, PM_DIALECT_PMAP_SMALL_X, 35904, NONE, NONE, NONE, NONE});
}

/* A rule of '=' that stands above narrow rows makes no sums of -X of what follows them. */
static void sums_of_other_rows_prove_nothing(void **state)
{
    kit_expect_block(PM_TEXT("1:   a\n=== ===\n0000000000400000      4K r---- x\n  0 KB\n"),
                     PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
}

RUN_TESTS(TEST(alone), TEST(stamped), TEST(a_log_of_sums), TEST(two_lines_of_sles),
          TEST(what_is_no_sum), TEST(what_is_no_sum_of_rows), TEST(words_that_nobody_knows),
          TEST(zeroes_are_no_totals), TEST(header_and_sums), TEST(no_rss_beside_a_size),
          TEST(sums_of_other_rows_prove_nothing))
