/* siblings: stat, status, comm, cmdline and smaps_rollup of a /proc/PID folder. */
#include "parse/siblings.h"

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

/* Cuts the text up to the first of `stop` characters off `t`. */
static pm_text cut(pm_text *t, const char *stop, size_t n_stop)
{
    pm_text part = {t->data, 0};

    while (part.len < t->len && !memchr(stop, t->data[part.len], n_stop))
        part.len++;
    *t = pm_text_from(*t, part.len < t->len ? part.len + 1 : part.len);
    return part;
}

static bool read_number(pm_text t, int64_t *out)
{
    uint64_t v;

    if (!pm_num_all(t, &v) || v > INT64_MAX)
        return false;
    *out = (int64_t)v;
    return true;
}

/* "4711 (a name (with) anything) S 1 ...": the name ends at the last parenthesis. */
static bool read_stat(pm_siblings *s, pm_text t)
{
    const char *open = t.len ? memchr(t.data, '(', t.len) : NULL;
    const char *close = t.len ? memrchr(t.data, ')', t.len) : NULL;
    pm_text name, rest, word = {0};
    int64_t pid, start;

    if (!open || !close || close < open || open - t.data < 2 ||
        !read_number((pm_text){t.data, (size_t)(open - t.data) - 1}, &pid))
        return false;
    name = (pm_text){open + 1, (size_t)(close - open) - 1};
    rest = pm_text_from(t, (size_t)(close - t.data) + 1);
    cut(&rest, " ", 1);
    for (int field = 3; field <= 22; field++)
        word = cut(&rest, " \n", 2);
    if (!read_number(word, &start))
        return false;
    s->pid = pid;
    s->start_time = start;
    if (!s->comm[0])
        copy(s->comm, sizeof s->comm, name);
    return true;
}

/* "VmRSS:\t   12236 kB" */
static void read_kib(pm_text value, int64_t *out)
{
    const char *p = value.data, *end = p + value.len;
    uint64_t v;
    size_t n;

    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    n = pm_num_dec(p, end, &v);
    if (n && v <= INT64_MAX &&
        pm_text_equal((pm_text){p + n, (size_t)(end - p) - n}, PM_TEXT(" kB")))
        *out = (int64_t)v;
}

static bool read_status(pm_siblings *s, pm_text t)
{
    bool any = false;

    while (t.len) {
        pm_text value = cut(&t, "\n", 1), key = cut(&value, ":", 1);

        if (pm_text_equal(key, PM_TEXT("Name")) && value.len) {
            if (!s->comm[0])
                copy(s->comm, sizeof s->comm, pm_text_from(value, 1));
        } else if (pm_text_equal(key, PM_TEXT("Pid")) && value.len) {
            any |= read_number(pm_text_from(value, 1), &s->pid);
        } else if (pm_text_equal(key, PM_TEXT("VmRSS"))) {
            read_kib(value, &s->rss_kib);
        } else if (pm_text_equal(key, PM_TEXT("VmSize"))) {
            read_kib(value, &s->size_kib);
        }
    }
    return any;
}

static bool read_comm(pm_siblings *s, pm_text t)
{
    pm_text line = cut(&t, "\n", 1);

    if (line.len == 0 || line.len >= sizeof s->comm || t.len)
        return false;
    copy(s->comm, sizeof s->comm, line);
    return true;
}

/* The first word only: what setproctitle writes ("nginx: worker process") is one argument. */
static bool read_cmdline(pm_siblings *s, pm_text t)
{
    pm_text word = cut(&t, "\0 \n", 3);

    word = pm_text_basename(word);
    if (word.len > 1 && word.data[word.len - 1] == ':')
        word.len--;
    copy(s->argv0, sizeof s->argv0, word);
    return word.len > 0;
}

/* A file of several (`cat smaps_rollup >> log`) does not say which of them is meant. */
static bool read_rollup(pm_siblings *s, pm_text t)
{
    pm_siblings found;
    int n = 0;

    pm_siblings_init(&found);
    while (t.len) {
        pm_text value = cut(&t, "\n", 1), key;

        if (pm_text_ends(value, PM_TEXT(" [rollup]"))) {
            n++;
            continue;
        }
        key = cut(&value, ":", 1);
        if (pm_text_equal(key, PM_TEXT("Rss")))
            read_kib(value, &found.rollup.rss_kib);
        else if (pm_text_equal(key, PM_TEXT("Private_Dirty")))
            read_kib(value, &found.rollup.private_dirty_kib);
        else if (pm_text_equal(key, PM_TEXT("Swap")))
            read_kib(value, &found.rollup.swap_kib);
    }
    if (n != 1 || found.rollup.rss_kib == PMAPDB_UNKNOWN)
        return false;
    s->rollup = found.rollup;
    return true;
}

bool pm_siblings_read(pm_siblings *s, pm_text kind, pm_text bytes)
{
    if (pm_text_equal(kind, PM_TEXT("stat")))
        return read_stat(s, bytes);
    if (pm_text_equal(kind, PM_TEXT("status")))
        return read_status(s, bytes);
    if (pm_text_equal(kind, PM_TEXT("comm")))
        return read_comm(s, bytes);
    if (pm_text_equal(kind, PM_TEXT("cmdline")))
        return read_cmdline(s, bytes);
    if (pm_text_equal(kind, PM_TEXT("smaps_rollup")))
        return read_rollup(s, bytes);
    return false;
}
