/* pmap_fuzz: narrow rows, as pmap, pmap -x, pmap -d and similar tools print them, read as one of
 * these dialects. Byte 0: the dialect; byte 1: how the text is cut into pieces. */
#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const pm_dialect dialects[] = {
        PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_PMAP,      PM_DIALECT_PMAP_D, PM_DIALECT_SUSE,
        PM_DIALECT_TOYBOX_X,     PM_DIALECT_BUSYBOX_X, PM_DIALECT_TOYBOX, PM_DIALECT_BUSYBOX};
    fuzz_input in = fuzz_open(data, size);
    pm_dialect dialect = dialects[fuzz_byte(&in) % 8];
    uint8_t split = fuzz_byte(&in);

    fuzz_read_both(dialect, fuzz_rest(&in), split);
    return 0;
}
