/* map: pmapdb map: memory as a picture, page by page. */
#ifndef PM_CLI_MAP_H
#define PM_CLI_MAP_H

#include "cli/pages/open.h"
#include "cli/picture.h"

#include "render/picture/memory.h"
#include "source/pages/ranges.h"

typedef struct pm_map_ask {
    pm_cli *cli;
    bool physical;
    const char *by, *proc;
    int64_t pid;
} pm_map_ask;

/* Opens the output and a picture of this size for it. The picture keeps `err`. */
void pm_map_picture(const pm_map_ask *ask, int width, int height, int lines, const char *title,
                    pm_output *out, pm_picture *p, pmapdb_error *err);

/* The address space of a process. */
void pm_map_process(const pm_map_ask *ask, pm_output *out);

#endif
