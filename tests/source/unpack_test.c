/* unpack: compressed files and archives, intact and damaged. */
#include "source/packed.h"

#define BIG 1000000

IN_BOX(every_compression)
{
    for (size_t i = 0; i < COUNT(box_filters); i++) {
        char path[32], wanted[128];

        snprintf(path, sizeof path, "x.smaps.%s", box_filters[i].suffix);
        box_compress(path, box_filters[i].filter, "hello", 5);
        snprintf(wanted, sizeof wanted, "%s (x.smaps) named hello\n", path);
        box_expect(path, wanted);
        box_expect_stdin(path, "- (-) named stdin hello\n");
        /* the name does not matter */
        rename(path, "plain");
        box_expect("plain", "plain (plain) named hello\n");
    }
}

IN_BOX(compressed_nothing)
{
    for (size_t i = 0; i < COUNT(box_filters); i++) {
        box_compress("nothing.gz", box_filters[i].filter, "", 0);
        box_expect("nothing.gz", "nothing.gz (nothing) named \n");
    }
}

IN_BOX(time_of_the_file_not_of_gzip)
{
    box_compress("x.gz", ARCHIVE_FILTER_GZIP, "hello", 5);
    box_set_time("x.gz", INT64_C(1700000000005));
    box_expect_time("x.gz", "x.gz", INT64_C(1700000000005));
}

/* `gzip >> log` appends member after member. */
IN_BOX(several_members_in_a_file)
{
    pm_buf packed, more;

    for (size_t i = 0; i < COUNT(box_filters); i++) {
        box_compress("x.gz", box_filters[i].filter, "hello", 5);
        packed = box_bytes("x.gz");
        box_compress("y.gz", box_filters[i].filter, " world", 6);
        more = box_bytes("y.gz");
        pm_buf_add(&packed, more.data, more.len, NULL);
        box_write("x.gz", packed.data, packed.len);
        box_expect("x.gz", "x.gz (x) named hello world\n");
        pm_buf_free(&packed);
        pm_buf_free(&more);
    }
}

static const box_member members[] = {
    {"top.smaps", 0, "top", 0},    {"d/", AE_IFDIR, NULL, 0},     {"d/link", AE_IFLNK, NULL, 0},
    {"d/e/x.smaps", 0, "deep", 0}, {"d/fifo", AE_IFIFO, NULL, 0}, {"d/empty", 0, "", 0},
    {"/abs/y", 0, "abs", 0},
};

static void expect_members(const char *archive, const char *file)
{
    pm_buf wanted = {0};

    pm_buf_addf(&wanted, NULL,
                "%1$s:top.smaps (top.smaps) archive top\n"
                "%1$s:d/e/x.smaps (x.smaps) archive deep\n"
                "%1$s:d/empty (empty) archive \n"
                "%1$s:/abs/y (y) archive abs\n",
                archive);
    if (strcmp(archive, "-") == 0)
        box_expect_stdin(file, wanted.data);
    else
        box_expect(archive, wanted.data);
    pm_buf_free(&wanted);
}

IN_BOX(tar_archives)
{
    static const int formats[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_GNUTAR,
                                  ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FORMAT_TAR};

    for (size_t i = 0; i < COUNT(formats); i++) {
        box_archive("x.tar", formats[i], ARCHIVE_FILTER_NONE, members, COUNT(members));
        expect_members("x.tar", NULL);
        expect_members("-", "x.tar");
    }
    for (size_t i = 0; i < COUNT(box_filters); i++) {
        box_archive("x", ARCHIVE_FORMAT_TAR_USTAR, box_filters[i].filter, members, COUNT(members));
        expect_members("x", NULL);
        expect_members("-", "x");
    }
}

IN_BOX(tar_without_magic)
{
    static const box_member one = {"x.smaps", 0, "hello", 0};
    unsigned sum = 0;
    pm_buf tar;

    box_archive("v7", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, &one, 1);
    tar = box_bytes("v7");
    memset(tar.data + 257, 0, 512 - 257);
    memset(tar.data + 148, ' ', 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)tar.data[i];
    snprintf(tar.data + 148, 8, "%06o", sum);
    box_write("v7", tar.data, tar.len);
    box_expect("v7", "v7:x.smaps (x.smaps) archive hello\n");
    box_poke("v7", 0, 'X');
    box_expect("v7", "v7 (v7) named [2048]\n");
    pm_buf_free(&tar);
}

IN_BOX(member_time)
{
    box_archive("x.tar", ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_NONE, members, 1);
    box_expect_time("x.tar", "top.smaps", INT64_C(1795226732123));
}

/* Tools that write their own tar headers leave the time out. */
IN_BOX(member_without_time)
{
    static const int64_t seconds[] = {0, -5};
    const char *path = "x.tar";

    for (size_t i = 0; i < COUNT(seconds); i++) {
        struct archive *a = archive_write_new();
        struct archive_entry *member = archive_entry_new();

        archive_write_set_format(a, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE);
        assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
        archive_entry_set_pathname(member, "./1/smaps");
        archive_entry_set_filetype(member, AE_IFREG);
        archive_entry_set_mtime(member, seconds[i], 0);
        assert_int_equal(archive_write_header(a, member), ARCHIVE_OK);
        archive_entry_free(member);
        assert_int_equal(archive_write_free(a), ARCHIVE_OK);
        box_set_time(path, INT64_C(1700000000005));
        box_expect_time(path, "./1/smaps", INT64_C(1700000000005));
    }
}

/* The bytes of a skipped member are not shown, and neither is a failure of its decompression. */
IN_BOX(skipped_members)
{
    static const box_member some[] = {
        {"7/environ", 0, "SECRET=1", 0},
        {"7/smaps", 0, "s", 0},
        {"7/pagemap", 0, "\x1f\x8b no gzip", 0},
        {"7/task/8/smaps", 0, "s", 0},
        {"8/smaps", 0, "t", 0},
    };

    box_archive("x.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, some, COUNT(some));
    box_expect("x.tar", "x.tar:7/environ (environ) archive skipped \n"
                        "x.tar:7/smaps (smaps) archive s\n"
                        "x.tar:7/pagemap (pagemap) archive skipped \n"
                        "x.tar:7/task/8/smaps (smaps) archive skipped \n"
                        "x.tar:8/smaps (smaps) archive t\n");
}

IN_BOX(empty_tar)
{
    box_archive("x.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, NULL, 0);
    box_expect("x.tar", "");
    box_archive("x.tgz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, NULL, 0);
    box_expect("x.tgz", "");
    rename("x.tar", "zeros");
    box_expect("zeros", "zeros (zeros) named [1024]\n");
}

IN_BOX(compressed_members)
{
    box_member packed[] = {{"a.smaps.gz", 0, NULL, 0},
                           {"cut.gz", 0, NULL, 0},
                           {"nil.gz", 0, NULL, 0},
                           {"name.gz", 0, "plain", 0}};
    pm_buf gz, nil, cut, wanted = {0};
    char *bytes = box_noise(400);

    for (size_t i = 0; i < COUNT(box_filters); i++) {
        box_compress("gz", box_filters[i].filter, "hello", 5);
        box_compress("nil", box_filters[i].filter, "", 0);
        gz = box_bytes("gz");
        nil = box_bytes("nil");
        box_compress("long", box_filters[i].filter, bytes, 400);
        cut = box_bytes("long");
        packed[0].bytes = gz.data;
        packed[1].bytes = cut.data;
        packed[0].len = gz.len;
        packed[1].len = 100;
        packed[2].bytes = nil.data;
        packed[2].len = nil.len;
        box_archive("x.tgz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, packed, COUNT(packed));
        pm_buf_addf(&wanted, NULL,
                    "x.tgz:a.smaps.gz (a.smaps) archive hello\n"
                    "!4 'x.tgz:cut.gz': %s\n"
                    "x.tgz:nil.gz (nil) archive \n"
                    "x.tgz:name.gz (name.gz) archive plain\n",
                    box_filters[i].truncated);
        box_expect("x.tgz", wanted.data);
        pm_buf_free(&wanted);
        pm_buf_free(&gz);
        pm_buf_free(&nil);
        pm_buf_free(&cut);
    }
    free(bytes);
}

IN_BOX(entries_left_unread)
{
    char *bytes = box_noise(BIG);
    box_member two[] = {{"1", 0, bytes, BIG}, {"2", 0, "two", 0}};
    const char *const paths[] = {"x.tar", "x.tgz", "x.tar"};
    const pm_source_entry *e;
    pm_source *s;

    box_archive("x.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, two, 2);
    box_archive("x.tgz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, two, 2);
    assert_int_equal(pm_source_new(paths, 3, 0, &s, NULL), PMAPDB_OK);
    for (int i = 0; i < 6; i++) {
        const char *text;
        size_t n;

        assert_int_equal(pm_source_next(s, &e, NULL), PMAPDB_OK);
        assert_string_equal(e->name, i % 2 ? "2" : "1");
        if (i < 2)
            continue;
        assert_int_equal(pm_source_read(s, &text, &n, NULL), PMAPDB_OK);
        assert_memory_equal(text, i % 2 ? "two" : bytes, 3);
    }
    pm_source_free(s);
    free(bytes);
}

IN_BOX(odd_member_names)
{
    char name[300];
    box_member odd[] = {{"new\nline", 0, "1", 0}, {"not\377utf8", 0, "2", 0}, {name, 0, "3", 0}};
    pm_buf wanted = {0};

    memset(name, 'n', 299);
    name[299] = '\0';
    box_archive("x", ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE, odd, 3);
    pm_buf_addf(&wanted, NULL,
                "x:new\nline (new\nline) archive 1\n"
                "x:not\377utf8 (not\377utf8) archive 2\nx:%s (%s) archive 3\n",
                name, name);
    box_expect("x", wanted.data);
    pm_buf_free(&wanted);
}

/* A member of 10 GB that is a hole except for its ends, and a member with a small hole. */
IN_BOX(sparse_members)
{
    struct archive *a = archive_write_new();
    const la_int64_t sizes[] = {INT64_C(10000000000), 100000};
    pm_buf all;
    const char *path = "x.tar";
    char *list;

    archive_write_set_format(a, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (int i = 0; i < 2; i++) {
        struct archive_entry *e = archive_entry_new();

        archive_entry_set_pathname(e, i ? "small" : "huge");
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_size(e, sizes[i]);
        archive_entry_set_mtime(e, 1, 0);
        archive_entry_sparse_add_entry(e, 0, 5);
        archive_entry_sparse_add_entry(e, sizes[i] - 3, 3);
        assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
        for (la_int64_t at = 0; i == 1 && at < sizes[i]; at++)
            archive_write_data(a, at < 5 ? "S" : at >= sizes[i] - 3 ? "E" : "", 1);
        if (i == 0)
            archive_write_data(a, "SSSSS", 5);
        archive_entry_free(e);
    }
    archive_write_free(a);
    list = box_list(&path, 1, &all);
    assert_string_equal(list, "x.tar:huge (huge) archive SSSSS\n"
                              "x.tar:small (small) archive [100000]\n");
    assert_memory_equal(all.data, "SSSSS\0\0", 7);
    assert_memory_equal(all.data + 99996, "\0EEE", 4);
    free(list);
    pm_buf_free(&all);
}

RUN_TESTS(NULL, NULL)
