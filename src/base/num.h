/* num: strict reading of numbers. A number ends where its digits end; the caller says what may
 * follow. Nothing is skipped, no sign is taken, overflow is a failure and not a wrap. */
#ifndef PM_BASE_NUM_H
#define PM_BASE_NUM_H

#include "base/text.h"
#include <stdint.h>

/* Reads digits from p (at most end). Returns how many characters were used, 0 for none or
 * overflow. */
size_t pm_num_dec(const char *p, const char *end, uint64_t *out);
size_t pm_num_hex(const char *p, const char *end, uint64_t *out);

/* Eight columns, blanks and then digits to the last of them: as "%8lu" prints. */
bool pm_num_column(const char p[8], uint64_t *out);

/* How many hex digits stand at p, be they a number that fits or not. */
size_t pm_num_hex_run(const char *p, const char *end);

/* The whole text is one decimal number. */
bool pm_num_all(pm_text t, uint64_t *out);

/* A size as people write it: "10M", "1.5G", "512", "64KiB"; KiB when there is no unit. Result in
 * KiB, rounded to the nearest. */
bool pm_num_size(pm_text t, int64_t *kib);

/* A span as people write it: "30s", "5m", "2h", "7d", "500ms", "1h30m". Result in ms. */
bool pm_num_span(pm_text t, int64_t *ms);

#endif
