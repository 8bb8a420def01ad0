/* address_scale: where addresses lie on a picture: from below, with the holes folded. */
#ifndef PM_RENDER_ADDRESS_SCALE_H
#define PM_RENDER_ADDRESS_SCALE_H

#include "render/picture/plot.h"

/* Addresses without a large hole, and the rows that they take, counted from below. */
typedef struct pm_address_part {
    uint64_t start, end;
    double row, rows;
    int block; /* the parts of a block are near each other */
} pm_address_part;

typedef struct pm_address_scale {
    pm_address_part *part;
    size_t n;
    int n_blocks;
} pm_address_scale;

/* Takes all addresses that the map ever shows. The caller frees `part`. */
pmapdb_status pm_address_scale_new(pm_address_scale *out, const pm_plot_map *map,
                                   pmapdb_error *err);
/* Gives the parts their rows, with `between` free rows between two blocks. */
void pm_address_scale_place(pm_address_scale *s, int rows, int between);

/* The row of an address; -1 in a hole. */
double pm_address_scale_row(const pm_address_scale *s, uint64_t address);
int pm_address_scale_block(const pm_address_scale *s, uint64_t address);

#endif
