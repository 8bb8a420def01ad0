/* frames: what the kernel says of frames of memory: /proc/kpageflags. It takes
 * CAP_DAC_READ_SEARCH. */
#ifndef PM_SOURCE_FRAMES_H
#define PM_SOURCE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a handle, -1 if this user may not read it. root: a handle on /proc, or on a copy. */
int pm_frames_open(int root);

/* Reads the flags (PM_KPF_...) of n frames. Returns how many there are: fewer at the end of memory.
 */
size_t pm_frames_read(int fd, uint64_t first, size_t n, uint64_t *flags);

/* Writes the names of flags that tell what a page is, separated by blanks. */
#define PM_FRAME_TEXT 96
void pm_frames_text(uint64_t flags, char out[PM_FRAME_TEXT]);
/* These flags; others change from moment to moment. */
extern const uint64_t pm_frames_named;

#endif
