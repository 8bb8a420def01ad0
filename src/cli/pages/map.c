/* map: pmapdb map: memory as a picture, page by page: of the machine by the groups of its
 * processes, or of the address space of one process. */
#include "cli/pages/pages.h"

#include "cli/answer.h"
#include "cli/run.h"

#include "base/num.h"
#include "pages/entry.h"
#include "source/pages/pagemap.h"
#include "source/proc_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS 7 /* groups with a colour of their own */
#define DOTS_PNG ((size_t)1 << 20)
#define DOTS_SVG ((size_t)1 << 16)
#define FRAMES_MAX ((uint64_t)1 << 34) /* 64 TiB: a larger number is not a frame of memory */
#define FLAGS 8192                     /* frames whose flags are read at a time */

/* What a frame is; the groups come first. */
enum {
    FRAME_SEVERAL = GROUPS + 1,
    FRAME_OTHERS,
    FRAME_HUGETLB,
    FRAME_SHM,
    FRAME_CACHE,
    FRAME_KERNEL,
    FRAME_UNKNOWN, /* no flags; in new kernels some free memory has no flags either */
    FRAME_FREE,
    FRAME_CLASSES
};

typedef struct machine {
    const pm_map_ask *ask;
    pm_exact_ask exact;
    pm_pagemap map;
    pm_page_ranges ranges;
    uint8_t *class; /* of each frame */
    size_t n, cap;
    uint8_t group; /* of the current process */
    pm_memory_legend legend;
    uint64_t *square;
    size_t squares;
} machine;

/* ---- who maps a frame ---- */

static void grow_to(machine *m, uint64_t frame)
{
    size_t cap = m->cap ? m->cap : (size_t)1 << 20;

    while (cap <= frame)
        cap *= 2;
    if (cap > m->cap) {
        m->class = pm_cli_memory(realloc(m->class, cap));
        memset(m->class + m->cap, 0, cap - m->cap);
        m->cap = cap;
    }
    m->n = frame >= m->n ? frame + 1 : m->n;
}

static void on_entries(void *ctx, const uint64_t *e, size_t n, uint64_t at)
{
    machine *m = ctx;

    (void)at;
    for (size_t i = 0; i < n; i++) {
        uint64_t frame = e[i] & PM_ENTRY_FRAME;
        uint8_t *class;

        if (!(e[i] & PM_ENTRY_PRESENT) || frame >= FRAMES_MAX || frame == m->map.zero)
            continue;
        if (frame >= m->n)
            grow_to(m, frame);
        class = &m->class[frame];
        *class = *class == 0 || *class == m->group ? m->group : FRAME_SEVERAL;
    }
}

/* A process that ended since its group was found is left out. */
static pmapdb_status read_opened(machine *m, const pm_proc *p, pmapdb_error *err)
{
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_status st = pm_page_ranges_read(&m->ranges, p, &m->map, NULL, &fate, err);

    if (st == PMAPDB_OK && fate == PM_PROC_GOOD) {
        m->ranges.on_entries = on_entries;
        m->ranges.ctx = m;
        st = pm_pagemap_read(&m->map, p, &m->ranges, &fate, err);
    }
    return st == PMAPDB_INPUT ? PMAPDB_OK : st;
}

static void read_processes(machine *m, pm_text pids)
{
    while (pids.len) {
        int64_t pid = 0;
        uint64_t number;
        pm_proc p;
        pm_proc_fate fate;
        pmapdb_error err;

        if (pm_num_all(pm_text_word(&pids, " "), &number))
            pid = (int64_t)number;
        pm_cli_must(pm_proc_open(m->map.root, pid, &p, &fate, &err), &err);
        if (fate != PM_PROC_GOOD)
            continue;
        pm_cli_must(read_opened(m, &p, &err), &err);
        pm_proc_close(&p);
    }
}

/* The groups of groups --exact, the largest first. */
static void read_groups(machine *m)
{
    static const uint32_t colors[GROUPS] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                            0x56b4e9, 0xd55e00, 0xf0e442};
    pmapdb_store *store = pm_cli_exact_machine(&m->exact);
    pmapdb_rows *rows =
        pm_answer_ask(store, "groups-exact",
                      (pm_answer_arg[]){{"by", m->ask->by ? m->ask->by : "name"}, {NULL, NULL}});
    int n = 0;

    while (pm_run_next(rows)) {
        pm_text pids = pm_answer_bytes(rows, "pids");
        char name[40];

        pm_answer_text(rows, "group", name, sizeof name);
        if (!pids.data || !pids.len)
            continue;
        m->group = (uint8_t)(n < GROUPS ? n + 1 : FRAME_OTHERS);
        if (n < GROUPS) {
            pm_memory_class *c = &m->legend.classes[m->group];

            snprintf(c->name, sizeof c->name, "%s", name);
            c->rgb = colors[n];
            c->letter = (char)('1' + n);
        }
        n++;
        read_processes(m, pids);
    }
    pmapdb_rows_close(rows);
    pmapdb_close(store);
}

/* ---- what the others are ---- */

/* Slab has the bit of anonymous memory, too: the kernel keeps other things in that word. */
static uint8_t class_of(uint64_t flags)
{
    bool lru = flags >> PM_KPF_LRU & 1, swap = flags >> PM_KPF_SWAPBACKED & 1;

    if (flags == 0)
        return FRAME_UNKNOWN;
    return flags >> PM_KPF_NOPAGE & 1  ? 0
           : flags >> PM_KPF_BUDDY & 1 ? FRAME_FREE
           : flags >> PM_KPF_SLAB & 1  ? FRAME_KERNEL
           : flags >> PM_KPF_HUGE & 1  ? FRAME_HUGETLB
           : flags >> PM_KPF_ANON & 1  ? FRAME_OTHERS
           : swap && lru               ? FRAME_SHM
           : lru                       ? FRAME_CACHE
                                       : FRAME_KERNEL;
}

/* Keeps the square that begins at this frame, if it has memory: moves its frames to the end of the
 * squares kept so far. */
static void keep_square(machine *m, uint64_t frame)
{
    uint8_t *square = m->class + frame;
    bool any = false;

    for (size_t i = 0; i < PM_SQUARE_PAGES; i++) {
        any |= square[i] != 0;
        m->legend.classes[square[i]].pages += square[i] != 0;
    }
    if (!any)
        return;
    memmove(m->class + m->squares * PM_SQUARE_PAGES, square, PM_SQUARE_PAGES);
    m->square[m->squares++] = frame / PM_SQUARE_PAGES;
}

/* Forgets the frames outside of the memory that iomem lists, whatever their flags are. */
static void remove_holes(machine *m)
{
    pm_buf text = {0};
    uint64_t at = 0, first, last;

    if (pm_proc_slurp(m->map.root, "iomem", (size_t)1 << 20, &text) == 0)
        for (pm_text rest = pm_buf_text(&text); rest.len;) {
            pm_text line = pm_text_cut(&rest, '\n'), start = pm_text_cut(&line, '-'), end;

            end = pm_text_word(&line, " ");
            if (!pm_text_ends(line, PM_TEXT(": System RAM")) || start.len == 0 ||
                start.data[0] == ' ' || !pm_num_hex(start.data, start.data + start.len, &first) ||
                !pm_num_hex(end.data, end.data + end.len, &last) || last == 0)
                continue;
            first = (first + m->map.page - 1) / m->map.page;
            last = (last + 1) / m->map.page;
            for (; at < first && at < m->n; at++)
                m->class[at] = 0;
            at = last;
        }
    for (; at && at < m->n; at++)
        m->class[at] = 0;
    pm_buf_free(&text);
}

static void read_flags(machine *m)
{
    int fd = pm_frames_open(m->map.root);
    uint64_t *flags = pm_cli_memory(malloc(FLAGS * sizeof *flags)), at = 0;
    size_t got;

    if (fd < 0)
        pm_cli_die("map --physical needs kpageflags of %s: on a machine, CAP_DAC_READ_SEARCH",
                   m->ask->proc ? "the copy" : "/proc");
    for (; (got = pm_frames_read(fd, at, FLAGS, flags)) > 0; at += got) {
        grow_to(m, at + got);
        for (size_t i = 0; i < got; i++) {
            uint8_t *class = &m->class[at + i];

            if (!*class || flags[i] >> PM_KPF_HUGE & 1)
                *class = class_of(flags[i]);
        }
    }
    close(fd);
    free(flags);
    remove_holes(m);
    grow_to(m, m->n + PM_SQUARE_PAGES);
    m->square = pm_cli_memory(malloc((m->n / PM_SQUARE_PAGES + 1) * sizeof *m->square));
    for (at = 0; at + PM_SQUARE_PAGES <= m->n; at += PM_SQUARE_PAGES)
        keep_square(m, at);
}

/* ---- the picture ---- */

void pm_map_picture(const pm_map_ask *ask, int width, int height, int lines, const char *title,
                    pm_output *out, pm_picture *p, pmapdb_error *err)
{
    pm_output_open(out, ask->cli);
    pm_cli_picture_open(p, out,
                        &(pm_cli_picture){.width = width,
                                          .height = height,
                                          .lines = lines,
                                          .about = {.title = pm_text_of(title),
                                                    .about = PM_TEXT("memory by pages")}},
                        err);
}

static void name_classes(machine *m)
{
    static const struct {
        int class;
        const char *name;
        uint32_t rgb;
        char letter;
    } rest[] = {{FRAME_SEVERAL, "several groups", 0x141414, '*'},
                {FRAME_OTHERS, "mapped by others", 0xbc966e, 'o'},
                {FRAME_HUGETLB, "pool of huge pages", 0x781e5a, 'H'},
                {FRAME_SHM, "shared memory, mapped by nobody", 0xb0a8c8, 's'},
                {FRAME_CACHE, "page cache", 0xcdd6de, '-'},
                {FRAME_KERNEL, "kernel", 0x606060, 'k'},
                {FRAME_UNKNOWN, "kernel or free, without flags", 0x9a9a94, '?'},
                {FRAME_FREE, "free", 0xf2f2ee, '.'}};

    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        pm_memory_class *c = &m->legend.classes[rest[i].class];

        snprintf(c->name, sizeof c->name, "%s", rest[i].name);
        c->rgb = rest[i].rgb;
        c->letter = rest[i].letter;
    }
}

static void map_machine(const pm_map_ask *ask, pm_output *out)
{
    machine m = {.ask = ask, .exact = {.cli = ask->cli, .proc = ask->proc}};
    pm_text file = pm_text_of(ask->cli->output);
    size_t most = pm_text_ends(file, PM_TEXT(".png")) ? DOTS_PNG : DOTS_SVG;
    char title[160];
    pm_memory memory;
    pm_picture p;
    pmapdb_error err;
    int width, height;

    if (ask->by)
        pm_cli_list_add(&m.exact.by, ask->by);
    pm_cli_must(pm_pagemap_open(&m.map, pm_cli_open_proc(ask->proc), &err), &err);
    if (!m.map.sees_frames)
        pm_cli_die("map --physical needs page frames, which the kernel hides from this process: "
                   "CAP_SYS_ADMIN in the first user namespace; map PID needs none");
    read_groups(&m);
    read_flags(&m);
    if (!m.squares)
        pm_cli_die("kpageflags has no memory");
    m.legend.n = FRAME_CLASSES;
    m.legend.page_kib = (int64_t)m.map.page / 1024;
    snprintf(title, sizeof title, "Memory in squares of 2 MiB, by %s", ask->by ? ask->by : "name");
    m.legend.title = title;
    name_classes(&m);
    memory = (pm_memory){.class = m.class, .square = m.square, .n = m.squares};
    pm_memory_size(&memory, most, &width, &height);
    pm_map_picture(ask, width, height, 40, title, out, &p, &err);
    pm_memory_draw(&p, &memory, &m.legend, most);
    pm_output_check(out, pm_picture_end(&p), &err);
    free(m.class);
    free(m.square);
    free(m.exact.by.item);
    pm_page_ranges_free(&m.ranges);
    pm_pagemap_close(&m.map);
}

/* ---- the command ---- */

int pm_cli_map(pm_cli *cli, int argc, char **argv)
{
    static const pm_option options[] = {{"physical", 0, PM_OPT_FLAG, offsetof(pm_map_ask, physical),
                                         NULL,
                                         "The memory of the machine, by the groups that map it"},
                                        {"by", 0, PM_OPT_WORD, offsetof(pm_map_ask, by), "WORD",
                                         "With --physical: groups as of groups --exact (name)"},
                                        PM_OPTION_PROC(offsetof(pm_map_ask, proc)),
                                        {0}};
    static const pm_syntax syntax = {.options = options, .operands = "PID\n--physical"};
    pm_map_ask ask = {.cli = cli};
    int n = pm_options_parse(cli, &syntax, &ask, argc, argv);
    pm_output out;

    pm_cli_picture_check(cli);
    if (n > 1 || (n == 1) == ask.physical || (n == 1 && !pm_cli_is_pid(argv[1], &ask.pid)))
        pm_cli_usage(cli, "map takes one pid, or --physical");
    if (ask.by && !ask.physical)
        pm_cli_usage(cli, "--by goes with --physical");
    if (ask.physical)
        map_machine(&ask, &out);
    else
        pm_map_process(&ask, &out);
    pm_output_end(&out);
    return pm_cli_proc_is_damaged() ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
