/* perf_fuzz: the text of perf script, with the frames of its call chains and the parameters of the
 * calls in words. Byte 0: how the text is cut into pieces. */
#include "kit.h"

#include "perf/text.h"

typedef struct seen {
    pm_buf tape;
    uint64_t last, events;
} seen;

static void put_chain(pm_buf *tape, pm_text chain)
{
    pm_perf_frame f;

    FUZZ_CHECK(!chain.len || chain.data[chain.len - 1] == '\n', "a chain that does not end");
    for (size_t at = 0, was = 0; pm_perf_next_frame(chain, &at, &f); was = at) {
        FUZZ_CHECK(at > was && at <= chain.len, "at %zu, then %zu of %zu", was, at, chain.len);
        fuzz_put_int(tape, f.address);
        fuzz_put_int(tape, f.offset);
        fuzz_put_int(tape, f.inlined);
        fuzz_put_text(tape, f.symbol);
        fuzz_put_text(tape, f.dso);
    }
}

static void put_call(pm_buf *tape, const pm_perf_event *e)
{
    static pm_buf words;

    pm_buf_clear(&words);
    FUZZ_CHECK(e->kind < PM_CALL_COUNT, "kind %d", (int)e->kind);
    FUZZ_CHECK(pm_call_words(e->kind, e->has, e->arg, &words, NULL) == PMAPDB_OK, "memory");
    fuzz_put_text(tape, pm_buf_text(&words));
    for (int i = 0; i < PM_CALL_ARGS; i++) {
        FUZZ_CHECK(e->has >> i & 1 || e->arg[i] == 0, "parameter %d is not there", i);
        FUZZ_CHECK(!(e->has >> i & 1) || pm_call_arg_name(e->kind, i), "no such parameter: %d", i);
    }
    if (e->exit) {
        int number = pm_call_errno(e->kind, e->ret);

        FUZZ_CHECK(e->has == 0 && number >= 0 && number < 4096, "error %d", number);
        fuzz_put_text(tape, pm_text_of(pm_errno_name(number)));
    }
}

static pmapdb_status on_event(void *ctx, const pm_perf_event *e, pmapdb_error *err)
{
    seen *s = ctx;
    const uint64_t numbers[] = {e->line, (uint64_t)e->pid, (uint64_t)e->tid, (uint64_t)e->time_ns,
                                e->kind, e->exit,          e->has,           e->ret};

    (void)err;
    FUZZ_CHECK(e->line > s->last, "line %" PRIu64 " behind %" PRIu64, e->line, s->last);
    FUZZ_CHECK(e->tid >= 0 && e->time_ns >= 0, "negative");
    s->last = e->line;
    s->events++;
    fuzz_put(&s->tape, numbers, sizeof numbers);
    fuzz_put(&s->tape, e->arg, sizeof e->arg);
    fuzz_put_text(&s->tape, e->comm);
    fuzz_put_text(&s->tape, e->chain);
    put_call(&s->tape, e);
    put_chain(&s->tape, e->chain);
    return PMAPDB_OK;
}

static pmapdb_status feed(void *reader, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_perf_feed(reader, bytes, n, err);
}

static void read_perf(seen *s, pm_text t, uint8_t split)
{
    const pm_perf_counts *counts;
    pm_perf p;
    pmapdb_error err = {0};
    pmapdb_status st;

    *s = (seen){.tape = s->tape};
    pm_buf_clear(&s->tape);
    pm_perf_init(&p, on_event, s);
    st = fuzz_feed(feed, &p, t, split, &err);
    if (st == PMAPDB_OK)
        st = pm_perf_finish(&p, &err);
    FUZZ_CHECK(st == PMAPDB_OK, "status %d: %s", (int)st, err.text);
    counts = &p.counts;
    FUZZ_CHECK(counts->taken == s->events && s->events <= counts->seen, "%" PRIu64 " events",
               s->events);
    fuzz_put(&s->tape, counts, sizeof *counts);
    pm_perf_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static seen whole, pieces;
    fuzz_input in = fuzz_open(data, size);
    uint8_t split = fuzz_byte(&in);

    read_perf(&whole, fuzz_rest(&in), 0);
    read_perf(&pieces, fuzz_rest(&in), split ? split : 1);
    fuzz_same(&whole.tape, &pieces.tape, "another cut of the same bytes gives the same");
    return 0;
}
