/* send: a batch to a server of ClickHouse, or into a folder. */
#include "api/push/send.h"

#include "base/num.h"
#include "render/pack.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BYTES_MOST (8U << 20)
#define TRIES 4     /* with pauses of 1, 2 and 4 s between them */
#define NEW 23      /* from this version on a server can gather small inserts */
#define SMALL 10000 /* rows of a large insert */

static bool goes_on(const pm_sender *s)
{
    static const pmapdb_progress progress = {.what = "waiting"};

    return !s->to->on_progress || s->to->on_progress(s->to->ctx, &progress);
}

/* Sends a request again while the server or the network may recover. */
static pmapdb_status ask(pm_sender *s, const pm_http_param *params, size_t n, pm_text body,
                         pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_IO;

    for (int i = 0; i < TRIES; i++) {
        struct timespec pause = {i ? 1L << (i - 1) : 0, 0};

        if (i && nanosleep(&pause, NULL) != 0 && !goes_on(s))
            return pm_fail(err, PMAPDB_STOPPED, "stopped");
        st = pm_http_post(s->to->http, params, n, body, &s->reply, err);
        s->result->later = st != PMAPDB_OK && s->reply.class == PM_HTTP_LATER;
        if (!s->result->later)
            break;
        if (!goes_on(s))
            return pm_fail(err, PMAPDB_STOPPED, "stopped");
    }
    if (st == PMAPDB_IO && (s->reply.code == 60 || s->reply.code == 81))
        return pm_fail(err, PMAPDB_IO,
                       "the server lacks tables of pmapdb in database %s; make them with the "
                       "output of pmapdb fleet schema",
                       s->to->database);
    return st;
}

/* Reads the number at the start of the reply. */
static int64_t number(const pm_sender *s)
{
    pm_text body = pm_buf_text(&s->reply.body);
    uint64_t n;

    return pm_num_dec(body.data, body.data + body.len, &n) && n <= INT64_MAX ? (int64_t)n : 0;
}

pmapdb_status pm_send_meet(pm_sender *s, int64_t *seq, pmapdb_error *err)
{
    const pm_http_param params[] = {{"database", pm_text_of(s->to->database)},
                                    {"wait_end_of_query", PM_TEXT("1")}};
    pm_buf sql = {0};
    pmapdb_status st = ask(s, params, 2, PM_TEXT("SELECT version()"), err);

    s->version = st == PMAPDB_OK ? number(s) : 0;
    PM_STEP(st, pm_buf_addf(&sql, err, "SELECT max(seq) FROM marks WHERE store = '%s'", s->store));
    PM_STEP(st, ask(s, params, 2, pm_buf_text(&sql), err));
    pm_buf_free(&sql);
    /* rows are sent with 2 * seq, or one more at the end of a span */
    *seq = st == PMAPDB_OK && number(s) ? number(s) / 2 : PMAPDB_UNKNOWN;
    return st;
}

/* ---- rows ---- */

static pmapdb_status insert(pm_sender *s, const pm_batch_table *t, pm_text rows, pmapdb_error *err)
{
    pm_buf query = {0};
    pm_http_param params[] = {{"database", pm_text_of(s->to->database)},
                              {"insert_distributed_sync", PM_TEXT("1")},
                              {0}, /* query */
                              {"async_insert", PM_TEXT("1")},
                              {"wait_for_async_insert", PM_TEXT("1")}};
    pmapdb_status st = pm_buf_addf(&query, err, "INSERT INTO %s (%s) FORMAT TabSeparated", t->name,
                                   t->columns.data);

    params[2] = (pm_http_param){"query", pm_buf_text(&query)};
    PM_STEP(st, ask(s, params, s->version >= NEW && t->rows < SMALL ? 5 : 3, rows, err));
    if (st == PMAPDB_OK && s->reply.body.len) {
        s->result->later = true;
        st = pm_fail(err, PMAPDB_IO, "the server answers an INSERT with %zu bytes: %.200s",
                     s->reply.body.len, s->reply.body.data);
    }
    pm_buf_free(&query);
    return st;
}

/* Sends rows, in halves if they are too much for a request, or for the server. */
static pmapdb_status send_rows(pm_sender *s, const pm_batch_table *t, pm_text rows,
                               pmapdb_error *err)
{
    const char *half = memchr(rows.data + rows.len / 2, '\n', rows.len - rows.len / 2);
    size_t first = (size_t)(half + 1 - rows.data); /* the text ends with a newline */
    pmapdb_status st = PMAPDB_OK;

    if (rows.len <= BYTES_MOST || first == rows.len) {
        st = insert(s, t, rows, err);
        if (st != PMAPDB_IO || s->reply.class != PM_HTTP_LESS || first == rows.len)
            return st;
    }
    st = send_rows(s, t, (pm_text){rows.data, first}, err);
    PM_STEP(st, send_rows(s, t, pm_text_from(rows, first), err));
    return st;
}

pmapdb_status pm_send_batch(pm_sender *s, const pm_batch *batch, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < batch->n && st == PMAPDB_OK; i++)
        if (batch->table[i].text.len)
            st = send_rows(s, &batch->table[i], pm_buf_text(&batch->table[i].text), err);
    return st;
}

/* ---- a file for each table ---- */

static pmapdb_status make_folder(const char *path, pmapdb_error *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? PMAPDB_OK
               : pm_fail_io(err, errno, "cannot make '%s'", path);
}

/* Writes a new file under another name first. A retry writes the same rows again. */
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
        PM_STEP(st, pm_pack(pm_buf_text(&t->text), PM_PACK_GZIP, &packed, err));
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
