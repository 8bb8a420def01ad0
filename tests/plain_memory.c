#include "plain_memory.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#ifdef PMAPDB_SANITIZED

#define FRONT 16 /* bytes before a piece: they hold its size */

void *__libc_malloc(size_t n);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

static void *sized(char *p, int n)
{
    if (!p)
        return NULL;
    memcpy(p, &n, sizeof n);
    return p + FRONT;
}

static void *get(int n)
{
    return sized(__libc_malloc((size_t)n + FRONT), n);
}

static void *change(void *p, int n)
{
    return sized(__libc_realloc((char *)p - FRONT, (size_t)n + FRONT), n);
}

static void give(void *p)
{
    if (p)
        __libc_free((char *)p - FRONT);
}

static int size_of(void *p)
{
    int n = 0;

    if (p)
        memcpy(&n, (char *)p - FRONT, sizeof n);
    return n;
}

void plain_memory(void)
{
    sqlite3_mem_methods methods;

    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &methods);
    methods.xMalloc = get;
    methods.xRealloc = change;
    methods.xFree = give;
    methods.xSize = size_of;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        abort();
}

#else

void plain_memory(void)
{
}

#endif
