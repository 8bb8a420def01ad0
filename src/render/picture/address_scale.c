/* address_scale: addresses from below, with the holes folded. */
#include "render/picture/address_scale.h"

#include <math.h>
#include <stdlib.h>

#define MIB (UINT64_C(1) << 20)
#define NEAR MIB             /* smaller holes are drawn as they are */
#define NEVER_USED (4 * MIB) /* larger mappings without resident memory are holes */
#define BLOCKS_MAX 14

static int by_start(const void *x, const void *y)
{
    const pm_address_part *a = x, *b = y;

    return a->start < b->start ? -1 : a->start > b->start;
}

static void join_parts(pm_address_scale *s, const pm_plot_map *map)
{
    size_t n = 0;

    for (size_t i = 0; i < map->n; i++) {
        const pm_plot_stretch *m = &map->stretch[i];
        bool used = m->rss != 0 || m->end - m->start < NEVER_USED;

        if (used && !(n && s->part[n - 1].start == m->start && s->part[n - 1].end == m->end))
            s->part[n++] = (pm_address_part){.start = m->start, .end = m->end};
    }
    qsort(s->part, n, sizeof *s->part, by_start);
    for (size_t i = 0; i < n; i++) {
        pm_address_part *last = &s->part[s->n - (s->n > 0)];

        if (s->n && s->part[i].start <= last->end + NEAR)
            last->end = s->part[i].end > last->end ? s->part[i].end : last->end;
        else
            s->part[s->n++] = s->part[i];
    }
}

/* A hole of more than a GiB separates two blocks; a larger one is needed if there would be too many
 * blocks. */
static void make_blocks(pm_address_scale *s)
{
    uint64_t hole = 1024 * MIB;

    do {
        s->n_blocks = 1;
        for (size_t i = 0; i < s->n; i++) {
            s->n_blocks += i && s->part[i].start - s->part[i - 1].end > hole;
            s->part[i].block = s->n_blocks - 1;
        }
        hole *= 4;
    } while (s->n_blocks > BLOCKS_MAX);
}

static size_t block_end(const pm_address_scale *s, size_t from)
{
    size_t to = from;

    while (to < s->n && s->part[to].block == s->part[from].block)
        to++;
    return to;
}

static double bytes_of(const pm_address_scale *s, size_t from, size_t to)
{
    double bytes = 0;

    for (size_t i = from; i < to; i++)
        bytes += (double)(s->part[i].end - s->part[i].start);
    return bytes;
}

/* A block gets a few rows, and a share of the rest in proportion to the square root of its bytes.
 * In a block, the rows of a part are in proportion to its bytes. */
void pm_address_scale_place(pm_address_scale *s, int rows, int between)
{
    int least = 2 * between - 1;
    double row = 0, roots = 0, shared = rows - (s->n_blocks - 1) * between - s->n_blocks * least;

    for (size_t i = 0; i < s->n; i = block_end(s, i))
        roots += sqrt(bytes_of(s, i, block_end(s, i)));
    for (size_t i = 0, to; i < s->n; i = to, row += between) {
        double bytes, mine;

        to = block_end(s, i);
        bytes = bytes_of(s, i, to);
        mine = least + fmax(0, shared) * sqrt(bytes) / roots;
        for (; i < to; i++) {
            s->part[i].row = row;
            s->part[i].rows = mine * (double)(s->part[i].end - s->part[i].start) / bytes;
            row += s->part[i].rows;
        }
    }
}

/* The row of an address, counted from below; -1 in a hole. */
double pm_address_scale_row(const pm_address_scale *s, uint64_t address)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->part[middle].end < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->n || address < s->part[low].start)
        return -1;
    return s->part[low].row + s->part[low].rows * (double)(address - s->part[low].start) /
                                  (double)(s->part[low].end - s->part[low].start);
}

int pm_address_scale_block(const pm_address_scale *s, uint64_t address)
{
    int block = 0;

    for (size_t i = 0; i < s->n && s->part[i].start <= address; i++)
        block = s->part[i].block;
    return block;
}

pmapdb_status pm_address_scale_new(pm_address_scale *out, const pm_plot_map *map, pmapdb_error *err)
{
    *out = (pm_address_scale){.part = calloc(map->n + 1, sizeof *out->part)};
    if (!out->part)
        return pm_fail_nomem(err);
    join_parts(out, map);
    make_blocks(out);
    return PMAPDB_OK;
}
