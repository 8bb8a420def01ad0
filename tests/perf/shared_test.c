/* perf_shared: the traces of PMAPDB_SHARED against the listing that another reader made of one.
 * Skipped without the folder. */
#include "perf/kit.h"

#include <archive.h>
#include <archive_entry.h>

static char folder[1024];

static pm_buf unpack(const char *name)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    char path[2048], part[65536];
    pm_buf out = {0};
    la_ssize_t n;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    archive_read_support_filter_all(a);
    archive_read_support_format_raw(a);
    if (archive_read_open_filename(a, path, sizeof part) != ARCHIVE_OK ||
        archive_read_next_header(a, &entry) != ARCHIVE_OK)
        fail_msg("cannot read %s", path);
    while ((n = archive_read_data(a, part, sizeof part)) > 0)
        assert_int_equal(pm_buf_add(&out, part, (size_t)n, NULL), PMAPDB_OK);
    assert_int_equal(n, 0);
    archive_read_free(a);
    return out;
}

/* The program has one thread: an exit belongs to the enter before it. */
typedef struct listing {
    pm_buf text;
    pm_perf_event enter;
    unsigned calls;
} listing;

static void add_frames(pm_buf *out, pm_text chain)
{
    pm_perf_frame f;

    for (size_t at = 0; pm_perf_next_frame(chain, &at, &f);)
        pm_buf_addf(out, NULL, "\t%.*s\n", (int)f.symbol.len, f.symbol.data);
}

static pmapdb_status add_event(void *ctx, const pm_perf_event *e, pmapdb_error *err)
{
    listing *l = ctx;

    (void)err;
    if (!e->exit) {
        l->enter = *e;
        return PMAPDB_OK;
    }
    l->calls++;
    assert_int_equal(l->enter.kind, e->kind);
    pm_buf_addf(&l->text, NULL, "%s %06" PRId64 ".%06" PRId64 " %" PRId64 " %.*s\n",
                pm_call_name(e->kind), e->time_ns / 1000000000, e->time_ns / 1000 % 1000000, e->tid,
                (int)e->comm.len, e->comm.data);
    pm_call_words(e->kind, l->enter.has, l->enter.arg, &l->text, NULL);
    pm_buf_addf(&l->text, NULL, "\nret=%" PRIx64 "\n", e->ret);
    add_frames(&l->text, e->chain);
    return PMAPDB_OK;
}

static listing list(const char *name)
{
    pm_buf bytes = unpack(name);
    listing l = {0};
    pm_perf p;

    pm_perf_init(&p, add_event, &l);
    assert_int_equal(pm_perf_feed(&p, bytes.data, bytes.len, NULL), PMAPDB_OK);
    assert_int_equal(pm_perf_finish(&p, NULL), PMAPDB_OK);
    assert_int_equal(p.counts.seen, p.counts.taken);
    pm_perf_free(&p);
    pm_buf_free(&bytes);
    return l;
}

/* ---- the other listing, in our words ---- */

/* Adds `t` without its `what`s. */
static void add_without(pm_buf *out, pm_text t, pm_text what)
{
    while (t.len) {
        const char *at = memmem(t.data, t.len, what.data, what.len);
        size_t n = at ? (size_t)(at - t.data) : t.len;

        pm_buf_add(out, t.data, n, NULL);
        t = pm_text_from(t, at ? n + what.len : n);
    }
}

/* "syscalls__sys_exit_mmap     1 01050.459563816    20745 wl2" without the CPU, with microseconds
 */
static void add_head(pm_buf *out, char *line)
{
    char *save = NULL, *name = strtok_r(line + strlen("syscalls__sys_exit_"), " ", &save), *time;

    (void)strtok_r(NULL, " ", &save);
    time = strtok_r(NULL, " ", &save);
    pm_buf_addf(out, NULL, "%s 0%.*s", name, (int)(strlen(time) - 3), time);
    pm_buf_addf(out, NULL, " %s", strtok_r(NULL, " ", &save));
    pm_buf_addf(out, NULL, " %s\n", strtok_r(NULL, " ", &save));
}

/* It prints PROT_NONE always, calls brk's parameter otherwise, and takes the flags of an mremap for
 * those of an mmap. */
static void add_parameters(pm_buf *out, const char *text)
{
    pm_buf plain = {0};
    const char *p, *flags;

    add_without(&plain, pm_text_of(text), PM_TEXT("PROT_NONE|"));
    p = pm_buf_text(&plain).data;
    flags = strstr(p, "flags=MAP_SHARED, new_addr");
    if (strncmp(p, "brk/addr=", 9) == 0)
        pm_buf_addf(out, NULL, "brk=%s\n", p + 9);
    else if (flags)
        pm_buf_addf(out, NULL, "%.*sflags=MREMAP_MAYMOVE%s\n", (int)(flags - p), p,
                    strchr(flags, ','));
    else
        pm_buf_addf(out, NULL, "%s\n", p);
    pm_buf_free(&plain);
}

static void add_line(pm_buf *out, char *line)
{
    static const char parameters[] = "Parameters: ";

    if (!*line || strncmp(line, "Processing ", 11) == 0)
        return;
    if (strncmp(line, "syscalls__", 10) == 0) {
        add_head(out, line);
    } else if (strncmp(line, parameters, sizeof parameters - 1) == 0) {
        add_parameters(out, line + sizeof parameters - 1);
    } else if (*line == '\t') {
        char *symbol = strchr(line, ']') + 2;

        pm_buf_addf(out, NULL, "\t%s\n", strcmp(symbol, " ([unknown])") ? symbol : "");
    } else {
        pm_buf_addf(out, NULL, "%s\n", line);
    }
}

/* Shows the first line that differs. */
static void expect_same(pm_text ours, pm_text theirs)
{
    size_t from = 0, i = 0;

    for (; i < ours.len && i < theirs.len && ours.data[i] == theirs.data[i]; i++)
        from = ours.data[i] == '\n' ? i + 1 : from;
    if (i < ours.len || i < theirs.len)
        fail_msg("ours:\n%.300s\ntheirs:\n%.300s", ours.data + from, theirs.data + from);
}

TEST(same_as_the_other_listing)
{
    listing l = list("c_traced_fp.script.txt.zst");
    pm_buf other = unpack("c_traced_fp.seed_script_output.txt.zst"), expected = {0};
    char *save = NULL;

    for (char *line = strtok_r(other.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        add_line(&expected, line);
    expect_same(pm_buf_text(&l.text), pm_buf_text(&expected));
    assert_int_equal(l.calls, 7841);
    pm_buf_free(&l.text);
    pm_buf_free(&other);
    pm_buf_free(&expected);
}

/* With inlined frames. */
TEST(whole_chains)
{
    listing l = list("c_traced_dwarf.script.txt.zst");

    assert_int_equal(l.calls, 7839);
    assert_non_null(strstr(l.text.data, "\t__brk\n"));
    assert_non_null(strstr(l.text.data, "\tsession_alloc\n\thandle_request\n"));
    assert_non_null(strstr(l.text.data, "\tmap_buffer\n\tcache_fill\n"));
    pm_buf_free(&l.text);
}

TEST(in_any_chunks)
{
    static const size_t steps[] = {1, 7, 100, 4096, 65536, 1 << 20};
    pm_buf bytes = unpack("c_traced_dwarf.script.txt.zst");
    pm_text t = {pm_buf_text(&bytes).data, 200000};
    perf_seen whole;

    assert_true(bytes.len > t.len);
    whole = perf_read(t, t.len);
    for (size_t i = 0; i < COUNT(steps); i++)
        perf_same(t, steps[i], whole.text.data);
    pm_buf_free(&whole.text);
    pm_buf_free(&bytes);
}

int main(void)
{
    const char *shared = getenv("PMAPDB_SHARED");
    char path[2048];
    FILE *f;

    snprintf(folder, sizeof folder, "%s/workloads/perf", shared ? shared : "");
    snprintf(path, sizeof path, "%s/c_traced_fp.script.txt.zst", folder);
    f = shared ? fopen(path, "rb") : NULL;
    if (!f) {
        printf("skipped: no traces in PMAPDB_SHARED (%s)\n", shared ? shared : "unset");
        return 77;
    }
    (void)fclose(f);
    return unit_run(NULL, NULL);
}
