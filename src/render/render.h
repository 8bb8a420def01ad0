/* render: rows -> text. A table or Markdown for people, CSV, JSON, NDJSON, Prometheus for programs;
 * all with one small interface. Writes to a sink, never to stdout.
 */
#ifndef PM_RENDER_RENDER_H
#define PM_RENDER_RENDER_H

#include "base/err.h"
#include "base/unit.h"

typedef struct pm_sink {
    void *ctx;
    pmapdb_status (*write)(void *ctx, const char *bytes, size_t n, pmapdb_error *err);
} pm_sink;

/* A sink that adds to a pm_buf. */
pmapdb_status pm_sink_add(void *buf, const char *bytes, size_t n, pmapdb_error *err);

typedef struct pm_column {
    const char *name;
    pm_unit unit;
} pm_column;

typedef enum pm_value_kind {
    PM_VALUE_NULL,
    PM_VALUE_INT,
    PM_VALUE_REAL,
    PM_VALUE_TEXT
} pm_value_kind;

typedef struct pm_value {
    pm_value_kind kind;
    int64_t i;
    double r;
    pm_text t;
} pm_value;

/* The formats. FIRST and NEXT get the constant and the name; pm_render_NAME has the functions. */
#define PM_FORMATS(FIRST, NEXT) \
    FIRST(TABLE, table)         \
    NEXT(CSV, csv)              \
    NEXT(JSON, json)            \
    NEXT(NDJSON, ndjson)        \
    NEXT(MD, md)                \
    NEXT(PROMETHEUS, prometheus)

typedef enum pm_format {
#define PM_FORMAT(id, name) PM_FORMAT_##id,
    PM_FORMATS(PM_FORMAT, PM_FORMAT)
#undef PM_FORMAT
        PM_FORMAT_COUNT
} pm_format;

/* A label of Prometheus. */
typedef struct pm_sample_label {
    pm_text name, value;
} pm_sample_label;

/* The query that gave the rows; Prometheus' names and HELP lines come from it. */
typedef struct pm_about {
    pm_text name, title;
    pm_text narrow; /* names of columns, with blanks between: the columns that stay in a table that
                       is wider than the terminal; empty: all columns */
    const pm_text *help; /* one per column, or NULL */
    /* The arguments of the query (the process, a category, ...): labels of every sample, so the
     * answers for two processes do not share a series. */
    const pm_sample_label *labels;
    size_t n_labels;
    int64_t moment_ms; /* of the snapshot of all rows; 0: the rows have a time column */
} pm_about;

typedef struct pm_render_options {
    pm_format format;
    bool human; /* table, md: KiB columns as MiB, GiB ...; else exact KiB */
    bool color; /* table: bold header, dim unknowns */
    int width;  /* table: terminal columns; 0: no limit. To fit, columns that about->narrow does not
                   name are left out, and text is wrapped */
    bool crlf;  /* CSV: RFC 4180 line ends */
    bool safe;  /* CSV: an apostrophe before text that a spreadsheet would run as a formula */
    size_t top; /* only the first rows; 0: all */
    int64_t now_ms;        /* Prometheus: the time from which ages count; 0: the clock */
    const pm_about *about; /* or NULL; must outlive the renderer */
} pm_render_options;

typedef struct pm_render pm_render;

/* All names, for a message: "table, csv, ...". */
#define PM_FORMAT_FIRST(id, name) #name
#define PM_FORMAT_NEXT(id, name) ", " #name
#define PM_FORMAT_NAMES PM_FORMATS(PM_FORMAT_FIRST, PM_FORMAT_NEXT)

/* False: no format has that name. */
bool pm_format_find(const char *name, pm_format *out);

/* Copies columns, their names and the sink. */
pmapdb_status pm_render_new(const pm_render_options *options, const pm_sink *sink,
                            const pm_column *columns, int n_columns, pm_render **out,
                            pmapdb_error *err);
void pm_render_free(pm_render *r);

/* Values are in the order of the columns and need not outlive the call. A NaN is unknown. */
pmapdb_status pm_render_row(pm_render *r, const pm_value *values, pmapdb_error *err);

/* A row below all others, such as a total; `top` does not count it. */
pmapdb_status pm_render_total(pm_render *r, const pm_value *values, pmapdb_error *err);

/* Writes the rest: a header without rows, the rows of a table, the closing bracket of JSON. */
pmapdb_status pm_render_end(pm_render *r, pmapdb_error *err);

/* The number of rows that `top` left out so far. */
size_t pm_render_left_out(const pm_render *r);

/* One number of a KIB column as a table shows it: "1.4 GiB", "-12 KiB"; "?" for
 * PMAPDB_UNKNOWN. */
void pm_render_kib(int64_t kib, char out[32]);

/* A line for a person outside a table: control bytes, and bytes that are not UTF-8, become escapes,
 * such as \x1b. */
pmapdb_status pm_render_line(const pm_sink *sink, pm_text text, pmapdb_error *err);

/* One JSON object on a line, for events: keys with values; unknown values are left out. Bytes that
 * are not UTF-8 become U+FFFD, and "KEY_hex" has the bytes of a text. */
typedef struct pm_pair {
    const char *key;
    pm_value value;
    const char *const *list; /* not NULL: an array of n_list strings instead of value */
    size_t n_list;
    bool boolean; /* value.i is true or false */
} pm_pair;

pmapdb_status pm_render_object(const pm_sink *sink, const pm_pair *pairs, size_t n,
                               pmapdb_error *err);

#endif
