/* fault_alloc: allocations, of which the n-th fails.
 *
 * With a sanitizer, which has its own malloc, the linker redirects the calls of our objects here
 * (--wrap), and libraries call their hooks. Without a sanitizer these functions replace malloc and
 * its relatives for all libraries, libc included, and count allocations that are never freed.
 */
#include "base/hash.h"
#include "fault/fault.h"

#include <errno.h>
#include <fts.h>
#include <sqlite3.h>
#include <stdlib.h>

static int64_t live;

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

static bool refused(void)
{
    bool due = fault_due(FAULT_ALLOC);

    if (due)
        errno = ENOMEM;
    return due;
}

#ifndef FAULT_INTERPOSE
int64_t fault_alloc_live(void)
{
    return 0; /* calls of free are not seen; the sanitizer reports leaks */
}
#else
int64_t fault_alloc_live(void)
{
    return live;
}
#endif

#ifdef FAULT_INTERPOSE
#pragma GCC visibility push(default) /* the libraries find them */
#define CALLED(name) name
#define REAL(name) __libc_##name
#define __libc_aligned_alloc __libc_memalign
#else
#define CALLED(name) __wrap_##name
#define REAL(name) __real_##name
#endif

/* NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses): the linker's and libc's */
void *REAL(malloc)(size_t n);
void *REAL(calloc)(size_t n, size_t size);
void *REAL(realloc)(void *p, size_t n);
void *REAL(aligned_alloc)(size_t alignment, size_t n);
void *CALLED(malloc)(size_t n);
void *CALLED(calloc)(size_t n, size_t size);
void *CALLED(realloc)(void *p, size_t n);
void *CALLED(aligned_alloc)(size_t alignment, size_t n);

void *CALLED(malloc)(size_t n)
{
    return refused() ? NULL : counted(REAL(malloc)(n));
}

void *CALLED(calloc)(size_t n, size_t size)
{
    return refused() ? NULL : counted(REAL(calloc)(n, size));
}

void *CALLED(realloc)(void *p, size_t n)
{
    void *grown = refused() ? NULL : REAL(realloc)(p, n);

    return p ? grown : counted(grown);
}

void *CALLED(aligned_alloc)(size_t alignment, size_t n)
{
    return refused() ? NULL : counted(REAL(aligned_alloc)(alignment, n));
}

/* Fails as one allocation: glibc 2.36 writes into the second of its own before it checks it. */
FTS *__real_fts_open(char *const *paths, int how, int (*order)(const FTSENT **, const FTSENT **));
FTS *__wrap_fts_open(char *const *paths, int how, int (*order)(const FTSENT **, const FTSENT **));
FTS *__wrap_fts_open(char *const *paths, int how, int (*order)(const FTSENT **, const FTSENT **))
{
    bool due = refused(), armed = fault_now && fault_now->armed;
    FTS *tree;

    if (due)
        return NULL;
    if (armed)
        fault_now->armed = false;
    tree = __real_fts_open(paths, how, order);
    if (armed)
        fault_now->armed = true;
    return tree;
}

#ifdef FAULT_INTERPOSE

void __libc_free(void *p);

void free(void *p)
{
    int was = errno;

    live -= p != NULL;
    __libc_free(p);
    errno = was;
}

void fault_alloc_start(void)
{
}

#else

#include <argp.h>
#include <csv.h>
#include <dirent.h>
#include <jansson.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdarg.h>
#include <stdio.h>

/* Functions of libraries that allocate: if refused, they return `none`. */
#define WRAP(type, name, params, args, none)          \
    type __real_##name params;                        \
    type __wrap_##name params;                        \
    type __wrap_##name params                         \
    {                                                 \
        return refused() ? none : __real_##name args; \
    }
WRAP(char *, strdup, (const char *s), (s), NULL)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL)
WRAP(char *, realpath, (const char *path, char *into), (path, into), NULL)
WRAP(FILE *, open_memstream, (char **p, size_t *n), (p, n), NULL)
WRAP(DIR *, opendir, (const char *path), (path), NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(error_t, argp_parse,
     (const struct argp *argp, int argc, char **argv, unsigned flags, int *at, void *input),
     (argp, argc, argv, flags, at, input), ENOMEM)
WRAP(pcre2_match_context_8 *, pcre2_match_context_create_8, (pcre2_general_context_8 * g), (g),
     NULL)
WRAP(pcre2_match_data_8 *, pcre2_match_data_create_8, (uint32_t n, pcre2_general_context_8 *g),
     (n, g), NULL)

pcre2_code_8 *__real_pcre2_compile_8(PCRE2_SPTR8 pattern, size_t n, uint32_t how, int *code,
                                     size_t *at, pcre2_compile_context_8 *c);
pcre2_code_8 *__wrap_pcre2_compile_8(PCRE2_SPTR8 pattern, size_t n, uint32_t how, int *code,
                                     size_t *at, pcre2_compile_context_8 *c);
pcre2_code_8 *__wrap_pcre2_compile_8(PCRE2_SPTR8 pattern, size_t n, uint32_t how, int *code,
                                     size_t *at, pcre2_compile_context_8 *c)
{
    if (!refused())
        return __real_pcre2_compile_8(pattern, n, how, code, at, c);
    *code = PCRE2_ERROR_HEAP_FAILED; /* what it says of a malloc that fails: error 121 */
    *code = 121;
    *at = 0;
    return NULL;
}

int __real_csv_init(struct csv_parser *p, unsigned char how);
int __wrap_csv_init(struct csv_parser *p, unsigned char how);
int __wrap_csv_init(struct csv_parser *p, unsigned char how)
{
    int failed = refused() ? -1 : __real_csv_init(p, how);

    if (!failed)
        csv_set_realloc_func(p, __wrap_realloc);
    return failed;
}

int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list args;
    int n = -1;

    va_start(args, format);
    if (!refused())
        n = vasprintf(out, format, args);
    va_end(args);
    return n;
}

static sqlite3_mem_methods sqlite_own;

static void *sqlite_malloc(int n)
{
    return refused() ? NULL : sqlite_own.xMalloc(n);
}

static void *sqlite_realloc(void *p, int n)
{
    return refused() ? NULL : sqlite_own.xRealloc(p, n);
}

void fault_alloc_start(void)
{
    sqlite3_mem_methods methods;

    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_own);
    methods = sqlite_own;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    json_set_alloc_funcs(__wrap_malloc, free);
}
#endif

/* Leaves SQLite on malloc, so that each of its allocations is counted. */
void __wrap_pm_store_lookaside(void);
void __wrap_pm_store_lookaside(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
/* NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses) */
