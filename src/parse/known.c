/* known: examples of what is read and of what is refused.
 *
 * Most examples are the heap of one process through all tools that run on today's Linux; SUSE's and
 * Android's follow the form that these print. */
#include "parse/known.h"

#include <stdio.h>

#define OF_SMAPS "size, rss, pss, private, swap, flags, offset, names"

static const pm_known forms[] = {
    {PM_DIALECT_SMAPS, "Linux: /proc/PID/smaps", OF_SMAPS, "Private_Dirty:         8 kB"},
    {PM_DIALECT_PMAP_XX, "procps 3.3.7 or later: pmap -XX", OF_SMAPS,
     "        39b3b000 rw-p  00000000  00:00        0      136              4           4    8    "
     "8 "
     "        8            0            0             0             8          8         8   0     "
     "   0             0              0             0              0               0    0       0  "
     "    0           0    rd wr mr mw me ac [heap]"},
    {PM_DIALECT_PMAP_XX, "procps 3.3.7 or later: pmap -c, -C FILE", "the columns asked for",
     "        39b3b000 rw-p  00000000        0      136    8    8    0    rd wr mr mw me ac "
     "[heap]"},
    {PM_DIALECT_PMAP_X, "procps 3.3.7 or later: pmap -X", "size, rss, pss, swap, offset, names",
     "        39b3b000 rw-p  00000000  00:00        0      136    8    8         8          8      "
     "   8   0        0              0             0              0               0    0       0   "
     "   0           0 [heap]"},
    {PM_DIALECT_SUSE, "openSUSE: pmap", "size, rss, pss, dirty, swap, names",
     "0000000039b3b000     136       8       8       8       0 rw-p-   [ anon ]"},
    {PM_DIALECT_SUSE, "SLES 11 and 12: pmap", "size, rss, pss, dirty, swap, names",
     "0000000039b3b000    136K      8K      8K      8K      0K rw-p [heap]"},
    {PM_DIALECT_TOYBOX_X, "toybox, Android: pmap -x", "size, pss, private dirty, swap, names",
     "0000000039b3b000     136       8       8       0 rw---   [heap]"},
    {PM_DIALECT_BUSYBOX_X, "busybox: pmap -x", "size, pss, private dirty, swap, names",
     "0000000039b3b000     136       8       8       0  rw-p  [heap]"},
    {PM_DIALECT_PMAP_SMALL_X, "procps 3.3.7 or later: pmap -x", "size, rss, dirty, names",
     "0000000039b3b000     136       8       8 rw---   [ anon ]"},
    {PM_DIALECT_PMAP_SMALL_X, "RHEL 5 and 6, procps 3.3.2 to 3.3.6: pmap -x",
     "size, rss, dirty, names", "0000000039b3b000     136       8       8 rw---    [ anon ]"},
    {PM_DIALECT_PMAP_SMALL_X, "procps 3.2.0 to 3.3.1: pmap -x", "size, names",
     "0000000039b3b000     136       -       -       - rw---    [ anon ]"},
    {PM_DIALECT_PMAP_SMALL_X, "pmap -x PID | tail -1", "size, rss",
     "total kB         17831808    3488    2340"},
    {PM_DIALECT_PMAP_D, "procps: pmap -d", "size, offset, names",
     "0000000039b3b000     136 rw--- 0000000000000000 000:00000   [ anon ]"},
    {PM_DIALECT_PMAP_D, "pmap -d PID | tail -1", "size",
     "mapped: 17831808K    writeable/private: 16781968K    shared: 124K"},
    {PM_DIALECT_PMAP, "procps: pmap", "size, names", "0000000039b3b000    136K rw---   [ anon ]"},
    {PM_DIALECT_PMAP, "openSUSE: pmap -x", "size, names",
     "0000000039b3b000    136K rw-p-   [ anon ]"},
    {PM_DIALECT_PMAP, "pmap PID | tail -1", "size", " total         17831808K"},
    {PM_DIALECT_TOYBOX, "toybox, Android: pmap", "size, names",
     "0000000039b3b000    136K rw---   [heap]"},
    {PM_DIALECT_BUSYBOX, "busybox: pmap", "size, names", "0000000039b3b000     136K rw-p  [heap]"},
    {PM_DIALECT_MAPS, "Linux: /proc/PID/maps", "size, offset, names",
     "39b3b000-39b5d000 rw-p 00000000 00:00 0                                  [heap]"},
    {PM_DIALECT_MAPS, "Linux, 32 bit: /proc/PID/maps", "size, offset, names",
     "ff9cb000-ff9ec000 rw-p 00000000 00:00 0          [stack]"},
    {PM_DIALECT_MAPS, "Android: /proc/PID/maps", "size, offset, names",
     "12c00000-32c00000 rw-p 00000000 00:00 0                                  "
     "[anon:dalvik-main space]"},
    {PM_DIALECT_MAPS, "Java: Dynamic libraries in hs_err_pidN.log", "size, offset, names",
     "7f0134251000-7f0134fa4000 r-xp 00251000 fe:00 318057                     "
     "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"},
    {PM_DIALECT_ROLLUP, "Linux 4.14 or later: /proc/PID/smaps_rollup", "rss, pss, private, swap",
     "00400000-7fff4c42a000 ---p 00000000 00:00 0                              [rollup]"},
};

static const pm_known_other refused[] = {
    {"pmap of Solaris or illumos",
     "         Address     Kbytes        RSS       Anon     Locked Mode   Mapped File"},
    {"procstat -v of FreeBSD",
     "  PID              START                END PRT    RES PRES REF SHD FLAG  TP PATH"},
    {"vmmap of macOS",
     "REGION TYPE                    START - END         [ VSIZE  RSDNT  DIRTY   SWAP] PRT/MAX "
     "SHRMOD PURGE    REGION DETAIL"},
    {"gdb's info proc mappings",
     "          Start Addr           End Addr       Size     Offset  Perms  objfile"},
    {"lsof", "COMMAND   PID USER   FD   TYPE DEVICE SIZE/OFF    NODE NAME"},
    {"psutil's pmap.py", "Address                 RSS  Mode    Mapping"},
    {"a JVM's own counts (NMT)", "Native Memory Tracking:"},
    {"smem", "  PID User     Command                         Swap      USS      PSS      RSS"},
};

const pm_known *pm_known_form(size_t i)
{
    return i < sizeof forms / sizeof *forms ? &forms[i] : NULL;
}

const pm_known_other *pm_known_refused(size_t i)
{
    return i < sizeof refused / sizeof *refused ? &refused[i] : NULL;
}

pmapdb_status pm_known_find(const char *name, pm_dialect *out, pmapdb_error *err)
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
