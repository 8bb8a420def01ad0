/* explain: what a block's dialect was told by, which tool and which version printed it, and what
 * was made good. The facts about versions are those of the sources of procps 3.2.0 to 4.0.6 and of
 * fs/proc/task_mmu.c. */
#include "parse/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct explanation {
    pm_reader *r;
    pm_dialect dialect;
    pmapdb_status st; /* once it fails, nothing more is added */
    pmapdb_error *err;
} explanation;

static void add(explanation *e, pm_buf *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line more. */
static void add(explanation *e, pm_buf *out, const char *format, ...)
{
    char text[320];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (e->st == PMAPDB_OK)
        e->st = pm_buf_addf(out, e->err, "%s%s", out->len ? "\n" : "", text);
}

/* ---- notes: what was made good ---- */

static void note_rows(explanation *e)
{
    const pm_open *b = &e->r->b;
    pm_buf *notes = &e->r->notes;

    if (b->n_doubled)
        add(e, notes,
            "%" PRIu64 " rows are printed twice, the second time with zeroes: counted once (procps "
            "3.3.2 to 3.3.12 on Linux 4.3 or later)",
            b->n_doubled);
    if (b->n_grown)
        add(e, notes,
            "%" PRIu64 " mappings are printed twice, as they grew while they were read: the later "
            "row counts",
            b->n_grown);
    if (b->n_outside)
        add(e, notes,
            "%" PRIu64 " rows of size 0 lie outside of the range of -A: left out (procps 3.3.2 to "
            "3.3.14)",
            b->n_outside);
    if (b->n_odd)
        add(e, notes,
            "sizes that are no whole pages (%" PRIu64 ", the first in line %" PRIu64
            "): edited or made up",
            b->n_odd, b->odd_line);
    if (b->names_cut)
        add(e, notes, "the tool cut %" PRIu64 " of its names at 127 bytes", b->names_cut);
    if (b->family == PM_FAMILY_WIDE && b->columns_line && !e->r->wide.columns.has_name)
        add(e, notes, "no column Mapping: the names are unknown, and all counts as anonymous");
    if (b->translated)
        add(e, notes, "\"[ anon ]\" and \"[ stack ]\" are in another language");
}

static void note_sums(explanation *e)
{
    const pm_open *b = &e->r->b;
    pm_buf *notes = &e->r->notes;

    if (b->shared_twice)
        add(e, notes,
            "the footer counts shared mappings twice: %" PRId64 " KiB taken off (procps 3.3.2 to "
            "3.3.11)",
            b->shared_kib);
    if (b->runs_on)
        add(e, notes,
            "the footer goes on from the process before: that was taken off (procps before 4.0.4)");
    if (b->below_kib)
        add(e, notes,
            "the footer counts %" PRId64
            " KiB of RSS outside of these rows: only a range was asked "
            "for (-A)",
            b->below_kib);
    if (b->family == PM_FAMILY_WIDE && b->columns_line && !b->footer)
        add(e, notes, "no footer: whether rows are missing cannot be told");
}

static void note_lines(explanation *e)
{
    static const struct {
        unsigned bit;
        const char *text;
    } worn[] = {{PM_WORN_COLOUR, "colour codes were taken off"},
                {PM_WORN_QUOTE, "\"> \" was taken off"},
                {PM_WORN_TYPE, "a word processor's dashes and blanks were put right"},
                {PM_WORN_CALLOUT, "marks like <1> were taken off the names"}};

    for (size_t i = 0; i < sizeof worn / sizeof *worn; i++)
        if (e->r->b.worn & worn[i].bit)
            add(e, &e->r->notes, "%s", worn[i].text);
    if (e->dialect == PM_DIALECT_BUSYBOX || e->dialect == PM_DIALECT_BUSYBOX_X)
        add(e, &e->r->notes,
            "busybox cuts a name at its first blank: \" (deleted)\" and what else follows is lost");
}

/* ---- tool ---- */

/* Lower bound of the kernel: its youngest key. */
static const char *kernel_of(uint64_t fields)
{
    static const struct {
        enum pm_field field;
        const char *since;
    } keys[] = {{PM_KSM, "6.8"},
                {PM_PSS_DIRTY, "6.0"},
                {PM_FILE_PMD, "5.4"},
                {PM_THP_ELIGIBLE, "5.0"},
                {PM_LAZY_FREE, "4.12"},
                {PM_SHMEM_PMD, "4.8"},
                {PM_SHARED_HUGETLB, "4.4"},
                {PM_SWAP_PSS, "4.3"}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (fields & PM_BIT(keys[i].field))
            return keys[i].since;
    return fields & PM_HAS_FLAGS ? "3.8" : NULL;
}

/* The header of -x, -d: three blanks between Mode and Mapping until procps 3.3.6. */
static bool has_three_blanks(const pm_reader *r)
{
    return r->columns.len && memmem(r->columns.data, r->columns.len, "Mode   ", 7) != NULL;
}

static const char *procps_narrow(const pm_reader *r)
{
    const pm_open *b = &r->b;

    if (b->suse_mode)
        return "procps of openSUSE";
    if (b->raw_names)
        return "procps 4.0.6 or later, with -k";
    if (b->dialect == PM_DIALECT_PMAP_SMALL_X && !(b->fields & PM_BIT(PM_RSS)))
        return "procps 3.2.0 to 3.3.1";
    if (b->shared_twice || b->n_doubled || b->n_outside) {
        if (b->name_blanks == 2)
            return "procps 3.3.2 to 3.3.6";
        return b->shared_twice ? "procps 3.3.7 to 3.3.11" : "procps 3.3.7 to 3.3.12";
    }
    if (has_three_blanks(r) && b->dialect == PM_DIALECT_PMAP_SMALL_X)
        return "procps of RHEL 5 or 6, or 3.3.2 to 3.3.6";
    if (b->name_blanks == 2)
        return "procps up to 3.3.6";
    /* -d has had one blank for ever. */
    return b->padded && b->name_blanks == 1 && b->dialect != PM_DIALECT_PMAP_D
               ? "procps 3.3.7 or later"
               : "procps";
}

static const char *procps_wide(const pm_reader *r)
{
    if (r->wide.columns.flags_glued)
        return "procps 3.3.7 to 3.3.14";
    return r->b.runs_on ? "procps 3.3.7 to 4.0.3" : "procps 3.3.7 or later";
}

/* The shape that tells a dialect, and the tool that prints it; others have only those of formats.c.
 */
static const struct {
    const char *shape;
    const char *tool; /* NULL: depends on the version */
} kinds[PM_DIALECT_COUNT] = {
    [PM_DIALECT_SMAPS] = {"rows of start-end, perms, offset, device, inode, and keys below them",
                          "Linux"},
    [PM_DIALECT_PMAP_XX] = {"rows of address, perms, offset, device, inode, all columns of smaps",
                            NULL},
    [PM_DIALECT_PMAP_X] = {"rows of address, perms, and some columns of smaps", NULL},
    [PM_DIALECT_SUSE] = {"rows of address and five numbers: Kbytes, RSS, PSS, Dirty, Swap",
                         "pmap of SUSE"},
    [PM_DIALECT_TOYBOX_X] = {"rows of address, four numbers (Kbytes, PSS, Dirty, Swap), rw---",
                             "toybox"},
    [PM_DIALECT_BUSYBOX_X] = {"rows of address, four numbers (Kbytes, PSS, Dirty, Swap), rw-p",
                              "busybox"},
    [PM_DIALECT_PMAP_SMALL_X] = {"rows of address and three numbers: Kbytes, RSS, Dirty", NULL},
    [PM_DIALECT_PMAP_D] = {"rows of address, Kbytes, mode, offset, device", NULL},
    [PM_DIALECT_PMAP] = {"rows of address and a size with K, mode of five characters", NULL},
    [PM_DIALECT_TOYBOX] = {"rows of address and a size with K, names like \"[anon]\"", "toybox"},
    [PM_DIALECT_BUSYBOX] = {"rows of address and a size with K, mode of four characters",
                            "busybox"},
    [PM_DIALECT_MAPS] = {"rows of start-end, perms, offset, and no keys below them", "Linux"},
    [PM_DIALECT_ROLLUP] = {"row named [rollup], and the keys of smaps below it", "Linux"},
};

/* The tool that prints a dialect with no line of its own above. */
static const char *tool_of(pm_dialect dialect)
{
    const pm_form *f;

    for (size_t i = 0; (f = pm_form_at(i)); i++)
        if (f->dialect == dialect)
            return f->tool;
    return "?";
}

static void name_tool(explanation *e)
{
    const pm_reader *r = e->r;
    const char *kernel = kernel_of(r->b.fields), *tool;
    bool linux_only, wide;

    if (r->b.totals.v[PM_TOTAL_MAPPINGS] == 0 || e->dialect == PM_DIALECT_COUNT)
        return;
    wide = e->dialect == PM_DIALECT_PMAP_XX || e->dialect == PM_DIALECT_PMAP_X;
    tool = kinds[e->dialect].tool;
    linux_only = tool && strcmp(tool, "Linux") == 0;
    if (e->dialect == PM_DIALECT_SUSE && r->b.suse_mode)
        tool = "procps of openSUSE";
    else if (!tool && !kinds[e->dialect].shape)
        tool = tool_of(e->dialect);
    else if (!tool)
        tool = wide ? procps_wide(r) : r->b.state == PM_STATE_TOTALS ? "procps" : procps_narrow(r);
    if (kernel && (wide || linux_only))
        add(e, &e->r->tool, "%s%s %s or later", tool, wide ? " on Linux" : "", kernel);
    else
        add(e, &e->r->tool, "%s", tool);
}

/* ---- why ---- */

/* A header's words, single blanks between, as one line. */
static void add_header(explanation *e)
{
    pm_text header = pm_buf_text(&e->r->columns), word;
    pm_buf *why = &e->r->why;

    add(e, why, "the header:");
    for (size_t at = 0; e->st == PMAPDB_OK && pm_guess_word(header, &at, &word);)
        e->st = pm_buf_addf(why, e->err, " %.*s", (int)word.len, word.data);
}

static void say_why(explanation *e)
{
    const pm_open *b = &e->r->b;
    pm_buf *why = &e->r->why;
    const char *shape = e->dialect < PM_DIALECT_COUNT ? kinds[e->dialect].shape : NULL;

    if (b->state == PM_STATE_TOTALS && !b->rollup)
        add(e, why, "a line of sums like that of %s", pm_dialect_name(e->dialect));
    else if (e->dialect < PM_DIALECT_COUNT && b->n_rows)
        add(e, why, "%" PRIu64 " %s%s", b->n_rows, shape ? shape : "rows like those of ",
            shape ? "" : tool_of(e->dialect));
    if (b->columns_line)
        add_header(e);
    if (b->family == PM_FAMILY_WIDE && !b->columns_line)
        add(e, why, "%zu columns without names, told by what Linux prints", e->r->wide.columns.n);
    if (b->suse_mode)
        add(e, why, "modes like r-xp-");
    if (b->name_blanks == 2 && e->dialect != PM_DIALECT_BUSYBOX)
        add(e, why, "two blanks before the name");
    if (b->checked == PM_CHECKED_FOOTER)
        add(e, why, "the sums below the rows agree");
}

/* ---- how sure ---- */

static pm_confidence confidence_of(const pm_reader *r, pm_dialect dialect)
{
    const pm_open *b = &r->b;
    bool headed = b->columns_line || b->footer || b->pid_line;

    if (dialect == PM_DIALECT_COUNT || b->n_bad * 10 > b->n_rows || b->n_odd)
        return PM_CONFIDENCE_GUESS;
    if (dialect == PM_DIALECT_SMAPS || dialect == PM_DIALECT_ROLLUP)
        return PM_CONFIDENCE_CERTAIN;
    if (b->state == PM_STATE_TOTALS)
        return b->pid_line || b->columns_line ? PM_CONFIDENCE_CERTAIN : PM_CONFIDENCE_LIKELY;
    if (b->family == PM_FAMILY_WIDE && !b->columns_line)
        return PM_CONFIDENCE_GUESS;
    if (b->checked == PM_CHECKED_FOOTER || (headed && b->n_rows >= 3))
        return PM_CONFIDENCE_CERTAIN;
    return b->n_rows >= 3 ? PM_CONFIDENCE_LIKELY : PM_CONFIDENCE_GUESS;
}

pmapdb_status pm_explain(pm_reader *r, pm_dialect dialect, pm_confidence *sure, pmapdb_error *err)
{
    explanation e = {r, dialect, PMAPDB_OK, err};

    *sure = confidence_of(r, dialect);
    note_rows(&e);
    note_sums(&e);
    note_lines(&e);
    name_tool(&e);
    say_why(&e);
    return e.st;
}
