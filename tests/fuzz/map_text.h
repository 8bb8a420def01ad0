/* map_text: makes maps from bytes, their text as tools print it, and damage to a text. */
#ifndef PM_TESTS_FUZZ_MAP_TEXT_H
#define PM_TESTS_FUZZ_MAP_TEXT_H

#include "rows.h"

#define FUZZ_AREAS 12

typedef struct fuzz_area {
    uint64_t start, kib, rss, dirty, offset, inode;
    char perms[5];
    const char *name;
} fuzz_area;

typedef struct fuzz_map {
    pm_dialect dialect;
    fuzz_area area[FUZZ_AREAS];
    size_t n, first_row; /* line of the first row, from 0 */
    uint64_t kib, rss, dirty;
} fuzz_map;

/* ---- a map ---- */

static inline void fuzz_area_draw(fuzz_area *a, fuzz_input *in, uint64_t *end)
{
    static const char *const names[] = {"",
                                        "",
                                        "[heap]",
                                        "[stack]",
                                        "/usr/lib/libc.so.6",
                                        "/srv/a b/c (deleted)",
                                        "/dev/shm/x",
                                        "/x/[ anon ]",
                                        "[anon:a b]",
                                        "/memfd:x (deleted)",
                                        "/x/1 2 3"};
    static const char *const perms[] = {"rw-p", "r--p", "r-xp", "---p", "rw-s", "r--s", "rwxp"};
    uint8_t what = fuzz_byte(in);

    /* pmap -x never prints two rows without any distance as one; any distance will do */
    a->start = *end + fuzz_number(in, what % 3) * 4096;
    a->kib = 4 * (1 + fuzz_number(in, 1 + what / 4 % 3));
    a->rss = fuzz_number(in, 2) * 4 % (a->kib + 4);
    a->dirty = a->rss ? fuzz_number(in, 1) * 4 % (a->rss + 4) : 0;
    a->name = names[fuzz_byte(in) % (sizeof names / sizeof *names)];
    a->inode = *a->name == '/' ? 1 + fuzz_number(in, 2) : 0;
    a->offset = a->inode ? fuzz_number(in, 2) * 4096 : 0;
    memcpy(a->perms, perms[fuzz_byte(in) % 7], sizeof a->perms);
    *end = a->start + a->kib * 1024;
}

static inline void fuzz_map_draw(fuzz_map *map, fuzz_input *in, uint8_t dialect)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_PMAP_XX,
                                          PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_PMAP};
    uint64_t end = UINT64_C(0x10000000);

    *map = (fuzz_map){.dialect = dialects[dialect % 4], .n = 1 + fuzz_byte(in) % FUZZ_AREAS};
    for (size_t i = 0; i < map->n; i++) {
        fuzz_area_draw(&map->area[i], in, &end);
        map->kib += map->area[i].kib;
        map->rss += map->area[i].rss;
        map->dirty += map->area[i].dirty;
    }
}

/* ---- its text ---- */

#define FUZZ_ADD(out, ...) FUZZ_CHECK(pm_buf_addf(out, NULL, __VA_ARGS__) == PMAPDB_OK, "memory")

static inline void fuzz_write_smaps(const fuzz_map *map, pm_buf *out)
{
    for (size_t i = 0; i < map->n; i++) {
        const fuzz_area *a = &map->area[i];

        FUZZ_ADD(out, "%08" PRIx64 "-%08" PRIx64 " %s %08" PRIx64 " %s %" PRIu64 "%*s%s\n",
                 a->start, a->start + a->kib * 1024, a->perms, a->offset,
                 a->inode ? "fe:00" : "00:00", a->inode, *a->name ? 20 : 1, "", a->name);
        FUZZ_ADD(out, "Size:           %8" PRIu64 " kB\nKernelPageSize:        4 kB\n", a->kib);
        FUZZ_ADD(out, "Rss:            %8" PRIu64 " kB\nPrivate_Clean:  %8" PRIu64 " kB\n", a->rss,
                 a->rss - (a->dirty < a->rss ? a->dirty : a->rss));
        FUZZ_ADD(out, "Private_Dirty:  %8" PRIu64 " kB\nSwap:                  0 kB\n", a->dirty);
        FUZZ_ADD(out, "THPeligible:    0\nVmFlags: rd wr mr mw me ac \n");
    }
}

/* As wide as the widest number, like pmap. */
static inline int fuzz_digits(uint64_t v)
{
    return snprintf(NULL, 0, "%" PRIu64, v);
}

static inline int fuzz_wider(int least, uint64_t v)
{
    return fuzz_digits(v) > least ? fuzz_digits(v) : least;
}

static inline void fuzz_write_xx(fuzz_map *map, pm_buf *out)
{
    int size = fuzz_wider(4, map->kib), rss = fuzz_wider(3, map->rss);

    FUZZ_ADD(out, "4711:   /srv/demo/demo\n");
    FUZZ_ADD(out, "%16s Perm %10s Device %7s %*s KernelPageSize %*s Private_Dirty %20s Mapping\n",
             "Address", "Offset", "Inode", size, "Size", rss, "Rss", "VmFlags");
    for (size_t i = 0; i < map->n; i++) {
        const fuzz_area *a = &map->area[i];

        FUZZ_ADD(out, "        %08" PRIx64 " %s   %08" PRIx64 " %6s %7" PRIu64 " %*" PRIu64,
                 a->start, a->perms, a->offset, a->inode ? "fe:00" : "00:00", a->inode, size,
                 a->kib);
        FUZZ_ADD(out, " %14d %*" PRIu64 " %13" PRIu64 " %20s %s\n", 4, rss, a->rss, a->dirty,
                 "rd wr mr mw me ac", a->name);
    }
    FUZZ_ADD(out, "%48s %.*s ============== %.*s =============\n", "", size,
             "====================", rss, "====================");
    FUZZ_ADD(out, "%48s %*" PRIu64 " %14zu %*" PRIu64 " %13" PRIu64 " KB\n", "", size, map->kib,
             4 * map->n, rss, map->rss, map->dirty);
    map->first_row = 2;
}

static inline const char *fuzz_shown(const char *name)
{
    const char *slash = strrchr(name, '/');

    return *name != '/' ? strcmp(name, "[stack]") == 0 ? "  [ stack ]" : "  [ anon ]" : slash + 1;
}

static inline void fuzz_mode(const char *perms, char out[6])
{
    memcpy(out, perms, 3);
    memcpy(out + 3, perms[3] == 's' ? "s-" : "--", 3);
}

static inline void fuzz_write_x(fuzz_map *map, pm_buf *out)
{
    char mode[6];

    FUZZ_ADD(out, "4711:   /srv/demo/demo\n");
    FUZZ_ADD(out, "Address           Kbytes     RSS   Dirty Mode  Mapping\n");
    for (size_t i = 0; i < map->n; i++) {
        const fuzz_area *a = &map->area[i];

        fuzz_mode(a->perms, mode);
        FUZZ_ADD(out, "%016" PRIx64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %s %s\n", a->start,
                 a->kib, a->rss, a->dirty, mode, fuzz_shown(a->name));
    }
    FUZZ_ADD(out, "---------------- ------- ------- ------- \n");
    FUZZ_ADD(out, "total kB         %7" PRIu64 " %7" PRIu64 " %7" PRIu64 "\n", map->kib, map->rss,
             map->dirty);
    map->first_row = 2;
}

static inline void fuzz_write_pmap(fuzz_map *map, pm_buf *out)
{
    char mode[6];

    FUZZ_ADD(out, "4711:   /srv/demo/demo\n");
    for (size_t i = 0; i < map->n; i++) {
        const fuzz_area *a = &map->area[i];

        fuzz_mode(a->perms, mode);
        FUZZ_ADD(out, "%016" PRIx64 " %6" PRIu64 "K %s %s\n", a->start, a->kib, mode,
                 fuzz_shown(a->name));
    }
    FUZZ_ADD(out, " total %16" PRIu64 "K\n", map->kib);
    map->first_row = 1;
}

static inline void fuzz_map_write(fuzz_map *map, pm_buf *out)
{
    pm_buf_clear(out);
    if (map->dialect == PM_DIALECT_SMAPS)
        fuzz_write_smaps(map, out);
    else if (map->dialect == PM_DIALECT_PMAP_XX)
        fuzz_write_xx(map, out);
    else if (map->dialect == PM_DIALECT_PMAP_SMALL_X)
        fuzz_write_x(map, out);
    else
        fuzz_write_pmap(map, out);
}

/* ---- damage ---- */

/* Returns line n of a text with its newline, or the last line if there are fewer. */
static inline pm_text fuzz_line(pm_text t, size_t n)
{
    pm_text line;

    do {
        const char *end = t.len ? memchr(t.data, '\n', t.len) : NULL;

        line = (pm_text){t.data, end ? (size_t)(end - t.data) + 1 : t.len};
        t = pm_text_from(t, line.len);
    } while (n-- && t.len);
    return line;
}

static inline void fuzz_swap(pm_buf *text, size_t at, size_t len, size_t other)
{
    for (size_t i = 0; i < len && other + i < text->len; i++) {
        char c = text->data[at + i];

        text->data[at + i] = text->data[other + i];
        text->data[other + i] = c;
    }
}

static inline void fuzz_double(pm_buf *text, size_t at, size_t len)
{
    char *copy = fuzz_alone(text->data + at, len);

    fuzz_put(text, copy, len); /* makes room */
    memmove(text->data + at + len, text->data + at, text->len - len - at);
    memcpy(text->data + at, copy, len);
    free(copy);
}

/* One of: a line dropped, doubled, exchanged with bytes elsewhere; a byte changed, one bit of it;
 * some bytes put in; the end cut off. */
static inline void fuzz_damage(pm_buf *text, fuzz_input *in)
{
    uint8_t what = fuzz_byte(in);
    size_t where = fuzz_number(in, 2);
    pm_text line;
    size_t at;

    if (text->len == 0)
        return;
    line = fuzz_line(pm_buf_text(text), where % 256);
    at = (size_t)(line.data - text->data);
    switch (what % 7) {
    case 0:
        memmove(text->data + at, text->data + at + line.len, text->len - at - line.len);
        text->len -= line.len;
        break;
    case 1:
        fuzz_double(text, at, line.len);
        break;
    case 2:
        fuzz_swap(text, at, line.len, where % text->len);
        break;
    case 3:
        text->data[where % text->len] = (char)fuzz_byte(in);
        break;
    case 4:
        text->data[where % text->len] =
            (char)((unsigned char)text->data[where % text->len] ^ 1U << what / 7 % 8);
        break;
    case 5:
        fuzz_double(text, where % text->len, 1);
        text->data[where % text->len] = (char)fuzz_byte(in);
        break;
    default:
        text->len = where % text->len;
    }
}

#endif
