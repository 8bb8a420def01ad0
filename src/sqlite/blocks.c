/* blocks: reads one file after another, and keeps the blocks of a file until the query takes them.
 */
#include "sqlite/blocks.h"

#include "api/place.h"
#include "api/wrap.h"
#include "parse/formats.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define POOL_BYTES_MAX ((size_t)8 << 20)

/* ---- blocks of one reader ---- */

static pmapdb_status on_row(void *ctx, uint32_t id, pmapdb_error *err)
{
    pm_blocks *b = ctx;
    pmapdb_status st = pm_grow(&b->rows, &b->cap_rows, b->n_rows, sizeof *b->rows, err);

    if (st == PMAPDB_OK)
        b->rows[b->n_rows++] = id;
    return st;
}

/* Copies the texts of a block, which the reader owns. Pointers are set after the last append,
 * because the buffer moves while it grows. */
static pmapdb_status copy_texts(pm_found_block *h, pmapdb_error *err)
{
    pm_block *b = &h->capture.block;
    enum { TEXTS = 6 };
    pm_text *const texts[TEXTS] = {&b->command, &b->missing, &b->notes,
                                   &b->why,     &b->tool,    &b->empty};
    const char *at;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < TEXTS && st == PMAPDB_OK; i++)
        st = pm_buf_add(&h->texts, texts[i]->data ? texts[i]->data : "", texts[i]->len, err);
    if (st != PMAPDB_OK)
        return st;
    at = pm_buf_text(&h->texts).data;
    for (size_t i = 0; i < TEXTS; i++) {
        texts[i]->data = at;
        at += texts[i]->len;
    }
    return PMAPDB_OK;
}

/* Appends a block without rows. */
static pmapdb_status append(pm_blocks *b, pm_text error, pm_found_block **out, pmapdb_error *err)
{
    pm_found_block *h = calloc(1, sizeof *h);

    if (!h)
        return pm_fail_nomem(err);
    *(b->last ? &b->last->next : &b->first) = h;
    b->last = h;
    *out = h;
    h->number = PMAPDB_UNKNOWN;
    h->capture.pid = b->pid;
    h->capture.pool = b->pool;
    h->path = b->path ? strdup(b->path) : NULL;
    h->error = error.len ? strndup(error.data, error.len) : NULL;
    return (b->path && !h->path) || (error.len && !h->error) ? pm_fail_nomem(err) : PMAPDB_OK;
}

static pmapdb_status retire_pool(pm_blocks *b, pm_found_block *h, pmapdb_error *err)
{
    pm_pool *fresh;
    pmapdb_status st;

    if (pm_pool_bytes(b->pool) <= POOL_BYTES_MAX)
        return PMAPDB_OK;
    st = pm_pool_new(&fresh, err);
    if (st != PMAPDB_OK)
        return st;
    h->retired = b->pool;
    b->pool = fresh;
    return PMAPDB_OK;
}

static pmapdb_status on_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    pm_blocks *b = ctx;
    pm_found_block *h;
    pmapdb_status st = append(b, block->empty, &h, err);

    if (st != PMAPDB_OK)
        return st;
    h->number = ++b->n_blocks;
    b->n_captures += block->empty.len == 0;
    h->capture.block = *block;
    if (block->pid != PMAPDB_UNKNOWN)
        h->capture.pid = block->pid;
    h->capture.rows = b->rows;
    h->capture.n_rows = b->n_rows;
    b->rows = NULL;
    b->n_rows = b->cap_rows = 0;
    st = copy_texts(h, err);
    if (st == PMAPDB_OK && block->empty.len && b->nothing.len == 0)
        st = pm_buf_add(&b->nothing, block->empty.data, block->empty.len, err);
    return st;
}

pmapdb_status pm_blocks_reader(pm_blocks *b, pm_reader **out, pmapdb_error *err)
{
    pm_reader_events events = {.ctx = b, .on_block = on_block};
    pmapdb_status st = pm_reader_new(&events, b->dialect, out, err);

    if (st == PMAPDB_OK && b->rows_wanted)
        pm_reader_intern(*out, b->pool, on_row);
    return st;
}

/* ---- files ---- */

/* Reports a file that cannot be used: a failure with rows, else a block with an error. */
static pmapdb_status report(pm_blocks *b, const pmapdb_error *why, pmapdb_error *err)
{
    pm_found_block *h;

    if (!b->rows_wanted && why->status != PMAPDB_NOMEM)
        return append(b, pm_text_of(why->text), &h, err);
    b->failure = *why;
    return PMAPDB_OK;
}

/* Feeds the current file to the reader. Damage ends the file early: *damage says why, and the rows
 * before it count. */
static pmapdb_status feed(pm_blocks *b, const pm_source_entry *entry, pm_reader *reader, bool *any,
                          pmapdb_error *damage, pmapdb_error *err)
{
    const char *bytes;
    size_t n;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && !pm_reader_hopeless(reader)) {
        if (pm_source_read(b->source, &bytes, &n, damage) != PMAPDB_OK || n == 0)
            break;
        if (!*any) {
            pm_wrap wrap = pm_wrap_of((pm_text){bytes, n}, entry->in_archive);

            if (wrap.what && (wrap.likely || entry->named))
                return pm_fail(err, PMAPDB_INPUT, "'%s': %s", entry->path, wrap.what);
        }
        *any = true;
        st = pm_reader_feed(reader, bytes, n, err);
    }
    return st == PMAPDB_OK ? pm_reader_finish(reader, err) : st;
}

/* A named file without a capture is worth an error, unless its blocks have their own errors. */
static pmapdb_status report_no_capture(pm_blocks *b, const pm_source_entry *entry, bool any,
                                       pmapdb_error *err)
{
    const char *text = any ? "no capture of a memory map in it" : "an empty file";
    pmapdb_error why = {0};

    if (!entry->named || b->n_captures || (b->nothing.len && !b->rows_wanted))
        return PMAPDB_OK;
    if (b->nothing.len)
        text = b->nothing.data;
    if (b->rows_wanted)
        pm_fail(&why, PMAPDB_INPUT, "'%s': %s", entry->path, text);
    else
        pm_fail(&why, PMAPDB_INPUT, "%s", text);
    return report(b, &why, err);
}

static pmapdb_status read_file(pm_blocks *b, const pm_source_entry *entry, pmapdb_error *err)
{
    pmapdb_error damage = {0};
    pm_reader *reader = NULL;
    bool any = false;
    pmapdb_status st;

    b->path = entry->path;
    b->pid = pm_place_path_pid(entry->own_path, entry->name);
    b->n_captures = b->n_rows = 0;
    pm_buf_clear(&b->nothing);
    st = pm_blocks_reader(b, &reader, err);
    if (st == PMAPDB_OK)
        st = feed(b, entry, reader, &any, &damage, err);
    pm_reader_free(reader);
    if (st == PMAPDB_INPUT) /* the fault of this file */
        damage = *err;
    else if (st != PMAPDB_OK)
        return st;
    if (b->last && (st = retire_pool(b, b->last, err)) != PMAPDB_OK)
        return st;
    return damage.status != PMAPDB_OK ? report(b, &damage, err)
                                      : report_no_capture(b, entry, any, err);
}

static pmapdb_status read_next_file(pm_blocks *b, pmapdb_error *err)
{
    const pm_source_entry *entry;
    pmapdb_error why = {0};

    if (pm_source_next(b->source, &entry, &why) != PMAPDB_OK) {
        b->path = NULL; /* the message names the file */
        b->pid = PMAPDB_UNKNOWN;
        return report(b, &why, err);
    }
    if (!entry) {
        pm_source_free(b->source);
        b->source = NULL;
        return PMAPDB_OK;
    }
    if (entry->closed || (!entry->named && pm_place_is_sibling(entry->name)))
        return PMAPDB_OK;
    return read_file(b, entry, err);
}

/* Opening a FIFO waits for its writer, and SQL cannot interrupt that. */
static pmapdb_status check_path(const char *path, pmapdb_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pm_fail_io(err, errno, "'%s'", path);
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return pm_fail(err, PMAPDB_USAGE, "'%s' is neither a regular file nor a directory", path);
    return PMAPDB_OK;
}

/* ---- what a query sees ---- */

pmapdb_status pm_blocks_init(pm_blocks *b, bool rows_wanted, pmapdb_error *err)
{
    *b =
        (pm_blocks){.rows_wanted = rows_wanted, .pid = PMAPDB_UNKNOWN, .dialect = PM_DIALECT_COUNT};
    return pm_pool_new(&b->pool, err);
}

pmapdb_status pm_blocks_open_file(pm_blocks *b, const char *path, const char *dialect,
                                  bool rows_wanted, pmapdb_error *err)
{
    /* pm_source takes "-" for standard input, which belongs to the caller of SQLite */
    const char *name = strcmp(path, PM_SOURCE_STDIN) == 0 ? "./" PM_SOURCE_STDIN : path;
    pmapdb_status st = pm_blocks_init(b, rows_wanted, err);

    if (st == PMAPDB_OK)
        st = pm_form_find(dialect, &b->dialect, err);
    if (st == PMAPDB_OK)
        st = check_path(name, err);
    return st == PMAPDB_OK ? pm_source_new(&name, 1, &b->source, err) : st;
}

pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && !b->first && b->source && !b->failure.status)
        st = read_next_file(b, err);
    if (st != PMAPDB_OK)
        return st;
    if (!b->first && b->failure.status) {
        *err = b->failure;
        return err->status;
    }
    *out = b->first;
    if (b->first)
        b->first = b->first->next;
    if (!b->first)
        b->last = NULL;
    return PMAPDB_OK;
}

void pm_blocks_close(pm_blocks *b)
{
    while (b->first) {
        pm_found_block *h = b->first;

        b->first = h->next;
        pm_found_block_free(h);
    }
    pm_source_free(b->source);
    pm_buf_free(&b->nothing);
    pm_pool_free(b->pool);
    free(b->rows);
    *b = (pm_blocks){0};
}
