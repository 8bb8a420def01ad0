/* block_source: reads on until a block is finished. */
#include "sqlite/block_source.h"

#include "api/place.h"
#include "api/wrap.h"
#include "base/num.h"
#include "parse/formats.h"
#include "source/proc.h"
#include "source/source.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* So much of a file is read on for one block: of a log, little more than that block is held. */
#define SLICE ((size_t)16384)

struct pm_block_source {
    pm_collect collect;
    pm_source *source;            /* NULL: nothing more comes */
    const pm_source_entry *entry; /* the current file */
    pm_reader *reader;            /* of it, or NULL */
    pm_dialect dialect;
    const char *bytes; /* read and not yet fed */
    size_t n_bytes;
    bool any;            /* the current file is not empty */
    bool ended;          /* all of it was fed */
    pmapdb_error damage; /* why it ended early; told after its blocks */
};

/* NULL: out of memory. */
static pm_block_source *source_new(bool rows_wanted)
{
    pm_block_source *s = calloc(1, sizeof *s);

    if (s && pm_collect_init(&s->collect, rows_wanted, NULL) != PMAPDB_OK) {
        pm_block_source_free(s);
        return NULL;
    }
    return s;
}

void pm_block_source_free(pm_block_source *s)
{
    if (!s)
        return;
    pm_reader_free(s->reader);
    pm_source_free(s->source);
    pm_collect_free(&s->collect);
    free(s);
}

/* ---- files ---- */

/* Opening a FIFO waits for its writer, and nobody can interrupt that from SQL. */
static pmapdb_status check_path(const char *path, pmapdb_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pm_fail_io(err, errno, "'%s'", path);
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return pm_fail(err, PMAPDB_USAGE, "'%s' is neither a regular file nor a directory", path);
    return PMAPDB_OK;
}

pmapdb_status pm_block_source_file(const char *path, const char *dialect, bool rows_wanted,
                                   pm_block_source **out, pmapdb_error *err)
{
    /* the source takes "-" for standard input, which is not ours to read */
    const char *name = strcmp(path, PM_SOURCE_STDIN) == 0 ? "./" PM_SOURCE_STDIN : path;
    pm_dialect found;
    pm_block_source *s;
    pmapdb_status st = pm_form_find(dialect, &found, err);

    if (st == PMAPDB_OK)
        st = check_path(name, err);
    if (st != PMAPDB_OK)
        return st;
    s = source_new(rows_wanted);
    if (!s)
        return pm_fail_nomem(err);
    s->dialect = found;
    st = pm_source_new(&name, 1, &s->source, err);
    if (st != PMAPDB_OK) {
        pm_block_source_free(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}

/* ---- one file ---- */

/* A file that cannot be used: a failure with rows, else a block that says so. */
static pmapdb_status tell(pm_block_source *s, const pmapdb_error *why, pmapdb_error *err)
{
    if (!s->collect.rows_wanted && why->status != PMAPDB_NOMEM)
        return pm_collect_error(&s->collect, why->text, err);
    *err = *why;
    return why->status;
}

static pmapdb_status begin_file(pm_block_source *s, pmapdb_error *err)
{
    pm_reader_events events = pm_collect_events(&s->collect);
    pmapdb_error why = {0};
    pmapdb_status st = pm_source_next(s->source, &s->entry, &why);

    if (st != PMAPDB_OK) {
        pm_collect_begin(&s->collect, NULL, PMAPDB_UNKNOWN); /* the message names it */
        return tell(s, &why, err);
    }
    if (!s->entry) {
        pm_source_free(s->source);
        s->source = NULL;
        return PMAPDB_OK;
    }
    if (s->entry->closed || (!s->entry->named && pm_place_is_sibling(s->entry->name)))
        return PMAPDB_OK;
    s->any = s->ended = false;
    s->n_bytes = 0;
    s->damage = (pmapdb_error){0};
    pm_collect_begin(&s->collect, s->entry->path,
                     pm_place_path_pid(s->entry->own_path, s->entry->name));
    return pm_reader_new(&events, s->dialect, &s->reader, err);
}

static pmapdb_status say_nothing_found(pm_block_source *s, pmapdb_error *err)
{
    pmapdb_error why = {0};
    const char *text = s->any ? "no capture of a memory map in it" : "an empty file";

    if (!s->entry->named || s->collect.n_captures ||
        (s->collect.nothing.len && !s->collect.rows_wanted))
        return PMAPDB_OK;
    if (s->collect.nothing.len)
        text = s->collect.nothing.data;
    if (s->collect.rows_wanted)
        pm_fail(&why, PMAPDB_INPUT, "'%s': %s", s->entry->path, text);
    else
        pm_fail(&why, PMAPDB_INPUT, "%s", text);
    return tell(s, &why, err);
}

static pmapdb_status end_file(pm_block_source *s, pmapdb_error *err)
{
    pmapdb_error damage = s->damage;

    s->damage = (pmapdb_error){0};
    pm_reader_free(s->reader);
    s->reader = NULL;
    return damage.status != PMAPDB_OK ? tell(s, &damage, err) : say_nothing_found(s, err);
}

/* The next slice of the current file; *more is false at its end. Damage ends it, too. */
static pmapdb_status feed_slice(pm_block_source *s, bool *more, pmapdb_error *err)
{
    pm_wrap wrap;
    size_t n;
    pmapdb_status st;

    *more = false;
    if (pm_reader_hopeless(s->reader))
        return PMAPDB_OK;
    if (s->n_bytes == 0 &&
        (pm_source_read(s->source, &s->bytes, &s->n_bytes, &s->damage) != PMAPDB_OK ||
         s->n_bytes == 0))
        return PMAPDB_OK;
    if (!s->any) {
        wrap = pm_wrap_of((pm_text){s->bytes, s->n_bytes}, s->entry->in_archive);
        if (wrap.what && (wrap.likely || s->entry->named))
            return pm_fail(err, PMAPDB_INPUT, "'%s': %s", s->entry->path, wrap.what);
    }
    n = s->n_bytes < SLICE ? s->n_bytes : SLICE;
    st = pm_reader_feed(s->reader, s->bytes, n, err);
    s->bytes += n;
    s->n_bytes -= n;
    s->any = true;
    *more = st == PMAPDB_OK;
    return st;
}

/* Reads on in the current file. If it ends while blocks of it wait, its end is told later. */
static pmapdb_status read_on(pm_block_source *s, pmapdb_error *err)
{
    bool more;
    pmapdb_status st = feed_slice(s, &more, err);

    if (st == PMAPDB_OK && !more) {
        st = pm_reader_finish(s->reader, err);
        s->ended = true;
    }
    if (st != PMAPDB_INPUT)
        return st;
    s->damage = *err; /* this file's fault */
    s->ended = true;
    return PMAPDB_OK;
}

pmapdb_status pm_block_source_next(pm_block_source *s, pm_found_block **out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && !s->collect.first && s->source) {
        if (!s->reader)
            st = begin_file(s, err);
        else if (s->ended)
            st = end_file(s, err);
        else
            st = read_on(s, err);
    }
    if (st == PMAPDB_OK)
        *out = pm_collect_take(&s->collect);
    return st;
}

/* ---- a live process: its map, whole or an error ---- */

static pmapdb_status feed_reader(void *ctx, const char *bytes, size_t n, size_t *taken,
                                 pmapdb_error *err)
{
    (void)taken;
    return pm_reader_feed(ctx, bytes, n, err);
}

/* What keeps this process from being looked at. */
static pmapdb_status say_fate(pm_proc_fate fate, const char *file, int64_t pid, pmapdb_error *err)
{
    switch (fate) {
    case PM_PROC_GONE:
        return pm_fail(err, PMAPDB_NOTFOUND, "process %" PRId64 " ended while it was read", pid);
    case PM_PROC_UNREADABLE:
        return pm_fail_io(err, EACCES, "cannot read /proc/%" PRId64 "/%s", pid, file);
    case PM_PROC_CHANGED:
        return pm_fail(err, PMAPDB_INPUT,
                       "process %" PRId64 " became another program while it was read", pid);
    case PM_PROC_GOOD:
    case PM_PROC_KERNEL:
    case PM_PROC_ZOMBIE: /* it is there, and has no map any more */
    case PM_PROC_TORN:
        break;
    }
    return PMAPDB_OK;
}

static pmapdb_status check_whole(const pm_collect *out, const char *file, int64_t pid,
                                 pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!out->first)
        return pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s has no rows of a memory map", pid,
                       file);
    for (const pm_found_block *h = out->first; h && st == PMAPDB_OK; h = h->next)
        if (h->capture.block.state != PM_STATE_COMPLETE)
            st = pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s is not whole: %.*s", pid, file,
                         (int)h->capture.block.missing.len, h->capture.block.missing.data);
    return st;
}

static pmapdb_status read_in(pm_collect *out, const pm_proc *p, const char *file, pmapdb_error *err)
{
    pm_reader_events events = pm_collect_events(out);
    pm_reader *reader = NULL;
    pm_proc_reading reading;
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_status st = pm_reader_new(&events, PM_DIALECT_COUNT, &reader, err);

    if (st == PMAPDB_OK)
        st = pm_proc_read_map(p, file, 0, feed_reader, reader, &reading, &fate, err);
    if (st == PMAPDB_OK)
        st = say_fate(fate, file, p->pid, err);
    if (st == PMAPDB_OK)
        st = pm_reader_finish(reader, err);
    pm_reader_free(reader);
    return st == PMAPDB_OK ? check_whole(out, file, p->pid, err) : st;
}

/* `self` is a link to the number that this /proc knows this process by. */
static int64_t number_of(int root, const char *pid)
{
    char link[24];
    ssize_t n = readlinkat(root, pid, link, sizeof link);
    uint64_t number = 0;

    pm_num_all(n > 0 ? (pm_text){link, (size_t)n} : pm_text_of(pid), &number);
    return (int64_t)number;
}

static pmapdb_status read_below(pm_collect *out, int root, const char *file, const char *pid,
                                pmapdb_error *err)
{
    pm_proc p;
    pm_proc_fate fate;
    int64_t number = number_of(root, pid);
    pmapdb_status st = pm_proc_open(root, number, &p, &fate, err);

    if (st != PMAPDB_OK)
        return st;
    if (fate == PM_PROC_GONE)
        return pm_fail(err, PMAPDB_NOTFOUND, "no process %s", pid);
    if (fate != PM_PROC_GOOD)
        return say_fate(fate, file, number, err);
    st = read_in(out, &p, file, err);
    pm_proc_close(&p);
    return st;
}

static pmapdb_status read_live(pm_collect *out, const char *file, const char *pid,
                               pmapdb_error *err)
{
    int root;
    pmapdb_status st = pm_proc_open_root(&root, err);

    if (st != PMAPDB_OK)
        return st;
    st = read_below(out, root, file, pid, err);
    close(root);
    return st;
}

pmapdb_status pm_block_source_live(const char *file, const char *pid, pm_block_source **out,
                                   pmapdb_error *err)
{
    pm_block_source *s = source_new(true);
    pmapdb_status st;

    if (!s)
        return pm_fail_nomem(err);
    st = read_live(&s->collect, file, pid, err);
    if (st != PMAPDB_OK) {
        pm_block_source_free(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}
