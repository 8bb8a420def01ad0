/* reader_fuzz: a stream of captures of any kind, recognized by the shape of its lines. Byte 0: how
 * the text is cut into pieces, and whether it is read again when all of its rows are known. */
#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    uint8_t split = fuzz_byte(&in);
    pm_text text = fuzz_rest(&in);

    fuzz_read_both(PM_DIALECT_COUNT, text, split);
    if (split % 4 == 1)
        fuzz_read_known(text, text, split);
    return 0;
}
