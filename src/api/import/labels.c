/* labels: files in which a JVM names its own memory. */
#include "api/import/labels.h"

#include "base/clock.h"
#include "base/hash.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A map further away in time may be of other memory at the same addresses; beyond PM_LABEL_FAR_MS a
 * map is not taken. */
#define NEAR_MS 60000

static void free_one(pm_label_pending *p)
{
    pm_labels_free(&p->labels);
    free(p->path);
}

void pm_labels_forget(pm_intake *in)
{
    for (size_t i = 0; i < in->n_labels; i++)
        free_one(&in->labels[i]);
    free(in->labels);
    pm_labels_reader_free(in->listener);
    in->labels = NULL;
    in->listener = NULL;
    in->n_labels = in->cap_labels = 0;
}

/* ---- reports ---- */

static uint64_t hash_of(const pm_intake *in, const pm_labels *l)
{
    uint64_t place[] = {l->first_line, l->n, pm_hash(in->entry->path, strlen(in->entry->path))};

    return pm_hash_seeded(place, sizeof place,
                          l->n ? pm_hash(l->label, l->n * sizeof *l->label) : 0);
}

/* Reports a file that names nothing, and why. */
static void refuse(pm_intake *in, const pm_labels *l)
{
    const char *why = "a JVM's map without a line that can be read";

    if (!l->has_map)
        why = "a JVM's own counts (NMT), without addresses: jcmd PID VM.native_memory detail has "
              "them";
    else if (l->off)
        why = "a JVM whose NMT is off, so that it names nothing: start it with "
              "-XX:NativeMemoryTracking=summary";
    pm_intake_problem(in, in->entry->path, why, true, in->entry->named ? 0 : hash_of(in, l));
}

static void set_moment(pm_intake *in, pm_label_pending *p)
{
    pm_capture c = {.taken_ms = PMAPDB_UNKNOWN};

    c.block.time_ms = p->labels.time_ms;
    pm_intake_moment(in, &c);
    if (c.time_source == PM_TIME_NONE)
        pm_intake_problem(in, in->entry->path, "no time in the file's name (--time-from name)",
                          true, p->hash);
    p->put.taken_ms = c.taken_ms;
    if (c.time_source == PM_TIME_MTIME) /* copies keep the seconds, not the fraction */
        p->put.taken_ms -= p->put.taken_ms % 1000;
}

/* The user's pid decides. A JVM in a container knows itself as pid 1, which is another process
 * where the maps are: the path takes precedence over the text. */
static void set_pids(const pm_intake *in, pm_label_pending *p)
{
    pm_text path = pm_text_of(in->entry->own_path);

    for (size_t i = 0; i < PM_LABEL_PIDS; i++)
        p->put.pid[i] = PMAPDB_UNKNOWN;
    p->put.pid[0] = in->options->pid;
    if (in->options->pid != PMAPDB_UNKNOWN)
        return;
    p->put.pid[0] = pm_place_path_pid(in->entry->own_path, in->entry->name);
    p->put.pid[1] =
        pm_place_folder_pid((pm_text){path.data, path.len - pm_text_basename(path).len});
    p->put.pid[2] = p->labels.pid;
}

/* Clears the path's pid if one file has the answers of several JVMs (jcmd 0): the path cannot be
 * that of all of them. */
static void settle_pids(pm_intake *in)
{
    pm_label_pending *first = in->labels;
    bool several = false;

    while (first < in->labels + in->n_labels && first->file != in->files)
        first++;
    for (pm_label_pending *p = first; p < in->labels + in->n_labels; p++)
        several |= p->labels.pid != first->labels.pid;
    for (pm_label_pending *p = first; several && p < in->labels + in->n_labels; p++)
        if (in->options->pid == PMAPDB_UNKNOWN && p->labels.pid != PMAPDB_UNKNOWN)
            p->put.pid[0] = p->put.pid[1] = PMAPDB_UNKNOWN;
}

/* Returns the report that `p` replaces. Of reports of one pid with only the time of their file, the
 * last was made at that time. */
static pm_label_pending *replaced_by(pm_intake *in, const pm_label_pending *p)
{
    for (size_t i = 0; i < in->n_labels; i++) {
        pm_label_pending *o = &in->labels[i];

        if (o->file == p->file && o->labels.source == p->labels.source &&
            o->labels.pid == p->labels.pid && o->put.taken_ms == p->put.taken_ms)
            return o;
    }
    return NULL;
}

static void keep(pm_intake *in, pm_label_pending *p)
{
    pm_label_pending *old = replaced_by(in, p);

    p->path = strdup(in->entry->path);
    if (!p->path)
        PM_STEP(in->st, pm_fail_nomem(&in->error));
    if (!old)
        PM_STEP(in->st, pm_grow(&in->labels, &in->cap_labels, in->n_labels, sizeof *in->labels,
                                &in->error));
    if (in->st != PMAPDB_OK) {
        free_one(p);
    } else if (old) {
        p->older = old->older + 1;
        free_one(old);
        *old = *p;
    } else {
        in->labels[in->n_labels++] = *p;
    }
}

static pmapdb_status on_report(void *ctx, pm_labels *l, pmapdb_error *err)
{
    pm_intake *in = ctx;
    pm_label_pending p = {.labels = *l, .named = in->entry->named, .file = in->files};

    (void)err; /* is in->error */
    in->heard_labels = true;
    if (!l->n) {
        refuse(in, l);
        return in->st;
    }
    *l = (pm_labels){0};
    p.hash = hash_of(in, &p.labels);
    p.put.host = in->options->host;
    set_pids(in, &p);
    set_moment(in, &p);
    if (p.put.taken_ms != PMAPDB_UNKNOWN)
        keep(in, &p);
    else
        free_one(&p);
    return in->st;
}

/* ---- files ---- */

void pm_labels_begin(pm_intake *in)
{
    pm_labels_reader_free(in->listener);
    in->listener = NULL;
    in->heard_labels = false;
}

pmapdb_status pm_labels_hear(pm_intake *in, const char *bytes, size_t n, bool first,
                             pmapdb_error *err)
{
    pm_text head = {bytes, n < PM_LABELS_HEAD ? n : PM_LABELS_HEAD};
    pmapdb_status st = PMAPDB_OK;

    if (first && pm_labels_guess(head))
        st = pm_labels_reader_new(on_report, in, &in->listener, err);
    return st == PMAPDB_OK && in->listener ? pm_labels_feed(in->listener, bytes, n, err) : st;
}

pmapdb_status pm_labels_end(pm_intake *in, pmapdb_error *err)
{
    pmapdb_status st;

    if (!in->listener)
        return PMAPDB_OK;
    st = pm_labels_finish(in->listener, err);
    settle_pids(in);
    if (in->heard_labels)
        in->foreign.n = in->nothing.n = 0;
    return st;
}

static int compare_times(const void *a, const void *b)
{
    const pm_label_pending *x = a, *y = b;

    if (x->put.taken_ms != y->put.taken_ms)
        return x->put.taken_ms < y->put.taken_ms ? -1 : 1;
    if (x->labels.source != y->labels.source) /* NMT last, so that it wins */
        return x->labels.source > y->labels.source ? -1 : 1;
    return strcmp(x->path, y->path);
}

void pm_labels_settle(pm_intake *in)
{
    if (in->n_labels)
        qsort(in->labels, in->n_labels, sizeof *in->labels, compare_times);
}

/* ---- news ---- */

static void add(pm_buf *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends words, after a semicolon if there are others before them. */
static void add(pm_buf *text, const char *format, ...)
{
    char words[256];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    pm_buf_addf(text, NULL, "%s%s", text->len ? "; " : "", words);
}

char *pm_labels_missing(const pm_labels *l)
{
    pm_buf text = {0};

    if (l->damaged)
        add(&text, "%" PRIu64 " %s of the map cannot be read, the first is line %" PRIu64,
            l->damaged, l->damaged == 1 ? "line" : "lines", l->damaged_line);
    if (l->torn)
        add(&text, "the text ends before its map does");
    if (l->full)
        add(&text, "only its first %zu ranges are taken", PM_LABELS_MAX);
    return text.data;
}

char *pm_labels_warning(const pm_label_pending *p, const pm_label_stored *stored)
{
    int64_t apart = p->put.taken_ms - stored->snapshot_ms;
    char at[PM_CLOCK_TEXT];
    pm_buf text = {0};

    pm_clock_format(stored->snapshot_ms, at);
    if (p->older)
        add(&text, "%zu older %s of it in the file %s no time: the last is taken", p->older,
            p->older == 1 ? "report" : "reports", p->older == 1 ? "has" : "have");
    if (apart > NEAR_MS || apart < -NEAR_MS)
        add(&text, "the nearest map is of %s: what lay elsewhere then may be named wrongly", at);
    return text.data;
}
