/* perf: events out of the text of perf script, as it prints them with its several options; in every
 * cut of the bytes, cut off, and damaged. */
#include "perf/kit.h"

static void reads(const char *text, const char *expected)
{
    pm_text t = pm_text_of(text);

    for (size_t step = 1; step <= t.len; step++)
        perf_same(t, step, expected);
}

/* The line of an event with its newline. */
static void line_is(const char *line, const char *expected)
{
    char text[512], told[512];

    snprintf(text, sizeof text, "%s\n", line);
    snprintf(told, sizeof told, "1 %s chain 0\n", expected);
    reads(text, told);
}

TEST(all_calls)
{
    line_is("t 32480 [001] 13004.183455:   syscalls:sys_enter_mmap: addr: 0x00000000, "
            "len: 0x00002000, prot: 0x00000003, flags: 0x00000022, fd: 0xffffffff, off: 0x00000000",
            "t -/32480 13004183455000 enter mmap addr=0, len=8192, prot=PROT_READ|PROT_WRITE, "
            "flags=MAP_PRIVATE|MAP_ANONYMOUS, fd=ffffffff, off=0");
    line_is("t 1 [001] 1.183462:   syscalls:sys_exit_mmap: 0x7f159ef41000",
            "t -/1 1183462000 exit mmap 7f159ef41000");
    line_is("t 1 [001] 1.183462:   syscalls:sys_exit_mmap: 0xfffffffffffffff4",
            "t -/1 1183462000 exit mmap fffffffffffffff4");
    line_is("t 1 [001] 1.183462: syscalls:sys_enter_munmap: addr: 0x7f159ef3d000, len: 0x00002000",
            "t -/1 1183462000 enter munmap addr=7f159ef3d000, len=8192");
    line_is("t 1 [001] 1.183462: syscalls:sys_exit_munmap: 0x0", "t -/1 1183462000 exit munmap 0");
    line_is("t 1 [001] 1.183462: syscalls:sys_exit_brk: 0x55b251d1c000",
            "t -/1 1183462000 exit brk 55b251d1c000");
    line_is("t 1 [001] 1.183462: syscalls:sys_enter_mremap: addr: 0x7f02fce59000, "
            "old_len: 0x00010000, new_len: 0x00020000, flags: 0x00000001, new_addr: 0x00000000",
            "t -/1 1183462000 enter mremap addr=7f02fce59000, old_len=65536, new_len=131072, "
            "flags=MREMAP_MAYMOVE, new_addr=0");
    line_is("t 1 [001] 1.183462: syscalls:sys_enter_mprotect: start: 0x7f02fd08c000, "
            "len: 0x00004000, prot: 0x00000001",
            "t -/1 1183462000 enter mprotect start=7f02fd08c000, len=16384, prot=PROT_READ");
}

TEST(fields)
{
    static const char *const same[] = {
        "t 32480 [001] 13004.182952: syscalls:sys_enter_brk: brk: 0x00000000\r",
        "               t 32480 [001] 13004.182952:    syscalls:sys_enter_brk: brk: 0x00000000",
        "               t 32480 13004.182952:    syscalls:sys_enter_brk: brk: 0x00000000",
        "t 32480 [001] U     13004.182952:    syscalls:sys_enter_brk: brk: 0x00000000",
        "t 32480 U     13004.182952:    syscalls:sys_enter_brk: brk: 0x00000000",
        "t 32480 [001] 2026-11-22 12:15:02.182952 13004.182952: syscalls:sys_enter_brk: brk: 0x0",
        "t 32480 [001] 13004.182952:          1           syscalls:sys_enter_brk: brk: 0x00000000",
        "t 32480 [001] 13004.182952: syscalls:sys_enter_brk:u: brk: 0x00000000",
        "t 32480 [001] 13004.182952: syscalls:sys_enter_brk:                     brk: 0x00000000",
        "t 32480 [001] 13004.182952000: syscalls:sys_enter_brk: brk: 0x00000000",
        "\tt 32480 [001] 13004.182952: syscalls:sys_enter_brk: brk: 0x00000000",
    };

    for (size_t i = 0; i < COUNT(same); i++)
        line_is(same[i], BRK_TOLD);
    line_is("t 32480 [001] 13004.182952857: syscalls:sys_exit_brk: 0x1",
            "t -/32480 13004182952857 exit brk 1");
    line_is("t 32480/32501 [001] 13004.182952: syscalls:sys_exit_brk: 0x1",
            "t 32480/32501 13004182952000 exit brk 1");
    line_is("t  2067/2067  [001] 13004.182952: syscalls:sys_exit_brk: 0x1",
            "t 2067/2067 13004182952000 exit brk 1");
    line_is("32480/32501 [001]     0.000008: syscalls:sys_exit_brk: 0x1",
            " 32480/32501 8000 exit brk 1");
    line_is("t 1 [001] 1.183462: syscalls:sys_enter_mmap: addr: 0x0, len: 0x1000, "
            "prot: READ|WRITE, flags: PRIVATE, fd: 3, off: 0x2000",
            "t -/1 1183462000 enter mmap addr=0, len=4096, prot=?, flags=?, fd=?, off=2000");
}

TEST(names_of_threads)
{
    static const char *const names[] = {
        "a b: c/d 12 [00",
        "syscalls:sys_en",
        "sys_enter_mmap:",
        "x  1.500000: y:",
        "1 2 3",
        "(tab\t)",
        "kworker/0:1-ev",
        "7 [001] 1.0000",
        "3/4 [9] 5",
        "[001]",
        "# x",
        "Processed 1",
        "deadbeef",
        "\xff\xfe\x01",
    };
    char text[256], told[256];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(text, sizeof text, "%s 77 [001] 1.000001: syscalls:sys_exit_brk: 0x1", names[i]);
        snprintf(told, sizeof told, "%s -/77 1000001000 exit brk 1", names[i]);
        line_is(text, told);
        snprintf(text, sizeof text, "%16s    7/77     1.000001: syscalls:sys_exit_brk: 0x1",
                 names[i]);
        snprintf(told, sizeof told, "%s 7/77 1000001000 exit brk 1", names[i]);
        line_is(text, told);
    }
}

TEST(chains)
{
    reads(BRK CHAIN BRK CHAIN, "1 " BRK_TOLD " chain 2\n5 " BRK_TOLD " chain 2\n");
    reads(BRK KERNEL CHAIN, "1 " BRK_TOLD " chain 2\n");
    reads(BRK "\n" BRK BRK,
          "1 " BRK_TOLD " chain 0\n3 " BRK_TOLD " chain 0\n4 " BRK_TOLD " chain 0\n");
    /* blank lines lost, tabs turned to blanks, line ends of another system, source lines */
    reads(BRK "\t  1fc47 brk+0x7 (/ld.so)\n" BRK "\t  1fc47 brk+0x7 (/ld.so)\n",
          "1 " BRK_TOLD " chain 1\n3 " BRK_TOLD " chain 1\n");
    reads(BRK "           1fc47 brk+0x7 (/ld.so)\n 1ab78 f\n", "1 " BRK_TOLD " chain 2\n");
    reads("t 32480 [001] 13004.182952: syscalls:sys_enter_brk: brk: 0x00000000\r\n"
          "\t  1fc47 brk+0x7 (/ld.so)\r\n\r\n\t 2 g (/a)\r\n",
          "1 " BRK_TOLD " chain 1\n");
    reads(BRK "\t 1fc47 brk+0x7 (/ld.so)\n  brk.c:37\n\t 1ab78 f+0x0 (/ld.so)\n  :0\n\n",
          "1 " BRK_TOLD " chain 2\n");
    /* an address was asked for and no chain recorded */
    reads("               t  4503 [001] 13334.290904:    syscalls:sys_enter_brk: brk: 0x00000000  "
          "   7f821cabfc47 brk+0x7 (/usr/lib/ld.so)\n",
          "1 t -/4503 13334290904000 enter brk brk=0 chain 1\n");
    reads(
        "t  4503 [001] 13334.290906: syscalls:sys_exit_brk: 0x562e50eda000     7f821cabfc47 brk+0x7"
        " (/usr/lib/ld.so)\n",
        "1 t -/4503 13334290906000 exit brk 562e50eda000 chain 1\n");
}

TEST(other_events)
{
    static const char text[] =
        "# ========\n# captured on    : Sun Nov 22 12:15:02 2026\n"
        "# event : name = syscalls:sys_enter_mmap, , id = { 1, 2 }, type = 2\n#\n"
        "swapper     0 [000]     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1) @ 0]: x "
        "k\n"
        "t  2855 [000] 13038.908668: raw_syscalls:sys_enter: NR 9 (0, 2000, 3, 22, ffffffff, "
        "0)\n" KERNEL CHAIN
        "t  2855 [000] 13038.908675:  raw_syscalls:sys_exit: NR 9 = 140507299160064\n"
        "         python3  3319 [000] 13336.137501:     250000               cpu-clock:      "
        "7fd8a44fd403 f+0x2893 (/usr/lib/libpython3.11.so.1.0)\n" BRK
        "t 32480 [001] 13004.182953:     250000 cpu-clock:\n" CHAIN
        "t 32480 [001] 13004.182953: syscalls:sys_enter_openat: dfd: 0xffffff9c\n" CHAIN
        "t 32480 [001] 13004.182953: syscalls:sys_enter_mmap2: addr: 0x0, len: 0x1000\n" CHAIN
        "t 32480 [001] 13004.182953: my_syscalls:sys_exit_brk: 0x1\n" CHAIN
        "t 32480 [001] 13004.182953: PERF_RECORD_COMM exec: t:32480/32480\n" BRK CHAIN;
    perf_seen s = perf_read(PM_TEXT(text), 100);

    assert_int_equal(s.seen, 9);
    assert_int_equal(s.taken, 2);
    assert_string_equal(s.text.data, "14 " BRK_TOLD " chain 0\n32 " BRK_TOLD " chain 2\n");
    for (size_t step = 1; step < sizeof text; step += 7)
        perf_same(PM_TEXT(text), step, s.text.data);
    pm_buf_free(&s.text);
    s = perf_read(PM_TEXT("no text of perf\nat all: 12.5\n\n# 1.000000: x\n"), 100);
    assert_int_equal(s.seen, 0);
    assert_int_equal(s.text.len, 0);
}

TEST(lost)
{
    reads("many  2067 [001] 13031.500744: PERF_RECORD_LOST lost 1\n"
          "many  2067/2067  [001] 13031.500759: PERF_RECORD_LOST lost 12\n" BRK,
          "3 " BRK_TOLD " chain 0\nlost 13\n");
    reads("m  1 [001] 1.500744: PERF_RECORD_LOST lost 7\n"
          "m  1 [001] 1.500744: PERF_RECORD_LOST_SAMPLES lost 5\n"
          "m  1 [001] 1.500744: PERF_RECORD_LOST_SAMPLES lost 6\n",
          "lost 11\n");
    reads("m 1 1.000000: PERF_RECORD_LOST lost 18446744073709551615\n"
          "m 1 1.000000: PERF_RECORD_LOST lost 2\n",
          "lost 18446744073709551615\n");
}

TEST(bad_events)
{
    static const char *const known[] = {
        "t 1 [001] syscalls:sys_exit_brk: 0x1",
        "t 1 [001] 1.5: syscalls:sys_exit_brk: 0x1",
        "t 1 [001] 1234567.5: syscalls:sys_exit_brk: 0x1",
        "t 1 [001] 99999999999.500000: syscalls:sys_exit_brk: 0x1",
        "syscalls:sys_exit_brk: 0x1",
        "t [001] 1.500000: syscalls:sys_exit_brk: 0x1",
        "t 99999999999 1.500000: syscalls:sys_exit_brk: 0x1",
        "t 1/99999999999 1.500000: syscalls:sys_exit_brk: 0x1",
        ":-1    -1 [001] 1.500000: syscalls:sys_exit_brk: 0x1",
        "t 1 [001] 1.500000: syscalls:sys_exit_brk:",
        "t 1 [001] 1.500000: syscalls:sys_exit_brk: 0x12345678901234567",
        "t 1 [001] 1.500000: syscalls:sys_exit_brk: 0x12g",
        "t 1 [001] 1.500000: syscalls:sys_enter_brk:",
        "t 1 [001] 1.500000: syscalls:sys_enter_munmap: addr: 0x1000, len: 0x",
        "t 1 [001] 1.500000: syscalls:sys_enter_munmap: addr: 0x10:00, len: 0x1000",
        "t 1 [001] 1.500000: syscalls:sys_enter_mremap: addr: 0x1000, old_len: 0x1000",
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        char text[1024];

        snprintf(text, sizeof text, BRK CHAIN "%s\n" CHAIN BRK, known[i]);
        reads(text, "1 " BRK_TOLD " chain 2\n9 " BRK_TOLD " chain 0\nbad 1\n");
    }
}

/* The last line may be cut off. */
TEST(no_last_newline)
{
    reads("t 1 [001] 1.500000: syscalls:sys_exit_brk: 0x55b251", "bad 1\n");
    reads(BRK "\t  1fc47 brk+0x7 (/ld.so)", "1 " BRK_TOLD " chain 1\n");
    reads(BRK "\t  1fc47 brk+0x7 (/ld.s", "1 " BRK_TOLD " chain 0\n");
    reads(BRK "t 32480 [001] 1300", "1 " BRK_TOLD " chain 0\n");
}

static pmapdb_status refuse(void *ctx, const pm_perf_event *e, pmapdb_error *err)
{
    int *calls = ctx;

    (void)e;
    ++*calls;
    return pm_fail(err, PMAPDB_INPUT, "enough");
}

/* A failing callback ends the feeding. */
TEST(callbacks)
{
    static const char text[] = BRK BRK BRK;
    int calls = 0;
    pmapdb_error err;
    pm_perf p;

    pm_perf_init(&p, refuse, &calls);
    assert_int_equal(pm_perf_feed(&p, text, sizeof text - 1, &err), PMAPDB_INPUT);
    assert_string_equal(err.text, "enough");
    assert_int_equal(calls, 1);
    pm_perf_free(&p);
}

RUN_TESTS(NULL, NULL)
