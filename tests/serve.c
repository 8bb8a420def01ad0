/* pmapdb_served: the program, begun once: forks for each command that shared/served.py or call.c
 * sends. A sanitizer takes longer to begin than most commands take.
 *
 * A command is a packet: the number of its words, the words, and the environment if it has one of
 * its own, each with a NUL after it; with it come the folder and the three standard descriptors of
 * the command. Packets come one at a time on standard input, and the answer is what waitpid says of
 * the command; or each on a connection to the socket whose path is the argument, and the answer is
 * the exit status, if the command exits. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plain_memory.h"

#define WORDS 8192

enum { FOLDER, INPUT, OUTPUT, ERRORS, DESCRIPTORS };

static char packet[1 << 20];
static char *own[WORDS + 1]; /* the environment of the server */

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);
void __gcov_exit(void) __attribute__((weak)); /* writes the counts of coverage.py */

/* ---- commands ---- */

static int run(char *text, size_t n, const int *descriptor)
{
    static char *word[WORDS + 1];
    int words = 0, argc = atoi(text);

    if (fchdir(descriptor[FOLDER]) != 0)
        return 125;
    for (int i = INPUT; i < DESCRIPTORS; i++)
        if (dup2(descriptor[i], i - INPUT) < 0)
            return 125;
    for (int i = 0; i < DESCRIPTORS; i++)
        close(descriptor[i]);
    for (char *at = text + strlen(text) + 1; at < text + n; at += strlen(at) + 1) {
        if (words == WORDS)
            return 125;
        word[words++] = at;
    }
    if (words > argc) {
        environ = memcpy(own, word + argc, sizeof *own * (size_t)(words - argc));
        word[argc] = NULL;
    }
    return __real_main(argc, word);
}

static ssize_t receive(int socket, int *descriptor)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec part = {packet, sizeof packet - 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

    if (n > 0) {
        packet[n] = '\0';
        memcpy(descriptor, CMSG_DATA(&control.header), sizeof(int) * DESCRIPTORS);
    }
    return n;
}

/* The last handler of exit. It ends the command before the sanitizer takes down its tables, which
 * takes longer than many commands. A client that waits on a connection gets the status. */
static void leave(int status, void *connection)
{
    fflush(NULL);
    if (__gcov_exit)
        __gcov_exit();
    status &= 0xff;
    if (connection)
        send(*(int *)connection, &status, sizeof status, MSG_NOSIGNAL);
    _exit(status);
}

static bool serve(void)
{
    int descriptor[DESCRIPTORS], status;
    ssize_t n = receive(STDIN_FILENO, descriptor);
    pid_t child;

    if (n <= 0)
        return false;
    child = fork();
    if (child == 0) {
        on_exit(leave, NULL);
        exit(run(packet, (size_t)n, descriptor));
    }
    for (int i = 0; i < DESCRIPTORS; i++)
        close(descriptor[i]);
    return child > 0 && waitpid(child, &status, 0) == child &&
           send(STDIN_FILENO, &status, sizeof status, 0) > 0;
}

/* ---- any number at a time ---- */

static void answer(int connection)
{
    int descriptor[DESCRIPTORS];
    ssize_t n = receive(connection, descriptor);

    prctl(PR_SET_NAME, "pmapdb");
    on_exit(leave, &connection);
    exit(n > 0 ? run(packet, (size_t)n, descriptor) : 125);
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), connection;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listening, 64) != 0)
        return 125;
    while ((connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        if (fork() == 0)
            answer(connection);
        close(connection);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    return 125;
}

int __wrap_main(int argc, char **argv)
{
    plain_memory();
    if (argc > 1)
        return listen_at(argv[1]);
    while (serve())
        ;
    return 0;
}
