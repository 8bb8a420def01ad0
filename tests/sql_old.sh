#!/bin/sh
# Schema, queries and scripts must run in the sqlite3 of RHEL 9 (3.34), and views without this program: what
# is newer, and functions that SQLite does not have, are refused.
#     sh tests/sql_old.sh ROOT
set -eu

cd "${1:?usage: sql_old.sh ROOT}"
failed=0

# FILE:LINE:TEXT without comments
code=$(awk '{ sub(/--.*/, "") } length { print FILENAME ":" FNR ":" $0 }' schema/*.sql queries/*.sql src/store/*/*.sql)

refuse() { # since, extended regular expression
    if printf '%s\n' "$code" | grep -iE "$2"; then
        echo "^ needs SQLite $1"
        failed=1
    fi
}

refuse 3.35 '\b(RETURNING|MATERIALIZED)\b|DROP[[:space:]]+COLUMN'
refuse 3.35 '\b(a?(cos|sin|tan)h?|atan2|ceil|ceiling|degrees|exp|floor|ln|log|log2|log10|mod|pi|power|pow|radians|sign|sqrt|trunc)\('
refuse 3.37 '\)[[:space:]]*STRICT\b|,[[:space:]]*STRICT\b'
refuse 3.38 '\b(format|unixepoch)\(|->|'"'auto'"
refuse 3.39 '\b(FULL|RIGHT)([[:space:]]+OUTER)?[[:space:]]+JOIN\b|\bDISTINCT[[:space:]]+FROM\b'
# HAVING wants its GROUP BY in the line or in one of the four before it, of the same statement.
if printf '%s\n' "$code" | awk -F: '
    { text = toupper($3) }
    $1 != file { file = $1; grouped = -9 }
    text ~ /(^|[ (])GROUP +BY / { grouped = $2 }
    text ~ /(^|[ )])HAVING / && $2 - grouped > 4 { print; found = 1 }
    END { exit !found }'; then
    echo "^ needs SQLite 3.39"
    failed=1
fi
refuse 3.41 '\bunhex\('
refuse 3.42 "'subsec"
refuse 3.43 '\b(octet_length|timediff)\('
refuse 3.44 '\b(avg|count|group_concat|max|min|string_agg|sum|total)\([^()]*ORDER[[:space:]]+BY|\b(concat|concat_ws|string_agg)\('
refuse 3.46 '[0-9]_[0-9]{3}'
refuse 3.48 '\bif\('

# Functions in the schema: only these, all of SQLite itself.
known='^(abs|coalesce|count|first_value|ifnull|iif|instr|lag|last_value|lead|length|lower|ltrim|max|min|nullif|printf|replace|round|row_number|rtrim|strftime|substr|sum|total|trim|upper)$'
unknown=$(printf '%s\n' "$code" | sed -n 's|^schema/[^:]*:||p' | grep -oE '[a-z_][a-z_0-9]*\(' | tr -d '(' | sort -u | grep -vE "$known" || true)
if [ -n "$unknown" ]; then
    echo "no function of SQLite 3.34:" $unknown
    failed=1
fi
[ $failed -eq 0 ] && echo "nothing newer than SQLite 3.34"
exit $failed
