/* pmapdb_served: the program, begun once: forks for each command that shared/served.py sends. A
 * sanitizer takes longer to begin than most commands take.
 *
 * A command is a packet on standard input: its words, each with a NUL after it; with it come the
 * folder and the three standard descriptors of the command. The answer is what waitpid says of the
 * command. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plain_memory.h"

#define WORDS 8192

enum { FOLDER, INPUT, OUTPUT, ERRORS, DESCRIPTORS };

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* ---- commands ---- */

static int run(char *text, size_t n, const int *descriptor)
{
    static char *word[WORDS + 1];
    int words = 0;

    if (fchdir(descriptor[FOLDER]) != 0)
        return 125;
    for (int i = INPUT; i < DESCRIPTORS; i++)
        if (dup2(descriptor[i], i - INPUT) < 0)
            return 125;
    for (int i = 0; i < DESCRIPTORS; i++)
        close(descriptor[i]);
    for (char *at = text; at < text + n; at += strlen(at) + 1) {
        if (words == WORDS)
            return 125;
        word[words++] = at;
    }
    return __real_main(words, word);
}

static bool serve(void)
{
    static char text[1 << 20];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec part = {text, sizeof text - 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(STDIN_FILENO, &message, MSG_CMSG_CLOEXEC);
    int descriptor[DESCRIPTORS], status;
    pid_t child;

    if (n <= 0)
        return false;
    text[n] = '\0';
    memcpy(descriptor, CMSG_DATA(&control.header), sizeof descriptor);
    child = fork();
    if (child == 0)
        exit(run(text, (size_t)n, descriptor));
    for (int i = 0; i < DESCRIPTORS; i++)
        close(descriptor[i]);
    return child > 0 && waitpid(child, &status, 0) == child &&
           send(STDIN_FILENO, &status, sizeof status, 0) > 0;
}

int __wrap_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    plain_memory();
    while (serve())
        ;
    return 0;
}
