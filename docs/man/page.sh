#!/bin/sh
# Prints a man page: the text of docs/man/PAGE, filled in with what the program and the sources say.
#     sh docs/man/page.sh PMAPDB PAGE >PAGE
# SOURCE_DATE_EPOCH sets its date (reproducible-builds.org).
set -eu

pmapdb=${1:?usage: page.sh PMAPDB PAGE}
page=${2:?usage: page.sh PMAPDB PAGE}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export XDG_CONFIG_HOME=/nonexistent # your own queries are not part of the pages
export LC_ALL=C

# Escapes all bytes that are special to roff.
escaped() {
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/'/\\\\(aq/g" -e 's/`/\\(ga/g' -e 's/\^/\\(ha/g' \
        -e 's/~/\\(ti/g' -e 's/"/\\(dq/g' -e 's/^\./\\\&./'
}

queries() {
    for file in "$root"/queries/*.sql; do
        basename "$file" .sql
    done
}

commands() {
    "$pmapdb" --help | awk '/^Commands:$/ { on = 1; next } on && !NF { exit } on { print $1 }'
}

# Prints --help as a section: the usage, the command's own options, paragraphs, and lines that begin
# with a blank unchanged. For pmapdb itself only the options that every command takes.
help_of() {
    "$pmapdb" "$@" --help | escaped | awk -v own=$# -v name="$(printf %s "$*" | escaped)" '
        function fix(on) {
            if (on != fixed)
                print on ? ".PP\n.in 0\n.nf" : ".fi\n.in"
            fixed = on
        }
        function safe(text) { return (text ~ /^\./ ? "\\&" : "") text }
        BEGIN { if (own) print ".SS " name }
        /^ Everywhere:$/ { options = 1; skip = own; next }
        !NF { if (options) skip = !own; gap = 1; next }
        skip || (!own && !options) { next }
        sub(/^(Usage:|  or:) /, "") { print (usage++ ? ".br\n" : "") $0; gap = 1; next }
        (!options || !own) && sub(/^(      |  )(\\-., )?\\-\\-/, "&") {
            sub(/^ +/, "")
            help = match($0, /  +/) ? substr($0, RSTART + RLENGTH) : ""
            print ".TP\n\\fB" (help ? substr($0, 1, RSTART - 1) : $0) "\\fP" (help ? "\n" safe(help) : "")
            option = 1
            next
        }
        option && sub(/^          +/, "") { print safe($0); next }
        {
            option = 0
            if (/^ /)
                fix(1)
            else if (fixed || gap)
                fix(0)
            if (gap && !/^ /)
                print ".PP"
            gap = 0
            print
        }
        END { fix(0) }'
}

helps_of() {
    while read -r command; do
        help_of "$command" </dev/null
    done
}

# Formats "NAME: text" and the following lines "    label:  text", in the order of a page.
categories() {
    sed -n 's/^category: *//p' "$root"/categories/*.txt | sed 's/%p$/PATH/; s/%[nrw]/NAME/' |
        while read -r category; do
            "$pmapdb" explain "$category" 2>/dev/null
        done | escaped | awk '
            /^    / {
                label = $1
                sub(/^ *[a-z]+: */, "")
                label = toupper(substr(label, 1, 1)) substr(label, 2)
                print ".PP\n\\fI" label "\\fP\n" $0
                next
            }
            {
                colon = index($0, ": ")
                name = substr($0, 1, colon - 1)
                sub(/^\\&/, "", name)
                print ".SS " name "\n\\&" substr($0, colon + 2)
            }'
}

date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
version=$("$pmapdb" --version | cut -d ' ' -f 2)
while IFS= read -r line; do
    case $line in
    @COMMANDS@) commands | while read -r c; do [ -f "$root/queries/$c.sql" ] || echo "$c"; done | helps_of ;;
    @OPTIONS@) help_of ;;
    @QUERIES@) queries | helps_of ;;
    @CATEGORIES@) categories ;;
    @SCHEMA@) cat "$root"/schema/*.sql | escaped ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$here/$page" | sed "s/@DATE@/$date/; s/@VERSION@/$version/"
