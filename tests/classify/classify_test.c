/* Tests of classify: the category that a row gets from its own text and from the program. */
#include "classify/rows.h"

typedef struct expectation {
    const char *perms, *path, *slug;
} expectation;

static void expect_rows(const pm_classify_context *context, const expectation *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_row row = {0x1000, 0x2000, rows[i].perms, rows[i].path};
        pm_mapping m = mapping_of(&row);
        const char *slug = pm_categories[pm_classify_mapping(context, &m)].slug;

        if (strcmp(slug, rows[i].slug) != 0)
            fail_msg("%s '%s': %s, expected %s", rows[i].perms, rows[i].path, slug, rows[i].slug);
    }
}

#define EXPECT(context, rows) expect_rows(context, rows, COUNT(rows))

/* Names as maps, smaps, -X and -XX print them. */
TEST(test_kernel_names)
{
    static const expectation rows[] = {
        {"rw-p", "[heap]", "heap"},
        {"rw-p", "[stack]", "stack"},
        {"rw-p", "[stack:15928]", "stack"},
        {"r-xp", "[vdso]", "kernel"},
        {"r--p", "[vvar]", "kernel"},
        {"r--p", "[vvar_vclock]", "kernel"},
        {"--xp", "[vsyscall]", "kernel"},
        {"r-xp", "[vectors]", "kernel"},
        {"r-xp", "[sigpage]", "kernel"},
        {"--xp", "[uprobes]", "kernel"},
        {"rw-s", "/memfd:my memfd/with slash (deleted)", "memfd"},
        {"r-xs", "/memfd:doublemapper (deleted)", "memfd"},
        {"rw-s", "/memfd:lib.so (deleted)", "memfd"},
        {"rw-s", "/dev/zero (deleted)", "shared-memory"},
        {"rw-s", "/SYSV00abcdef (deleted)", "shared-memory"},
        {"rw-s", "/dev/shm/PostgreSQL.2890818764", "shared-memory"},
        {"r--p", "/dev/shm/gone.so (deleted)", "shared-memory"},
        {"rw-s", "", "shared-memory"},
        {"---s", "", "shared-memory"},
        {"rw-p", "[anon_shmem:dalvik-jit-code-cache]", "shared-memory"},
        {"rw-s", "[anon:shared]", "shared-memory"},
        {"rw-p", "[anon:dalvik-/system/framework/boot.art]", "anonymous"},
        {"r--p", "[anon:libc.so.6 bss]", "anonymous"},
        {"---p", "[anon:guard]", "anonymous"},
        {"rw-p", "boot.art]", "anonymous"},
        {"---p", "", "reserve"},
        {"rw-p", "", "anonymous"},
        {"--xp", "", "anonymous"},
        {"rw-p", "anon_inode:[perf_event]", "mapped-file"},
        {"rw-p", "/tmp/[heap]", "mapped-file"},
        {"rw-p", "/dev/zero", "mapped-file"},
        {"rw-p", "/home/x]", "mapped-file"},
        {"rw-p", "/anon_hugepage (deleted)", "deleted-file"},
    };
    pm_classify_context context = {0};

    EXPECT(&context, rows);
}

/* Names as pmap, -x and -d print them without -p, after "[ anon ]" and "[ stack ]" were read. */
TEST(test_narrow_names)
{
    static const expectation rows[] = {
        {"rw--", "", "anonymous"},
        {"----", "", "reserve"},
        {"rw--", "[stack]", "stack"},
        {"rw-s", "[ shmid=0xaa8019 ]", "shared-memory"},
        {"rw-s", "zero (deleted)", "shared-memory"},
        {"rw--", "zero (deleted)", "deleted-file"},
        {"rw-s", "SYSV00000000 (deleted)", "shared-memory"},
        {"rw--", "SYSV00000000 (deleted)", "deleted-file"},
        {"rw-s", "SYSV-backup.dat", "mapped-file"},
        {"rw-s", "SYSV0000000g", "mapped-file"},
        {"rw-s", "memfd: (deleted)", "memfd"},
        {"r-xs", "memfd:doublemapper (deleted)", "memfd"},
        {"rw-s", "with slash (deleted)", "deleted-file"},
        {"rw--", "[heap]", "mapped-file"},
        {"r---", "[vdso]", "mapped-file"},
        {"r---", "libc.so.6", "shared-library"},
        {"rw--", "quote\",comma;.dat", "mapped-file"},
    };
    pm_classify_context context = {.pseudo_hidden = true};

    EXPECT(&context, rows);
}

/* -X and -XX without -p print basenames too, but the inode identifies a file. */
TEST(test_file_in_brackets)
{
    static const test_row heap = {0x1000, 0x2000, "rw-p", "[heap]"};
    const pm_classify_context context = {0};
    pm_mapping m = mapping_of(&heap);

    m.present |= PM_HAS_INODE;
    assert_int_equal(pm_classify_mapping(&context, &m), PM_CATEGORY_HEAP);
    m.inode = 11051618;
    assert_int_equal(pm_classify_mapping(&context, &m), PM_CATEGORY_MAPPED_FILE);
    m.path = PM_TEXT("[vdso]");
    assert_int_equal(pm_classify_mapping(&context, &m), PM_CATEGORY_MAPPED_FILE);
}

TEST(test_shared_libraries)
{
    static const char *const yes[] = {"/lib/libc.so.6",
                                      "ld-2.31.so",
                                      "/x/a.so (deleted)",
                                      "/x/libz.so.1.2.13 (deleted)",
                                      "b c.so",
                                      "/usr/lib/libx.so.1;5f3e2a (deleted)",
                                      "m.cpython-311-x86_64.so"};
    static const char *const no[] = {
        "",   "/x/sofa", "/x/a.sox", "/x/conf.so.d/data", "/x/libx.so;5f3e2a (deleted)",
        "so", "/x/so.6"};

    for (size_t i = 0; i < COUNT(yes); i++)
        if (!pm_is_shared_library(pm_text_of(yes[i])))
            fail_msg("'%s' is a shared library", yes[i]);
    for (size_t i = 0; i < COUNT(no); i++)
        if (pm_is_shared_library(pm_text_of(no[i])))
            fail_msg("'%s' is no shared library", no[i]);
}

/* The program is the lowest executable file that is not a library, in any order of the rows. Its
 * other rows and its replaced file belong to it. */
TEST(test_program)
{
    static const test_row rows[] = {
        {0x7f0000000000, 0x7f0000001000, "r-xp", "/opt/plugin"},
        {0x7e0000000000, 0x7e0000001000, "r--p", "/usr/share/data"},
        {0x560000001000, 0x560000002000, "r-xp", "/usr/bin/server (deleted)"},
        {0x550000000000, 0x550000001000, "r-xs", "/memfd:jit (deleted)"},
        {0x540000000000, 0x540000001000, "r-xp", "/lib/libfirst.so.1"},
        {0x530000000000, 0x530000001000, "r-xp", ""},
        {0x520000000000, 0x520000001000, "r-xp", "[vdso]"},
    };
    static const expectation expected[] = {
        {"r-xp", "/usr/bin/server (deleted)", "program"},
        {"rw-p", "/usr/bin/server", "program"},
        {"rw-p", "/usr/bin/server2", "mapped-file"},
        {"r-xp", "/opt/plugin", "mapped-file"},
        {"r--p", "/usr/share/data", "mapped-file"},
        {"r--p", "/usr/share/old (deleted)", "deleted-file"},
    };
    pm_classify_context context;
    test_capture t;

    capture_open(&t, PM_DIALECT_SMAPS, rows, COUNT(rows));
    pm_classify_prepare(&t.capture, &context);
    assert_true(pm_text_equal(context.program, PM_TEXT("/usr/bin/server")));
    assert_false(context.heap_inferred);
    EXPECT(&context, expected);
    capture_close(&t);
}

TEST(test_no_program)
{
    static const test_row rows[] = {{0x1000, 0x2000, "rw-p", ""}};
    static const expectation expected[] = {{"rw-p", "", "anonymous"},
                                           {"r-xp", "/x", "mapped-file"}};
    pm_classify_context context;
    test_capture t;

    capture_open(&t, PM_DIALECT_PMAP_SMALL_X, rows, 1);
    pm_classify_prepare(&t.capture, &context);
    assert_int_equal(context.program.len, 0);
    assert_false(context.heap_inferred);
    EXPECT(&context, expected);
    capture_close(&t);
}

/* The store and every output show slugs. */
TEST(test_slugs)
{
    char slugs[] = "heap stack kernel memfd shared-memory shared-library program deleted-file "
                   "mapped-file reserve anonymous total anonymous/thread-stack reserve/guard";
    int i = 0;

    for (char *rest = slugs, *slug; (slug = strsep(&rest, " "));) {
        assert_string_equal(pm_categories[i].slug, slug);
        assert_true(strlen(pm_categories[i++].description) > 0);
    }
    assert_int_equal(PM_CATEGORY_COUNT, i);
}

RUN_TESTS(NULL, NULL)
