/* hardened_probe: the smallest program that shows the effect of the release flags. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char name[16];

    strcpy(name, argv[argc - 1]); /* ends the program if the name does not fit */
    return puts(name) < 0;
}
