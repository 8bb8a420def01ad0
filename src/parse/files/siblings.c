/* siblings: reads stat, status, comm, cmdline and smaps_rollup of a /proc/PID folder. */
#include "parse/files/siblings.h"

#include "base/err.h"
#include "base/num.h"

#define BLANKS " \t\n"

/* Copies a name, cut if it is too long. False if the name is empty or `out` already has one. */
static bool copy(char *out, size_t size, pm_text t)
{
    size_t n = t.len < size ? t.len : size - 1;

    if (*out || !n)
        return false;
    memcpy(out, t.data, n);
    out[n] = '\0';
    return true;
}

/* "VmRSS:\t   12236 kB": the number after the key. */
static int64_t kib_after(pm_text t, const char *key)
{
    pm_text line = pm_text_after(t, key);
    int64_t kib = pm_num_signed(pm_text_word(&line, BLANKS));

    return kib >= 0 && pm_text_equal(pm_text_word(&line, BLANKS), PM_TEXT("kB")) ? kib
                                                                                 : PMAPDB_UNKNOWN;
}

/* The name ends at the last parenthesis. */
bool pm_stat_read(pm_text t, pm_stat *out)
{
    const char *open = t.len ? memchr(t.data, '(', t.len) : NULL;
    const char *close = t.len ? memrchr(t.data, ')', t.len) : NULL;

    if (!open || !close || close < open)
        return false;
    out->pid = pm_num_signed(pm_text_trim((pm_text){t.data, (size_t)(open - t.data)}, BLANKS));
    out->comm = (pm_text){open + 1, (size_t)(close - open) - 1};
    t = pm_text_skip(pm_text_from(t, (size_t)(close - t.data) + 1), BLANKS);
    out->state = t.len ? *t.data : '\0';
    for (int i = PM_STAT_STATE; i < PM_STAT_FIELDS; i++)
        out->field[i] = pm_num_signed(pm_text_word(&t, BLANKS));
    return true;
}

static bool read_stat(pm_siblings *s, pm_text t)
{
    pm_stat stat;

    if (!pm_stat_read(t, &stat) || stat.pid < 0 || stat.field[PM_STAT_START] < 0)
        return false;
    s->pid = stat.pid;
    s->start_time = stat.field[PM_STAT_START];
    copy(s->comm, sizeof s->comm, stat.comm);
    return true;
}

static bool read_status(pm_siblings *s, pm_text t)
{
    pm_text line = pm_text_after(t, "Pid:");
    int64_t pid = pm_num_signed(pm_text_word(&line, BLANKS));

    copy(s->comm, sizeof s->comm, pm_text_after(t, "Name:\t"));
    s->rss_kib = kib_after(t, "VmRSS:");
    s->size_kib = kib_after(t, "VmSize:");
    s->pid = pid < 0 ? s->pid : pid;
    return pid >= 0;
}

static bool read_comm(pm_siblings *s, pm_text t)
{
    pm_text line = pm_text_cut(&t, '\n');

    if (!line.len || line.len >= sizeof s->comm || t.len)
        return false;
    *s->comm = '\0';
    return copy(s->comm, sizeof s->comm, line);
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
    *s->argv0 = '\0';
    return copy(s->argv0, sizeof s->argv0, word);
}

/* A file with several rollups (`cat smaps_rollup >> log`) does not show which one belongs here. */
static bool read_rollup(pm_siblings *s, pm_text t)
{
    static const char head[] = " [rollup]\n";
    const char *first = memmem(t.data, t.len, head, strlen(head));
    pm_text rest = pm_text_from(t, first ? (size_t)(first + 1 - t.data) : 0);

    if (!first || memmem(rest.data, rest.len, head, strlen(head)) || kib_after(t, "Rss:") < 0)
        return false;
    s->rollup.rss_kib = kib_after(t, "Rss:");
    s->rollup.private_dirty_kib = kib_after(t, "Private_Dirty:");
    s->rollup.swap_kib = kib_after(t, "Swap:");
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
