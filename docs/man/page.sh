#!/bin/sh
# Writes all manual pages into a folder: one page for each command, from its --help, and each page of
# docs/man, filled in with the text of the program and the sources.
#     sh docs/man/page.sh PMAPDB FOLDER
# SOURCE_DATE_EPOCH sets the date of the pages (reproducible-builds.org).
set -eu

usage="usage: page.sh PMAPDB FOLDER"
pmapdb=${1:?$usage}
out=${2:?$usage}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export XDG_CONFIG_HOME=/nonexistent # your own queries are not part of the pages
export LC_ALL=C

# Escapes all bytes that are special to roff.
escaped() {
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/'/\\\\(aq/g" -e 's/`/\\(ga/g' -e 's/\^/\\(ha/g' \
        -e 's/~/\\(ti/g' -e 's/"/\\(dq/g' -e 's/^\./\\\&./'
}

# Writes the help of each command and query into NAME.help; prints "NAME<TAB>what it does" for each.
commands() {
    help=$("$pmapdb" --help)
    "$pmapdb" --usage | sed -n 's/^  \([a-z][a-z-]*\)$/\1/p' | while read -r name; do
        "$pmapdb" help "$name" </dev/null >"$out/$name.help"
        about=$(printf '%s\n' "$help" | sed -n "s/^  $name  *//p")
        [ -n "$about" ] || about=$(sed -n '/^Usage:/!{ /^  or:/!{ s/\.$//; p; q; }; }' "$out/$name.help")
        printf '%s\t%s\n' "$name" "$about"
    done
}

# Formats the help on standard input: options as a list, lines that begin with a blank unchanged, other lines
# as paragraphs.
help_of() {
    escaped | awk '
        function fix(on) {
            if (on != fixed)
                print on ? ".PP\n.in +2\n.nf" : ".fi\n.in"
            fixed = on
        }
        function head(name) { fix(0); print ".SH " name; gap = 0 }
        function safe(text) { return (text ~ /^\./ ? "\\&" : "") text }
        !NF { gap = 1; next }
        sub(/^(Usage:|  or:) /, "") {
            if (!usage++) head("SYNOPSIS")
            else print ".br"
            print
            next
        }
        usage && !described++ { head("DESCRIPTION") }
        sub(/^(      |  )(\\-., )?\\-\\-/, "&") {
            if (usage && !options++) head("OPTIONS")
            sub(/^ +/, "")
            help = match($0, /  +/) ? substr($0, RSTART + RLENGTH) : ""
            print ".TP\n\\fB" (help ? substr($0, 1, RSTART - 1) : $0) "\\fP" (help ? "\n" safe(help) : "")
            option = 1
            next
        }
        option && sub(/^          +/, "") { print safe($0); next }
        /^(Columns|Examples):$/ { sub(/:/, ""); head(toupper($0)); option = 0; next }
        sub(/^Exit status: /, "") { head("EXIT STATUS"); option = 0 }
        {
            if (option && !/^ /)
                head("NOTES")
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

# Prints the page of a command.
command_page() {
    printf '.TH PMAPDB-%s 1 @DATE@ "pmapdb @VERSION@" "pmapdb"\n.SH NAME\npmapdb\\-%s \\- %s\n' \
        "$(printf %s "$1" | tr a-z A-Z)" "$(printf %s "$1" | escaped)" "$(printf %s "$2" | escaped)"
    help_of <"$out/$1.help"
    printf '.SH SEE ALSO\n\\fBpmapdb\\fP(1) has the options that every command takes.\n'
}

# Formats the lines of commands() as a list.
listed() {
    escaped | awk -F '\t' '{ print ".TP\n\\fBpmapdb\\-" $1 "\\fP(1)\n" $2 }'
}

# Formats what explain says of each category.
categories() {
    "$pmapdb" explain -f csv | sed '1d; s/""/\n/g; s/^"//; s/",*$//; s/","/\t/g; s/\n/"/g' | escaped | awk -F '\t' '
        {
            sub(/^\\&/, "", $1)
            print ".SS " $1 "\n\\&" $2
            split("Known: Growth: Next: More:", label, " ")
            for (i = 3; i <= NF; i++)
                print ".PP\n\\fI" label[i - 2] "\\fP\n" $i
        }'
}

page() {
    while IFS= read -r line; do
        case $line in
        @COMMANDS@) listed <"$out/commands" ;;
        @OPTIONS@) "$pmapdb" help options | help_of ;;
        @CATEGORIES@) categories ;;
        @SCHEMA@) cat "$root"/schema/*.sql "$root"/src/store/push/push-tables.sql | escaped ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}

date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
version=$("$pmapdb" --version | cut -d ' ' -f 2)
dated() {
    sed "s/@DATE@/$date/; s/@VERSION@/$version/"
}

mkdir -p "$out"
rm -f "$out"/pmapdb*.[17]
commands >"$out/commands"
while IFS='	' read -r name about; do
    command_page "$name" "$about" | dated >"$out/pmapdb-$name.1"
done <"$out/commands"
for file in "$here"/pmapdb*.[17]; do
    page <"$file" | dated >"$out/${file##*/}"
done
rm "$out/commands" "$out"/*.help
