/* hardened_probe: as small a program as shows what the release flags do. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char name[16];

    strcpy(name, argv[argc - 1]); /* ends the program where it does not fit */
    return puts(name) < 0;
}
