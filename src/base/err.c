/* err: fills a caller-owned pmapdb_error. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Control bytes become '?', so that a message is one line even if names in it contain newlines. */
static void __attribute__((format(printf, 3, 0)))
fill(pmapdb_error *err, pmapdb_status status, const char *format, va_list args)
{
    if (!err)
        return;
    *err = (pmapdb_error){.status = status};
    vsnprintf(err->text, sizeof err->text, format, args);
    for (unsigned char *p = (unsigned char *)err->text; *p; p++)
        if (*p < 0x20 || *p == 0x7f)
            *p = '?';
}

pmapdb_status pm_fail(pmapdb_error *err, pmapdb_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, status, format, args);
    va_end(args);
    return status;
}

pmapdb_status pm_fail_io(pmapdb_error *err, int os_errno, const char *format, ...)
{
    va_list args;
    size_t used;

    va_start(args, format);
    fill(err, PMAPDB_IO, format, args);
    va_end(args);
    if (err) {
        char why[128];

        used = strlen(err->text);
        err->os_errno = os_errno;
        snprintf(err->text + used, sizeof err->text - used, ": %s",
                 strerror_r(os_errno, why, sizeof why));
    }
    return PMAPDB_IO;
}

pmapdb_status pm_fail_nomem(pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_NOMEM, "out of memory");
}

bool pm_err_is_passing(const pmapdb_error *err)
{
    static const int of_machine[] = {EIO, EMFILE, ENFILE, EINTR, ENOMEM, ENOSPC, ESTALE, ETIMEDOUT};
    bool passing = false;

    for (size_t i = 0; i < sizeof of_machine / sizeof *of_machine; i++)
        passing |= err->os_errno == of_machine[i];
    return passing;
}
