/* source: plain files, directories, standard input, and awkward names. */
#include "source/box.h"

IN_BOX(plain_file)
{
    mkdir("a", 0700);
    box_text("a/x.smaps", "hello");
    box_expect("a/x.smaps", "a/x.smaps (x.smaps) named hello\n");
    box_expect("./a/x.smaps", "./a/x.smaps (x.smaps) named hello\n");
    box_text("empty", "");
    box_expect("empty", "empty (empty) named \n");
    box_text("name.gz", "not compressed");
    box_expect("name.gz", "name.gz (name.gz) named not compressed\n");
}

IN_BOX(big_file_in_blocks)
{
    size_t len = 700001;
    char *bytes = malloc(len);
    const char *path = "big";
    pm_buf all;
    char *list;

    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i % 251);
    box_write("big", bytes, len);
    list = box_list(&path, 1, &all);
    assert_string_equal(list, "big (big) named [700001]\n");
    assert_memory_equal(all.data, bytes, len);
    free(list);
    free(bytes);
    pm_buf_free(&all);
}

IN_BOX(modification_time)
{
    box_text("x", "hello");
    box_set_time("x", INT64_C(1795226732987));
    box_expect_time("x", "x", INT64_C(1795226732987));
}

IN_BOX(directory)
{
    mkdir("d", 0700);
    mkdir("d/b", 0700);
    mkdir("d/.git", 0700);
    mkdir("d/nothing", 0700);
    box_text("d/.git/x", "hidden");
    box_text("d/.x", "hidden");
    box_text("d/b/2", "two");
    box_text("d/b/10", "ten");
    box_text("d/a", "A");
    box_text("d/Z", "Z");
    box_text("d/c", "C");
    assert_int_equal(symlink("a", "d/link"), 0);
    assert_int_equal(symlink("..", "d/loop"), 0);
    assert_int_equal(symlink("nowhere", "d/dangling"), 0);
    assert_int_equal(mkfifo("d/fifo", 0600), 0);
    box_expect("d", "d/Z (Z) Z\nd/a (a) A\nd/b/10 (10) ten\nd/b/2 (2) two\n"
                    "d/c (c) C\nd/link (link) A\n");
    box_expect("d/loop/d/b", "d/loop/d/b/10 (10) ten\n"
                             "d/loop/d/b/2 (2) two\n");
    box_expect("d/nothing", "");
}

/* Such a file is not opened if it is found in a directory. A named file is read like any other. */
IN_BOX(skipped_by_name)
{
    mkdir("7", 0700);
    mkdir("7/fd", 0700);
    box_text("7/environ", "SECRET=1");
    box_text("7/smaps", "s");
    box_text("x.smaps", "x");
    assert_int_equal(symlink("../../x.smaps", "7/fd/3"), 0);
    box_expect("7", "7/environ (environ) skipped \n7/fd/3 (3) skipped \n"
                    "7/smaps (smaps) s\n");
    box_expect("7/environ", "7/environ (environ) named SECRET=1\n");
}

IN_BOX(failures_are_per_path)
{
    const char *const paths[] = {"none", "x", "d", "x"};
    char *list;

    box_text("x", "hello");
    mkdir("d", 0700);
    box_text("d/closed", "y");
    box_text("d/open", "z");
    chmod("d/closed", 0);
    list = box_list(paths, 2, NULL);
    assert_string_equal(list, "!8 'none': no such file or directory\nx (x) named hello\n");
    free(list);
    if (geteuid() == 0) /* root may read everything */
        return;
    list = box_list(paths + 1, 3, NULL);
    assert_string_equal(list, "x (x) named hello\n!3 'd/closed': Permission denied\n"
                              "d/open (open) z\nx (x) named hello\n");
    free(list);
    chmod("d", 0);
    list = box_list(paths + 2, 2, NULL);
    assert_string_equal(list, "!3 'd': Permission denied\nx (x) named hello\n");
    free(list);
    chmod("d", 0700);
}

IN_BOX(read_errors)
{
    box_expect("/proc/self/mem", "!3 '/proc/self/mem': Input/output error\n");
    mkdir("d", 0700);
    box_expect_stdin("d", "!3 '-': Is a directory\n");
}

/* Files of /proc have the size 0. */
IN_BOX(proc_file)
{
    const char *path = "/proc/self/maps";
    pm_buf all;
    char *list = box_list(&path, 1, &all);

    assert_true(all.len > 100);
    assert_true(pm_text_starts(pm_text_of(list), PM_TEXT("/proc/self/maps (maps)")));
    assert_non_null(memmem(all.data, all.len, "[stack]", 7));
    free(list);
    pm_buf_free(&all);
}

IN_BOX(standard_input)
{
    box_text("x", "hello");
    box_expect_stdin("x", "- (-) named stdin hello\n");
    box_text("-", "dash");
    box_expect("./-", "./- (-) named dash\n");
    box_expect(".", "./- (-) dash\n./x (x) hello\n");
}

IN_BOX(named_fifo_is_read)
{
    pid_t child;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    child = fork();
    if (child == 0) {
        int fd = open("fifo", O_WRONLY | O_CLOEXEC);

        _exit(write(fd, "hello", 5) == 5 ? 0 : 1);
    }
    box_expect("fifo", "fifo (fifo) named hello\n");
}

IN_BOX(odd_names)
{
    char name[256], wanted[600];

    mkdir("d", 0700);
    box_text("d/new\nline", "1");
    box_text("d/not\377utf8", "2");
    box_expect("d", "d/new\nline (new\nline) 1\nd/not\377utf8 (not\377utf8) 2\n");
    memset(name, 'n', 255);
    name[255] = '\0';
    box_text(name, "3");
    snprintf(wanted, sizeof wanted, "%s (%s) named 3\n", name, name);
    box_expect(name, wanted);
    unlink(name);
    /* the message keeps the reason and the end of the name */
    snprintf(wanted, sizeof wanted, "!8 '...%s': no such file or directory\n", name + 55);
    box_expect(name, wanted);
    box_expect("none\n", "!8 'none?': no such file or directory\n");
}

IN_BOX(nothing_given)
{
    char *list = box_list(NULL, 0, NULL);

    assert_string_equal(list, "");
    free(list);
    pm_source_free(NULL);
}

RUN_TESTS(NULL, NULL)
