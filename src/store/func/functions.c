/* functions: numbers and flags as words for people. They return NULL for NULL and for values that
 * they cannot read. */
#include "store/func/functions.h"

#include "parse/guess.h"
#include "perf/call.h"
#include "render/number.h"
#include "store/func/argument.h"
#include "store/func/expression.h"

/* kib_text(1536) is "1.5 MiB"; span_text(5400000), in milliseconds, is "1h30m". */
static void number_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    bool is_span = sqlite3_user_data(out) != NULL;
    char text[PM_NUMBER_TEXT];
    int type = sqlite3_value_numeric_type(argv[0]);
    double number = sqlite3_value_double(argv[0]);

    (void)argc;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    if (is_span)
        pm_number_span(number, text);
    else
        pm_number_size(number, text);
    sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

/* vmflags_text('rd ex mr') is "readable, executable, may read"; unknown flags stay. */
static void vmflags_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_text flags = pm_argument_text(argv[0]);
    pm_buf buf = {0};
    pmapdb_error err;

    (void)argc;
    if (!flags.data)
        return;
    pm_argument_give(out, &buf, pm_vmflags_text(flags, &buf, &err), &err);
}

/* perms_text('rw-p') is "read, write, private", from the kernel's four letters or pmap's five. */
static void perms_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_text text = pm_argument_text(argv[0]);
    char perms[5], words[PM_PERMS_TEXT];

    (void)argc;
    if (!text.data || text.len == 0 ||
        pm_guess_perms(text.data, text.data + text.len, perms) != text.len)
        return;
    pm_perms_text(perms, words);
    sqlite3_result_text(out, words, -1, SQLITE_TRANSIENT);
}

/* Reads a column call.kind; false for an unknown kind. */
static bool take_kind(sqlite3_value *v, pm_call_kind *kind)
{
    int64_t n = sqlite3_value_int64(v);

    *kind = (pm_call_kind)n;
    return sqlite3_value_type(v) == SQLITE_INTEGER && n >= 0 && n < PM_CALL_COUNT;
}

/* call_words(kind, a0, ..., a5) of the columns of a call is "addr=0, len=8192,
 * prot=PROT_READ|PROT_WRITE"; a NULL argument is "?". */
static void call_words(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    uint64_t args[PM_CALL_ARGS] = {0};
    unsigned has = 0;
    pm_call_kind kind;
    pm_buf buf = {0};
    pmapdb_error err;

    if (!take_kind(argv[0], &kind))
        return;
    for (int i = 1; i < argc; i++) {
        args[i - 1] = (uint64_t)sqlite3_value_int64(argv[i]);
        has |= (unsigned)(sqlite3_value_type(argv[i]) == SQLITE_INTEGER) << (i - 1);
    }
    pm_argument_give(out, &buf, pm_call_words(kind, has, args, &buf, &err), &err);
}

/* call_error(kind, ret) is "ENOMEM", or the number of an error without a name; NULL if the call did
 * not fail. */
static void call_error(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_call_kind kind;
    int number;

    (void)argc;
    if (!take_kind(argv[0], &kind) || sqlite3_value_type(argv[1]) != SQLITE_INTEGER)
        return;
    number = pm_call_errno(kind, (uint64_t)sqlite3_value_int64(argv[1]));
    if (number && pm_errno_name(number))
        sqlite3_result_text(out, pm_errno_name(number), -1, SQLITE_STATIC);
    else if (number)
        sqlite3_result_int(out, -number);
}

int pm_functions_add(struct sqlite3 *db, int64_t *judged)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *out, int argc, sqlite3_value **argv);
        const char *kind; /* the function's user data */
    } functions[] = {{"kib_text", 1, number_text, NULL},
                     {"span_text", 1, number_text, "span"},
                     {"vmflags_text", 1, vmflags_text, NULL},
                     {"perms_text", 1, perms_text, NULL},
                     {"call_words", 1 + PM_CALL_ARGS, call_words, NULL},
                     {"call_error", 2, call_error, NULL},
                     {"page_groups", 2, pm_page_groups, NULL},
                     {"process_value", 11, pm_process_value, NULL},
                     {"process_value", 12, pm_process_value, NULL}};
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                        (void *)functions[i].kind, functions[i].call, NULL, NULL,
                                        NULL);
    if (rc == SQLITE_OK)
        rc = pm_permute_function_add(db);
    return rc == SQLITE_OK ? pm_leak_functions_add(db, judged) : rc;
}
