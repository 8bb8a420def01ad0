#!/bin/sh
# No other program is run but a pager on a terminal, the command of pmapdb run, and those of the
# configuration that tell a label; and nothing is loaded but libarchive, libsmartcols, cairo and
# libcurl: neither the sources nor what was built of them names a function that would; and of
# libarchive nothing that unpacks by running a program.
#     sh tests/no_shell.sh SRC [BUILT...]
set -eu

src=${1:?usage: no_shell.sh SRC [BUILT...]}
shift
runs='system|popen|execl|execle|execlp|execv|execve|execvp|execvpe|execveat|fexecve|posix_spawn|posix_spawnp|wordexp'
failed=0
complain() {
    echo "$1"
    failed=1
}

found=$(grep -rnE "(^|[^A-Za-z0-9_\"])($runs|dlmopen) *\(|SYS_exec|__NR_exec" "$src" --include='*.[ch]' |
    grep -vE "^$src/cli/(output_file|commands/run_command|options/labels)\.c:") || :
[ -z "$found" ] || complain "runs another program:
$found"
found=$(grep -rnE '(^|[^A-Za-z0-9_])dlopen *\(' "$src" --include='*.[ch]' | grep -vE "^$src/base/library\.h:") || :
[ -z "$found" ] || complain "loads a library:
$found"
# Libraries are loaded by their names alone: the system knows the paths.
found=$(grep -rnE 'pm_library_load\(' "$src" --include='*.c' | grep -vE 'pm_library_load\((LIBRARY|CAIRO|CURL_LIBRARY|SMARTCOLS),') || :
[ -z "$found" ] || complain "loads something else:
$found"
found=$(grep -rnE 'archive_read_support_(filter_(all|program|program_signature|lrzip|lzop|grzip|uu|rpm|compress)|format_all|format_gnutar|compression)|archive_write_add_filter_program' \
    "$src" --include='*.[ch]') || :
[ -z "$found" ] || complain "a filter that may run a program:
$found"
found=$(grep -rnE 'sqlite3_(enable_load_extension|load_extension)|SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION[^,]*, *1' "$src" \
    --include='*.[ch]') || :
[ -z "$found" ] || complain "lets SQL load a library:
$found"

for built in "$@"; do
    command -v nm >/dev/null 2>&1 || {
        echo "no nm here: what was built is not looked at"
        break
    }
    [ -f "$built" ] || complain "no $built"
    # A sanitizer's own are in it, not imported.
    found=$(nm -D --undefined-only "$built" 2>/dev/null | sed 's/.* //; s/@.*//' | grep -xE "$runs|dlmopen") || :
    case $built in */pmapdb) found=$(echo "$found" | grep -vxE 'posix_spawnp|popen') || : ;; esac
    [ -z "$found" ] || complain "$built imports: $found"
done
[ $failed -eq 0 ] || exit 1
echo "$(find "$src" -name '*.[ch]' | wc -l) sources and $# built files run nothing"
