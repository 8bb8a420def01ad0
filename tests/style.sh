#!/bin/sh
# Checks the style of src: functions of at most 60 lines, files of at most 400, a first line that
# says what a file is for, no number read without base/num, no alloca.
#     sh tests/style.sh SRC
set -eu

src=${1:?usage: style.sh SRC}
list=$(find "$src" -name '*.c' | sort)
[ -n "$list" ] || {
    echo "no sources in $src"
    exit 1
}

# shellcheck disable=SC2016 # awk's own $0
find "$src" \( -name '*.c' -o -name '*.h' \) -print | sort | tr '\n' '\0' | xargs -0 awk '
    function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; failed = 1 }
    FNR == 1 {
        if ($0 !~ /^\/\* [a-z_0-9]+: /) complain("begin with /* NAME: what the file is for")
        begun = 0
    }
    FNR == 401 { complain("a file has at most 400 lines") }
    /^\{/ { begun = FNR }
    /^\}/ {
        if (begun && FNR - begun > 60) complain("a function has at most 60 lines, this one " FNR - begun)
        begun = 0
    }
    /(^|[^A-Za-z0-9_])(ato[ifl]|atoll|strto(l|ll|ul|ull|imax|umax)|v?f?s?scanf|alloca) *\(/ {
        complain("use base/num for numbers, malloc for memory")
    }
    END { if (failed) exit 1 }
'
echo "$(echo "$list" | wc -l) sources are as agreed"
