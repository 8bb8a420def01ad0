/* touched: for each "+" on standard input, its heap grows by 2 MiB, and it answers with the same
 * byte. For "x" it executes itself again. Ends with its input.
 *
 *     touched leak       never reads older memory again
 *     touched cache      reads all of it at every step */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, PIECES = 32, MOST = 65536, PAGE = 4096 };

static char *piece[MOST];
static volatile unsigned sum;

static int grow(int n)
{
    for (int end = n + PIECES; n < end; n++) {
        piece[n] = malloc(PIECE);
        if (!piece[n])
            exit(1);
        memset(piece[n], n, PIECE);
    }
    return n;
}

int main(int argc, char **argv)
{
    int looks = argc > 1 && strcmp(argv[1], "cache") == 0;
    char order;

    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a huge page has one accessed bit for 2 MiB */
    for (int n = 0; n + PIECES < MOST && read(0, &order, 1) == 1;) {
        if (order == 'x')
            execv("/proc/self/exe", argv);
        n = grow(n);
        for (int i = 0; looks && i < n; i++)
            for (int k = 0; k < PIECE; k += PAGE)
                sum += (unsigned char)piece[i][k];
        if (write(1, &order, 1) != 1)
            return 1;
    }
    return 0;
}
