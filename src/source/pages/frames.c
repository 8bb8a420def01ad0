/* frames: what the kernel says of frames of memory. */
#include "source/pages/frames.h"

#include "pages/entry.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BIT(flag) ((uint64_t)1 << (flag))

static const struct {
    uint64_t bit;
    const char *name;
} names[] = {{BIT(PM_KPF_ZERO), "zero"},           {BIT(PM_KPF_THP), "thp"},
             {BIT(PM_KPF_HUGE), "huge"},           {BIT(PM_KPF_KSM), "ksm"},
             {BIT(PM_KPF_SWAPCACHE), "swapcache"}, {BIT(PM_KPF_DIRTY), "dirty"},
             {BIT(PM_KPF_WRITEBACK), "writeback"}, {BIT(PM_KPF_UNEVICTABLE), "unevictable"},
             {BIT(PM_KPF_HWPOISON), "hwpoison"},   {BIT(PM_KPF_NOPAGE), "nopage"}};

const uint64_t pm_frames_named = BIT(PM_KPF_ZERO) | BIT(PM_KPF_THP) | BIT(PM_KPF_HUGE) |
                                 BIT(PM_KPF_KSM) | BIT(PM_KPF_SWAPCACHE) | BIT(PM_KPF_DIRTY) |
                                 BIT(PM_KPF_WRITEBACK) | BIT(PM_KPF_UNEVICTABLE) |
                                 BIT(PM_KPF_HWPOISON) | BIT(PM_KPF_NOPAGE);

int pm_frames_open(int root)
{
    return openat(root, "kpageflags", O_RDONLY | O_CLOEXEC);
}

size_t pm_frames_read(int fd, uint64_t first, size_t n, uint64_t *flags)
{
    ssize_t got;

    do
        got = pread(fd, flags, n * sizeof *flags, (off_t)(first * sizeof *flags));
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got / sizeof *flags : 0;
}

void pm_frames_text(uint64_t flags, char out[PM_FRAME_TEXT])
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].bit)
            n += (size_t)snprintf(out + n, PM_FRAME_TEXT - n, "%s%s", n ? " " : "", names[i].name);
}
