/* number: numbers as text. Always with a decimal point, whatever the locale. */
#ifndef PM_RENDER_NUMBER_H
#define PM_RENDER_NUMBER_H

#include <stdint.h>

#define PM_NUMBER_TEXT 32

/* For programs: the fewest digits that read back as the same double; "inf", "-inf". */
void pm_number_exact(double v, char out[PM_NUMBER_TEXT]);

/* For people: six significant digits, and all digits before the point. */
void pm_number_brief(double v, char out[PM_NUMBER_TEXT]);

/* For people: three significant digits and a binary unit, "1.4 GiB". */
void pm_number_size(double kib, char out[PM_NUMBER_TEXT]);

/* For people: three significant digits, "12.5%". */
void pm_number_percent(double ratio, char out[PM_NUMBER_TEXT]);

/* For people: the two largest units that matter, "3d04h", "2h05m", "5m03s", "1.5s", "250ms". */
void pm_number_span(double ms, char out[PM_NUMBER_TEXT]);

#endif
