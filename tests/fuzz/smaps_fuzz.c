/* smaps_fuzz: the output of the kernel, read as one of its dialects. Byte 0: the dialect; byte 1:
 * how the text is cut into pieces; small pieces never take the shortcuts of smaps_fast.c. */
#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_MAPS, PM_DIALECT_ROLLUP};
    fuzz_input in = fuzz_open(data, size);
    pm_dialect dialect = dialects[fuzz_byte(&in) % 3];
    uint8_t split = fuzz_byte(&in);

    fuzz_read_both(dialect, fuzz_rest(&in), split);
    return 0;
}
