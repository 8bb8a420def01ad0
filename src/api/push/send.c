/* send: a batch to a server of ClickHouse. */
#include "api/push/send.h"

#include "base/num.h"
#include <time.h>

#define ROWS_MOST 50000
#define BYTES_MOST (8U << 20)
#define TRIES 4 /* after 1, 2 and 4 s again */
#define NEW 23  /* from this version on a server can gather small inserts */
#define SMALL 10000

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
            return st;
        if (!goes_on(s))
            return pm_fail(err, PMAPDB_STOPPED, "stopped");
    }
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
    *seq = st == PMAPDB_OK && number(s) ? number(s) / 2 : PMAPDB_UNKNOWN;
    if (st == PMAPDB_IO && (s->reply.code == 60 || s->reply.code == 81))
        return pm_fail(err, PMAPDB_IO,
                       "the server has no tables of pmapdb in database %s; make them with the "
                       "output of pmapdb fleet schema",
                       s->to->database);
    return st;
}

/* ---- rows ---- */

static pmapdb_status insert(pm_sender *s, const pm_batch_table *t, pm_text rows, int64_t part,
                            pmapdb_error *err)
{
    pm_buf query = {0}, token = {0};
    pm_http_param params[] = {{"database", pm_text_of(s->to->database)},
                              {"insert_distributed_sync", PM_TEXT("1")},
                              {0}, /* query */
                              {"async_insert", PM_TEXT("1")},
                              {"wait_for_async_insert", PM_TEXT("1")}};
    size_t n = 3;
    pmapdb_status st;

    pm_buf_addf(&query, NULL, "INSERT INTO %s (%s) FORMAT TabSeparated", t->name, t->columns.data);
    pm_buf_addf(&token, NULL, "%s:%s:%lld:%lld", s->store, t->name, (long long)s->seq,
                (long long)part);
    st = pm_buf_status(&query, err);
    PM_STEP(st, pm_buf_status(&token, err));
    params[2] = (pm_http_param){"query", pm_buf_text(&query)};
    if (s->version >= NEW && t->rows < SMALL)
        n = 5;
    else if (s->version >= NEW)
        params[n++] = (pm_http_param){"insert_deduplication_token", pm_buf_text(&token)};
    PM_STEP(st, ask(s, params, n, rows, err));
    if (st == PMAPDB_OK && s->reply.body.len) {
        s->result->later = true;
        st = pm_fail(err, PMAPDB_IO, "the server answers an INSERT with %zu bytes: %.200s",
                     s->reply.body.len, s->reply.body.data);
    }
    pm_buf_free(&query);
    pm_buf_free(&token);
    return st;
}

/* Sends rows, in halves if they are too much for the server. */
static pmapdb_status send_rows(pm_sender *s, const pm_batch_table *t, pm_text rows, int64_t part,
                               pmapdb_error *err)
{
    pmapdb_status st = insert(s, t, rows, part, err);
    const char *half;
    pm_text first;

    if (st != PMAPDB_IO || s->reply.class != PM_HTTP_LESS)
        return st;
    half = memchr(rows.data + rows.len / 2, '\n', rows.len - rows.len / 2);
    if (!half || half + 1 == rows.data + rows.len)
        return st;
    first = (pm_text){rows.data, (size_t)(half + 1 - rows.data)};
    st = send_rows(s, t, first, part * 2, err);
    PM_STEP(st, send_rows(s, t, pm_text_from(rows, first.len), part * 2 + 1, err));
    return st;
}

/* Cuts the rows of one request off the text: whole lines. */
static pm_text cut_request(pm_text *rest)
{
    pm_text part = {rest->data, 0}, t = *rest;

    for (int n = 0; t.len && n < ROWS_MOST; n++) {
        size_t line = pm_text_cut(&t, '\n').len + 1;

        if (part.len && part.len + line > BYTES_MOST)
            break;
        part.len += line;
    }
    *rest = pm_text_from(*rest, part.len);
    return part;
}

pmapdb_status pm_send_batch(pm_sender *s, const pm_batch *batch, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < batch->n && st == PMAPDB_OK; i++) {
        pm_text rest = pm_buf_text(&batch->table[i].text);

        for (int64_t part = 1; rest.len && st == PMAPDB_OK; part += 1 << 20)
            st = send_rows(s, &batch->table[i], cut_request(&rest), part, err);
    }
    return st;
}
