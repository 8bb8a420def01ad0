/* supply: reads on until a block is finished. */
#include "sqlite/supply.h"

#include "api/place.h"
#include "api/wrap.h"
#include "parse/known.h"
#include "source/source.h"
#include "sqlite/live.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* So much of a file is read on for one block: of a log, little more than that block is held. */
#define SLICE ((size_t)16384)

struct pm_supply {
    pm_collect collect;
    pm_source *source;            /* NULL: nothing more comes */
    const pm_source_entry *entry; /* the file at hand */
    pm_reader *reader;            /* of it, or NULL */
    pm_dialect dialect;
    const char *bytes; /* read and not yet fed */
    size_t n_bytes;
    bool any;            /* the file at hand is not empty */
    bool ended;          /* all of it was fed */
    pmapdb_error damage; /* why it ended early; to be told behind its blocks */
};

/* NULL: out of memory. */
static pm_supply *supply_new(bool rows_wanted)
{
    pm_supply *s = calloc(1, sizeof *s);

    if (s && pm_collect_init(&s->collect, rows_wanted, NULL) != PMAPDB_OK) {
        pm_supply_free(s);
        return NULL;
    }
    return s;
}

void pm_supply_free(pm_supply *s)
{
    if (!s)
        return;
    pm_reader_free(s->reader);
    pm_source_free(s->source);
    pm_collect_free(&s->collect);
    free(s);
}

pmapdb_status pm_supply_live(const char *file, const char *pid, pm_supply **out, pmapdb_error *err)
{
    pm_supply *s = supply_new(true);
    pmapdb_status st;

    if (!s)
        return pm_fail_nomem(err);
    st = pm_live_read(&s->collect, file, pid, err);
    if (st != PMAPDB_OK) {
        pm_supply_free(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}

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

pmapdb_status pm_supply_file(const char *path, const char *dialect, bool rows_wanted,
                             pm_supply **out, pmapdb_error *err)
{
    /* the source takes "-" for standard input, which is not ours to read */
    const char *name = strcmp(path, PM_SOURCE_STDIN) == 0 ? "./" PM_SOURCE_STDIN : path;
    pm_dialect found;
    pm_supply *s;
    pmapdb_status st = pm_known_find(dialect, &found, err);

    if (st == PMAPDB_OK)
        st = check_path(name, err);
    if (st != PMAPDB_OK)
        return st;
    s = supply_new(rows_wanted);
    if (!s)
        return pm_fail_nomem(err);
    s->dialect = found;
    st = pm_source_new(&name, 1, &s->source, err);
    if (st != PMAPDB_OK) {
        pm_supply_free(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}

/* ---- one file ---- */

/* As import does where the text has none. */
static int64_t pid_in_path(const pm_source_entry *e)
{
    pm_text path = pm_text_of(e->own_path);
    pm_text dir = {path.data, path.len - pm_text_basename(path).len};

    return pm_place_pid(dir, pm_text_of(e->name));
}

/* Files that only say more of the capture beside them. */
static bool is_sibling(const pm_source_entry *e)
{
    pm_slot slot;
    bool only;

    return !e->named && pm_place_sibling(pm_text_of(e->name), &slot, &only).len > 0 && only;
}

/* A file that cannot be used: a failure with rows, else a block that says so. */
static pmapdb_status tell(pm_supply *s, const pmapdb_error *why, pmapdb_error *err)
{
    if (!s->collect.rows_wanted && why->status != PMAPDB_NOMEM)
        return pm_collect_error(&s->collect, why->text, err);
    *err = *why;
    return why->status;
}

static pmapdb_status begin_file(pm_supply *s, pmapdb_error *err)
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
    if (s->entry->closed || is_sibling(s->entry))
        return PMAPDB_OK;
    s->any = s->ended = false;
    s->n_bytes = 0;
    s->damage = (pmapdb_error){0};
    pm_collect_begin(&s->collect, s->entry->path, pid_in_path(s->entry));
    return pm_reader_new(&events, s->dialect, &s->reader, err);
}

static pmapdb_status say_nothing_found(pm_supply *s, pmapdb_error *err)
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

static pmapdb_status end_file(pm_supply *s, pmapdb_error *err)
{
    pmapdb_error damage = s->damage;

    s->damage = (pmapdb_error){0};
    pm_reader_free(s->reader);
    s->reader = NULL;
    return damage.status != PMAPDB_OK ? tell(s, &damage, err) : say_nothing_found(s, err);
}

/* The next slice of the file at hand; *more is false at its end. Damage ends it, too. */
static pmapdb_status feed_slice(pm_supply *s, bool *more, pmapdb_error *err)
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

/* Reads on in the file at hand. Where it ends while blocks of it wait, its end is told later. */
static pmapdb_status read_on(pm_supply *s, pmapdb_error *err)
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

pmapdb_status pm_supply_next(pm_supply *s, pm_held **out, pmapdb_error *err)
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
