/* script_fuzz: the tokens of SQL that a person wrote, and where one of them stands. */
#include "kit.h"

#include "store/read/script.h"

static void check_tokens(pm_text sql)
{
    pm_text rest = sql, token, found;
    const char *last = sql.data;
    int n = 0;

    while ((token = pm_script_token(&rest)).len) {
        FUZZ_CHECK(token.data >= last && token.data + token.len == rest.data, "token %d", n);
        FUZZ_CHECK(rest.data + rest.len == sql.data + sql.len, "the rest of token %d", n);
        last = rest.data;
        if (n++ > 3)
            continue;
        found = pm_script_find(sql, token);
        FUZZ_CHECK(found.data && found.data <= token.data, "token %d is not found", n);
    }
    FUZZ_CHECK(rest.len == 0, "%zu bytes are left", rest.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_alone(data, size);

    check_tokens((pm_text){bytes, size});
    free(bytes);
    return 0;
}
