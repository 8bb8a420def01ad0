/* idle_test: marks of page idle tracking, for a kernel that three files simulate. */
#include "source/box.h"

#include "pages/entry.h"
#include "source/pages/idle.h"

#define PAGE 4096
#define FRAMES 4096
#define LRU ((uint64_t)1 << PM_KPF_LRU)
#define HEAD ((uint64_t)1 << PM_KPF_HEAD)
#define TAIL ((uint64_t)1 << PM_KPF_TAIL)

static uint64_t entries[64], flags[FRAMES], marks[FRAMES / 64];

static void map_frame(size_t page, uint64_t frame, uint64_t its_flags)
{
    entries[page] = PM_ENTRY_PRESENT | frame;
    flags[frame] = its_flags;
}

/* Three ranges: pages 0 to 9, 20 to 29 and 40 to 49. */
static void play_kernel(void)
{
    memset(entries, 0, sizeof entries);
    memset(flags, 0, sizeof flags);
    map_frame(0, 128, LRU);
    map_frame(1, 127, LRU);
    map_frame(2, 100, LRU);
    map_frame(3, 64, LRU);
    map_frame(4, 3000, LRU);
    map_frame(5, 300, 0);
    entries[6] = PM_ENTRY_SWAPPED | 100;
    /* a part of a huge page without its first frame, and a part of a folio of four */
    flags[512] = LRU | HEAD;
    for (size_t i = 0; i < 5; i++)
        map_frame(20 + i, 800 + i, TAIL);
    map_frame(26, 1031, TAIL);
    flags[1028] = LRU | HEAD;
    /* pages that do not count as Rss */
    map_frame(40, 5, (uint64_t)1 << PM_KPF_ZERO);
    map_frame(41, 2048, (uint64_t)1 << PM_KPF_HUGE | LRU);
    map_frame(42, 4000, (uint64_t)1 << PM_KPF_NOPAGE);
    mkdir("1", 0700);
    box_text("1/stat",
             "1 (x) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 55 1 1 1 1 1 77 0 0 0 0 0 0 "
             "0 0 0 17 0 0 0 0 0 0 1 1 1 1 1 1 1 0\n");
    box_write("1/pagemap", entries, sizeof entries);
    box_write("kpageflags", flags, sizeof flags);
    memset(marks, 0, sizeof marks);
    box_write("bitmap", marks, sizeof marks);
}

static void walk(pm_idle_pages *pages)
{
    pm_page_range range[3] = {0};
    pm_page_counts counts[3] = {0};
    pm_page_ranges work = {.range = range, .n = 3, .counts = counts};
    pm_pagemap map = {.page = PAGE, .sees_frames = true, .by_frame = true};
    pm_proc_fate fate;
    pmapdb_error err;
    pm_idle *idle;
    pm_proc p;

    for (uint64_t i = 0; i < 3; i++)
        range[i] = (pm_page_range){.start = 20 * i * PAGE, .end = (20 * i + 10) * PAGE};
    map.root = open(".", O_RDONLY | O_DIRECTORY);
    map.entries = calloc(PM_PAGEMAP_ENTRIES, sizeof *map.entries);
    assert_int_equal(pm_proc_open(map.root, 1, &p, &fate, &err), PMAPDB_OK);
    assert_int_equal(fate, PM_PROC_GOOD);
    assert_int_equal(pm_idle_open(&map, "bitmap", &idle, &err), PMAPDB_OK);
    assert_non_null(idle);
    assert_int_equal(pm_idle_walk(idle, &map, &p, &work, pages, &fate, &err), PMAPDB_OK);
    assert_int_equal(fate, PM_PROC_GOOD);
    pm_idle_free(idle);
    pm_proc_close(&p);
    close(map.root);
    free(map.entries);
}

static void expect(const pm_idle_pages *p, int64_t marked, int64_t unmarked, int64_t untracked)
{
    assert_int_equal(p->marked, marked);
    assert_int_equal(p->unmarked, unmarked);
    assert_int_equal(p->untracked, untracked);
}

static bool is_marked(uint64_t frame)
{
    pm_buf b = box_bytes("bitmap");
    uint64_t word;

    memcpy(&word, b.data + frame / 64 * sizeof word, sizeof word);
    pm_buf_free(&b);
    return word >> frame % 64 & 1;
}

/* Clears the mark, as a process that touches the page does. */
static void touch(uint64_t frame)
{
    pm_buf b = box_bytes("bitmap");

    b.data[frame / 8] = (char)(b.data[frame / 8] & ~(1 << frame % 8));
    box_write("bitmap", b.data, b.len);
    pm_buf_free(&b);
}

IN_BOX(unmarked)
{
    pm_idle_pages pages[3] = {0};

    play_kernel();
    walk(pages);
    expect(&pages[0], 0, 5, 1);
    expect(&pages[1], 0, 6, 0);
    expect(&pages[2], 0, 0, 0);
}

IN_BOX(marked)
{
    static const uint64_t heads[] = {64, 100, 127, 128, 512, 1028, 3000};
    pm_idle_pages pages[3] = {0}, later[3] = {0};

    play_kernel();
    walk(NULL);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        assert_true(is_marked(heads[i]));
    for (uint64_t i = 0; i < 5; i++)
        assert_false(is_marked(800 + i));
    assert_false(is_marked(65));
    walk(pages);
    expect(&pages[0], 5, 0, 1);
    expect(&pages[1], 6, 0, 0);
    expect(&pages[2], 0, 0, 0);
    touch(127);
    touch(3000);
    touch(512); /* the head of five mapped pages */
    walk(later);
    expect(&later[0], 3, 2, 1);
    expect(&later[1], 1, 5, 0);
}

/* The kernel leaves out the last word if memory ends within it. */
IN_BOX(ends_early)
{
    pm_idle_pages pages[3] = {0};

    play_kernel();
    walk(NULL);
    assert_int_equal(truncate("bitmap", 128 / 8), 0);
    walk(pages);
    expect(&pages[0], 3, 2, 1);
    expect(&pages[1], 0, 6, 0);
}

IN_BOX(absent)
{
    pm_pagemap map = {.page = PAGE, .sees_frames = true, .root = AT_FDCWD};
    pmapdb_error err;
    pm_idle *idle;

    assert_int_equal(pm_idle_open(&map, "bitmap", &idle, &err), PMAPDB_OK);
    assert_null(idle);
    play_kernel();
    map.sees_frames = false;
    assert_int_equal(pm_idle_open(&map, "bitmap", &idle, &err), PMAPDB_OK);
    assert_null(idle);
}

RUN_TESTS(NULL, NULL)
