/* kit: shared by the fuzz entries: takes an input apart, feeds a text in pieces, and compares the
 * results of two readings.
 *
 * An entry is a file NAME_fuzz.c with LLVMFuzzerTestOneInput. A FUZZ_CHECK that does not hold ends
 * the program: libFuzzer keeps the input, replay.c fails its test.
 */
#ifndef PM_TESTS_FUZZ_KIT_H
#define PM_TESTS_FUZZ_KIT_H

#include "base/buf.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In replay.c, says which input it was; libFuzzer does so by itself. */
void fuzz_say_where(void) __attribute__((weak));

#define FUZZ_CHECK(holds, ...)                                  \
    do {                                                        \
        if (!(holds))                                           \
            fuzz_fail(__FILE__, __LINE__, #holds, __VA_ARGS__); \
    } while (0)

__attribute__((format(printf, 4, 5), noreturn)) static inline void
fuzz_fail(const char *file, int line, const char *holds, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: does not hold: %s: ", file, line, holds);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (fuzz_say_where)
        fuzz_say_where();
    abort();
}

/* Times without a zone are in the zone of the process: UTC everywhere. */
__attribute__((constructor)) static void fuzz_in_utc(void)
{
    setenv("TZ", "UTC", 1);
}

/* ---- taking an input apart ---- */

typedef struct fuzz_input {
    const uint8_t *p, *end;
} fuzz_input;

static inline fuzz_input fuzz_open(const uint8_t *data, size_t size)
{
    return (fuzz_input){data, size ? data + size : data};
}

/* Returns 0 after the end. */
static inline uint8_t fuzz_byte(fuzz_input *in)
{
    return in->p < in->end ? *in->p++ : 0;
}

static inline uint64_t fuzz_number(fuzz_input *in, int bytes)
{
    uint64_t v = 0;

    for (int i = 0; i < bytes; i++)
        v = v << 8 | fuzz_byte(in);
    return v;
}

static inline uint64_t fuzz_below(fuzz_input *in, uint64_t n)
{
    return fuzz_number(in, n > 65536 ? 8 : n > 256 ? 2 : 1) % n;
}

static inline pm_text fuzz_rest(const fuzz_input *in)
{
    return (pm_text){(const char *)in->p, (size_t)(in->end - in->p)};
}

/* Takes the bytes up to the next `stop`, and the stop; or up to the end. */
static inline pm_text fuzz_until(fuzz_input *in, uint8_t stop)
{
    pm_text t = fuzz_rest(in);
    const char *at = t.len ? memchr(t.data, stop, t.len) : NULL;

    if (at)
        t.len = (size_t)(at - t.data);
    in->p += t.len + (at != NULL);
    return t;
}

/* Returns a copy on the heap, so that the sanitizer sees a read past its end. Free it after use. */
static inline char *fuzz_alone(const void *bytes, size_t n)
{
    char *copy = malloc(n ? n : 1);

    FUZZ_CHECK(copy, "memory");
    if (n)
        memcpy(copy, bytes, n);
    return copy;
}

/* Returns a copy on the heap with a NUL at its end. A NUL in the text ends the string. */
static inline char *fuzz_string(pm_text t)
{
    char *copy = malloc(t.len + 1);

    FUZZ_CHECK(copy, "memory");
    if (t.len)
        memcpy(copy, t.data, t.len);
    copy[t.len] = '\0';
    return copy;
}

/* ---- pieces ---- */

typedef pmapdb_status (*fuzz_feed_fn)(void *reader, const char *bytes, size_t n, pmapdb_error *err);

static inline uint64_t fuzz_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* split: 0: one piece; to 127: pieces of this many bytes; above: pieces of 1 to 64 bytes, from
 * random numbers with this seed. */
static inline pmapdb_status fuzz_feed(fuzz_feed_fn feed, void *reader, pm_text t, uint8_t split,
                                      pmapdb_error *err)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * (split + 1U);
    pmapdb_status st = PMAPDB_OK;

    for (size_t at = 0; at < t.len && st == PMAPDB_OK;) {
        size_t n = split == 0 ? t.len : split < 128 ? split : 1 + fuzz_next(&state) % 64;
        char *piece;

        n = n < t.len - at ? n : t.len - at;
        piece = fuzz_alone(t.data + at, n);
        st = feed(reader, piece, n, err);
        free(piece);
        at += n;
    }
    return st;
}

/* ---- tapes: the results of a reading as bytes that can be compared ---- */

static inline void fuzz_put(pm_buf *tape, const void *bytes, size_t n)
{
    FUZZ_CHECK(pm_buf_add(tape, n ? bytes : "", n, NULL) == PMAPDB_OK, "memory");
}

static inline void fuzz_put_int(pm_buf *tape, uint64_t v)
{
    fuzz_put(tape, &v, sizeof v);
}

static inline void fuzz_put_text(pm_buf *tape, pm_text t)
{
    fuzz_put_int(tape, t.len);
    fuzz_put(tape, t.data, t.len);
}

static inline void fuzz_show(const char *what, pm_text t)
{
    fprintf(stderr, "%s:", what);
    for (size_t i = 0; i < t.len && i < 400; i++) {
        unsigned char c = (unsigned char)t.data[i];

        fprintf(stderr, c >= ' ' && c < 127 ? "%c" : "\\%02x", c);
    }
    fputc('\n', stderr);
}

static inline void fuzz_same(const pm_buf *a, const pm_buf *b, const char *what)
{
    pm_text x = pm_buf_text(a), y = pm_buf_text(b);
    size_t at = 0;

    if (pm_text_equal(x, y))
        return;
    while (at < x.len && at < y.len && x.data[at] == y.data[at])
        at++;
    fuzz_show("the one", pm_text_from(x, at < 80 ? 0 : at - 80));
    fuzz_show("the other", pm_text_from(y, at < 80 ? 0 : at - 80));
    fuzz_fail(__FILE__, __LINE__, what, "byte %zu of %zu and %zu", at, x.len, y.len);
}

/* Checks that a message is one line, and not empty. */
static inline void fuzz_message(const pmapdb_error *err)
{
    size_t n = strnlen(err->text, sizeof err->text);

    FUZZ_CHECK(n > 0 && n < sizeof err->text, "a failure without a message");
    FUZZ_CHECK(!memchr(err->text, '\n', n), "a message of two lines: %s", err->text);
}

#endif
