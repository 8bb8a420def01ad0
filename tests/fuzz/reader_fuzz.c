/* reader_fuzz: a stream of captures of any kind, told by the shape of its lines. Byte 0: how it is
 * cut into pieces. */
#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    uint8_t split = fuzz_byte(&in);

    fuzz_read_both(PM_DIALECT_COUNT, fuzz_rest(&in), split);
    return 0;
}
