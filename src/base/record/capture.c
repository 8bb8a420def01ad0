/* capture: the lifetime of a capture. */
#include "base/record/capture.h"

#include <stdlib.h>

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
