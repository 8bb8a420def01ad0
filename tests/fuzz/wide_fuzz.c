/* wide_fuzz: the rows of pmap -X and -XX, and the fields of their columns. Byte 0: which of the two
 * dialects; byte 1: how the text is cut into pieces. */
#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    pm_dialect dialect = fuzz_byte(&in) % 2 ? PM_DIALECT_PMAP_XX : PM_DIALECT_PMAP_X;
    uint8_t split = fuzz_byte(&in);

    fuzz_read_both(dialect, fuzz_rest(&in), split);
    return 0;
}
