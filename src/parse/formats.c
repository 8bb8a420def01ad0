/* formats: the table of formats, and the search in it.
 *
 * Most examples show the heap of one process as printed by every tool that runs on current Linux.
 * The examples for SUSE and Android follow the format of those tools. */
#include "parse/formats.h"

#include <stdio.h>

#define OF_SMAPS "size, rss, pss, private, swap, flags, offset, names"

static const pm_form formats[] = {
    {PM_DIALECT_SMAPS, NULL, "Linux: /proc/PID/smaps", OF_SMAPS, "Private_Dirty:         8 kB"},
    {PM_DIALECT_PMAP_XX, NULL, "procps 3.3.7 or later: pmap -XX", OF_SMAPS,
     "        39b3b000 rw-p  00000000  00:00        0      136              4           4    8    "
     "8 "
     "        8            0            0             0             8          8         8   0     "
     "   0             0              0             0              0               0    0       0  "
     "    0           0    rd wr mr mw me ac [heap]"},
    {PM_DIALECT_PMAP_XX, NULL, "procps 3.3.7 or later: pmap -c, -C FILE", "the columns asked for",
     "        39b3b000 rw-p  00000000        0      136    8    8    0    rd wr mr mw me ac "
     "[heap]"},
    {PM_DIALECT_PMAP_X, NULL, "procps 3.3.7 or later: pmap -X",
     "size, rss, pss, swap, offset, names",
     "        39b3b000 rw-p  00000000  00:00        0      136    8    8         8          8      "
     "   8   0        0              0             0              0               0    0       0   "
     "   0           0 [heap]"},
    {PM_DIALECT_SUSE, "A s r p d w P5 N", "openSUSE: pmap", "size, rss, pss, dirty, swap, names",
     "0000000039b3b000     136       8       8       8       0 rw-p-   [ anon ]"},
    {PM_DIALECT_SUSE, "A sK rK pK dK wK P4 [o D] N", "SLES 11 and 12: pmap",
     "size, rss, pss, dirty, swap, names",
     "0000000039b3b000    136K      8K      8K      8K      0K rw-p [heap]"},
    {PM_DIALECT_SUSE, "total s r p d w", NULL, NULL, NULL},
    {PM_DIALECT_SUSE, "Total: sK rK pK dK wK", NULL, NULL, NULL},
    {PM_DIALECT_TOYBOX_X, "A s p v w P5 N", "toybox, Android: pmap -x",
     "size, pss, private dirty, swap, names",
     "0000000039b3b000     136       8       8       0 rw---   [heap]"},
    {PM_DIALECT_TOYBOX_X, "total s p v w", NULL, NULL, NULL},
    {PM_DIALECT_BUSYBOX_X, "A s p v w P4 N", "busybox: pmap -x",
     "size, pss, private dirty, swap, names",
     "0000000039b3b000     136       8       8       0  rw-p  [heap]"},
    {PM_DIALECT_PMAP_SMALL_X, "A s r d P5 N", "procps 3.3.7 or later: pmap -x",
     "size, rss, dirty, names", "0000000039b3b000     136       8       8 rw---   [ anon ]"},
    {PM_DIALECT_PMAP_SMALL_X, "A s r d P5 N", "RHEL 5 and 6, procps 3.3.2 to 3.3.6: pmap -x",
     "size, rss, dirty, names", "0000000039b3b000     136       8       8 rw---    [ anon ]"},
    {PM_DIALECT_PMAP_SMALL_X, "A s - - - P5 N", "procps 3.2.0 to 3.3.1: pmap -x", "size, names",
     "0000000039b3b000     136       -       -       - rw---    [ anon ]"},
    /* printed by -x -A of procps 3.3.2 to 3.3.14 for rows outside the range */
    {PM_DIALECT_PMAP_SMALL_X, "A 0 r d P4 N", NULL, NULL, NULL},
    {PM_DIALECT_PMAP_SMALL_X, "total s r d", "pmap -x PID | tail -1", "size, rss",
     "total kB         17831808    3488    2340"},
    {PM_DIALECT_PMAP_SMALL_X, "total s - - -", NULL, NULL, NULL}, /* procps 3.2 */
    {PM_DIALECT_PMAP_D, "A s P5 o D N", "procps: pmap -d", "size, offset, names",
     "0000000039b3b000     136 rw--- 0000000000000000 000:00000   [ anon ]"},
    {PM_DIALECT_PMAP_D, "mapped: sK xK xK", "pmap -d PID | tail -1", "size",
     "mapped: 17831808K    writeable/private: 16781968K    shared: 124K"},
    {PM_DIALECT_PMAP, "A sK P5 N", "procps: pmap", "size, names",
     "0000000039b3b000    136K rw---   [ anon ]"},
    {PM_DIALECT_PMAP, "A sK P5 N", "openSUSE: pmap -x", "size, names",
     "0000000039b3b000    136K rw-p-   [ anon ]"},
    {PM_DIALECT_PMAP, "total sK", "pmap PID | tail -1", "size", " total         17831808K"},
    /* The rows of toybox differ from the rows of pmap only in the names; block.c distinguishes
     * them. */
    {PM_DIALECT_TOYBOX, "A sK P5 N", "toybox, Android: pmap", "size, names",
     "0000000039b3b000    136K rw---   [heap]"},
    {PM_DIALECT_BUSYBOX, "A sK P4 N", "busybox: pmap", "size, names",
     "0000000039b3b000     136K rw-p  [heap]"},
    {PM_DIALECT_BUSYBOX, "mapped: sK", NULL, NULL, NULL},
    {PM_DIALECT_MAPS, NULL, "Linux: /proc/PID/maps", "size, offset, names",
     "39b3b000-39b5d000 rw-p 00000000 00:00 0                                  [heap]"},
    {PM_DIALECT_MAPS, NULL, "Linux, 32 bit: /proc/PID/maps", "size, offset, names",
     "ff9cb000-ff9ec000 rw-p 00000000 00:00 0          [stack]"},
    {PM_DIALECT_MAPS, NULL, "Android: /proc/PID/maps", "size, offset, names",
     "12c00000-32c00000 rw-p 00000000 00:00 0                                  "
     "[anon:dalvik-main space]"},
    {PM_DIALECT_MAPS, NULL, "Java: Dynamic libraries in hs_err_pidN.log", "size, offset, names",
     "7f0134251000-7f0134fa4000 r-xp 00251000 fe:00 318057                     "
     "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"},
    {PM_DIALECT_ROLLUP, NULL, "Linux 4.14 or later: /proc/PID/smaps_rollup",
     "rss, pss, private, swap",
     "00400000-7fff4c42a000 ---p 00000000 00:00 0                              [rollup]"},
    {PM_DIALECT_COUNT, "A s x x - P5 N", PM_SOLARIS, NULL, NULL},
    {PM_DIALECT_COUNT, "A s x - - P5 N", PM_SOLARIS, NULL, NULL},
};

/* The output of other tools: the line of the example, or any line that contains all of `words` and
 * not `without`. */
static const struct {
    pm_refused shown;
    const char *words[4], *without, *whose;
} foreign[] = {
    {{"pmap of Solaris or illumos",
      "         Address     Kbytes        RSS       Anon     Locked Mode   Mapped File"},
     {"Address", "Kbytes", "Mapped File"},
     NULL,
     PM_SOLARIS},
    {{"procstat -v of FreeBSD",
      "  PID              START                END PRT    RES PRES REF SHD FLAG  TP PATH"},
     {"PID", "START", "END", "PRT"},
     NULL,
     "procstat -v of FreeBSD, not a map of Linux"},
    {{"vmmap of macOS",
      "REGION TYPE                    START - END         [ VSIZE  RSDNT  DIRTY   SWAP] PRT/MAX "
      "SHRMOD PURGE    REGION DETAIL"},
     {"REGION TYPE", "START", "END"},
     NULL,
     "vmmap of macOS, not a map of Linux"},
    {{"gdb's info proc mappings",
      "          Start Addr           End Addr       Size     Offset  Perms  objfile"},
     {"Start Addr", "End Addr", "Size"},
     NULL,
     "gdb's info proc mappings: sizes of mappings, nothing of what is resident; capture smaps"},
    {{"lsof", "COMMAND   PID USER   FD   TYPE DEVICE SIZE/OFF    NODE NAME"},
     {"COMMAND", "PID", "FD", "NODE"},
     NULL,
     "lsof: open files, no memory map"},
    {{"psutil's pmap.py", "Address                 RSS  Mode    Mapping"},
     {"Address", "RSS", "Mode", "Mapping"},
     "Kbytes",
     PM_PSUTIL},
    {{"a JVM's own counts (NMT)", "Native Memory Tracking:"},
     {"Native Memory Tracking:"},
     NULL,
     "a JVM's own counts (NMT), no map: import takes the names of ranges from them"},
    {{"smem", "  PID User     Command                         Swap      USS      PSS      RSS"},
     {"PID", "User", "USS", "PSS"},
     NULL,
     "smem: sums of processes, no memory map"},
};

#define N_FORMATS (sizeof formats / sizeof *formats)

/* True if the numbers of a pattern from p on match v; *end is after these numbers. */
static bool has_numbers(const char *p, const pm_numbers *v, const char **end)
{
    int n = 0, dashes = 0;

    for (; *p && *p != 'P'; p++) {
        if (*p == ' ')
            continue;
        if (*p == '-') {
            dashes++;
            continue;
        }
        if (n == v->n || (*p == '0' && v->v[n]) || (p[1] == 'K') != v->k)
            return false;
        p += v->k;
        n++;
    }
    *end = p;
    return n == v->n && dashes == v->dashes;
}

const pm_form *pm_form_of_row(const pm_numbers *v, size_t perms)
{
    for (const pm_form *f = formats; f < formats + N_FORMATS; f++) {
        const char *mode;

        if (f->pattern && *f->pattern == 'A' && has_numbers(f->pattern + 1, v, &mode) &&
            (size_t)(mode[1] - '0') == perms)
            return f;
    }
    return NULL;
}

const pm_form *pm_form_of_sums(const pm_numbers *v, bool colon)
{
    for (const pm_form *f = formats; f < formats + N_FORMATS; f++) {
        const char *numbers = f->pattern && *f->pattern != 'A' ? strchr(f->pattern, ' ') : NULL;
        const char *end;

        /* toybox and busybox print the same four numbers; only one of them prints a colon */
        if (numbers && has_numbers(numbers, v, &end) &&
            ((numbers[-1] == ':') == colon || v->n == 4))
            return f;
    }
    return NULL;
}

static enum pm_field field_of(char letter)
{
    static const struct {
        char letter;
        enum pm_field field;
    } letters[] = {{'s', PM_SIZE},  {'0', PM_SIZE},          {'r', PM_RSS}, {'p', PM_PSS},
                   {'d', PM_DIRTY}, {'v', PM_PRIVATE_DIRTY}, {'w', PM_SWAP}};

    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return letters[i].field;
    return PM_NO_COLUMN;
}

void pm_form_fields(const pm_form *f, enum pm_field field[PM_NUMBERS_MAX])
{
    const char *p = strchr(f->pattern, ' ');

    for (int i = 0; i < PM_NUMBERS_MAX; i++)
        field[i] = PM_NO_COLUMN;
    for (int i = 0; *p && *p != 'P' && i < PM_NUMBERS_MAX; p++)
        if (*p != ' ' && *p != 'K' && *p != '-')
            field[i++] = field_of(*p);
}

/* Skips lines without an example, which only the reader uses. */
const pm_form *pm_form_at(size_t i)
{
    for (const pm_form *f = formats; f < formats + N_FORMATS; f++)
        if (f->example && !i--)
            return f;
    return NULL;
}

const pm_refused *pm_form_refused(size_t i)
{
    return i < sizeof foreign / sizeof *foreign ? &foreign[i].shown : NULL;
}

static bool holds(pm_text line, const char *words)
{
    return memmem(line.data, line.len, words, strlen(words)) != NULL;
}

const char *pm_form_foreign(pm_text line)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        bool all = !foreign[i].without || !holds(line, foreign[i].without);

        for (int k = 0; k < 4 && foreign[i].words[k] && all; k++)
            all = holds(line, foreign[i].words[k]);
        if (all)
            return foreign[i].whose;
    }
    return NULL;
}

pmapdb_status pm_form_find(const char *name, pm_dialect *out, pmapdb_error *err)
{
    char names[256];
    size_t n = 0;
    pm_dialect found = name ? pm_dialect_find(pm_text_of(name)) : PM_DIALECT_COUNT;

    if (name && found == PM_DIALECT_COUNT) {
        for (int i = 0; i < PM_DIALECT_COUNT && n < sizeof names; i++)
            n += (size_t)snprintf(names + n, sizeof names - n, " %s",
                                  pm_dialect_name((pm_dialect)i));
        return pm_fail(err, PMAPDB_USAGE, "no dialect '%s'; there are:%s", name, names);
    }
    *out = found;
    return PMAPDB_OK;
}
