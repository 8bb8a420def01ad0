/* pack_fuzz: the rows of a capture in one piece of bytes, whose checksum is right and which nobody
 * vouches for otherwise; and what was read from it, written again. Numbers in few bytes besides. */
#include "kit.h"

#include "base/varint.h"
#include "store/map_pack.h"
#include <xxhash.h>

#define HASH_BYTES 8
#define WHOSE 4711
#define ROWS 500

typedef struct read_row {
    pm_object object;
    pm_row row;
    pm_again_mark mark;
} read_row;

static void check_numbers(pm_text t)
{
    pm_varints in = {(const unsigned char *)t.data, (const unsigned char *)t.data + t.len, false};
    unsigned char bytes[PM_VARINT_MAX];

    while (in.p < in.end && !in.bad) {
        uint64_t v = pm_varint_next(&in);
        pm_varints back = {bytes, pm_varint_put(bytes, v), false};

        FUZZ_CHECK(in.bad || (pm_varint_next(&back) == v && back.p == back.end && !back.bad),
                   "%" PRIu64, v);
    }
    FUZZ_CHECK(in.p <= in.end, "past the end");
    FUZZ_CHECK(!in.bad || pm_varint_next(&in) == 0, "a number behind a bad one");
}

/* The bytes with the checksum that belongs to them. */
static void seal(pm_buf *out, pm_text t)
{
    uint64_t hash = XXH3_64bits_withSeed(t.data, t.len, WHOSE);
    unsigned char tail[HASH_BYTES];

    pm_buf_clear(out);
    fuzz_put(out, t.data, t.len);
    for (int i = 0; i < HASH_BYTES; i++)
        tail[i] = (unsigned char)(hash >> 8 * i);
    fuzz_put(out, tail, sizeof tail);
}

static bool unpack(pm_text sealed, pm_unpacker *u, read_row *out)
{
    uint64_t end = 0;

    if (!pm_unpack_begin(u, sealed, WHOSE) || u->n > ROWS)
        return false;
    for (size_t i = 0; i < u->n; i++) {
        int64_t object_id;

        if (!pm_unpack_row(u, &out[i].row, &object_id, &out[i].mark))
            return false;
        FUZZ_CHECK(out[i].row.at.start >= end && out[i].row.at.length > 0 && out[i].row.first >= 0,
                   "row %zu", i);
        end = out[i].row.at.start + out[i].row.at.length;
        FUZZ_CHECK(end > out[i].row.at.start, "row %zu has no end", i);
        out[i].object.id = object_id;
        out[i].row.at.object = &out[i].object;
    }
    return true;
}

static void pack(pm_packer *p, const pm_unpacker *u, const read_row *rows)
{
    pm_buf_clear(&p->bytes);
    *p = (pm_packer){.bytes = p->bytes, .context = u->context};
    FUZZ_CHECK(pm_pack_begin(p, u->versions, u->first_rows, u->n, NULL) == PMAPDB_OK, "memory");
    for (size_t i = 0; i < u->n; i++)
        FUZZ_CHECK(pm_pack_row(p, &rows[i].row, rows[i].mark, NULL) == PMAPDB_OK, "memory");
    FUZZ_CHECK(pm_pack_end(p, WHOSE, NULL) == PMAPDB_OK, "memory");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static read_row first[ROWS], again[ROWS];
    static pm_packer one, two;
    static pm_buf sealed;
    pm_text t = {(const char *)data, size};
    pm_unpacker u, back;
    char *alone;

    check_numbers(t);
    seal(&sealed, t);
    alone = fuzz_alone(sealed.data, sealed.len);
    if (unpack((pm_text){alone, sealed.len}, &u, first)) {
        pack(&one, &u, first);
        FUZZ_CHECK(unpack(pm_buf_text(&one.bytes), &back, again), "what was packed is not read");
        pack(&two, &back, again);
        fuzz_same(&one.bytes, &two.bytes, "packed again it is the same");
    }
    FUZZ_CHECK(!pm_unpack_begin(&u, (pm_text){alone, sealed.len}, WHOSE + 1), "another's piece");
    free(alone);
    return 0;
}
