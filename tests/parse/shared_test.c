/* shared: the public captures of PMAPDB_SHARED. Skipped if the folder is missing. */
#include "base/num.h"
#include "parse/kit.h"
#include <dirent.h>

static char shared[1024];

static pm_seen *read_file(const char *folder, const char *name)
{
    char path[2048];
    pm_buf bytes;
    pm_seen *s;

    snprintf(path, sizeof path, "%s/captures/%s/%s", shared, folder, name);
    bytes = kit_slurp(path);
    s = kit_read(pm_buf_text(&bytes));
    assert_int_equal(s->status, PMAPDB_OK);
    pm_buf_free(&bytes);
    return s;
}

/* Expects one of the processes of captures/versions. -A shows only 17 mappings of the first. */
static void expect_known_process(const char *name, const pm_block *b)
{
    static const struct {
        int64_t pid, rows, size;
    } known[] = {{6775, 58, 1073763972}, {10672, 37, 2924}, {30804, 105, 977528}};
    bool range = strstr(name, "A.txt") && !strstr(name, "XA.txt"), quiet = strstr(name, "q.txt");

    for (size_t i = 0; i < 3; i++) {
        int64_t rows = range ? 17 : known[i].rows, size = range ? 10880 : known[i].size;

        if (b->pid != known[i].pid)
            continue;
        if (b->totals.v[PM_TOTAL_MAPPINGS] != rows || b->totals.v[PM_TOTAL_SIZE] != size ||
            b->state != PM_STATE_COMPLETE || (b->checked == PM_CHECKED_FOOTER) == quiet ||
            (!quiet && b->tool_size_kib != size))
            fail_msg("%s: pid %" PRId64 ": %" PRId64 " rows, %" PRId64 " KiB, %s, %s %s", name,
                     b->pid, b->totals.v[PM_TOTAL_MAPPINGS], b->totals.v[PM_TOTAL_SIZE],
                     pm_state_names[b->state], pm_checked_names[b->checked], b->missing.data);
        return;
    }
    fail_msg("%s: pid %" PRId64 " is not a known process", name, b->pid);
}

static pm_dialect dialect_of_name(const char *name)
{
    const char *mode = strrchr(name, '-');

    if (strstr(name, "nomapping") || strstr(mode, "-X.") || strstr(mode, "-XA") ||
        strstr(mode, "-Xp"))
        return PM_DIALECT_PMAP_X;
    if (mode[1] == 'x' || strstr(name, "-x-") || strstr(name, "missing"))
        return PM_DIALECT_PMAP_SMALL_X;
    if (strstr(name, "XX") || strstr(mode, "-C"))
        return PM_DIALECT_PMAP_XX;
    return mode[1] == 'd' && mode[2] != 'e' ? PM_DIALECT_PMAP_D : PM_DIALECT_PMAP;
}

static bool is_of_version(const char *name)
{
    static const char *const versions[] = {"procps-3.3.17-built-", "procps-4.0.2-",
                                           "procps-4.0.4-built-", "procps-4.0.6-built-"};

    if (strstr(name, ".stderr"))
        return false;
    for (size_t i = 0; i < COUNT(versions); i++)
        if (strstr(name, versions[i]))
            return true;
    return false;
}

TEST(every_version_gives_the_same_process)
{
    char path[2048];
    DIR *dir;
    int files = 0;

    snprintf(path, sizeof path, "%s/captures/versions", shared);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        pm_seen *s;

        if (!is_of_version(e->d_name))
            continue;
        s = read_file("versions", e->d_name);
        files++;
        for (size_t i = 0; i < s->n_blocks; i++) {
            if (strstr(e->d_name, "kthread") || strstr(e->d_name, "denied")) {
                assert_true(s->blocks[i].empty.len > 0);
                continue;
            }
            expect_known_process(e->d_name, &s->blocks[i]);
            if (s->blocks[i].dialect != dialect_of_name(e->d_name))
                fail_msg("%s is %s", e->d_name, pm_dialect_names[s->blocks[i].dialect]);
        }
        assert_true(s->n_blocks > 0 || strstr(e->d_name, "missing") || strstr(e->d_name, "-N."));
        kit_free(s);
    }
    (void)closedir(dir);
    assert_true(files >= 100);
}

/* Rows of -XX, with or without a header, equal the rows of smaps, except that names are cut. */
TEST(wide_rows_equal_smaps)
{
    pm_seen *smaps = read_file("versions", "awk-proc-smaps.txt");
    pm_seen *wide = read_file("versions", "procps-4.0.2-XX-LANG-C.txt");
    pm_seen *bare = read_file("versions", "procps-4.0.2-XXpq.txt");

    assert_int_equal(smaps->n_rows, 58);
    assert_int_equal(smaps->blocks[0].fields, wide->blocks[0].fields);
    assert_int_equal(smaps->blocks[0].fields, bare->blocks[0].fields);
    for (size_t i = 0; i < smaps->n_rows; i++) {
        pm_buf rows[3] = {0};
        pm_mapping m = smaps->rows[i];

        m.name_cut = m.path.len > 127;
        m.path.len = m.name_cut ? 127 : m.path.len;
        kit_write_row(&rows[0], &m);
        kit_write_row(&rows[1], &wide->rows[i]);
        kit_write_row(&rows[2], &bare->rows[i]);
        kit_same(&rows[0], &rows[1], i);
        kit_same(&rows[0], &rows[2], i);
        for (int k = 0; k < 3; k++)
            pm_buf_free(&rows[k]);
    }
    kit_free(smaps);
    kit_free(wide);
    kit_free(bare);
}

/* The rows do not depend on the language of the tool. */
TEST(translated_rows_equal_english_rows)
{
    static const char *const modes[] = {"x", "d", "default", "XX"};
    static const char *const locales[] = {"de_DE", "fr_FR", "pl_PL", "sv_SE",
                                          "uk_UA", "es_ES", "pt_BR"};

    for (size_t m = 0; m < 4; m++)
        for (size_t l = 0; l < COUNT(locales); l++) {
            char name[128];
            pm_seen *ours, *theirs;

            snprintf(name, sizeof name, "procps-4.0.2-%s.txt", modes[m]);
            ours = read_file("versions", name);
            snprintf(name, sizeof name, "procps-4.0.2-%s-%s.txt", locales[l], modes[m]);
            theirs = read_file("versions", name);
            assert_int_equal(ours->n_rows, theirs->n_rows);
            assert_int_equal(ours->blocks[0].fields, theirs->blocks[0].fields);
            for (size_t i = 0; i < ours->n_rows; i++)
                if (!pm_text_equal(ours->rows[i].path, theirs->rows[i].path))
                    fail_msg("%s: %s", name, theirs->rows[i].path.data);
            kit_free(ours);
            kit_free(theirs);
        }
}

/* Returns column `n` of a line of INDEX.tsv. */
static pm_text column(pm_text line, int n)
{
    const char *p = line.data, *end = p + line.len, *tab;

    for (; n > 0 && (tab = memchr(p, '\t', (size_t)(end - p))); n--)
        p = tab + 1;
    tab = memchr(p, '\t', (size_t)(end - p));
    return (pm_text){p, (size_t)((tab ? tab : end) - p)};
}

/* Returns the number after the word, or -1. */
static int64_t number_after(pm_text t, const char *word)
{
    const char *p = memmem(t.data, t.len, word, strlen(word));
    uint64_t v;

    return p && pm_num_dec(p + strlen(word), t.data + t.len, &v) ? (int64_t)v : -1;
}

static int64_t known_size(pm_text line)
{
    int64_t v = number_after(column(line, 6), "rows add up to ");

    v = v < 0 ? number_after(column(line, 6), "Size sum ") : v;
    return v < 0 ? number_after(column(line, 5), "span_kB=") : v;
}

static void expect_field_capture(pm_text line)
{
    pm_text name = column(line, 0);
    char file[256];
    uint64_t rows = 0;
    pm_seen *s;

    snprintf(file, sizeof file, "%.*s", (int)name.len, name.data);
    assert_true(pm_num_all(column(line, 4), &rows));
    s = read_file("pmap", file);
    if (s->n_blocks != 1 || s->blocks[0].state != PM_STATE_COMPLETE ||
        s->blocks[0].totals.v[PM_TOTAL_MAPPINGS] != (int64_t)rows ||
        s->blocks[0].totals.v[PM_TOTAL_SIZE] != known_size(line))
        fail_msg("%s: %zu blocks, %" PRId64 " rows, %" PRId64 " KiB, %s", file, s->n_blocks,
                 s->blocks[0].totals.v[PM_TOTAL_MAPPINGS], s->blocks[0].totals.v[PM_TOTAL_SIZE],
                 s->blocks[0].missing.data);
    kit_free(s);
}

TEST(captures_from_the_field)
{
    char path[2048];
    pm_buf index;
    int files = 0;

    snprintf(path, sizeof path, "%s/captures/pmap/INDEX.tsv", shared);
    index = kit_slurp(path);
    assert_non_null(index.data);
    for (const char *p = index.data, *newline; (newline = strchr(p, '\n')); p = newline + 1) {
        pm_text line = {p, (size_t)(newline - p)};

        if (!pm_text_equal(column(line, 8), PM_TEXT("complete")))
            continue;
        expect_field_capture(line);
        files++;
    }
    pm_buf_free(&index);
    assert_true(files >= 29);
}

TEST(damaged_captures_from_the_field)
{
    static const char *const names[] = {"107-llm-made-x.txt", "91-java-container-x.txt",
                                        "95-phpcgi-el5-d.txt", "21-java-bric3-1.txt"};

    for (size_t i = 0; i < COUNT(names); i++) {
        pm_seen *s = read_file("pmap", names[i]);

        assert_int_equal(s->n_blocks, 1);
        assert_int_equal(s->blocks[0].state, PM_STATE_PARTIAL);
        assert_true(s->blocks[0].missing.len > 0);
        kit_free(s);
    }
}

int main(void)
{
    const char *folder = getenv("PMAPDB_SHARED");
    DIR *dir;

    snprintf(shared, sizeof shared, "%s/captures/versions", folder ? folder : "");
    dir = folder ? opendir(shared) : NULL;
    if (!dir) {
        printf("skipped: no captures in PMAPDB_SHARED (%s)\n", folder ? folder : "unset");
        return 77;
    }
    (void)closedir(dir);
    snprintf(shared, sizeof shared, "%s", folder);
    return unit_run(NULL, NULL);
}
