/* pmapdb_call: runs as `pmapdb` in the golden tests of the command line. It lets pmapdb_served
 * (serve.c) run the command with the caller's words, environment, folder and standard descriptors,
 * and ends with the status of the command. The program itself, which also looks for leaks, is begun
 * for the first run of each command in a test, on a terminal, and where no server answers. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

enum { DIED = 99 }; /* the exit status after a signal or a sanitizer's report */

static char packet[128 << 10];
static size_t length;

/* True if this test has run the command before. */
static bool began_before(const char *scratch, const char *command)
{
    char path[512];
    int fd;

    if (strchr(command, '/'))
        return false;
    snprintf(path, sizeof path, "%s/began-%s", scratch, command);
    fd = open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static bool add(const char *text)
{
    size_t n = strlen(text) + 1;

    if (n > sizeof packet - length)
        return false;
    memcpy(packet + length, text, n);
    length += n;
    return true;
}

static bool pack(int argc, char **argv)
{
    bool fits = true;

    length = (size_t)snprintf(packet, sizeof packet, "%d", argc) + 1;
    for (; fits && *argv; argv++)
        fits = add(*argv);
    for (char **e = environ; fits && *e; e++)
        fits = add(*e);
    return fits;
}

/* Returns the socket of the server after the server has the command, or -1. */
static int call(const char *path)
{
    int fds[] = {open(".", O_PATH | O_CLOEXEC), STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof fds)];
    } control = {.header = {CMSG_LEN(sizeof fds), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec part = {packet, length};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    memcpy(CMSG_DATA(&control.header), fds, sizeof fds);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
        return -1;
    return fd;
}

int main(int argc, char **argv)
{
    const char *scratch = getenv("PMAPDB_SCRATCH"), *program = getenv("PMAPDB_PROGRAM");
    bool on_terminal = isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO);
    char path[512], end;
    int status, fd = -1;

    if (!scratch || !program)
        return DIED;
    snprintf(path, sizeof path, "%s/served", scratch);
    if (!on_terminal && began_before(scratch, argc > 1 ? argv[1] : "") && pack(argc, argv))
        fd = call(path);
    if (fd < 0) {
        execv(program, argv);
        return DIED;
    }
    if (recv(fd, &status, sizeof status, 0) != sizeof status)
        status = DIED;
    recv(fd, &end, 1, 0); /* returns 0 after the command has ended */
    return status;
}
