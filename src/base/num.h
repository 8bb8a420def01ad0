/* num: strict reading of numbers. A number ends where its digits end; the caller checks the text
 * after it. Nothing is skipped, signs are not accepted, and overflow is a failure. */
#ifndef PM_BASE_NUM_H
#define PM_BASE_NUM_H

#include "base/text.h"
#include <stdint.h>

/* Reads digits from p up to end. Returns the number of characters used; 0 without digits or on
 * overflow. */
size_t pm_num_dec(const char *p, const char *end, uint64_t *out);
size_t pm_num_hex(const char *p, const char *end, uint64_t *out);

/* Cuts a number off the start of the text. False: the text does not begin with one. */
static inline bool pm_num_take(pm_text *t, uint64_t *out)
{
    size_t n = pm_num_dec(t->data, t->data + t->len, out);

    *t = pm_text_from(*t, n);
    return n > 0;
}

static inline bool pm_num_take_hex(pm_text *t, uint64_t *out)
{
    size_t n = pm_num_hex(t->data, t->data + t->len, out);

    *t = pm_text_from(*t, n);
    return n > 0;
}

/* Returns how many hex digits are at p, whether the number fits into 64 bits or not. */
size_t pm_num_hex_run(const char *p, const char *end);

/* True if the whole text is one decimal number. */
bool pm_num_all(pm_text t, uint64_t *out);

/* Returns a decimal number with an optional minus; PMAPDB_UNKNOWN for any other text. */
int64_t pm_num_signed(pm_text t);

/* Reads a size as people write it: "10M", "1.5G", "512", "64KiB"; KiB without a unit. Result in
 * KiB, rounded to the nearest. */
bool pm_num_size(pm_text t, int64_t *kib);

/* Reads a span of time as people write it: "30s", "5m", "2h", "7d", "500ms", "1h30m". Result in ms.
 */
bool pm_num_span(pm_text t, int64_t *ms);

#endif
