/* damage: the undamaged part of truncated and damaged archives is read, then one failure. */
#include "source/packed.h"

#define BIG 1000000

/* The bytes before the cut are read, except the last, incomplete block of libarchive. */
IN_BOX(truncated)
{
    char *bytes = box_noise(BIG);

    for (size_t i = 0; i < COUNT(box_filters); i++) {
        const char *path = "cut.gz";
        pm_buf packed, all;
        char *list;

        box_compress(path, box_filters[i].filter, bytes, BIG);
        packed = box_bytes(path);
        box_write(path, packed.data, packed.len * 19 / 20);
        list = box_list(&path, 1, &all);
        assert_non_null(strstr(list, box_filters[i].truncated));
        assert_non_null(strstr(list, "!4 'cut.gz': "));
        assert_in_range(all.len, 1, BIG - 1);
        assert_memory_equal(all.data, bytes, all.len);
        if (box_filters[i].filter == ARCHIVE_FILTER_GZIP)
            assert_true(all.len > BIG * 19 / 20 - 70000);
        free(list);
        pm_buf_free(&all);
        box_write(path, packed.data, 30);
        list = box_list(&path, 1, NULL);
        assert_non_null(strstr(list, box_filters[i].truncated));
        free(list);
        pm_buf_free(&packed);
    }
    free(bytes);
}

IN_BOX(garbage_after_the_data)
{
    pm_buf packed;

    box_compress("x.gz", ARCHIVE_FILTER_GZIP, "hello", 5);
    packed = box_bytes("x.gz");
    pm_buf_add(&packed, "\0\0\0\0", 4, NULL);
    box_write("x.gz", packed.data, packed.len);
    box_expect("x.gz", "x.gz (x) named hello\n");
    pm_buf_add(&packed, "garbage", 7, NULL);
    box_write("x.gz", packed.data, packed.len);
    box_expect("x.gz", "x.gz (x) named hello !4 'x.gz': garbage after the compressed data\n");
    pm_buf_free(&packed);
}

IN_BOX(damaged_tar)
{
    char *bytes = box_noise(BIG);
    box_member three[] = {{"1", 0, "one", 0}, {"2", 0, bytes, BIG}, {"3", 0, "three", 0}};
    pm_buf tar;

    box_archive("x.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, three, 3);
    tar = box_bytes("x.tar");
    box_write("x.tar", tar.data, 512 + 512 + 512 + 1000);
    box_expect("x.tar", "x.tar:1 (1) archive one\n"
                        "x.tar:2 (2) archive [1000] !4 'x.tar:2': Truncated tar archive\n");
    /* a damaged header is skipped, and reported at the end */
    box_write("x.tar", tar.data, tar.len);
    box_poke("x.tar", 1024, 'X');
    box_expect("x.tar", "x.tar:1 (1) archive one\nx.tar:3 (3) archive three\n"
                        "!4 'x.tar': damaged tar archive: parts are missing\n");
    pm_buf_free(&tar);
    free(bytes);
}

/* A failure of the decompressor ends the archive: one cut is one failure. */
IN_BOX(truncated_tar)
{
    char *bytes = box_noise(BIG), *list;
    box_member two[] = {{"1", 0, "one", 0}, {"2", 0, bytes, BIG}};
    const char *path = "x.tgz", *failure;
    pm_buf packed;

    box_archive(path, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, two, 2);
    packed = box_bytes(path);
    box_write(path, packed.data, packed.len / 2);
    list = box_list(&path, 1, NULL);
    failure = strstr(list, "!4 'x.tgz:2': truncated gzip input\n");
    assert_true(pm_text_starts(pm_text_of(list), PM_TEXT("x.tgz:1 (1) archive one\n")));
    assert_non_null(failure);
    assert_null(strchr(failure + 1, '!'));
    free(list);
    pm_buf_free(&packed);
    free(bytes);
}

RUN_TESTS(NULL, NULL)
