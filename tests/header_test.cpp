// header_test: pmapdb.h alone, as C++17. Compiled, never run.
#include "pmapdb.h"

int main()
{
    pmapdb_error err = {PMAPDB_OK, 0, 0, ""};

    return static_cast<int>(err.status);
}
