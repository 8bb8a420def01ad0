/* capture: the lifetime of a capture and the names of its time sources. */
#include "base/record/capture.h"

#include <stdlib.h>

const char *pm_time_source_name(pm_time_source source)
{
    static const char *const names[] = {"none",  "given", "stream", "name",
                                        "mtime", "now",   "live",   "every"};

    return names[source];
}

void pm_capture_free(pm_capture *c)
{
    if (!c)
        return;
    free(c->rows);
    free(c->command);
    free(c->missing);
    free(c->notes);
    free(c->source_dir);
    free(c->source_name);
    free(c->name);
    free(c);
}
