/* siblings: reads stat, status, comm, cmdline and smaps_rollup of a /proc/PID folder. */
#include "parse/files/siblings.h"

#include "base/err.h"
#include "base/num.h"

void pm_siblings_init(pm_siblings *s)
{
    *s = (pm_siblings){.pid = PMAPDB_UNKNOWN,
                       .start_time = PMAPDB_UNKNOWN,
                       .rss_kib = PMAPDB_UNKNOWN,
                       .size_kib = PMAPDB_UNKNOWN,
                       .rollup = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN}};
}

static void copy(char *out, size_t size, pm_text t)
{
    size_t n = t.len < size ? t.len : size - 1;

    if (n)
        memcpy(out, t.data, n);
    out[n] = '\0';
}

static bool read_number(pm_text t, int64_t *out)
{
    uint64_t v;

    if (!pm_num_all(t, &v) || v > INT64_MAX)
        return false;
    *out = (int64_t)v;
    return true;
}

/* "VmRSS:\t   12236 kB": reads the value if the key is `wanted`. */
static void read_kib(pm_text key, pm_text value, const char *wanted, int64_t *out)
{
    value = pm_text_skip(value, " \t");
    if (!pm_text_equal(key, pm_text_of(wanted)) || !pm_text_ends(value, PM_TEXT(" kB")))
        return;
    value.len -= 3;
    read_number(value, out);
}

/* "4711 (a name (with) anything) S 1 ...": the name ends at the last parenthesis. */
static bool read_stat(pm_siblings *s, pm_text t)
{
    const char *open = t.len ? memchr(t.data, '(', t.len) : NULL;
    const char *close = t.len ? memrchr(t.data, ')', t.len) : NULL;
    pm_text rest, word = {0};
    int64_t pid, start;

    if (!open || !close || close < open || open - t.data < 2 ||
        !read_number((pm_text){t.data, (size_t)(open - t.data) - 1}, &pid))
        return false;
    rest = pm_text_trim(pm_text_from(t, (size_t)(close - t.data) + 1), " \n");
    for (int field = 3; field <= 22; field++)
        word = pm_text_cut(&rest, ' ');
    if (!read_number(word, &start))
        return false;
    s->pid = pid;
    s->start_time = start;
    if (!s->comm[0])
        copy(s->comm, sizeof s->comm, (pm_text){open + 1, (size_t)(close - open) - 1});
    return true;
}

static bool read_status(pm_siblings *s, pm_text t)
{
    bool any = false;

    while (t.len) {
        pm_text value = pm_text_cut(&t, '\n'), key = pm_text_cut(&value, ':');

        if (pm_text_equal(key, PM_TEXT("Name")) && value.len && !s->comm[0])
            copy(s->comm, sizeof s->comm, pm_text_from(value, 1));
        if (pm_text_equal(key, PM_TEXT("Pid")))
            any |= read_number(pm_text_skip(value, "\t"), &s->pid);
        read_kib(key, value, "VmRSS", &s->rss_kib);
        read_kib(key, value, "VmSize", &s->size_kib);
    }
    return any;
}

static bool read_comm(pm_siblings *s, pm_text t)
{
    pm_text line = pm_text_cut(&t, '\n');

    if (line.len == 0 || line.len >= sizeof s->comm || t.len)
        return false;
    copy(s->comm, sizeof s->comm, line);
    return true;
}

/* Takes only the first word, because setproctitle writes its text ("nginx: worker process") as one
 * argument. */
static bool read_cmdline(pm_siblings *s, pm_text t)
{
    pm_text word = pm_text_cut(&t, '\0');

    word = pm_text_cut(&word, '\n');
    word = pm_text_basename(pm_text_cut(&word, ' '));
    if (word.len > 1 && word.data[word.len - 1] == ':')
        word.len--;
    copy(s->argv0, sizeof s->argv0, word);
    return word.len > 0;
}

/* A file with several rollups (`cat smaps_rollup >> log`) does not show which one belongs here. */
static bool read_rollup(pm_siblings *s, pm_text t)
{
    pm_siblings found;
    int n = 0;

    pm_siblings_init(&found);
    while (t.len) {
        pm_text value = pm_text_cut(&t, '\n'), key;

        n += pm_text_ends(value, PM_TEXT(" [rollup]"));
        key = pm_text_cut(&value, ':');
        read_kib(key, value, "Rss", &found.rollup.rss_kib);
        read_kib(key, value, "Private_Dirty", &found.rollup.private_dirty_kib);
        read_kib(key, value, "Swap", &found.rollup.swap_kib);
    }
    if (n != 1 || found.rollup.rss_kib == PMAPDB_UNKNOWN)
        return false;
    s->rollup = found.rollup;
    return true;
}

bool pm_siblings_read(pm_siblings *s, pm_text kind, pm_text bytes)
{
    static const struct {
        const char *file;
        bool (*read)(pm_siblings *s, pm_text bytes);
    } kinds[] = {{"stat", read_stat},
                 {"status", read_status},
                 {"comm", read_comm},
                 {"cmdline", read_cmdline},
                 {"smaps_rollup", read_rollup}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pm_text_equal(kind, pm_text_of(kinds[i].file)))
            return kinds[i].read(s, bytes);
    return false;
}
