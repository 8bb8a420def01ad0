/* replay: runs a fuzz entry without a fuzzer: on every file of its corpus, and on simple changes of
 * each file, the same in every run.
 *
 *     fuzz_NAME FOLDER | FILE...
 *
 * PMAPDB_FUZZ_RUNS: number of changed inputs, shared among the files (0: unchanged files only).
 * PMAPDB_FUZZ_KEEP: file for an input that breaks something. The tested code prints nothing: any
 * output on standard output is a failure. */
#include "kit.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNS 8000
#define BYTES_MAX ((size_t)1 << 16)

static unsigned long changes, files, runs;
static int out = -1; /* the file that receives standard output */

/* The path of the current input. */
static const char *at_path;
static unsigned long at_change;
static const void *at_bytes;
static size_t at_len;

/* Where ASan and UBSan are linked: called before they end the program. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
/* Makes ASan report an abort(), and so an assert in the library. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "handle_abort=1";
}

/* Prints the path of the current input. */
void fuzz_say_where(void)
{
    const char *keep = getenv("PMAPDB_FUZZ_KEEP");
    FILE *file = keep ? fopen(keep, "we") : NULL;

    if (at_path)
        fprintf(stderr, "in %s, change %lu\n", at_path, at_change);
    if (file && fwrite(at_bytes, 1, at_len, file) == at_len)
        fprintf(stderr, "kept as %s\n", keep);
    if (file)
        fclose(file);
    at_path = NULL;
}

static void run(const unsigned char *bytes, size_t n)
{
    char *alone = fuzz_alone(bytes, n);

    at_bytes = alone;
    at_len = n;
    (void)LLVMFuzzerTestOneInput((const uint8_t *)alone, n);
    runs++;
    FUZZ_CHECK(lseek(out, 0, SEEK_END) == 0, "it prints");
    free(alone);
}

/* One of: bytes changed, a part cut out, the end cut off, a part doubled, two parts swapped. */
static size_t change(unsigned char *bytes, size_t n, uint64_t *seed)
{
    size_t at = fuzz_next(seed) % n, len = 1 + fuzz_next(seed) % (n - at < 80 ? n - at : 80);

    switch (fuzz_next(seed) % 6) {
    case 0:
        bytes[at] = (unsigned char)fuzz_next(seed);
        return n;
    case 1:
        bytes[at] ^= (unsigned char)(1U << fuzz_next(seed) % 8);
        return n;
    case 2:
        bytes[at] = (unsigned char)"0 \n-:\",\0\xff~"[fuzz_next(seed) % 10];
        return n;
    case 3:
        memmove(bytes + at, bytes + at + len, n - at - len);
        return n - len;
    case 4:
        return at;
    default:
        if (n + len > BYTES_MAX)
            return n;
        memmove(bytes + at + len, bytes + at, n - at);
        return n + len;
    }
}

static void replay_file(const char *path)
{
    static unsigned char bytes[BYTES_MAX], changed[BYTES_MAX];
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);
    FILE *file = fopen(path, "re");
    size_t n;

    FUZZ_CHECK(file, "cannot read %s", path);
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    at_path = path;
    at_change = 0;
    run(bytes, n);
    files++;
    for (at_change = 1; n && at_change <= changes; at_change++) {
        size_t len = n;

        memcpy(changed, bytes, n);
        for (uint64_t more = 1 + fuzz_next(&seed) % 3; more && len; more--)
            len = change(changed, len, &seed);
        run(changed, len);
    }
    at_path = NULL;
}

/* ---- the corpus ---- */

static int no_dots(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Replays the files in the same order in every run. */
static void replay_folder(const char *path, unsigned long wanted)
{
    struct dirent **names = NULL;
    int n = scandir(path, &names, no_dots, alphasort);

    FUZZ_CHECK(n > 0, "no files in %s", path);
    changes = (wanted + (unsigned long)n - 1) / (unsigned long)n;
    for (int i = 0; i < n; i++) {
        char file[4096];

        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        replay_file(file);
        free(names[i]);
    }
    free(names);
}

static void replay(const char *path, unsigned long wanted)
{
    struct stat info;

    FUZZ_CHECK(stat(path, &info) == 0, "no %s", path);
    changes = wanted;
    if (S_ISDIR(info.st_mode))
        replay_folder(path, wanted);
    else
        replay_file(path);
}

int main(int argc, char **argv)
{
    const char *runs_text = getenv("PMAPDB_FUZZ_RUNS");
    unsigned long wanted = runs_text ? strtoul(runs_text, NULL, 10) : RUNS;
    int terminal = dup(STDOUT_FILENO);

    out = memfd_create("stdout", MFD_CLOEXEC);
    FUZZ_CHECK(terminal >= 0 && out >= 0 && dup2(out, STDOUT_FILENO) >= 0, "no standard output");
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(fuzz_say_where);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 1; i < argc; i++)
        replay(argv[i], wanted);
    FUZZ_CHECK(dup2(terminal, STDOUT_FILENO) >= 0, "no standard output");
    printf("%lu files, %lu runs\n", files, runs);
    return files ? EXIT_SUCCESS : EXIT_FAILURE;
}
