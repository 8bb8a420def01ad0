/* header_test: pmapdb.h alone, as strict C11. Compiled, never run. */
#include "pmapdb.h"

int main(void)
{
    pmapdb_error err = {PMAPDB_OK, 0, 0, ""};

    return (int)err.status;
}
