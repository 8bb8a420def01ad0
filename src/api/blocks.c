/* blocks: finds the blocks of text in files that look like captures. */
#include "api/blocks.h"

#include "api/import/place.h"
#include "api/wrap.h"
#include "parse/formats.h"
#include "source/source.h"
#include <stdlib.h>

/* The bytes fed to the reader at a time: of a log, little more than one block is in memory. */
#define SLICE ((size_t)16384)

struct pm_blocks {
    pm_blocks_options how;
    pm_dialect dialect;
    pm_found_block *first, **end; /* finished blocks; *end is the place of the next one */
    int64_t n_blocks;
    uint64_t trouble;
    pm_pool *pool; /* for the rows of the block that is being read */
    uint32_t *rows;
    size_t n_rows, cap_rows;
    pm_source *source; /* NULL: no more files */
    /* the current file: */
    const pm_source_entry *entry; /* NULL: no current file */
    int64_t pid;                  /* of blocks without a pid of their own */
    pm_reader *reader;            /* NULL: the next file is not open yet */
    uint64_t n_in_file, n_captures;
    pm_buf nothing;    /* the error of its first block that is not a capture */
    const char *bytes; /* read, but not fed yet */
    size_t n_bytes;
    bool any;            /* the file is not empty */
    bool ended;          /* the whole file was fed */
    pmapdb_error damage; /* why the file ended early; reported after its blocks */
};

void pm_found_block_free(pm_found_block *b)
{
    if (!b)
        return;
    free(b->capture.rows);
    free(b->path);
    free(b->error);
    free(b->texts);
    pm_pool_free(b->pool);
    free(b);
}

pmapdb_status pm_blocks_new(const pm_blocks_options *options, pm_blocks **out, pmapdb_error *err)
{
    pm_blocks *b = calloc(1, sizeof *b);
    pmapdb_status st = b ? PMAPDB_OK : pm_fail_nomem(err);

    if (b) {
        b->how = *options;
        b->end = &b->first;
        b->pid = PMAPDB_UNKNOWN;
    }
    PM_STEP(st, pm_form_find(options->dialect, &b->dialect, err));
    if (options->n_paths)
        PM_STEP(st, pm_source_new(options->paths, options->n_paths, &b->source, err));
    if (st == PMAPDB_OK)
        *out = b;
    else
        pm_blocks_free(b);
    return st;
}

static pm_found_block *take_first(pm_blocks *b)
{
    pm_found_block *first = b->first;

    if (first)
        b->first = first->next;
    if (!b->first)
        b->end = &b->first;
    return first;
}

void pm_blocks_free(pm_blocks *b)
{
    if (!b)
        return;
    while (b->first)
        pm_found_block_free(take_first(b));
    pm_reader_free(b->reader);
    pm_source_free(b->source);
    pm_pool_free(b->pool);
    pm_buf_free(&b->nothing);
    free(b->rows);
    free(b);
}

uint64_t pm_blocks_trouble(const pm_blocks *b)
{
    return b->trouble;
}

const pm_found_block *pm_blocks_finished(const pm_blocks *b)
{
    return b->first;
}

pmapdb_status pm_blocks_within(size_t held, uint64_t max, pmapdb_error *err)
{
    if (!max || held <= max)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_INPUT,
                   "needs more than %llu MiB of memory: raise the limit with --max-memory SIZE",
                   (unsigned long long)(max >> 20));
}

/* ---- events of the reader ---- */

static pmapdb_status on_mapping(void *ctx, const pm_mapping *m, pmapdb_error *err)
{
    pm_blocks *b = ctx;
    uint32_t id = 0;
    pmapdb_status st = b->pool ? PMAPDB_OK : pm_pool_new(&b->pool, err);

    PM_STEP(st, pm_pool_mapping(b->pool, m, &id, err));
    PM_STEP(st, pm_grow(&b->rows, &b->cap_rows, b->n_rows, sizeof *b->rows, err));
    if (st == PMAPDB_OK)
        b->rows[b->n_rows++] = id;
    return st;
}

/* Copies the texts of a block, which last only for the call, into one allocation. */
static bool copy_texts(pm_found_block *found)
{
    pm_block *b = &found->capture.block;
    pm_text *const texts[] = {&b->command, &b->missing, &b->notes, &b->empty};
    size_t n = sizeof texts / sizeof *texts, bytes = n;
    char *at;

    for (size_t i = 0; i < n; i++)
        bytes += texts[i]->len;
    found->texts = at = calloc(bytes, 1);
    for (size_t i = 0; at && i < n; i++) {
        if (texts[i]->len)
            memcpy(at, texts[i]->data, texts[i]->len);
        texts[i]->data = at;
        at += texts[i]->len + 1;
    }
    return at;
}

/* Adds a block at the end. Returns NULL if memory runs out. */
static pm_found_block *add_block(pm_blocks *b, const pm_block *block, pm_text error)
{
    pm_found_block *found = calloc(1, sizeof *found);

    if (!found)
        return NULL;
    if (block)
        found->capture.block = *block;
    found->path = b->entry ? strdup(b->entry->path) : NULL;
    found->error = error.len ? pm_text_copy(error) : NULL;
    found->number = PMAPDB_UNKNOWN;
    found->capture.pid = b->pid;
    if ((b->entry && !found->path) || (error.len && !found->error) || !copy_texts(found)) {
        pm_found_block_free(found);
        return NULL;
    }
    *b->end = found;
    b->end = &found->next;
    return found;
}

static pmapdb_status on_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    pm_blocks *b = ctx;
    pm_found_block *found = add_block(b, block, block->empty);

    if (!found)
        return pm_fail_nomem(err);
    found->number = ++b->n_blocks;
    if (block->pid != PMAPDB_UNKNOWN)
        found->capture.pid = block->pid;
    found->capture.pool = found->pool = b->pool;
    found->capture.rows = b->rows;
    found->capture.n_rows = b->n_rows;
    b->pool = NULL;
    b->rows = NULL;
    b->n_rows = b->cap_rows = 0;
    b->n_in_file++;
    b->n_captures += !found->error;
    return found->error && !b->nothing.len
               ? pm_buf_add(&b->nothing, block->empty.data, block->empty.len, err)
               : PMAPDB_OK;
}

pm_reader_events pm_blocks_events(pm_blocks *b)
{
    return (pm_reader_events){b, b->how.rows ? on_mapping : NULL, on_block};
}

/* ---- one file ---- */

/* Reports a file that cannot be used: fails if rows are wanted, else adds a block with the error.
 */
static pmapdb_status tell(pm_blocks *b, const pmapdb_error *why, pmapdb_error *err)
{
    if (b->how.rows || why->status == PMAPDB_NOMEM) {
        *err = *why;
        return why->status;
    }
    return add_block(b, NULL, pm_text_of(why->text)) ? PMAPDB_OK : pm_fail_nomem(err);
}

/* Fails with an error about a file. With rows, the message has the path; without, the block has it.
 */
static pmapdb_status fail_file(const pm_blocks *b, const char *text, pmapdb_error *err)
{
    return b->how.rows ? pm_fail(err, PMAPDB_INPUT, "'%s': %s", b->entry->path, text)
                       : pm_fail(err, PMAPDB_INPUT, "%s", text);
}

static pmapdb_status tell_text(pm_blocks *b, const char *text, pmapdb_error *err)
{
    pmapdb_error why = {0};

    fail_file(b, text, &why);
    return tell(b, &why, err);
}

static pmapdb_status begin_file(pm_blocks *b, pmapdb_error *err)
{
    pm_reader_events events = pm_blocks_events(b);
    const pm_source_entry *entry = NULL;
    pmapdb_error why = {0};

    b->entry = NULL;
    b->pid = PMAPDB_UNKNOWN;
    if (pm_source_next(b->source, &entry, &why) != PMAPDB_OK) {
        b->trouble++;
        return tell(b, &why, err);
    }
    if (!entry) {
        pm_source_free(b->source);
        b->source = NULL;
        return PMAPDB_OK;
    }
    if (!entry->named && pm_place_is_sibling(entry->name))
        return PMAPDB_OK;
    b->entry = entry;
    if (entry->closed)
        return !b->how.rows ? tell_text(b, "not read: no capture has a name like this", err)
                            : PMAPDB_OK;
    b->pid = pm_place_path_pid(entry->own_path, entry->name);
    b->n_in_file = b->n_captures = b->n_rows = b->n_bytes = 0;
    b->any = b->ended = false;
    b->damage = (pmapdb_error){0};
    pm_buf_clear(&b->nothing);
    return pm_reader_new(&events, b->dialect, &b->reader, err);
}

static pmapdb_status tell_nothing(pm_blocks *b, pmapdb_error *err)
{
    bool without = b->how.rows ? !b->n_captures : !b->n_in_file;
    const char *text = b->nothing.len ? b->nothing.data
                       : b->any       ? "no capture of a memory map in it"
                                      : "an empty file";

    return without && (b->entry->named || !b->how.rows) ? tell_text(b, text, err) : PMAPDB_OK;
}

static pmapdb_status end_file(pm_blocks *b, pmapdb_error *err)
{
    bool damaged = b->damage.status != PMAPDB_OK;

    pm_reader_free(b->reader);
    b->reader = NULL;
    b->trouble += damaged || (b->entry->named && !b->n_captures);
    b->pid = PMAPDB_UNKNOWN;
    return damaged ? tell(b, &b->damage, err) : tell_nothing(b, err);
}

/* Feeds the next slice of the current file; *more is false at the end of the file or at damage. */
static pmapdb_status feed_slice(pm_blocks *b, bool *more, pmapdb_error *err)
{
    pm_wrap wrap = {0};
    size_t n;
    pmapdb_status st;

    *more = false;
    if (pm_reader_hopeless(b->reader))
        return PMAPDB_OK;
    if (b->n_bytes == 0 &&
        (pm_source_read(b->source, &b->bytes, &b->n_bytes, &b->damage) != PMAPDB_OK ||
         b->n_bytes == 0))
        return PMAPDB_OK;
    if (!b->any)
        wrap = pm_wrap_of((pm_text){b->bytes, b->n_bytes}, b->entry->in_archive);
    if (wrap.what && (wrap.likely || b->entry->named))
        return fail_file(b, wrap.what, err);
    n = b->n_bytes < SLICE ? b->n_bytes : SLICE;
    st = pm_reader_feed(b->reader, b->bytes, n, err);
    PM_STEP(st, pm_blocks_within(pm_reader_held(b->reader), b->how.max_memory, err));
    b->bytes += n;
    b->n_bytes -= n;
    b->any = true;
    *more = st == PMAPDB_OK;
    return st;
}

/* Reads the current file further. If the file ends while blocks of it wait, reports the end later.
 */
static pmapdb_status read_on(pm_blocks *b, pmapdb_error *err)
{
    bool more;
    pmapdb_status st = feed_slice(b, &more, err);

    b->ended = !more;
    if (!more)
        PM_STEP(st, pm_reader_finish(b->reader, err));
    if (st != PMAPDB_INPUT)
        return st;
    b->damage = *err; /* the fault of this file alone */
    b->ended = true;
    return PMAPDB_OK;
}

pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && !b->first && b->source) {
        if (!b->reader)
            st = begin_file(b, err);
        else if (b->ended)
            st = end_file(b, err);
        else
            st = read_on(b, err);
    }
    if (st == PMAPDB_OK)
        *out = take_first(b);
    return st;
}
