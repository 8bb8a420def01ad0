/* siblings_fuzz: the small files beside a capture. Each file: a byte for its kind, then its bytes;
 * 0xff separates the files. */
#include "kit.h"

#include "parse/files/siblings.h"

static void check(const pm_siblings *s)
{
    const int64_t numbers[] = {s->pid,
                               s->start_time,
                               s->rss_kib,
                               s->size_kib,
                               s->rollup.rss_kib,
                               s->rollup.private_dirty_kib,
                               s->rollup.swap_kib};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        FUZZ_CHECK(numbers[i] == PMAPDB_UNKNOWN || numbers[i] >= 0, "number %zu", i);
    FUZZ_CHECK(memchr(s->comm, '\0', sizeof s->comm), "a name without end");
    FUZZ_CHECK(memchr(s->argv0, '\0', sizeof s->argv0), "a command without end");
    FUZZ_CHECK(!strchr(s->argv0, '/'), "a command's folder: %s", s->argv0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {"stat",    "status",       "comm",
                                        "cmdline", "smaps_rollup", "environ"};
    fuzz_input in = fuzz_open(data, size);
    pm_siblings s;

    s = PM_SIBLINGS_NONE;
    while (in.p < in.end) {
        const char *kind = kinds[fuzz_byte(&in) % 6];
        pm_text t = fuzz_until(&in, 0xff);
        char *bytes = fuzz_alone(t.data, t.len);
        pm_siblings before = s;
        bool taken = pm_siblings_read(&s, pm_text_of(kind), (pm_text){bytes, t.len});

        free(bytes);
        check(&s);
        FUZZ_CHECK(taken || strcmp(kind, "status") == 0 || strcmp(kind, "cmdline") == 0 ||
                       memcmp(&before, &s, sizeof s) == 0,
                   "a %s that is none changed something", kind);
    }
    return 0;
}
