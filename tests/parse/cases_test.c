/* cases: texts and the results of reading them, in tests/parse/cases/NAME.txt:
 *
 *     # a comment
 *     |0000000000400000      12       8       4 r-x-- demo
 *     |total kB              12       8       4
 *     400000-403000 r-xp Size=12 Rss=8 Dirty=4 [demo]
 *     pmap-x lines 1-2 complete footer: mappings 1 size 12 rss 8 tool_size 12 tool_rss 8
 *
 * "|" begins a line of the capture. Then follows the result: the rows (kit_write_row), their block,
 * and the number of foreign lines, if any. A blank line ends the case. After "!pmap-x" above a
 * case, only this dialect is read. Unprintable bytes are \r, \t, \e, \0, \xNN; a line that ends
 * with "\" has no newline. Each text is read whole and in chunks, without and with a pool. A
 * failure prints the result in the form of the file. */
#include "parse/kit.h"

#include "base/clock/clock.h"
#include <dirent.h>

/* ---- writing ---- */

static void write_escaped(pm_buf *out, pm_text t)
{
    for (; t.len; t = pm_text_from(t, 1)) {
        unsigned char c = (unsigned char)*t.data;

        if (c >= 0x20 && c < 0x7f && c != '\\')
            pm_buf_add(out, t.data, 1, NULL);
        else
            pm_buf_addf(out, NULL, "\\x%02x", c);
    }
}

static void write_words(pm_buf *out, const char *what, pm_text words)
{
    while (words.len) {
        pm_buf_addf(out, NULL, "  %s: ", what);
        write_escaped(out, pm_text_cut(&words, '\n'));
        pm_buf_addf(out, NULL, "\n");
    }
}

static void write_block(pm_buf *out, const pm_block *b)
{
    static const char *const totals[] = {"mappings", "size",          "rss", "pss",
                                         "private",  "private_dirty", "swap"};
    char time[PM_CLOCK_TEXT];

    pm_buf_addf(out, NULL, "%s",
                b->dialect == PM_DIALECT_COUNT ? "nothing" : pm_dialect_names[b->dialect]);
    if (b->pid != PMAPDB_UNKNOWN)
        pm_buf_addf(out, NULL, " pid %" PRId64, b->pid);
    if (b->time_ms != PMAPDB_UNKNOWN) {
        pm_clock_format(b->time_ms, time);
        pm_buf_addf(out, NULL, " at %s", time);
    }
    pm_buf_addf(out, NULL, " lines %" PRIu64 "-%" PRIu64 " %s %s%s:", b->first_line, b->last_line,
                pm_state_names[b->state], pm_checked_names[b->checked],
                b->foreign ? " foreign" : "");
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        if (b->totals.v[i] >= 0)
            pm_buf_addf(out, NULL, " %s %" PRId64, totals[i], b->totals.v[i]);
    if (b->tool_size_kib != PMAPDB_UNKNOWN)
        pm_buf_addf(out, NULL, " tool_size %" PRId64, b->tool_size_kib);
    if (b->tool_rss_kib != PMAPDB_UNKNOWN)
        pm_buf_addf(out, NULL, " tool_rss %" PRId64, b->tool_rss_kib);
    pm_buf_addf(out, NULL, "\n");
    write_words(out, "command", b->command);
    write_words(out, "missing", b->missing);
    write_words(out, "note", b->notes);
    write_words(out, "empty", b->empty);
}

static pm_buf said_of(const pm_seen *s)
{
    pm_buf out = {0}, rows = {0};

    for (size_t i = 0; i < s->n_blocks; i++) {
        pm_text text;

        pm_buf_clear(&rows);
        for (size_t row = s->first_row[i]; row < s->first_row[i + 1]; row++)
            kit_write_row(&rows, &s->rows[row]);
        for (text = pm_buf_text(&rows); text.len;) {
            write_escaped(&out, pm_text_cut(&text, '\n'));
            pm_buf_addf(&out, NULL, "\n");
        }
        write_block(&out, &s->blocks[i]);
    }
    if (s->foreign)
        pm_buf_addf(&out, NULL, "foreign %" PRIu64 "\n", s->foreign);
    pm_buf_free(&rows);
    return out;
}

/* ---- reading ---- */

/* Adds a line of a file to the text of its case. */
static void unescape(pm_buf *out, pm_text line)
{
    static const char signs[] = "rte0\\", bytes[] = "\r\t\033\0\\";

    while (line.len) {
        const char *sign = line.len > 1 ? strchr(signs, line.data[1]) : NULL;
        unsigned byte;

        if (*line.data != '\\') {
            pm_buf_add(out, line.data, 1, NULL);
            line = pm_text_from(line, 1);
        } else if (line.len == 1) {
            return;
        } else if (sign) {
            pm_buf_add(out, &bytes[sign - signs], 1, NULL);
            line = pm_text_from(line, 2);
        } else {
            assert_int_equal(sscanf(line.data, "\\x%2x", &byte), 1);
            pm_buf_add(out, &(char){(char)byte}, 1, NULL);
            line = pm_text_from(line, 4);
        }
    }
    pm_buf_add(out, "\n", 1, NULL);
}

typedef struct one_case {
    const char *file;
    unsigned line;
    pm_dialect dialect;
    pm_buf text, wanted;
} one_case;

static unsigned cases, failures;

static void end_case(one_case *c)
{
    pm_text t = pm_buf_text(&c->text);

    if (c->text.len || c->wanted.len) {
        pm_seen *s = kit_read_as(c->dialect, t, t.len + 1);
        pm_buf got = said_of(s);

        cases++;
        assert_int_equal(s->status, PMAPDB_OK);
        if (!pm_text_equal(pm_buf_text(&got), pm_buf_text(&c->wanted)) && ++failures)
            fprintf(stderr, "%s:%u: is read as:\n%s\n", c->file, c->line, got.len ? got.data : "");
        if (c->dialect == PM_DIALECT_COUNT)
            kit_every_chunk(t, 512);
        pm_buf_free(&got);
        kit_free(s);
    }
    pm_buf_clear(&c->text);
    pm_buf_clear(&c->wanted);
    c->dialect = PM_DIALECT_COUNT;
}

static void read_cases(const char *path)
{
    pm_buf bytes = kit_slurp(path);
    pm_text rest = pm_buf_text(&bytes);
    one_case c = {.file = path, .dialect = PM_DIALECT_COUNT};

    while (rest.len) {
        pm_text line = pm_text_cut(&rest, '\n');

        c.line++;
        if (!line.len)
            end_case(&c);
        else if (*line.data == '|')
            unescape(&c.text, pm_text_from(line, 1));
        else if (*line.data == '!')
            c.dialect = pm_dialect_find(pm_text_from(line, 1));
        else if (*line.data != '#')
            pm_buf_addf(&c.wanted, NULL, "%.*s\n", (int)line.len, line.data);
    }
    end_case(&c);
    pm_buf_free(&c.text);
    pm_buf_free(&c.wanted);
    pm_buf_free(&bytes);
}

TEST(every_case)
{
    static const char folder[] = "tests/parse/cases";
    DIR *dir = opendir(folder);
    const struct dirent *e;
    char path[512];

    assert_non_null(dir);
    while ((e = readdir(dir)))
        if (*e->d_name != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            read_cases(path);
        }
    closedir(dir);
    assert_true(cases > 200);
    assert_int_equal(failures, 0);
}

RUN_TESTS(NULL, NULL)
