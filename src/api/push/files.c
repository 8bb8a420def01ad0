/* files: a batch into a folder, a file for each table. */
#include "api/push/send.h"

#include "render/pack.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static pmapdb_status make_folder(const char *path, pmapdb_error *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? PMAPDB_OK
               : pm_fail_io(err, errno, "cannot make '%s'", path);
}

static pmapdb_status write_all(int fd, const char *path, pm_text text, pmapdb_error *err)
{
    while (text.len) {
        ssize_t n = write(fd, text.data, text.len);

        if (n < 0 && errno != EINTR)
            return pm_fail_io(err, errno, "cannot write '%s'", path);
        text = pm_text_from(text, n > 0 ? (size_t)n : 0);
    }
    return fsync(fd) == 0 ? PMAPDB_OK : pm_fail_io(err, errno, "cannot write '%s'", path);
}

/* Writes a new file under another name first. A retry replaces the file by the same rows. */
static pmapdb_status write_file(const char *path, pm_text text, pmapdb_error *err)
{
    pm_buf temporary = {0};
    pmapdb_status st = pm_buf_addf(&temporary, err, "%s.part", path);
    int fd;

    if (st != PMAPDB_OK)
        return st;
    fd = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        st = pm_fail_io(err, errno, "cannot make '%s'", temporary.data);
    PM_STEP(st, write_all(fd, temporary.data, text, err));
    if (fd >= 0)
        close(fd);
    if (st == PMAPDB_OK && rename(temporary.data, path) != 0)
        st = pm_fail_io(err, errno, "cannot make '%s'", path);
    if (st != PMAPDB_OK && fd >= 0)
        unlink(temporary.data);
    pm_buf_free(&temporary);
    return st;
}

static pmapdb_status write_table(const pm_sender *s, const pm_batch *b, const pm_batch_table *t,
                                 pmapdb_error *err)
{
    static const char *const endings[] = {"tsv", "csv", "ndjson"};
    pm_buf path = {0}, packed = {0};
    pmapdb_status st = pm_buf_addf(&path, err, "%s/%s", s->to->folder, t->name);

    PM_STEP(st, make_folder(path.data, err));
    PM_STEP(st, pm_buf_addf(&path, err, "/%s-%s-%08lld.%s%s", b->host, s->store, (long long)s->seq,
                            endings[b->format], s->to->gzip ? ".gz" : ""));
    if (s->to->gzip)
        PM_STEP(st, pm_gzip(pm_buf_text(&t->text), &packed, err));
    PM_STEP(st, write_file(path.data, pm_buf_text(s->to->gzip ? &packed : &t->text), err));
    pm_buf_free(&path);
    pm_buf_free(&packed);
    return st;
}

pmapdb_status pm_send_files(pm_sender *s, const pm_batch *batch, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < batch->n && st == PMAPDB_OK; i++)
        if (batch->table[i].rows)
            st = write_table(s, batch, &batch->table[i], err);
    return st;
}
