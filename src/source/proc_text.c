/* proc_text: reads files of /proc, whose size is unknown before the reading and which may fail in
 * the middle. */
#include "source/proc_text.h"

#include "base/record/live.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BLOCK ((size_t)4096) /* the most that the kernel returns at once from most files */

/* The older hierarchy of cgroups expresses "no limit" as the largest number of pages, in bytes.
 * This limit and every larger one count as no limit. */
#define NO_LIMIT_BYTES ((int64_t)1 << 62)

int pm_proc_slurp(int dir, const char *name, size_t max, pm_buf *out)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), failed = fd < 0 ? errno : 0;
    char block[BLOCK];
    ssize_t n = 1;

    for (; !failed && n > 0 && max > 0; max -= (size_t)n) {
        n = TEMP_FAILURE_RETRY(read(fd, block, max < BLOCK ? max : BLOCK));
        if (n < 0)
            failed = errno;
        else if (pm_buf_add(out, block, (size_t)n, NULL) != PMAPDB_OK)
            failed = ENOMEM;
    }
    if (fd >= 0)
        close(fd);
    return failed;
}

bool pm_proc_peek(int dir, const char *name, char *block, size_t size, pm_text *out)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n;

    if (fd < 0)
        return false;
    n = TEMP_FAILURE_RETRY(read(fd, block, size));
    close(fd);
    if (n <= 0)
        return false;
    *out = (pm_text){block, (size_t)n};
    return true;
}

int64_t pm_proc_number_in(int dir, const char *name)
{
    char block[32];
    pm_text text;

    if (!pm_proc_peek(dir, name, block, sizeof block, &text))
        return PMAPDB_UNKNOWN;
    return pm_num_signed(pm_proc_word(&text));
}

int64_t pm_proc_limit_kib(pm_text word)
{
    int64_t bytes = pm_num_signed(word);

    if (pm_text_listed(word, " max unlimited ") || bytes >= NO_LIMIT_BYTES)
        return PM_NO_LIMIT;
    return bytes < 0 ? PMAPDB_UNKNOWN : bytes / 1024;
}

int64_t pm_proc_average(pm_text line, const char *key)
{
    while (line.len) {
        pm_text word = pm_proc_word(&line);
        int64_t whole, hundredths;

        if (!pm_text_starts(word, pm_text_of(key)))
            continue;
        word = pm_text_from(word, strlen(key));
        whole = pm_num_signed(pm_text_cut(&word, '.'));
        hundredths = pm_num_signed(word);
        return word.len == 2 && whole >= 0 && hundredths >= 0 ? whole * 100 + hundredths : whole;
    }
    return PMAPDB_UNKNOWN;
}
