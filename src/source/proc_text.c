/* proc_text: files of /proc have no size before they are read, and may fail in the middle. */
#include "source/proc_text.h"

#include "base/num.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BLOCK ((size_t)4096) /* the kernel gives no more of most files at a time */

static int read_on(int fd, size_t max, pm_buf *out)
{
    char block[BLOCK];

    while (max > 0) {
        ssize_t n = read(fd, block, max < sizeof block ? max : sizeof block);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            break;
        if (pm_buf_add(out, block, (size_t)n, NULL) != PMAPDB_OK)
            return ENOMEM;
        max -= (size_t)n;
    }
    return 0;
}

int pm_proc_slurp(int dir, const char *name, size_t max, pm_buf *out)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int failed;

    if (fd < 0)
        return errno;
    failed = read_on(fd, max, out);
    close(fd);
    return failed;
}

bool pm_proc_peek(int dir, const char *name, char *block, size_t size, pm_text *out)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n;

    if (fd < 0)
        return false;
    do
        n = read(fd, block, size);
    while (n < 0 && errno == EINTR);
    close(fd);
    if (n <= 0)
        return false;
    *out = (pm_text){block, (size_t)n};
    return true;
}

pm_text pm_proc_cut(pm_text *t, char stop)
{
    const char *at = t->len ? memchr(t->data, stop, t->len) : NULL;
    pm_text part = {t->data, at ? (size_t)(at - t->data) : t->len};

    *t = pm_text_from(*t, part.len + (at ? 1 : 0));
    return part;
}

size_t pm_proc_kept(pm_text t)
{
    size_t n = PM_PROC_KEPT_MAX - 3;

    if (t.len <= PM_PROC_KEPT_MAX)
        return t.len;
    while (n > PM_PROC_KEPT_MAX - 6 && ((unsigned char)t.data[n] & 0xc0) == 0x80)
        n--; /* no character is torn */
    return n;
}

pm_text pm_proc_word(pm_text *t)
{
    pm_text word;

    while (t->len && pm_char_in(t->data[0], " \t\n"))
        *t = pm_text_from(*t, 1);
    word = (pm_text){t->data, 0};
    while (word.len < t->len && !pm_char_in(t->data[word.len], " \t\n"))
        word.len++;
    *t = pm_text_from(*t, word.len);
    return word;
}

int64_t pm_proc_number(pm_text word)
{
    bool negative = word.len && word.data[0] == '-';
    uint64_t v;

    if (!pm_num_all(pm_text_from(word, negative), &v) || v > INT64_MAX)
        return PMAPDB_UNKNOWN;
    return negative ? -(int64_t)v : (int64_t)v;
}
