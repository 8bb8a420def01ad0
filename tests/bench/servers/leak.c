/* A program that works with memory of bounded size and loses 100 KiB a second; each second it
 * prints the KiB that it lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    static char *working[1000];
    unsigned long lost = 0;

    for (int beat = 0;; beat++) {
        for (int i = 0; i < 100; i++) {
            char **slot = &working[rand() % 1000];
            char *one = malloc(1024);
            if (!one)
                return 1;
            memset(one, beat, 1024);
            free(*slot);
            *slot = malloc((size_t)rand() % 8000 + 1);
            if (*slot)
                memset(*slot, beat, 1);
            lost++;
        }
        printf("{\"used\": %lu}\n", lost * 1024);
        fflush(stdout);
        sleep(1);
    }
}
