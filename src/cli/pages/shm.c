/* shm: pmapdb shm and pmapdb tmpfs: memory of this machine that processes share without a file on a
 * disk, and who maps it. */
#include "cli/options/options.h"
#include "cli/output.h"

#include "cli/pages/pages.h"
#include "source/pages/segments.h"
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* ---- shm ---- */

static const pm_column shm_columns[] = {
    {"kind", PM_UNIT_TEXT},      {"key", PM_UNIT_TEXT},        {"id", PM_UNIT_INT},
    {"size_kib", PM_UNIT_KIB},   {"rss_kib", PM_UNIT_KIB},     {"swap_kib", PM_UNIT_KIB},
    {"attached", PM_UNIT_COUNT}, {"processes", PM_UNIT_COUNT}, {"uid", PM_UNIT_INT},
    {"creator", PM_UNIT_INT},    {"state", PM_UNIT_TEXT},      {"names", PM_UNIT_TEXT},
    {"path", PM_UNIT_TEXT}};

static int largest_first(const void *a, const void *b)
{
    const pm_segment *x = a, *y = b;
    int64_t m = x->rss_kib, n = y->rss_kib;

    return m == n ? (x->id > y->id) - (x->id < y->id) : (n > m) - (n < m);
}

/* orphan: no process maps it, and it stays until somebody removes it. */
static const char *state_of(const pm_segment *g)
{
    if (g->attached == 0 || (g->attached == PMAPDB_UNKNOWN && g->processes == 0))
        return g->removed ? "removed" : "orphan";
    return g->removed ? "removed, in use" : "in use";
}

static void put_segment(pm_output *out, const pm_segment *g)
{
    char key[16] = "";
    size_t n = strlen(g->names);

    if (g->key != PMAPDB_UNKNOWN)
        snprintf(key, sizeof key, "0x%08x", (unsigned)g->key);
    pm_output_row(out,
                  (pm_value[]){pm_value_text(g->kind),
                               pm_value_text(*key ? key : NULL),
                               pm_value_int((int64_t)g->id),
                               pm_value_int(g->size_kib),
                               pm_value_int(g->rss_kib),
                               pm_value_int(g->swap_kib),
                               pm_value_int(g->attached),
                               pm_value_int(g->processes),
                               pm_value_int(g->uid),
                               pm_value_int(g->creator),
                               pm_value_text(state_of(g)),
                               {.kind = PM_VALUE_TEXT, .t = {g->names + (n > 0), n ? n - 2 : 0}},
                               pm_value_text(g->path)});
}

int pm_cli_shm(pm_cli *cli, int argc, char **argv)
{
    static const pm_option options[] = {PM_OPTION_PROC(0), {0}};
    static const pm_syntax syntax = {.options = options};
    const char *proc = NULL;
    pm_segments s;
    pm_output out;
    pmapdb_error err;

    pm_options_parse(cli, &syntax, &proc, argc, argv);
    pm_cli_must(pm_segments_read(pm_cli_open_proc(proc), &s, &err), &err);
    if (s.n)
        qsort(s.item, s.n, sizeof *s.item, largest_first);
    pm_output_open(&out, cli);
    pm_output_rows(&out, shm_columns, sizeof shm_columns / sizeof *shm_columns, NULL);
    for (size_t i = 0; i < s.n; i++)
        put_segment(&out, &s.item[i]);
    pm_output_end(&out);
    if (!s.n)
        pm_cli_note(cli, "no shared memory");
    if (s.unread)
        pm_cli_say("%lld %s not counted: that takes their user, or CAP_SYS_PTRACE",
                   (long long)s.unread, s.unread == 1 ? "process is" : "processes are");
    pm_segments_free(&s);
    return pm_cli_proc_is_damaged() ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

/* ---- tmpfs ---- */

static const pm_column tmpfs_columns[] = {{"mount", PM_UNIT_TEXT},   {"size_kib", PM_UNIT_KIB},
                                          {"used_kib", PM_UNIT_KIB}, {"free_kib", PM_UNIT_KIB},
                                          {"files", PM_UNIT_COUNT},  {"huge", PM_UNIT_TEXT},
                                          {"noswap", PM_UNIT_BOOL}};

static void put_mount(pm_output *out, const struct mntent *mount)
{
    const char *huge = hasmntopt(mount, "huge");
    struct statvfs info;
    int64_t unit;

    if (strcmp(mount->mnt_type, "tmpfs") != 0 || statvfs(mount->mnt_dir, &info) != 0)
        return;
    huge = huge && huge[4] == '=' ? huge + 5 : "never";
    unit = (int64_t)info.f_frsize;
    pm_output_row(
        out,
        (pm_value[]){
            pm_value_text(mount->mnt_dir),
            pm_value_int(info.f_blocks ? (int64_t)info.f_blocks * unit / 1024 : PMAPDB_UNKNOWN),
            pm_value_int((int64_t)(info.f_blocks - info.f_bfree) * unit / 1024),
            pm_value_int(info.f_blocks ? (int64_t)info.f_bavail * unit / 1024 : PMAPDB_UNKNOWN),
            pm_value_int((int64_t)(info.f_files - info.f_ffree)),
            {.kind = PM_VALUE_TEXT, .t = {huge, strcspn(huge, ",")}},
            pm_value_int(hasmntopt(mount, "noswap") != NULL)});
}

int pm_cli_tmpfs(pm_cli *cli, int argc, char **argv)
{
    const struct mntent *mount;
    FILE *mounts;
    pm_output out;

    pm_options_parse(cli, &(pm_syntax){0}, NULL, argc, argv);
    mounts = setmntent("/proc/self/mounts", "re");
    if (!mounts)
        pm_cli_die("cannot read /proc/self/mounts");
    pm_output_open(&out, cli);
    pm_output_rows(&out, tmpfs_columns, sizeof tmpfs_columns / sizeof *tmpfs_columns, NULL);
    while ((mount = getmntent(mounts)))
        put_mount(&out, mount);
    endmntent(mounts);
    pm_output_end(&out);
    return PM_EXIT_OK;
}
