/* family: processes that share pages in every way, for pages.py. family N FILE: a parent with N
 * children, named even and odd by turns. Each child prints "+". Ends with its standard input. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define CHILDREN_MAX 64

static char *map(size_t size, int flags, int fd)
{
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

    if (p == MAP_FAILED)
        exit(2);
    return p;
}

/* Maps a file in a tmpfs. The file has no name when this returns. */
static char *tmpfs_file(size_t size)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/dev/shm/family-%d", (int)getpid());
    fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    unlink(path);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        exit(2);
    return map(size, MAP_SHARED, fd);
}

static char *segment(size_t size)
{
    int id = shmget(IPC_PRIVATE, size, 0600);
    char *p = id < 0 ? (char *)-1 : shmat(id, NULL, 0);

    if (p == (char *)-1)
        exit(2);
    shmctl(id, IPC_RMID, NULL);
    return p;
}

static void wait_here(void)
{
    if (write(1, "+", 1) == 1)
        for (;;)
            pause();
}

static void live(int i, char *forked, char *shared)
{
    char *own = map(MIB / 2, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, i % 2 ? "odd" : "even");
    memset(own, i, MIB / 2);
    memset(forked, i, MIB / 4);
    memset(shared + (size_t)i * 65536, i, 65536); /* only this child's piece */
    wait_here();
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4, memory;
    char *forked = map(4 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    char *shared = map(8 * MIB, MAP_SHARED | MAP_ANONYMOUS, -1), *huge, *zero, *guard, *file;
    pid_t child[CHILDREN_MAX];
    char end, name[32]; /* another test may have a family at the same time */

    snprintf(name, sizeof name, "family-%d", (int)getpid());
    memory = memfd_create(name, 0);
    if (n > CHILDREN_MAX || memory < 0 || ftruncate(memory, (off_t)MIB) != 0)
        return 2;
    memset(forked, 1, 4 * MIB);
    memset(shared, 1, 2 * MIB);
    memset(segment(MIB), 1, MIB / 2);
    memset(map(MIB, MAP_SHARED, memory), 1, MIB / 4);
    memset(tmpfs_file(MIB), 1, MIB / 8);
    huge = map(6 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    madvise(huge, 6 * MIB, MADV_HUGEPAGE);
    memset(huge, 1, 6 * MIB);
    zero = map(MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (size_t i = 0; i < MIB; i += 4096) /* read only, so that the zero page is mapped */
        if (((volatile char *)zero)[i])
            return 2;
    guard = map(MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(guard, 1, MIB);
    madvise(guard, MIB / 2, 102 /* MADV_GUARD_INSTALL */);
    mprotect(guard + MIB / 2, MIB / 4, PROT_NONE);
    map((size_t)1 << 36, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)[(size_t)1 << 35] = 1;
    file = map(MIB, MAP_PRIVATE, open(argv[2], O_RDWR));
    file[0] = 1; /* the page is copied */
    end = file[8192];
    for (int i = 0; i < n; i++) {
        child[i] = fork();
        if (child[i] == 0)
            live(i, forked, shared);
    }
    puts("");
    fflush(stdout);
    while (read(0, &end, 1) > 0)
        continue;
    for (int i = 0; i < n; i++)
        kill(child[i], SIGKILL);
    while (wait(NULL) > 0)
        continue;
    return 0;
}
