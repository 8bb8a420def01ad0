/* labels_fuzz: the reports of a JVM about its memory: detailed NMT and System.map. */
#include "kit.h"

#include "parse/files/labels.h"

static pmapdb_status on_report(void *ctx, pm_labels *l, pmapdb_error *err)
{
    pm_buf *tape = ctx;
    const uint64_t numbers[] = {l->source, (uint64_t)l->pid, (uint64_t)l->time_ms, l->damaged,
                                l->damaged_line};

    (void)err;
    fuzz_put(tape, numbers, sizeof numbers);
    for (size_t i = 0; i < l->n; i++) {
        const pm_label *label = &l->label[i];

        FUZZ_CHECK(label->start < label->end, "%" PRIx64 "-%" PRIx64, label->start, label->end);
        FUZZ_CHECK(i == 0 || l->label[i - 1].end <= label->start, "range %zu is out of order", i);
        FUZZ_CHECK(*label->text, "a range without a name");
        fuzz_put_int(tape, label->start);
        fuzz_put_int(tape, label->end);
        fuzz_put_text(tape, pm_text_of(label->text));
    }
    return PMAPDB_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pm_buf tape;
    fuzz_input in = fuzz_open(data, size);
    pm_text t = fuzz_rest(&in);
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_buf_clear(&tape);
    st = pm_labels_read(t, on_report, &tape, &err);
    FUZZ_CHECK(st == PMAPDB_OK, "status %d: %s", (int)st, err.text);
    FUZZ_CHECK(tape.len == 0 || t.len > PM_LABELS_HEAD || pm_labels_guess(t), "not guessed");
    return 0;
}
