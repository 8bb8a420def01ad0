/* labels: a JVM's reports of its memory: whole, cut, damaged and hostile. */
#include "parse/files/labels.h"
#include "parse/kit.h"

/* Writes a line per report and a line per range. */
static pmapdb_status on_report(void *ctx, pm_labels *l, pmapdb_error *err)
{
    pm_buf *out = ctx;

    (void)err;
    pm_buf_addf(out, NULL, "%s pid %lld", pm_labels_source_name(l->source),
                l->pid == PMAPDB_UNKNOWN ? -1LL : (long long)l->pid);
    if (l->time_ms != PMAPDB_UNKNOWN)
        pm_buf_addf(out, NULL, " at %lld", (long long)l->time_ms);
    if (l->damaged)
        pm_buf_addf(out, NULL, " damaged %" PRIu64 " from %" PRIu64, l->damaged, l->damaged_line);
    pm_buf_addf(out, NULL, "\n");
    for (size_t i = 0; i < l->n; i++) {
        assert_true(l->label[i].start < l->label[i].end);
        assert_true(i == 0 || l->label[i - 1].end <= l->label[i].start);
        pm_buf_addf(out, NULL, "%" PRIx64 "-%" PRIx64 " %s\n", l->label[i].start, l->label[i].end,
                    l->label[i].text);
    }
    return PMAPDB_OK;
}

/* Reads the text from its own heap block: the sanitizer sees a read past the end. */
static void hear(pm_text text, pm_buf *out)
{
    char *exact = malloc(text.len + 1);

    assert_non_null(exact);
    memcpy(exact, text.data, text.len);
    *out = (pm_buf){0};
    assert_int_equal(pm_labels_read((pm_text){exact, text.len}, on_report, out, NULL), PMAPDB_OK);
    free(exact);
}

static void expect(const char *text, const char *wanted)
{
    pm_buf heard;

    hear(pm_text_of(text), &heard);
    assert_string_equal(pm_buf_text(&heard).data, wanted);
    pm_buf_free(&heard);
}

/* ---- NMT ---- */

/* The output of JDK 17, shortened. */
#define HEAD "4711:\n\nNative Memory Tracking:\n\nTotal: reserved=1743765KB, committed=289089KB\n"
#define MAP "Virtual memory map:\n \n"
#define HEAP_LINE "[0x00000000f0000000 - 0x00000000f4000000] reserved 65536KB for Java Heap from\n"
#define HEAP                                                                              \
    HEAP_LINE "    [0x00007fcd6a11a461] ReservedSpace::reserve(unsigned long)+0x291\n\n"  \
              "\t[0x00000000f0000000 - 0x00000000f1000000] committed 16384KB from\n"      \
              "            [0x00007fcd69da2ee7] G1PageBasedVirtualSpace::commit()+0xb7\n" \
              "                             (malloc=1KB type=GC #2)\n\n"                  \
              "\t[0x00000000f1000000 - 0x00000000f1800000] committed 8192KB from\n\n"
#define STACK                                                                           \
    "[0x00007fcceacfe000 - 0x00007fcceadfe000] reserved 1024KB for Thread Stack from\n" \
    "    [0x00007fcd69e2c5e3] thread_native_entry(Thread*)+0xe3\n \n"                   \
    "\t[0x00007fcceadfb000 - 0x00007fcceadfe000] committed 12KB \n\n"
#define INTERNAL \
    "[0x00007fcd6b000000 - 0x00007fcd6b008000] reserved and committed 32KB for Internal from\n"
#define TAIL "Details:\n\n[0x00007fcd697a4b05] CodeCache::add_heap()+0xe5\n"
#define RANGES                                                              \
    "f0000000-f4000000 Java Heap\n7fcceacfe000-7fcceadfe000 Thread Stack\n" \
    "7fcd6b000000-7fcd6b008000 Internal\n"

TEST(reservations)
{
    expect(HEAD MAP HEAP STACK INTERNAL TAIL, "nmt pid 4711\n" RANGES);
}

TEST(other_units)
{
    expect("Native Memory Tracking:\nVirtual memory map:\n"
           "[0x00000000f0000000 - 0x00000000f4000000] reserved 64MB for Java Heap\n"
           "[0x0000000100000000 - 0x0000000100180000] reserved 2MB for GC\n"
           "[0x0000000200000000 - 0x0000000200001000] reserved 4096B for GC\n"
           "[0x0000000300000000 - 0x0000000300001000] reserved 4096 for GC\n"
           "[0x0000000400000000 - 0x0000000440000000] reserved 1GB for GC\n"
           "[0x0000000500000000 - 0x0000000500001000] reserved 8KB for GC\n"
           "Details:\n",
           "nmt pid -1 damaged 1 from 8\n"
           "f0000000-f4000000 Java Heap\n100000000-100180000 GC\n"
           "200000000-200001000 GC\n300000000-300001000 GC\n400000000-440000000 GC\n");
}

TEST(damaged_lines_are_counted)
{
    expect(
        HEAD
            MAP /* 8 */ "[0x00000000f0000000 - 0x00000000f4000000] reserved 65537KB for Java Heap\n"
                        "\t[0x00000000f0000000 - 0x00000000f1000000] committed 16384KB from\n"
                        "0f4000000] reserved 65536KB for Java Heap\n" INTERNAL
                        "[0x00007fcd6b000000 - 0x00007fcd6b008000] reserved 32KB for GC\n"
                        "[0x00007fcd6c000000 - 0x00007fcd6c008000] released 32KB for GC\n"
                        "[0x00007fcd6c000000 - 0x00007fcd6c008000] reserved 32KB for \n"
                        "[0x00007fcd6d008000 - 0x00007fcd6d000000] reserved 32KB for GC\n"
                        "[0x00007fcd6e000000 - 0x00007fcd6e010000] reserved 64KB for GC from\n"
                        "\t[0x00007fcd6e008000 - 0x00007fcd6e010000] committed 32KB from\n"
                        "\t[0x00007fcd6e008000 - 0x00007fcd6e010000] committed 32KB from\n"
                        "\t[0x00007fcd6e010000 - 0x00007fcd6e018000] committed 3KB from\n" TAIL,
        "nmt pid 4711 damaged 6 from 8\n"
        "7fcd6b000000-7fcd6b008000 Internal\n"
        "7fcd6e000000-7fcd6e010000 GC\n");
}

/* A range that no program can have is damage; the kernel's own page of System.map is not. */
TEST(ranges_that_no_program_can_have)
{
    expect("Native Memory Tracking:\nVirtual memory map:\n"
           "[0x0000000000001000 - 0x0fffffffffff0000] reserved 1125899906842556KB for Java Heap\n"
           "[0x0000000000000000 - 0x0000000000001000] reserved 4KB for GC\n"
           "[0x0000000000001000 - 0x0000800000001000] reserved 137438953472KB for GC\n"
           "[0x0000800000002000 - 0x0001000000003000] reserved 137438953476KB for GC\n"
           "[0x01fffffffffff000 - 0x0200000000000000] reserved 4KB for GC\n"
           "[0xffffffffff600000 - 0xffffffffff601000] reserved 4KB for GC\nDetails:\n",
           "nmt pid -1 damaged 5 from 3\n1000-800000001000 GC\n");
    expect("Memory mappings:\n"
           "0x0000000000001000 - 0x00fffffffffff000 72057594037923840 rw-p 0 0 4K com JAVAHEAP\n"
           "0xffffffffff600000 - 0xffffffffff601000 4096 --xp 0 0 4K - [vsyscall]\n"
           "0xffffffffff700000 - 0xffffffffff701000 4096 rw-p 0 0 4K com GC\n"
           "Number of mappings: 3\n",
           "system-map pid -1 damaged 2 from 2\n");
}

TEST(byte_order_mark)
{
    expect("\xef\xbb\xbf" HEAD MAP INTERNAL TAIL,
           "nmt pid 4711\n7fcd6b000000-7fcd6b008000 Internal\n");
    expect("\xef\xbb\xbfNative Memory Tracking:\r\n\r\n" MAP INTERNAL TAIL,
           "nmt pid -1\n7fcd6b000000-7fcd6b008000 Internal\n");
}

TEST(several_reports)
{
    /* the output of jcmd 0, with a date between; offsets in files are not addresses */
    expect("4710:\n" HEAD MAP INTERNAL "Memory file details\n\nMemory map of ZGC heap\n\n"
           "[0x0000000000000000 - 0x0000000001000000] allocated 16384KB for Java Heap from\n" TAIL
           "4712:\nNative Memory Tracking:\nTotal: reserved=1KB, committed=1KB\n"
           "4713:\nNative memory tracking is not enabled\n"
           "Sat Nov 21 02:05:32 UTC 2026\n4714:\n\nNative Memory Tracking:\n" MAP INTERNAL TAIL
           "4715:\njava -jar x.jar\n\nNative Memory Tracking:\n",
           "nmt pid 4711\n7fcd6b000000-7fcd6b008000 Internal\n"
           "nmt pid 4712\n"
           "nmt pid 4714 at 1795226732000\n7fcd6b000000-7fcd6b008000 Internal\n"
           "nmt pid -1 at 1795226732000\n");
}

/* A report that is cut inside its map is damaged, and has no other ranges than the whole one. */
TEST(cut_anywhere)
{
    static const char whole[] = HEAD MAP HEAP STACK INTERNAL TAIL;
    const char *map = strstr(whole, "Virtual"), *end = strstr(whole, "Details:"), *ranges, *last;

    for (size_t n = 0; n < sizeof whole - 1; n++) {
        pm_buf heard;

        hear((pm_text){whole, n}, &heard);
        if (whole + n > map + 20 && whole + n < end + 8)
            assert_non_null(strstr(pm_buf_text(&heard).data, " damaged "));
        if ((ranges = strchr(pm_buf_text(&heard).data, '\n')) && (last = strrchr(ranges, '-')))
            assert_int_equal(strncmp(RANGES, ranges + 1, (size_t)(strchr(last, ' ') - ranges)), 0);
        pm_buf_free(&heard);
    }
}

/* ---- System.map ---- */

#define MAP_HEAD                                                                                 \
    "4711:\nMemory mappings:\nfrom, to, vsize: address range and size\nprot:            "        \
    "protection\n"                                                                               \
    "  CARDTBL: GC Card table\n\n"                                                               \
    "from                 to                      vsize prot        rss    hugetlb pgsz notes  " \
    "info\n"

TEST(system_map)
{
    expect(MAP_HEAD "0x00000000f0000000 - 0x00000000f4000000   67108864 rw-p   12345344          0 "
                    "4K   com,thp          JAVAHEAP\n"
                    "0x00000000f4000000 - 0x00000000f8000000   67108864 ---p          0          0 "
                    "4K   nores            JAVAHEAP\n"
                    "0x000055c03b89e000 - 0x000055c03b89f000       4096 r--p       4096          0 "
                    "4K                    /usr/bin/java\n"
                    "0x000055c047a00000 - 0x000055c047a21000     135168 rw-p     102400          0 "
                    "4K   com              [heap]\n"
                    "0x00007f3a00000000 - 0x00007f3a00bc7000   12349440 rw-p   12111872          0 "
                    "4K   com              CDS /usr/lib/jvm/lib/server/classes.jsa\n"
                    "0x00007f3a10000000-0x00007f3a10270000      2555904 rwxp    2555904          0 "
                    "4K   -                CODE\n"
                    "0x00007f3a20000000 - 0x00007f3a20040000     262144      65536          0 2M   "
                    "rw-p huge             META,CLASS\n"
                    "0x00007f3a30004000 - 0x00007f3a30100000    1032192 rw-p      94208          0 "
                    "4K   com,nothp        STACK-4712-main\n"
                    "0x00007f3a40000000 - 0x00007f3a40001000       4096 rw-p       4096          0 "
                    "4K   com              mtServiceability\n"
                    "\nNumber of mappings: 9\n             vsize: 1 (1K)\n",
           "system-map pid 4711\n"
           "f0000000-f4000000 JAVAHEAP\n"
           "f4000000-f8000000 JAVAHEAP\n"
           "7f3a00000000-7f3a00bc7000 CDS\n"
           "7f3a10000000-7f3a10270000 CODE\n"
           "7f3a20000000-7f3a20040000 META,CLASS\n"
           "7f3a30004000-7f3a30100000 STACK-4712-main\n"
           "7f3a40000000-7f3a40001000 mtServiceability\n");
}

TEST(system_map_damaged)
{
    expect(
        "Memory mappings:\nNMT is disabled. VM info not available.\n"
        "0x00000000f0000000 - 0x00000000f4000000   67108864 rw-p   12345344          0 4K   com\n",
        "system-map pid -1 damaged 1 from 3\n");
    expect("Memory mappings:\n"
           "0x00000000f0000000 - 0x00000000f4000000   67108865 rw-p   12345344          0 4K   com "
           " JAVAHEAP\n"
           "0x00000000f0000000 - 0x00000000f4000000   67108864 rw+p   12345344          0 4K   com "
           " JAVAHEAP\n"
           "0x00000000f0000000 - 0x00000000f400\n"
           "0x00000000f0000000 - 0x00000000f4000000   67108864 rw-p   12345344          0 4K   com "
           " GC\n"
           "0x00000000e0000000 - 0x00000000e4000000   67108864 rw-p   12345344          0 4K   com "
           " GC\n"
           "Number of mappings: 4\n",
           "system-map pid -1 damaged 4 from 2\nf0000000-f4000000 GC\n");
}

/* ---- hostile ---- */

TEST(many_ranges)
{
    pm_buf text = {0};
    pm_buf heard;

    pm_buf_addf(&text, NULL, "Native Memory Tracking:\nVirtual memory map:\n");
    for (size_t i = 1; i <= PM_LABELS_MAX + 1; i++)
        pm_buf_addf(&text, NULL, "[0x%zx - 0x%zx] reserved 4KB for T%zu\n", i << 13,
                    (i << 13) + 4096, i % 7);
    hear(pm_buf_text(&text), &heard);
    assert_non_null(strstr(heard.data, "nmt pid -1 damaged 2 from "));
    pm_buf_free(&heard);
    pm_buf_free(&text);
}

TEST(garbage)
{
    static const char *const pieces[] = {"[0x",
                                         "0x",
                                         " - ",
                                         "] ",
                                         "reserved ",
                                         "4KB",
                                         "ffffffffffffffff",
                                         "\n",
                                         " for ",
                                         "GC",
                                         "committed ",
                                         "4711:\n",
                                         "\0",
                                         "Virtual memory map:\n",
                                         " rw-p ",
                                         "Native Memory Tracking:\n",
                                         "Memory mappings:\n",
                                         "1"};
    uint64_t seed = 88172645463325252;

    for (int round = 0; round < 2000; round++) {
        pm_buf text = {0};
        pm_buf heard;

        for (int i = 0; i < 60; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            pm_buf_addf(&text, NULL, "%s", pieces[seed % (COUNT(pieces))]);
            if (seed % 41 == 0)
                pm_buf_add(&text, "\0", 1, NULL);
        }
        hear(pm_buf_text(&text), &heard);
        pm_buf_free(&heard);
        pm_buf_free(&text);
    }
}

/* ---- recognition ---- */

TEST(guesses)
{
    assert_true(pm_labels_guess(PM_TEXT(HEAD)));
    assert_true(pm_labels_guess(PM_TEXT("$ jcmd\r\n4711:\r\nMemory mappings:\r\n")));
    assert_true(pm_labels_guess(PM_TEXT("\xef\xbb\xbfMemory mappings:\n")));
    assert_false(pm_labels_guess(PM_TEXT("")));
    assert_false(pm_labels_guess(PM_TEXT("4711:   java -XX:NativeMemoryTracking=detail\n")));
}

RUN_TESTS(NULL, NULL)
