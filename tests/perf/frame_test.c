/* perf_frame: frames of chains, as perf prints them with its several fields. */
#include "base/buf.h"
#include "perf/text.h"
#include "unit.h"
#include <inttypes.h>

#include <stdio.h>
#include <stdlib.h>

#define AT "\t           1fc47 "

/* "ADDRESS|SYMBOL|OFFSET|DSO", and "|inlined" */
static pm_buf frames_of(pm_text chain)
{
    char *copy = malloc(chain.len ? chain.len : 1); /* the sanitizer sees a read past its end */
    pm_buf out = {0};
    pm_perf_frame f;

    assert_non_null(copy);
    if (chain.len)
        memcpy(copy, chain.data, chain.len);
    for (size_t at = 0; pm_perf_next_frame((pm_text){copy, chain.len}, &at, &f);)
        pm_buf_addf(&out, NULL, "%" PRIx64 "|%.*s|%" PRIx64 "|%.*s%s\n", f.address,
                    (int)f.symbol.len, f.symbol.data, f.offset, (int)f.dso.len, f.dso.data,
                    f.inlined ? "|inlined" : "");
    free(copy);
    return out;
}

static void expect(const char *chain, const char *expected)
{
    pm_buf got = frames_of(pm_text_of(chain));

    assert_string_equal(pm_buf_text(&got).data, expected);
    pm_buf_free(&got);
}

TEST(symbols)
{
    expect(AT "brk+0x7 (/usr/lib/ld.so.2)\n", "1fc47|brk|7|/usr/lib/ld.so.2\n");
    expect(AT "_dl_start+0x0 (/ld.so)\n", "1fc47|_dl_start|0|/ld.so\n");
    expect(AT "__brk+0x7 (inlined)\n", "1fc47|__brk|7||inlined\n");
    expect("\t               0 [unknown] ([unknown])\n", "0||0|\n");
    expect("\t    7f02fd0e88a8 [unknown] (/tmp/a b)\n", "7f02fd0e88a8||0|/tmp/a b\n");
    expect(AT "std::vector<int, std::allocator<int> >::resize(unsigned long)+0x1a (/bin/x)\n",
           "1fc47|std::vector<int, std::allocator<int> >::resize(unsigned long)|1a|/bin/x\n");
    expect(AT "(anonymous namespace)::grow(int) const+0x2f (/bin/x)\n",
           "1fc47|(anonymous namespace)::grow(int) const|2f|/bin/x\n");
    expect(AT "(anonymous namespace)::grow(int)+0x2 (inlined)\n",
           "1fc47|(anonymous namespace)::grow(int)|2||inlined\n");
    expect(AT "JS:*processTimers node:internal/timers:504:25+0x18a (/tmp/perf-20748.map)\n",
           "1fc47|JS:*processTimers node:internal/timers:504:25|18a|/tmp/perf-20748.map\n");
    expect(AT "py::f:/srv/a (1)/m.py+0x12 (x)+0x18a (/tmp/perf-1.map)\n",
           "1fc47|py::f:/srv/a (1)/m.py+0x12 (x)|18a|/tmp/perf-1.map\n");
    expect(AT "operator new(unsigned long)+0xffffffffffffffff (/l)\n",
           "1fc47|operator new(unsigned long)|ffffffffffffffff|/l\n");
}

/* A path with parentheses is read to its end. */
TEST(paths)
{
    expect(AT "f+0x1 (/memfd:jit (deleted))\n", "1fc47|f|1|/memfd:jit (deleted)\n");
    expect(AT "[unknown] (/memfd:doublemapper (deleted))\n",
           "1fc47||0|/memfd:doublemapper (deleted)\n");
    expect(AT "f(int)+0x1 (/opt/My App (x86)/lib.so)\n",
           "1fc47|f(int)|1|/opt/My App (x86)/lib.so\n");
    expect(AT "f+0x1 (/tmp/a)b.so)\n", "1fc47|f|1|/tmp/a)b.so\n");
    expect(AT "[unknown] (/tmp/a)b.so)\n", "1fc47||0|/tmp/a)b.so\n");
    expect(AT "f+0x1 (/lib/libc.so.6+0x1fc47)\n", "1fc47|f|1|/lib/libc.so.6\n");
    expect(AT "f+0x1 ([vdso])\n", "1fc47|f|1|[vdso]\n");
    expect(AT "f+0x1 (//anon)\n", "1fc47|f|1|//anon\n");
}

/* -F without symoff, dso, sym. */
TEST(fewer_fields)
{
    expect(AT "brk (/ld.so)\n", "1fc47|brk|0|/ld.so\n");
    expect(AT "f(int, char) (/a (b)/ld.so)\n", "1fc47|f(int, char)|0|/a (b)/ld.so\n");
    expect(AT "brk+0x7\n", "1fc47|brk|7|\n");
    expect(AT "brk\n", "1fc47|brk|0|\n");
    expect(AT "f(int)\n", "1fc47|f(int)|0|\n");
    expect(AT "(/ld.so)\n", "1fc47||0|/ld.so\n");
    expect("\t           1fc47\n", "1fc47||0|\n");
}

TEST(kernel)
{
    expect("\tffffffff81417e9c syscall_exit_work+0xbc ([kernel.kallsyms])\n"
           "\tffffffff821ef84e do_syscall_64+0x22e ([kernel.vmlinux])\n"
           "\tffffffffc0001000 nf_hook+0x2 ([nf_tables])\n"
           "\tffffffffc0001000 [unknown] ([unknown])\n"
           "\tffff800010001000 el0_svc+0x2 (inlined)\n"
           "\t        c0101010 sys_brk+0x1 ([kernel.kallsyms])\n"
           "\tffffffff81000130 guest+0x76 ([guest.kernel.kallsyms])\n" AT "brk+0x7 (/ld.so)\n",
           "1fc47|brk|7|/ld.so\n");
    expect("\tffffffffff600000 [unknown] ([vsyscall])\n", "ffffffffff600000||0|[vsyscall]\n");
}

/* Tabs that became blanks, lines of source code, no last newline, nothing. */
TEST(around)
{
    expect(
        "                   1fc47 brk+0x7 (/ld.so)\n  brk.c:37\n  :0\n\n1ab78 start+0x0 (/ld.so)",
        "1fc47|brk|7|/ld.so\n1ab78|start|0|/ld.so\n");
    expect("", "");
    expect("\n\n\t\n", "");
    expect("\t11111111111111111 f+0x0 (/x)\n", "");
    expect(AT ")\n", "1fc47|)|0|\n");
    expect(AT "()\n", "1fc47||0|\n");
    expect(AT "f ()\n", "1fc47|f|0|\n");
    expect(AT "(inlined)\n", "1fc47||0||inlined\n");
}

/* A chain cut anywhere gives the frames of the whole, but for the last. */
TEST(cut_anywhere)
{
    static const char chain[] = "\tffffffff81417e9c work+0xbc ([kernel.kallsyms])\n" AT
                                "f(int) const+0x1 (/memfd:jit (deleted))\n" AT
                                "__brk+0x7 (inlined)\n\t               0 [unknown] ([unknown])\n";
    pm_buf whole = frames_of(PM_TEXT(chain));

    for (size_t n = 0; n < sizeof chain; n++) {
        pm_buf part = frames_of((pm_text){chain, n});
        pm_text t = pm_buf_text(&part);
        size_t sure = t.len;

        if (sure && n && chain[n - 1] != '\n') /* all but the last */
            for (sure--; sure && t.data[sure - 1] != '\n';)
                sure--;
        assert_true(pm_text_starts(pm_buf_text(&whole), (pm_text){t.data, sure}));
        pm_buf_free(&part);
    }
    pm_buf_free(&whole);
}

RUN_TESTS(NULL, NULL)
