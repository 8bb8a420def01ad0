/* blocks: reads files and finds the blocks of text in them that look like captures. */
#include "api/blocks.h"

#include "api/import/place.h"
#include "base/buf.h"
#include "parse/formats.h"
#include <stdlib.h>

struct pm_blocks {
    pm_blocks_options how;
    pm_dialect dialect;
    pm_found_block *first, **end; /* finished blocks; *end is the place of the next one */
    int64_t n_blocks;
    pm_pool *own;      /* of the rows, if the caller gives no pool */
    pm_source *source; /* NULL: no more files */
    /* the current file: */
    const pm_source_entry *entry; /* NULL: no current file */
    int64_t pid;                  /* of blocks without a pid of their own */
    pm_reader *reader;            /* NULL: it is not read for captures */
    bool more;                    /* the caller wants its bytes in any case */
    bool any;                     /* it is not empty */
    bool ended;                   /* all of it was read */
    pm_wrap wrap;
    uint64_t n_in_file, n_captures;
    const char *nothing; /* the error of its first block that is not a capture; or NULL */
    pmapdb_error damage; /* why it ended early */
};

void pm_found_block_free(pm_found_block *b)
{
    if (!b)
        return;
    pm_capture_free(b->capture);
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
        b->dialect = PM_DIALECT_COUNT;
    }
    if (options->dialect)
        PM_STEP(st, pm_form_find(options->dialect, &b->dialect, err));
    if (options->n_paths)
        PM_STEP(st, pm_source_new(options->paths, options->n_paths, options->max_unpacked,
                                  &b->source, err));
    if (st != PMAPDB_OK) {
        pm_blocks_free(b);
        return st;
    }
    *out = b;
    return PMAPDB_OK;
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
    pm_pool_free(b->own);
    free(b);
}

const pm_found_block *pm_blocks_finished(const pm_blocks *b)
{
    return b->first;
}

/* ---- events of the reader ---- */

/* Makes a capture with its own copy of the block. Returns NULL if memory runs out. */
static pm_capture *make_capture(const pm_blocks *b, const pm_block *block, const uint32_t *rows,
                                size_t n_rows)
{
    pm_text path = pm_text_of(b->entry ? b->entry->path : "");
    pm_capture *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->block = *block;
    c->pid = block->pid != PMAPDB_UNKNOWN ? block->pid : b->pid;
    c->start_time = PMAPDB_UNKNOWN;
    c->taken_ms = PMAPDB_UNKNOWN;
    c->source_dir = pm_text_copy(pm_text_folder(path));
    c->source_name = pm_text_copy(pm_text_basename(path));
    c->command = pm_text_copy(block->command);
    c->missing = pm_text_copy(block->missing);
    c->notes = pm_text_copy(block->notes);
    c->rows = malloc((n_rows + 1) * sizeof *c->rows);
    if (!c->source_dir || !c->source_name || !c->command || !c->missing || !c->notes || !c->rows) {
        pm_capture_free(c);
        return NULL;
    }
    c->block.command = pm_text_of(c->command);
    c->block.missing = pm_text_of(c->missing);
    c->block.notes = pm_text_of(c->notes);
    c->pool = b->how.pool ? *b->how.pool : b->own;
    c->n_rows = n_rows;
    if (n_rows)
        memcpy(c->rows, rows, n_rows * sizeof *c->rows);
    return c;
}

/* Adds a block, or the end of a file, at the end. Returns NULL if memory runs out. */
static pm_found_block *add(pm_blocks *b, pm_capture *capture, const char *error)
{
    pm_found_block *found = calloc(1, sizeof *found);

    if (!found) {
        pm_capture_free(capture);
        return NULL;
    }
    *found = (pm_found_block){.capture = capture,
                              .number = PMAPDB_UNKNOWN,
                              .path = b->entry ? b->entry->path : NULL,
                              .error = error};
    *b->end = found;
    b->end = &found->next;
    return found;
}

static pmapdb_status on_block(void *ctx, const pm_block *block, uint32_t *rows, size_t n_rows,
                              pmapdb_error *err)
{
    pm_blocks *b = ctx;
    pm_capture *capture = make_capture(b, block, rows, n_rows);
    pm_found_block *found =
        capture ? add(b, capture, block->empty.len ? block->empty.data : NULL) : NULL;

    if (!found)
        return pm_fail_nomem(err);
    found->number = ++b->n_blocks;
    b->n_in_file++;
    b->n_captures += !found->error;
    b->nothing = b->nothing ? b->nothing : found->error;
    return PMAPDB_OK;
}

pmapdb_status pm_blocks_reader(pm_blocks *b, pm_reader **out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!b->how.pool) {
        pm_pool_free(b->own);
        b->own = NULL;
        st = pm_pool_new(&b->own, err);
    }
    PM_STEP(st,
            pm_reader_new(b->dialect, b->how.pool ? *b->how.pool : b->own, on_block, b, out, err));
    return st;
}

/* ---- wrapping ---- */

/* True for several lines that all end in a lone CR. */
static bool is_cr_only(pm_text t)
{
    const char *first = t.len ? memchr(t.data, '\r', t.len) : NULL;

    return first && !memchr(t.data, '\n', t.len) &&
           memchr(first + 1, '\r', t.len - (size_t)(first + 1 - t.data));
}

pm_wrap pm_wrap_of(pm_text begin, bool in_archive)
{
    static const struct {
        size_t at;
        const char *magic;
        pm_wrap wrap;
    } magics[] = {
        {0, "\xff\xfe", {"text in UTF-16: convert it first (iconv -f UTF-16 -t UTF-8)", true}},
        {0, "\xfe\xff", {"text in UTF-16: convert it first (iconv -f UTF-16 -t UTF-8)", true}},
        {0, "PK\3\4", {"a zip archive: unpack it and import the folder", false}},
        {0, "7z\xbc\xaf\x27\x1c", {"a 7z archive: unpack it and import the folder", false}},
        /* A tar on disk is opened; a tar inside a tar would be read as one text of many processes.
         */
        {257, "ustar", {"an archive inside an archive: unpack it and import the folder", true}}};

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if ((in_archive || !magics[i].at) && begin.len >= magics[i].at &&
            pm_text_starts(pm_text_from(begin, magics[i].at), pm_text_of(magics[i].magic)))
            return magics[i].wrap;
    return (pm_wrap){is_cr_only(begin)
                         ? "text whose lines end in CR alone: convert it first (tr '\\r' '\\n')"
                         : NULL,
                     false};
}

/* ---- one file ---- */

static pmapdb_status begin_file(pm_blocks *b, pmapdb_error *err)
{
    const pm_source_entry *entry = NULL;
    const pm_blocks_hooks *hooks = &b->how.hooks;
    bool reads;

    b->damage = (pmapdb_error){0};
    b->n_in_file = b->n_captures = 0;
    b->any = b->ended = b->more = false;
    b->wrap = (pm_wrap){0};
    b->nothing = NULL;
    if (pm_source_next(b->source, &entry, &b->damage) != PMAPDB_OK) {
        b->ended = true;
        return PMAPDB_OK;
    }
    if (!entry) {
        pm_source_free(b->source);
        b->source = NULL;
        return PMAPDB_OK;
    }
    if (!hooks->on_file && !entry->named && pm_place_is_sibling(entry->name))
        return PMAPDB_OK;
    b->entry = entry;
    b->pid = pm_place_pid(pm_text_folder(pm_text_of(entry->own_path)), pm_text_of(entry->name));
    b->ended = entry->skipped;
    reads = !hooks->on_file || hooks->on_file(hooks->ctx, entry, &b->more);
    return reads && !b->ended ? pm_blocks_reader(b, &b->reader, err) : PMAPDB_OK;
}

static pmapdb_status check_memory(const pm_blocks *b, pmapdb_error *err)
{
    const pm_blocks_hooks *hooks = &b->how.hooks;
    uint64_t held = b->reader ? pm_reader_held(b->reader) : 0;

    held += hooks->held ? *hooks->held : 0;
    if (!b->how.max_memory || held <= b->how.max_memory)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_INPUT,
                   "needs more than %llu MiB of memory: raise the limit with --max-memory SIZE",
                   (unsigned long long)(b->how.max_memory >> 20));
}

/* Finishes the last block of a file that could not be read to its end. In smaps, nothing else shows
 * that rows are missing; and a header without rows need not be a kernel thread. */
static pmapdb_status finish_cut(pm_blocks *b, pmapdb_error *err)
{
    static const char missing[] = "the file could not be read to its end: rows may be missing";
    pm_found_block **place = b->end, *last;
    pmapdb_status st = pm_reader_finish(b->reader, err);
    pm_block *block;

    last = *place;
    if (st != PMAPDB_OK || !last)
        return st;
    if (last->error) {
        pm_found_block_free(last);
        *place = NULL;
        b->end = place;
        return PMAPDB_OK;
    }
    block = &last->capture->block;
    if (block->state != PM_STATE_COMPLETE || block->checked != PM_CHECKED_NONE)
        return PMAPDB_OK;
    free(last->capture->missing);
    block->missing = PM_TEXT(missing);
    block->state = PM_STATE_PARTIAL;
    last->capture->missing = strdup(missing);
    return last->capture->missing ? PMAPDB_OK : pm_fail_nomem(err);
}

static pmapdb_status take_bytes(pm_blocks *b, pm_text bytes, pmapdb_error *err)
{
    const pm_blocks_hooks *hooks = &b->how.hooks;
    pmapdb_status st = PMAPDB_OK;

    if (hooks->on_bytes)
        st = hooks->on_bytes(hooks->ctx, bytes.data, bytes.len, &b->more, err);
    if (b->reader)
        PM_STEP(st, pm_reader_feed(b->reader, bytes.data, bytes.len, err));
    PM_STEP(st, check_memory(b, err));
    return st;
}

/* Reads the current file further. If the file ends while blocks of it wait, reports the end later.
 */
static pmapdb_status read_on(pm_blocks *b, pmapdb_error *err)
{
    bool wants = b->more || (b->reader && !pm_reader_hopeless(b->reader));
    pm_text bytes = {0};
    pmapdb_status st = PMAPDB_OK;

    if (wants)
        pm_source_read(b->source, &bytes.data, &bytes.len, &b->damage);
    if (b->reader && !b->any && bytes.len)
        b->wrap = pm_wrap_of(bytes, b->entry->in_archive);
    b->any = b->any || bytes.len;
    b->ended = !bytes.len || b->wrap.what;
    if (!b->ended)
        st = take_bytes(b, bytes, err);
    else if (b->reader && b->damage.status != PMAPDB_OK)
        st = finish_cut(b, err);
    else if (b->reader && !b->wrap.what)
        st = pm_reader_finish(b->reader, err);
    if (st != PMAPDB_INPUT)
        return st;
    b->damage = *err; /* the fault of this file alone */
    b->ended = true;
    return PMAPDB_OK;
}

/* Why the file, which is not damaged, gives nothing; NULL: it gave captures. */
static const char *why_nothing(const pm_blocks *b)
{
    return b->wrap.what        ? b->wrap.what
           : b->n_captures     ? NULL
           : b->entry->skipped ? "not read: no capture has a name like this"
           : b->nothing        ? b->nothing
           : b->any            ? "no capture of a memory map in it"
                               : "an empty file";
}

static pmapdb_status end_file(pm_blocks *b, pmapdb_error *err)
{
    bool named = b->entry && b->entry->named, damaged = b->damage.status != PMAPDB_OK;
    pm_found_block *end = b->damage.status == PMAPDB_NOMEM ? NULL : add(b, NULL, NULL);

    if (!end)
        return pm_fail_nomem(err);
    end->entry = b->entry;
    end->damage = b->damage;
    end->error = damaged ? end->damage.text : why_nothing(b);
    end->n_blocks = b->n_in_file;
    end->trouble = damaged || b->wrap.likely || (named && !b->n_captures);
    end->is_empty = !b->any;
    end->wrap = b->wrap;
    pm_reader_free(b->reader);
    b->reader = NULL;
    b->entry = NULL;
    b->pid = PMAPDB_UNKNOWN;
    b->ended = false;
    return PMAPDB_OK;
}

pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && !b->first && b->source) {
        if (b->ended)
            st = end_file(b, err);
        else if (b->entry)
            st = read_on(b, err);
        else
            st = begin_file(b, err);
    }
    if (st == PMAPDB_OK)
        *out = take_first(b);
    return st;
}
