/* functions: words for people out of numbers and marks. All of them say NULL of NULL and of what
 * they cannot read.
 *
 * One source, two builds: in the library the names below are SQLite's functions (SQLITE_CORE is
 * set), in the extension they go through the table that SQLite hands over.
 */
#include "store/functions.h"

#include "base/vmflags.h"
#include "parse/guess.h"
#include "render/number.h"
#include "store/leak_functions.h"
#include "store/match_function.h"
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

static pm_text text_of(sqlite3_value *v)
{
    const char *data = (const char *)sqlite3_value_text(v);

    return (pm_text){data, data ? (size_t)sqlite3_value_bytes(v) : 0};
}

static void give(sqlite3_context *out, const pm_buf *buf, pmapdb_status st)
{
    if (st == PMAPDB_OK)
        sqlite3_result_text64(out, pm_buf_text(buf).data, buf->len, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(out);
}

/* kib_text(1536) is "1.5 MiB". */
static void kib_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    char text[PM_NUMBER_TEXT];
    int type = sqlite3_value_numeric_type(argv[0]);

    (void)argc;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    pm_number_size(sqlite3_value_double(argv[0]), text);
    sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

/* vmflags_text('rd ex mr') is "readable, executable, may read"; what is not known stays as it is.
 */
static void vmflags_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_text flags = text_of(argv[0]);
    pm_buf buf = {0};

    (void)argc;
    if (!flags.data)
        return;
    give(out, &buf, pm_vmflags_text(flags, &buf, NULL));
    pm_buf_free(&buf);
}

/* perms_text('rw-p') is "read, write, private", of the kernel's four letters or pmap's five. */
static void perms_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_text text = text_of(argv[0]);
    char perms[5], words[PM_PERMS_TEXT];

    (void)argc;
    if (!text.data || text.len == 0 ||
        pm_guess_perms(text.data, text.data + text.len, perms) != text.len)
        return;
    pm_perms_text(perms, words);
    sqlite3_result_text(out, words, -1, SQLITE_TRANSIENT);
}

int pm_functions_add(struct sqlite3 *db)
{
    static const struct {
        const char *name;
        void (*call)(sqlite3_context *out, int argc, sqlite3_value **argv);
    } functions[] = {
        {"kib_text", kib_text}, {"vmflags_text", vmflags_text}, {"perms_text", perms_text}};
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, 1,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                        functions[i].call, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = pm_match_function_add(db);
    return rc == SQLITE_OK ? pm_leak_functions_add(db) : rc;
}
