/* map_equal: of two stores, and of the rows that a program begins with. */
#ifndef TESTS_STORE_MAP_EQUAL_H
#define TESTS_STORE_MAP_EQUAL_H

#include "whole.h"

#include "store/stream.h"

static inline void expect_equal(const kit *a, const kit *b, uint64_t seed, int64_t beat)
{
    pm_buf x = whole_content(a), y = whole_content(b);
    size_t at = 0;

    if (!pm_text_equal(pm_buf_text(&x), pm_buf_text(&y))) {
        while (x.data[at] == y.data[at])
            at++;
        at = at > 300 ? at - 300 : 0;
        fail_msg("seed %d, beat %d:\n%.600s\n----\n%.600s", (int)seed, (int)beat, x.data + at,
                 y.data + at);
    }
    pm_buf_free(&x);
    pm_buf_free(&y);
}

static inline void expect_rows(const pm_stream *got, const pm_stream *want)
{
    assert_int_equal(got->rows.n, want->rows.n);
    assert_int_equal(got->versions, want->versions);
    assert_int_equal(got->first_rows, want->first_rows);
    assert_int_equal(got->rollup.n, want->rollup.n);
    for (size_t i = 0; i < want->rollup.n; i++) {
        assert_int_equal(got->rollup.item[i].category_id, want->rollup.item[i].category_id);
        assert_int_equal(got->rollup.item[i].first, want->rollup.item[i].first);
        assert_memory_equal(got->rollup.item[i].v, want->rollup.item[i].v,
                            sizeof want->rollup.item[i].v);
    }
    for (size_t i = 0; i < want->rows.n; i++) {
        const pm_row *x = &got->rows.row[i], *y = &want->rows.row[i];

        assert_true(x->at.start == y->at.start && x->at.length == y->at.length);
        assert_true(x->at.has_offset == y->at.has_offset && x->at.offset == y->at.offset);
        assert_ptr_equal(x->at.object, y->at.object);
        assert_int_equal(x->at.lineage, y->at.lineage);
        assert_int_equal(x->at.kept, y->at.kept);
        assert_int_equal(x->region_id, y->region_id);
        assert_int_equal(x->size_kib, y->size_kib);
        assert_int_equal(x->first, y->first);
        assert_true(pm_metrics_equal(&x->m, &y->m));
    }
}

/* As if there were no piece. */
static inline void load_rows(const kit *k, int64_t process_id, pm_dialect dialect,
                             pm_objects *objects, pm_stream *out)
{
    pmapdb_error err = {0};

    kit_ok(pm_stream_load_head(k->store->sql, process_id, dialect, PM_STATE_COMPLETE, out, &err),
           &err);
    if (out->epoch_id)
        kit_ok(pm_stream_load_rows(k->store->sql, objects, out, &err), &err);
}

#endif
