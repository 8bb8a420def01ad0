/* process: pmapdb pages PID: the pages of one process now, mapping by mapping, or those of one
 * mapping, run by run. */
#include "cli/output.h"
#include "cli/pages/pages.h"

#include "base/num.h"
#include "pages/entry.h"
#include "source/pages/pagemap.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct flag_counts {
    int64_t thp, ksm; /* pages */
} flag_counts;

typedef struct pages {
    pm_cli *cli;
    const char *mapping, *proc; /* the options */
    int frames;                 /* kpageflags, or -1 */
    uint64_t address;
    pm_proc p;
    pm_pagemap map;
    pm_page_ranges ranges;
    pm_output out;
    uint64_t kind, begin, end, first; /* of the current run; begin = end: there is none */
    uint64_t flags;                   /* of its frames */
    flag_counts *flagged;             /* of each range */
    size_t at;                        /* the current range */
} pages;

/* ---- mapping by mapping ---- */

static const pm_column columns[] = {
    {"start", PM_UNIT_ADDRESS},   {"size_kib", PM_UNIT_KIB}, {"rss_kib", PM_UNIT_KIB},
    {"own_kib", PM_UNIT_KIB},     {"anon_kib", PM_UNIT_KIB}, {"file_kib", PM_UNIT_KIB},
    {"shmem_kib", PM_UNIT_KIB},   {"swap_kib", PM_UNIT_KIB}, {"zero_kib", PM_UNIT_KIB},
    {"hugetlb_kib", PM_UNIT_KIB}, {"thp_kib", PM_UNIT_KIB},  {"ksm_kib", PM_UNIT_KIB},
    {"perms", PM_UNIT_TEXT},      {"path", PM_UNIT_TEXT}};
#define N_COLUMNS (sizeof columns / sizeof *columns)

static void fill_values(pm_value *v, const pm_page_counts *c, int64_t kib)
{
    const int64_t *class = c->class;
    const int64_t numbers[] = {class[PM_PAGE_ANON] + class[PM_PAGE_FILE] + class[PM_PAGE_SHMEM],
                               c -> own,
                               class[PM_PAGE_ANON],
                               class[PM_PAGE_FILE],
                               class[PM_PAGE_SHMEM],
                               class[PM_PAGE_SWAP],
                               c -> zero,
                               c -> hugetlb};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        v[2 + i] = pm_value_int(numbers[i] * kib);
}

/* Fills in what the flags of frames tell; unknown if frames or flags are hidden. */
static void fill_flags(const pages *g, pm_value *v, const flag_counts *c, int64_t kib)
{
    bool known = g->frames >= 0 && g->map.sees_frames;

    v[N_COLUMNS - 4] = pm_value_int(known ? c->thp * kib : PMAPDB_UNKNOWN);
    v[N_COLUMNS - 3] = pm_value_int(known ? c->ksm * kib : PMAPDB_UNKNOWN);
}

static void put_mappings(pages *g)
{
    flag_counts all = {0};
    int64_t kib = (int64_t)g->map.page / 1024, size = 0;
    pm_page_counts sum = {0};
    pm_value v[N_COLUMNS];

    pm_output_rows(&g->out, columns, N_COLUMNS, NULL);
    for (size_t i = 0; i < g->ranges.n; i++) {
        const pm_mapping *m = pm_page_ranges_mapping(&g->ranges, i);

        v[0] = pm_value_int((int64_t)m->start);
        v[1] = pm_value_int((int64_t)(m->end - m->start) / 1024);
        fill_values(v, &g->ranges.counts[i], kib);
        fill_flags(g, v, &g->flagged[i], kib);
        all.thp += g->flagged[i].thp;
        all.ksm += g->flagged[i].ksm;
        v[N_COLUMNS - 2] = pm_value_text(m->perms);
        v[N_COLUMNS - 1] = (pm_value){.kind = PM_VALUE_TEXT, .t = m->path};
        pm_output_row(&g->out, v);
        size += (int64_t)(m->end - m->start) / 1024;
        pm_page_counts_add(&sum, &g->ranges.counts[i], 1);
    }
    v[0] = pm_value_text("TOTAL");
    v[1] = pm_value_int(size);
    fill_values(v, &sum, kib);
    fill_flags(g, v, &all, kib);
    v[N_COLUMNS - 2] = v[N_COLUMNS - 1] = pm_value_text("");
    if (pm_cli_is_for_people(g->cli))
        pm_output_total(&g->out, v);
}

/* ---- run by run ---- */

static const pm_column run_columns[] = {{"start", PM_UNIT_ADDRESS},   {"pages", PM_UNIT_COUNT},
                                        {"state", PM_UNIT_TEXT},      {"frame", PM_UNIT_INT},
                                        {"swap_type", PM_UNIT_INT},   {"swap_slot", PM_UNIT_INT},
                                        {"kind", PM_UNIT_TEXT},       {"mapped_once", PM_UNIT_BOOL},
                                        {"soft_dirty", PM_UNIT_BOOL}, {"flags", PM_UNIT_TEXT}};

#define FRAMES 512 /* whose flags are read at a time */

#define KINDS                                                                                    \
    (PM_ENTRY_PRESENT | PM_ENTRY_SWAPPED | PM_ENTRY_FILE | PM_ENTRY_GUARD | PM_ENTRY_EXCLUSIVE | \
     PM_ENTRY_DIRTIED)

static void put_run(pages *g)
{
    bool present = g->kind & PM_ENTRY_PRESENT, guard = !present && g->kind & PM_ENTRY_GUARD;
    bool swapped = !present && pm_entry_is_swap(g->first);
    bool file = g->kind & PM_ENTRY_FILE;
    uint64_t frame = g->first & PM_ENTRY_FRAME;
    char flags[PM_FRAME_TEXT];

    if (g->begin == g->end)
        return;
    pm_frames_text(g->flags, flags);
    pm_output_row(
        &g->out,
        (pm_value[]){
            pm_value_int((int64_t)g->begin),
            pm_value_int((int64_t)((g->end - g->begin) / g->map.page)),
            pm_value_text(present   ? "present"
                          : guard   ? "guard"
                          : swapped ? "swapped"
                                    : "other"),
            pm_value_int(present && g->map.sees_frames ? (int64_t)frame : PMAPDB_UNKNOWN),
            pm_value_int(swapped && g->map.sees_frames ? (int64_t)(frame & 31) : PMAPDB_UNKNOWN),
            pm_value_int(swapped && g->map.sees_frames ? (int64_t)pm_entry_slot(frame)
                                                       : PMAPDB_UNKNOWN),
            pm_value_text(!present                                       ? NULL
                          : !file && frame == g->map.zero && g->map.zero ? "zero"
                          : file                                         ? "file"
                                                                         : "anonymous"),
            pm_value_int(present ? (g->kind & PM_ENTRY_EXCLUSIVE) != 0 : PMAPDB_UNKNOWN),
            pm_value_int((g->kind & PM_ENTRY_DIRTIED) != 0),
            pm_value_text(present && g->frames >= 0 && g->map.sees_frames ? flags : NULL)});
}

/* Reads the flags of up to FRAMES pages whose frames rise by one, and at least of one page; the
 * flags of a page without a frame are 0. Returns the number of pages. */
static size_t read_flags(const pages *g, const uint64_t *e, size_t n, uint64_t flags[FRAMES])
{
    uint64_t first = e[0] & PM_ENTRY_FRAME & ~PM_ENTRY_ZERO;
    bool readable = g->frames >= 0 && g->map.sees_frames && e[0] & PM_ENTRY_PRESENT;
    size_t run = 1, got = 0;

    while (readable && run < n && run < FRAMES && e[run] & PM_ENTRY_PRESENT &&
           (e[run] & PM_ENTRY_FRAME & ~PM_ENTRY_ZERO) == first + run)
        run++;
    if (readable)
        got = pm_frames_read(g->frames, first, run, flags);
    for (size_t i = 0; i < run; i++)
        flags[i] = i < got ? flags[i] & pm_frames_named : 0;
    return run;
}

/* Counts flagged pages of all mappings; ranges ascend, and so do the entries. */
static void count_flags(void *ctx, const uint64_t *e, size_t n, uint64_t at)
{
    pages *g = ctx;
    uint64_t flags[FRAMES];

    while (g->at + 1 < g->ranges.n && at >= g->ranges.range[g->at].end)
        g->at++;
    for (size_t i = 0, run; i < n; i += run) {
        run = 1;
        if (!(e[i] & PM_ENTRY_PRESENT))
            continue;
        run = read_flags(g, e + i, n - i, flags);
        for (size_t k = 0; k < run; k++) {
            bool counts = !(flags[k] >> PM_KPF_ZERO & 1);

            g->flagged[g->at].thp += counts && flags[k] >> PM_KPF_THP & 1;
            g->flagged[g->at].ksm += counts && flags[k] >> PM_KPF_KSM & 1;
        }
    }
}

/* A run goes on while its frames or slots rise by one; if frames are hidden, all are 0. */
static void on_entries(void *ctx, const uint64_t *e, size_t n, uint64_t at)
{
    pages *g = ctx;
    uint64_t flags[FRAMES];
    size_t known = 0, from = 0;

    for (size_t i = 0; i < n; i++, at += g->map.page) {
        uint64_t number = e[i] & PM_ENTRY_FRAME & ~PM_ENTRY_ZERO, pages_in = 0;

        if (!(e[i] & (PM_ENTRY_PRESENT | PM_ENTRY_SWAPPED)))
            continue;
        if (i >= from + known) {
            known = read_flags(g, e + i, n - i, flags);
            from = i;
        }
        pages_in = (g->end - g->begin) / g->map.page;
        if (!(e[i] & PM_ENTRY_PRESENT))
            pages_in <<= 5; /* above the type of the swap area */
        if (g->begin != g->end && g->end == at && (e[i] & KINDS) == g->kind &&
            flags[i - from] == g->flags &&
            (number == (g->first & PM_ENTRY_FRAME) + (g->map.sees_frames ? pages_in : 0) ||
             (number == (g->first & PM_ENTRY_FRAME) && number == g->map.zero))) {
            g->end += g->map.page;
            continue;
        }
        put_run(g);
        g->kind = e[i] & KINDS;
        g->flags = flags[i - from];
        g->first = e[i] & ~PM_ENTRY_ZERO;
        g->begin = at;
        g->end = at + g->map.page;
    }
}

/* ---- the command ---- */

/* Chooses the range of --mapping. */
static void choose_one(const pages *g, pm_page_ranges *work)
{
    const pm_page_ranges *r = &g->ranges;

    work->range = NULL;
    for (size_t i = 0; i < r->n; i++)
        if (g->address >= r->range[i].start && g->address < r->range[i].end)
            work->range = &r->range[i];
    if (!work->range)
        pm_cli_die("%" PRId64 " has no mapping at %s; pmapdb pages %" PRId64 " lists them",
                   g->p.pid, g->mapping, g->p.pid);
    work->n = 1;
}

static void answer(pages *g)
{
    pm_page_ranges work = g->ranges; /* or one of them */
    pm_proc_fate fate;
    pmapdb_error err;

    g->flagged = pm_cli_memory(calloc(g->ranges.n + 1, sizeof *g->flagged));
    work.ctx = g;
    if (g->mapping) {
        choose_one(g, &work);
        work.on_entries = on_entries;
        pm_output_rows(&g->out, run_columns, sizeof run_columns / sizeof *run_columns, NULL);
    } else if (g->frames >= 0 && g->map.sees_frames) {
        work.on_entries = count_flags;
    }
    pm_cli_must(pm_pagemap_read(&g->map, &g->p, &work, &fate, &err), &err);
    pm_cli_must_be_read(g->p.pid, fate);
    if (g->mapping)
        put_run(g);
    else
        put_mappings(g);
    free(g->flagged);
}

int pm_cli_pages(pm_cli *cli, int argc, char **argv)
{
    static const pm_option options[] = {{"mapping", 0, PM_OPT_WORD, offsetof(pages, mapping),
                                         "ADDRESS", "Only this mapping, run by run of its pages"},
                                        PM_OPTION_PROC(offsetof(pages, proc)),
                                        {0}};
    static const pm_syntax syntax = {.options = options, .operands = "PID"};
    pages g = {.cli = cli};
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_error err;
    int64_t pid;
    int root;

    if (pm_options_parse(cli, &syntax, &g, argc, argv) != 1 || !pm_cli_is_pid(argv[1], &pid))
        pm_cli_usage(cli, "pages takes one pid");
    if (g.mapping) {
        size_t skip = strncmp(g.mapping, "0x", 2) == 0 ? 2 : 0, n = strlen(g.mapping);

        if (n == skip || pm_num_hex(g.mapping + skip, g.mapping + n, &g.address) != n - skip)
            pm_cli_usage(cli, "--mapping is an address in hexadecimal, not '%s'", g.mapping);
    }
    root = pm_cli_open_proc(g.proc);
    g.frames = pm_frames_open(root);
    pm_cli_must(pm_proc_open(root, pid, &g.p, &fate, &err), &err);
    pm_cli_must_be_read(pid, fate);
    pm_cli_must(pm_pagemap_open(&g.map, root, &err), &err);
    pm_cli_must(pm_page_ranges_read(&g.ranges, &g.p, &g.map, NULL, &fate, &err), &err);
    pm_cli_must_be_read(pid, fate);
    pm_output_open(&g.out, cli);
    answer(&g);
    pm_output_end(&g.out);
    pm_page_ranges_free(&g.ranges);
    pm_pagemap_close(&g.map);
    pm_proc_close(&g.p);
    if (g.frames >= 0)
        close(g.frames);
    return pm_cli_proc_is_damaged() ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
