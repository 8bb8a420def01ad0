/* explain: what a block's dialect was told by, which tool and which version printed it, and what
 * was made good. The facts about versions are those of the sources of procps 3.2.0 to 4.0.6 and of
 * fs/proc/task_mmu.c. */
#include "parse/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static pmapdb_status add(pm_buf *out, pmapdb_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static pmapdb_status add(pm_buf *out, pmapdb_error *err, const char *format, ...)
{
    char text[320];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pm_buf_addf(out, err, "%s%s", out->len ? "\n" : "", text);
}

/* ---- notes: what was made good ---- */

static pmapdb_status note_rows(pm_reader *r, pmapdb_error *err)
{
    const pm_open *b = &r->b;
    pmapdb_status st = PMAPDB_OK;

    if (b->n_doubled)
        st = add(&r->notes, err,
                 "%" PRIu64 " rows are printed twice, the second time with zeroes: counted once "
                 "(procps 3.3.2 to 3.3.12 on Linux 4.3 or later)",
                 b->n_doubled);
    if (st == PMAPDB_OK && b->n_grown)
        st = add(&r->notes, err,
                 "%" PRIu64 " mappings are printed twice, as they grew while they were read: the "
                 "later row counts",
                 b->n_grown);
    if (st == PMAPDB_OK && b->n_outside)
        st =
            add(&r->notes, err,
                "%" PRIu64 " rows of size 0 lie outside of the range of -A: left out (procps 3.3.2 "
                "to 3.3.14)",
                b->n_outside);
    if (st == PMAPDB_OK && b->n_odd)
        st = add(&r->notes, err,
                 "sizes that are no whole pages (%" PRIu64 ", the first in line %" PRIu64
                 "): edited or made up",
                 b->n_odd, b->odd_line);
    if (st == PMAPDB_OK && b->names_cut)
        st =
            add(&r->notes, err, "the tool cut %" PRIu64 " of its names at 127 bytes", b->names_cut);
    if (st == PMAPDB_OK && b->family == PM_FAMILY_WIDE && b->columns_line &&
        !r->wide.columns.has_name)
        st = add(&r->notes, err,
                 "no column Mapping: the names are unknown, and all counts as anonymous");
    if (st == PMAPDB_OK && b->translated)
        st = add(&r->notes, err, "\"[ anon ]\" and \"[ stack ]\" are in another language");
    return st;
}

static pmapdb_status note_sums(pm_reader *r, pmapdb_error *err)
{
    const pm_open *b = &r->b;
    pmapdb_status st = PMAPDB_OK;

    if (b->shared_twice)
        st = add(&r->notes, err,
                 "the footer counts shared mappings twice: %" PRId64 " KiB taken off (procps 3.3.2 "
                 "to 3.3.11)",
                 b->shared_kib);
    if (st == PMAPDB_OK && b->runs_on)
        st = add(&r->notes, err,
                 "the footer goes on from the process before: that was taken off (procps before "
                 "4.0.4)");
    if (st == PMAPDB_OK && b->below_kib)
        st = add(&r->notes, err,
                 "the footer counts %" PRId64 " KiB of RSS outside of these rows: only a range was "
                 "asked for (-A)",
                 b->below_kib);
    if (st == PMAPDB_OK && b->family == PM_FAMILY_WIDE && b->columns_line && !b->footer)
        st = add(&r->notes, err, "no footer: whether rows are missing cannot be told");
    return st;
}

static pmapdb_status note_lines(pm_reader *r, pmapdb_error *err)
{
    static const struct {
        unsigned bit;
        const char *text;
    } worn[] = {{PM_WORN_COLOUR, "colour codes were taken off"},
                {PM_WORN_QUOTE, "\"> \" was taken off"},
                {PM_WORN_TYPE, "a word processor's dashes and blanks were put right"},
                {PM_WORN_CALLOUT, "marks like <1> were taken off the names"}};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < sizeof worn / sizeof *worn && st == PMAPDB_OK; i++)
        if (r->b.worn & worn[i].bit)
            st = add(&r->notes, err, "%s", worn[i].text);
    return st;
}

static pmapdb_status note_dialect(pm_reader *r, pm_dialect dialect, pmapdb_error *err)
{
    if (dialect == PM_DIALECT_BUSYBOX || dialect == PM_DIALECT_BUSYBOX_X)
        return add(&r->notes, err,
                   "busybox cuts a name at its first blank: \" (deleted)\" and what else follows "
                   "is lost");
    return PMAPDB_OK;
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

static pmapdb_status name_tool(pm_reader *r, pm_dialect dialect, pmapdb_error *err)
{
    const char *kernel = kernel_of(r->b.fields);

    if (r->b.totals.v[PM_TOTAL_MAPPINGS] == 0)
        return PMAPDB_OK;
    switch (dialect) {
    case PM_DIALECT_SMAPS:
    case PM_DIALECT_ROLLUP:
    case PM_DIALECT_MAPS:
        return pm_buf_addf(&r->tool, err, kernel ? "Linux %s or later" : "Linux",
                           kernel ? kernel : "");
    case PM_DIALECT_PMAP_XX:
    case PM_DIALECT_PMAP_X:
        return pm_buf_addf(&r->tool, err, kernel ? "%s on Linux %s or later" : "%s", procps_wide(r),
                           kernel ? kernel : "");
    case PM_DIALECT_PMAP_SMALL_X:
    case PM_DIALECT_PMAP_D:
    case PM_DIALECT_PMAP:
        return pm_buf_addf(&r->tool, err, "%s",
                           r->b.state == PM_STATE_TOTALS ? "procps" : procps_narrow(r));
    case PM_DIALECT_SUSE:
        return pm_buf_addf(&r->tool, err, "%s",
                           r->b.suse_mode ? "procps of openSUSE" : "pmap of SUSE");
    case PM_DIALECT_TOYBOX_X:
    case PM_DIALECT_TOYBOX:
        return pm_buf_addf(&r->tool, err, "toybox");
    case PM_DIALECT_BUSYBOX_X:
    case PM_DIALECT_BUSYBOX:
        return pm_buf_addf(&r->tool, err, "busybox");
    case PM_DIALECT_COUNT:
        break;
    }
    return PMAPDB_OK;
}

/* ---- why ---- */

static const char *shape_of(pm_dialect dialect)
{
    static const char *const shapes[PM_DIALECT_COUNT] = {
        [PM_DIALECT_SMAPS] = "rows of start-end, perms, offset, device, inode, and keys below them",
        [PM_DIALECT_PMAP_XX] =
            "rows of address, perms, offset, device, inode, all columns of smaps",
        [PM_DIALECT_PMAP_X] = "rows of address, perms, and some columns of smaps",
        [PM_DIALECT_SUSE] = "rows of address and five numbers: Kbytes, RSS, PSS, Dirty, Swap",
        [PM_DIALECT_TOYBOX_X] = "rows of address, four numbers (Kbytes, PSS, Dirty, Swap), rw---",
        [PM_DIALECT_BUSYBOX_X] = "rows of address, four numbers (Kbytes, PSS, Dirty, Swap), rw-p",
        [PM_DIALECT_PMAP_SMALL_X] = "rows of address and three numbers: Kbytes, RSS, Dirty",
        [PM_DIALECT_PMAP_D] = "rows of address, Kbytes, mode, offset, device",
        [PM_DIALECT_PMAP] = "rows of address and a size with K, mode of five characters",
        [PM_DIALECT_TOYBOX] = "rows of address and a size with K, names like \"[anon]\"",
        [PM_DIALECT_BUSYBOX] = "rows of address and a size with K, mode of four characters",
        [PM_DIALECT_MAPS] = "rows of start-end, perms, offset, and no keys below them",
        [PM_DIALECT_ROLLUP] = "row named [rollup], and the keys of smaps below it",
    };

    return dialect < PM_DIALECT_COUNT ? shapes[dialect] : NULL;
}

/* A header's words, single blanks between, for one line of text. */
static pmapdb_status add_header(pm_reader *r, pmapdb_error *err)
{
    pm_text header = pm_buf_text(&r->columns), word;
    pmapdb_status st = pm_buf_addf(&r->why, err, "%sthe header:", r->why.len ? "\n" : "");

    for (size_t at = 0; st == PMAPDB_OK && pm_guess_word(header, &at, &word);)
        st = pm_buf_addf(&r->why, err, " %.*s", (int)word.len, word.data);
    return st;
}

static pmapdb_status say_why(pm_reader *r, pm_dialect dialect, pmapdb_error *err)
{
    const pm_open *b = &r->b;
    const char *shape = shape_of(dialect);
    pmapdb_status st = PMAPDB_OK;

    if (b->state == PM_STATE_TOTALS && !b->rollup)
        st = add(&r->why, err, "a line of sums like that of %s", pm_dialect_name(dialect));
    else if (shape && b->n_rows)
        st = add(&r->why, err, "%" PRIu64 " %s", b->n_rows, shape);
    if (st == PMAPDB_OK && b->columns_line)
        st = add_header(r, err);
    if (st == PMAPDB_OK && b->family == PM_FAMILY_WIDE && !b->columns_line)
        st = add(&r->why, err, "%zu columns without names, told by what Linux prints",
                 r->wide.columns.n);
    if (st == PMAPDB_OK && b->suse_mode)
        st = add(&r->why, err, "modes like r-xp-");
    if (st == PMAPDB_OK && b->name_blanks == 2 && dialect != PM_DIALECT_BUSYBOX)
        st = add(&r->why, err, "two blanks before the name");
    if (st == PMAPDB_OK && b->checked == PM_CHECKED_FOOTER)
        st = add(&r->why, err, "the sums below the rows agree");
    return st;
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
    pmapdb_status st = note_rows(r, err);

    *sure = confidence_of(r, dialect);
    if (st == PMAPDB_OK)
        st = note_sums(r, err);
    if (st == PMAPDB_OK)
        st = note_lines(r, err);
    if (st == PMAPDB_OK)
        st = note_dialect(r, dialect, err);
    if (st == PMAPDB_OK)
        st = name_tool(r, dialect, err);
    return st == PMAPDB_OK ? say_why(r, dialect, err) : st;
}
