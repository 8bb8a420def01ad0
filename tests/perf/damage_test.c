/* perf_damage: texts of perf script that are cut off, damaged, or have no end to a line or a chain.
 * PMAPDB_SEEDS=N: the number of damaged texts. */
#include "perf/kit.h"

/* A text that is cut off has the events of the whole text up to the cut. The last event may have
 * fewer frames or be bad. */
TEST(cut_anywhere)
{
    static const char text[] = BRK CHAIN
        "t 1 [001] 1.500000: syscalls:sys_enter_munmap: addr: 0x1000, len: 0x2000\n" KERNEL CHAIN
        "t 1 [001] 1.500001: syscalls:sys_exit_munmap: 0x0\n" CHAIN BRK;
    perf_seen whole = perf_read(PM_TEXT(text), sizeof text);

    assert_int_equal(whole.events, 4);
    for (size_t n = 0; n < sizeof text; n++) {
        perf_seen s = perf_read((pm_text){text, n}, 64);
        pm_text t = pm_buf_text(&s.text);
        const char *mark = t.len ? memrchr(t.data, '\n', t.len - 1) : NULL;
        size_t sure = mark ? (size_t)(mark + 1 - t.data) : 0;

        assert_true(pm_text_starts(pm_buf_text(&whole.text), (pm_text){t.data, sure}));
        assert_true(s.bad <= 1);
        if (t.len && !s.bad) {
            t = pm_text_from(t, sure);
            t.len -= PM_TEXT("2\n").len; /* the number of frames */
            assert_non_null(memmem(whole.text.data, whole.text.len, t.data, t.len));
        }
        pm_buf_free(&s.text);
    }
    pm_buf_free(&whole.text);
}

static unsigned draw(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8;
}

/* perf/kit.h checks each event. */
TEST(random_damage)
{
    static const char text[] = BRK CHAIN BRK KERNEL CHAIN
        "m  1 [001] 1.500744: PERF_RECORD_LOST lost 7\n"
        "t 32480/1 [001] 13004.183455: 1 syscalls:sys_enter_mmap: addr: 0x00000000, "
        "len: 0x00002000, prot: 0x00000003, flags: 0x00000022, fd: 0xffffffff, off: 0x0\n" CHAIN
        "t 32480/1 [001] 13004.183455: 1 syscalls:sys_exit_mmap: 0x7f159ef41000\n" CHAIN BRK;
    static const char noise[] = "\n\n\t :[]()/.0x1f,\r%!+\0\xff";
    char copy[sizeof text];
    unsigned seed = 1;

    const char *turns = getenv("PMAPDB_SEEDS");

    for (long turn = turns ? strtol(turns, NULL, 10) : 10000; turn > 0; turn--) {
        size_t n = sizeof text - 1;
        perf_seen s;

        memcpy(copy, text, n);
        for (unsigned k = 0, changes = 1 + draw(&seed) % 8; k < changes; k++) {
            size_t at = draw(&seed) % n, len = draw(&seed) % (n - at) % 40;

            if (draw(&seed) % 4) {
                copy[at] = noise[draw(&seed) % (sizeof noise - 1)];
                continue;
            }
            memmove(copy + at, copy + at + len, n - at - len);
            n -= len;
        }
        s = perf_read((pm_text){copy, n}, 1 + draw(&seed) % 200);
        assert_int_equal(s.status, PMAPDB_OK);
        assert_true(s.events + s.bad <= s.seen);
        pm_buf_free(&s.text);
    }
}

/* Between the two, a word again and again, n bytes or a part of the word more. */
static pm_buf long_text(const char *before, const char *word, size_t n, const char *after)
{
    size_t len = strlen(word), all = (n + len - 1) / len * len, at = strlen(before);
    pm_buf out = {0};
    char *text = malloc(at + all);

    assert_non_null(text);
    memcpy(text, before, at);
    memcpy(text + at, word, len);
    for (size_t k = len; k < all; k++)
        text[at + k] = text[at + k - len];
    assert_int_equal(pm_buf_add(&out, text, at + all, NULL), PMAPDB_OK);
    assert_int_equal(pm_buf_add(&out, after, strlen(after), NULL), PMAPDB_OK);
    free(text);
    return out;
}

/* An endless line is bad once, and the lines after it are read. */
TEST(long_lines)
{
    static const size_t steps[] = {1000, 4096, 65536, 1 << 20, (1 << 20) + 1, 1 << 23};
    static const struct {
        const char *before, *after, *expected;
        size_t n;
    } known[] = {
        {BRK CHAIN, "\n" BRK, "1 " BRK_TOLD " chain 2\n6 " BRK_TOLD " chain 0\nbad 1\n", 3 << 20},
        {BRK CHAIN, "\n" BRK, "1 " BRK_TOLD " chain 2\n6 " BRK_TOLD " chain 0\nbad 1\n",
         (1 << 20) + 1},
        {BRK CHAIN, "\n" BRK, "1 " BRK_TOLD " chain 2\n6 " BRK_TOLD " chain 0\n", 1 << 20},
        {BRK "\t 1 f+0x0 (/", ")\n" CHAIN BRK, "6 " BRK_TOLD " chain 0\nbad 1\n", 3 << 20},
        {BRK "\t 1 f+0x0 (/", ")\n" CHAIN BRK, "6 " BRK_TOLD " chain 0\nbad 1\n", (1 << 20) - 14},
        {BRK "\t 1 f+0x0 (/", ")\n" BRK, "1 " BRK_TOLD " chain 1\n3 " BRK_TOLD " chain 0\n",
         (1 << 20) - 15},
        {BRK "\n", "", "1 " BRK_TOLD " chain 0\nbad 1\n", 5 << 20},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        pm_buf text = long_text(known[i].before, "x", known[i].n, known[i].after);

        for (size_t k = 0; k < COUNT(steps); k++)
            perf_same(pm_buf_text(&text), steps[k], known[i].expected);
        pm_buf_free(&text);
    }
}

/* An endless chain is bad once, too. */
TEST(long_chain)
{
    static const char frame[] = "\t           1fc47 f+0x7 (/usr/lib/ld.so)\n";
    pm_buf text = long_text(BRK, frame, 100000 * (sizeof frame - 1), "\n" BRK);

    perf_same(pm_buf_text(&text), 65536, "100003 " BRK_TOLD " chain 0\nbad 1\n");
    pm_buf_free(&text);
}

/* No byte is read many times: each text takes no longer than any other text of its length. */
TEST(hostile_lines)
{
    static const char *const words[] = {
        "1 ", "1.500000: ", " syscalls:sys_exit_brk:", "+0x1 (", "(", "a: 0x1, ", " [1]"};
    static const char *const ends[] = {" syscalls:sys_exit_brk: 0x1\n", "\n", ")\n"};

    for (size_t i = 0; i < COUNT(words); i++)
        for (size_t k = 0; k < COUNT(ends); k++) {
            pm_buf blank = long_text(BRK "\t", " ", 300000, "");
            pm_buf text = long_text(blank.data, words[i], 600000, ends[k]);
            perf_seen s;

            pm_buf_free(&blank);
            s = perf_read(pm_buf_text(&text), text.len);
            assert_int_equal(s.status, PMAPDB_OK);
            pm_buf_free(&s.text);
            pm_buf_free(&text);
        }
}

RUN_TESTS(NULL, NULL)
