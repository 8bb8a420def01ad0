/* skip: names of /proc that can be no capture, so that what bears them is never opened. */
#ifndef PM_SOURCE_SKIP_H
#define PM_SOURCE_SKIP_H

#include "base/text.h"
#include <stdbool.h>

/* The path of a file that was found, not named, on disk or inside an archive. */
bool pm_skip_path(pm_text path);

#endif
