/* stop: SIGINT, SIGTERM and SIGHUP end a command between two of its steps. */
#ifndef PM_CLI_STOP_H
#define PM_CLI_STOP_H

#include <stdbool.h>

/* From here on they are noticed, and end nothing by themselves. */
void pm_stop_catch(void);
bool pm_stop_asked(void);

#endif
