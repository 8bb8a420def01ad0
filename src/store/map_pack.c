/* map_pack: the rows of a capture in one piece of bytes. */
#include "store/map_pack.h"
#include <xxhash.h>

/* What follows in a row. */
enum {
    HAS_OFFSET = 1,
    HAS_SIZE = 2,
    HAS_KEPT = 4,
    HAS_MARK = 8,
    UNALIGNED = 16, /* addresses and offset in bytes, else in pages */
    REASON_SHIFT = 5
};

#define PAGE_BITS 12
#define HASH_BYTES 8                   /* of a text, and of the whole */
#define MARK_BYTES 6                   /* of a mapping */
#define ROW_NUMBERS (12 + PM_VER_READ) /* varints of a row, at most */

/* ---- writing ---- */

static unsigned char *put_hash(unsigned char *p, uint64_t hash, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *p++ = (unsigned char)(hash >> 8 * i);
    return p;
}

pmapdb_status pm_pack_begin(pm_packer *p, size_t versions, size_t first_rows, size_t n,
                            pmapdb_error *err)
{
    unsigned char head[5 * PM_VARINT_MAX], *to = head;

    to = pm_varint_put(to, PM_PACK_FORMAT);
    to = pm_varint_put(to, versions);
    to = pm_varint_put(to, first_rows);
    to = pm_varint_put(to, n);
    to = pm_varint_put(to, p->context);
    return pm_buf_add(&p->bytes, head, (size_t)(to - head), err);
}

static unsigned char *put_place(pm_packer *p, unsigned char *to, const pm_place *at, bool unaligned)
{
    int bits = unaligned ? 0 : PAGE_BITS;

    to = pm_varint_put(to, (at->start - p->end) >> bits);
    to = pm_varint_put(to, at->length >> bits);
    p->end = at->start + at->length;
    return at->has_offset ? pm_varint_put(to, at->offset >> bits) : to;
}

static unsigned char *put_step(unsigned char *to, int64_t *before, int64_t now)
{
    to = pm_varint_put_signed(to, (int64_t)((uint64_t)now - (uint64_t)*before));
    *before = now;
    return to;
}

static unsigned char *put_metrics(unsigned char *to, const pm_metrics *m)
{
    uint64_t mask = 0;

    for (int i = 0; i < PM_VER_READ; i++)
        mask |= (uint64_t)(m->v[i] != PMAPDB_UNKNOWN) << i;
    to = pm_varint_put(to, mask);
    for (int i = 0; i < PM_VER_READ; i++)
        if (m->v[i] != PMAPDB_UNKNOWN)
            to = pm_varint_put_signed(to, m->v[i]);
    return to;
}

pmapdb_status pm_pack_row(pm_packer *p, const pm_row *row, pm_again_mark mark, pmapdb_error *err)
{
    unsigned char bytes[1 + ROW_NUMBERS * PM_VARINT_MAX + HASH_BYTES], *to = bytes;
    const pm_place *at = &row->at;
    bool unaligned = ((at->start | at->length | at->offset | p->end) & ((1 << PAGE_BITS) - 1)) != 0;

    *to++ = (unsigned char)((at->has_offset ? HAS_OFFSET : 0) |
                            (row->size_kib != PMAPDB_UNKNOWN ? HAS_SIZE : 0) |
                            (at->kept ? HAS_KEPT : 0) | (mark.len ? HAS_MARK : 0) |
                            (unaligned ? UNALIGNED : 0) | (unsigned)row->reason << REASON_SHIFT);
    to = put_place(p, to, at, unaligned);
    to = put_step(to, &p->object, at->object->id);
    to = put_step(to, &p->lineage, at->lineage);
    to = put_step(to, &p->region, row->region_id);
    to = pm_varint_put(to, (uint64_t)row->first);
    if (row->size_kib != PMAPDB_UNKNOWN)
        to = pm_varint_put_signed(to, row->size_kib);
    if (at->kept)
        to = pm_varint_put_signed(to, at->kept);
    to = put_metrics(to, &row->m);
    if (mark.len)
        to = p->context ? put_hash(to, mark.hash, MARK_BYTES)
                        : put_hash(pm_varint_put(to, mark.len), mark.hash, HASH_BYTES);
    return pm_buf_add(&p->bytes, bytes, (size_t)(to - bytes), err);
}

pmapdb_status pm_pack_end(pm_packer *p, uint64_t of, pmapdb_error *err)
{
    unsigned char hash[HASH_BYTES];

    put_hash(hash, XXH3_64bits_withSeed(p->bytes.data, p->bytes.len, of), HASH_BYTES);
    return pm_buf_add(&p->bytes, hash, sizeof hash, err);
}

/* ---- reading ---- */

static uint64_t take_hash(pm_varints *in, int bytes)
{
    uint64_t hash = 0;

    if (in->end - in->p < bytes) {
        in->bad = true;
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        hash |= (uint64_t)*in->p++ << 8 * i;
    return hash;
}

bool pm_unpack_begin(pm_unpacker *u, pm_text bytes, uint64_t of)
{
    pm_varints tail;
    size_t len;

    if (bytes.len < HASH_BYTES)
        return false;
    len = bytes.len - HASH_BYTES;
    *u = (pm_unpacker){.in = {.p = (const unsigned char *)bytes.data}};
    u->in.end = u->in.p + len;
    tail = (pm_varints){.p = u->in.end, .end = u->in.end + HASH_BYTES};
    if (take_hash(&tail, HASH_BYTES) != XXH3_64bits_withSeed(bytes.data, len, of) ||
        pm_varint_next(&u->in) != PM_PACK_FORMAT)
        return false;
    u->versions = pm_varint_next(&u->in);
    u->first_rows = pm_varint_next(&u->in);
    u->n = pm_varint_next(&u->in);
    u->context = pm_varint_next(&u->in);
    return !u->in.bad && u->n <= len; /* no row has less than a byte */
}

static void take_place(pm_unpacker *u, pm_place *at, unsigned what)
{
    int bits = what & UNALIGNED ? 0 : PAGE_BITS;

    at->start = u->end + (pm_varint_next(&u->in) << bits);
    at->length = pm_varint_next(&u->in) << bits;
    at->has_offset = (what & HAS_OFFSET) != 0;
    at->offset = at->has_offset ? pm_varint_next(&u->in) << bits : 0;
}

static int64_t take_step(pm_unpacker *u, int64_t *before)
{
    *before = (int64_t)((uint64_t)*before + (uint64_t)pm_varint_next_signed(&u->in));
    return *before;
}

static void take_metrics(pm_unpacker *u, pm_metrics *m)
{
    uint64_t mask = pm_varint_next(&u->in);

    u->in.bad |= mask >> PM_VER_READ != 0;
    for (int i = 0; i < PM_VER_READ; i++)
        m->v[i] = mask >> i & 1 ? pm_varint_next_signed(&u->in) : PMAPDB_UNKNOWN;
}

/* Of a mapping the length says no more than that there is one. */
static void take_mark(pm_unpacker *u, unsigned what, pm_again_mark *mark)
{
    uint64_t len;

    *mark = (pm_again_mark){0};
    if (!(what & HAS_MARK))
        return;
    len = u->context ? 1 : pm_varint_next(&u->in);
    u->in.bad |= len > UINT32_MAX;
    *mark = (pm_again_mark){take_hash(&u->in, u->context ? MARK_BYTES : HASH_BYTES), (uint32_t)len};
}

bool pm_unpack_row(pm_unpacker *u, pm_row *row, int64_t *object_id, pm_again_mark *mark)
{
    unsigned what = u->in.p < u->in.end ? *u->in.p++ : 0;
    uint64_t first;

    row->at.object = NULL;
    row->reason = (pm_reason)(what >> REASON_SHIFT);
    take_place(u, &row->at, what);
    *object_id = take_step(u, &u->object);
    row->at.lineage = take_step(u, &u->lineage);
    row->region_id = take_step(u, &u->region);
    first = pm_varint_next(&u->in);
    row->first = (int32_t)first;
    row->size_kib = what & HAS_SIZE ? pm_varint_next_signed(&u->in) : PMAPDB_UNKNOWN;
    row->at.kept = what & HAS_KEPT ? pm_varint_next_signed(&u->in) : 0;
    take_metrics(u, &row->m);
    take_mark(u, what, mark);
    if (u->in.bad || row->reason > PM_REASON_FILE_OFFSET || first > INT32_MAX ||
        row->at.start < u->end || row->at.length == 0 ||
        row->at.start + row->at.length <= row->at.start)
        return false;
    u->end = row->at.start + row->at.length;
    return true;
}
