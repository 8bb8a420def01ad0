/* labels: files in which a JVM names its own memory. */
#include "api/import/intake.h"

#include "base/hash.h"
#include <stdlib.h>

static void free_one(pm_label_pending *p)
{
    pm_labels_free(&p->labels);
    free(p->path);
}

void pm_intake_free_labels(pm_intake *in)
{
    for (size_t i = 0; i < in->n_labels; i++)
        free_one(&in->labels[i]);
    free(in->labels);
}

static bool set_moment(pm_intake *in, pm_label_pending *p)
{
    pm_capture c = {.taken_ms = PMAPDB_UNKNOWN};

    c.block.time_ms = p->labels.time_ms;
    pm_intake_moment(in, &c);
    p->put.taken_ms = c.taken_ms;
    if (c.time_source == PM_TIME_MTIME) /* a copy of the file may lose the fraction of a second */
        p->put.taken_ms -= p->put.taken_ms % 1000;
    return c.time_source != PM_TIME_NONE;
}

/* The user's pid decides. A JVM in a container knows itself as pid 1, which is another process
 * where the maps are: then its ranges do not fit that process, and the path may name the right one.
 */
static void set_pids(pm_intake *in, pm_label_pending *p)
{
    pm_text folder = pm_text_folder(pm_text_of(in->entry->own_path));

    p->put.pid[0] = p->labels.pid;
    p->put.pid[1] = pm_place_pid(folder, pm_text_of(in->entry->name));
    p->put.pid[2] = pm_place_folder_pid(folder);
    if (in->options->pid != PMAPDB_UNKNOWN)
        for (size_t i = 0; i < PM_LABEL_PIDS; i++)
            p->put.pid[i] = in->options->pid;
}

static void keep(pm_intake *in, pm_label_pending *p)
{
    p->path = strdup(in->entry->path);
    if (!p->path)
        PM_STEP(in->st, pm_fail_nomem(&in->error));
    PM_STEP(in->st,
            pm_grow(&in->labels, &in->cap_labels, in->n_labels, sizeof *in->labels, &in->error));
    if (in->st == PMAPDB_OK)
        in->labels[in->n_labels++] = *p;
    else
        free_one(p);
}

static pmapdb_status on_report(void *ctx, pm_labels *l, pmapdb_error *err)
{
    pm_intake *in = ctx;
    const char *path = in->entry->path, *why = NULL;
    pm_label_pending p = {.labels = *l, .put = {.host = in->options->host}};

    (void)err; /* is in->error */
    in->heard_labels = true;
    if (!in->entry->named)
        p.hash = pm_hash(path, strlen(path), l->n + 1);
    if (!l->n)
        why = "a JVM's report that names no addresses: start the JVM with "
              "-XX:NativeMemoryTracking=detail and run jcmd PID VM.native_memory detail";
    else if (!set_moment(in, &p))
        why = "no time in the file's name (--time-from name)";
    if (why) {
        pm_intake_problem(in, path, why, true, p.hash);
        return in->st;
    }
    *l = (pm_labels){0};
    set_pids(in, &p);
    keep(in, &p);
    return in->st;
}

void pm_labels_end(pm_intake *in)
{
    PM_STEP(in->st, pm_labels_read(pm_buf_text(&in->heard), on_report, in, &in->error));
    if (in->heard_labels)
        in->foreign.n = in->nothing.n = 0;
}
