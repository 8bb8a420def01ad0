/* memory: pictures of memory page by page: of the machine, in squares of 2 MiB, and of the address
 * space of a process, in a band for each mapping. A dot stands for pages of several classes: which
 * colour it gets is dithered, so that areas are true. */
#ifndef PM_RENDER_MEMORY_H
#define PM_RENDER_MEMORY_H

#include "render/picture/picture.h"

typedef struct pm_memory_class {
    char name[48];
    uint32_t rgb;
    char letter;   /* for a terminal without colour */
    int64_t pages; /* of the whole picture */
} pm_memory_class;

#define PM_MEMORY_CLASSES 16
#define PM_SQUARE_PAGES ((size_t)512)

/* The classes of a picture; classes[0] is nothing and is not drawn. */
typedef struct pm_memory_legend {
    const char *title;
    pm_memory_class classes[PM_MEMORY_CLASSES];
    int n;
    int64_t page_kib;
} pm_memory_legend;

/* Frames of memory in squares of 512, in the order of their addresses. */
typedef struct pm_memory {
    const uint8_t *class;   /* of each frame of the squares */
    const uint64_t *square; /* first frame / 512 of each square */
    size_t n;               /* squares */
} pm_memory;

/* Sets the size of a picture of the squares with at most `most` dots. */
void pm_memory_size(const pm_memory *m, size_t most, int *width, int *height);
void pm_memory_draw(pm_picture *p, const pm_memory *m, const pm_memory_legend *legend, size_t most);

/* A band of the address space: how many pages of each class each of its dots has. */
typedef struct pm_memory_band {
    char label[96];
    uint32_t (*dots)[PM_MEMORY_CLASSES];
} pm_memory_band;

#define PM_BAND_DOTS 256

void pm_memory_bands_size(size_t n, int *width, int *height);
void pm_memory_bands_draw(pm_picture *p, const pm_memory_band *bands, size_t n,
                          const pm_memory_legend *legend);

#endif
