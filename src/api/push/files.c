/* files: a batch into a folder, a file for each table. */
#include "api/push/send.h"

#include "render/pack.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static pmapdb_status make_folder(const char *path, pmapdb_error *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? PMAPDB_OK
               : pm_fail_io(err, errno, "cannot make '%s'", path);
}

/* Writes a new file under another name first. A retry replaces the file by the same rows. */
static pmapdb_status write_file(const char *path, pm_text text, pmapdb_error *err)
{
    pm_buf part = {0};
    pmapdb_status st = pm_buf_addf(&part, err, "%s.part", path);
    FILE *file;
    bool written;

    if (st != PMAPDB_OK)
        return st;
    unlink(part.data); /* of a run that was killed */
    file = fopen(part.data, "wxe");
    written = file && fwrite(text.data, 1, text.len, file) == text.len && fflush(file) == 0 &&
              fsync(fileno(file)) == 0;
    if (!written || rename(part.data, path) != 0) {
        st = pm_fail_io(err, errno, "cannot write '%s'", path);
        unlink(part.data);
    }
    if (file)
        fclose(file);
    pm_buf_free(&part);
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
