/* buf: growable bytes, growable arrays; and the messages of err. */
#include "unit.h"

#include "base/buf.h"
#include <errno.h>

TEST(grows_and_ends_with_nul)
{
    pm_buf buf = {0};
    pm_text text = pm_buf_text(&buf);

    assert_int_equal(text.len, 0);
    assert_non_null(text.data);
    for (size_t i = 0; i < 10000; i++) {
        char byte = (char)(i % 256);

        assert_int_equal(pm_buf_add(&buf, &byte, 1, NULL), PMAPDB_OK);
        assert_true(buf.cap > buf.len);
        assert_int_equal(buf.data[buf.len], '\0');
    }
    assert_int_equal(buf.len, 10000);
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal((unsigned char)buf.data[i], i % 256);
    pm_buf_free(&buf);
    assert_null(buf.data);
    pm_buf_free(&buf);
}

TEST(clear_keeps_the_memory)
{
    pm_buf buf = {0};
    char *data;

    pm_buf_clear(&buf);
    assert_int_equal(pm_buf_add(&buf, "hello", 5, NULL), PMAPDB_OK);
    data = buf.data;
    pm_buf_clear(&buf);
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf.data, "");
    assert_ptr_equal(buf.data, data);
    pm_buf_free(&buf);
}

TEST(formats)
{
    pm_buf buf = {0};
    char long_text[300];

    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(pm_buf_addf(&buf, NULL, "%d-", 42), PMAPDB_OK);
    assert_int_equal(pm_buf_addf(&buf, NULL, "%s", ""), PMAPDB_OK);
    assert_int_equal(pm_buf_addf(&buf, NULL, "%s", long_text), PMAPDB_OK);
    assert_int_equal(buf.len, 302);
    assert_memory_equal(buf.data, "42-xxx", 6);
    assert_string_equal(buf.data + 3, long_text);
    pm_buf_free(&buf);
}

TEST(too_much_is_refused)
{
    pm_buf buf = {0};
    pmapdb_error err;
    void *items = NULL;
    size_t cap = SIZE_MAX / 8;

    assert_int_equal(pm_buf_add(&buf, "hello", 5, NULL), PMAPDB_OK);
    assert_int_equal(pm_buf_add(&buf, "", SIZE_MAX / 4, &err), PMAPDB_NOMEM);
    assert_int_equal(err.status, PMAPDB_NOMEM);
    assert_string_equal(buf.data, "hello");
    pm_buf_free(&buf);
    assert_int_equal(pm_grow(&items, &cap, cap, 16, &err), PMAPDB_NOMEM);
    assert_null(items);
}

TEST(arrays_grow)
{
    uint64_t *items = NULL;
    size_t cap = 0;

    for (size_t n = 0; n < 1000; n++) {
        assert_int_equal(pm_grow(&items, &cap, n, sizeof *items, NULL), PMAPDB_OK);
        assert_true(cap > n);
        items[n] = n;
    }
    for (size_t n = 0; n < 1000; n++)
        assert_int_equal(items[n], n);
    free(items);
}

TEST(messages_are_one_line)
{
    pmapdb_error err;
    char name[700];

    assert_int_equal(pm_fail(&err, PMAPDB_INPUT, "'%s': bad", "a\nb\tc\177"), PMAPDB_INPUT);
    assert_string_equal(err.text, "'a?b?c?': bad");
    assert_int_equal(err.status, PMAPDB_INPUT);
    assert_int_equal(err.os_errno, 0);
    assert_int_equal(pm_fail_io(&err, ENOENT, "'%s'", "x"), PMAPDB_IO);
    assert_string_equal(err.text, "'x': No such file or directory");
    assert_int_equal(err.os_errno, ENOENT);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(pm_fail_io(&err, ENOENT, "'%s'", name), PMAPDB_IO);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(pm_fail(NULL, PMAPDB_USAGE, "x"), PMAPDB_USAGE);
    assert_int_equal(pm_fail_io(NULL, ENOENT, "x"), PMAPDB_IO);
    assert_int_equal(pm_fail_nomem(NULL), PMAPDB_NOMEM);
}

RUN_TESTS(NULL, NULL)
