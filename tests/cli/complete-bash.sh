# complete-bash: the function of the bash script, driven as readline does: words cut at = and :, the
# cursor in the middle, quotes.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need bash

pmapdb import -q samples/captures
pmap_x 4711 'my app' 64 >app.txt
pmapdb import -q --name 'my app' --at 2026-11-21T03:00:00Z app.txt
# Names that somebody made to run a command where they are completed.
for name in '"$(touch ran)' "z'$(printf '\315\270')\$(touch ran)" "$(printf 'z\315\270$(touch ran)')"; do
    pmapdb import -q --host there --name "$name" --at 2026-11-21T04:00:00Z app.txt
done
pmapdb completion bash >pmapdb.bash
cat >drive.bash <<'BASH'
source ./pmapdb.bash
compopt() { echo "compopt $*"; }
# TYPE POINT WORD...: POINT -1 is the end of the line, which is what the words give; a word that
# begins where the one before ended has + before it.
drive() {
    COMP_TYPE=$1 COMP_POINT=$2 COMP_LINE='' COMP_WORDS=() COMPREPLY=()
    shift 2
    local word
    for word; do
        if [[ $word == +* ]]; then
            word=${word#+}
        elif [[ ${#COMP_WORDS[@]} -gt 0 ]]; then
            COMP_LINE+=' '
        fi
        COMP_LINE+=$word
        COMP_WORDS+=("$word")
    done
    ((COMP_POINT >= 0)) || COMP_POINT=${#COMP_LINE}
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    echo "$ ${COMP_LINE:0:COMP_POINT}|${COMP_LINE:COMP_POINT}"
    _pmapdb
    ((${#COMPREPLY[@]} == 0)) || printf '  <%s>\n' "${COMPREPLY[@]}"
}
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
drive 9 -1 pmapdb gro
drive 9 -1 pmapdb growth --cat
drive 9 -1 pmapdb growth --from @19
drive 9 -1 pmapdb growth --from += +@19
drive 9 -1 pmapdb growth --category += +h
drive 9 -1 pmapdb growth --from '' | head -n 4
drive 9 -1 pmapdb growth --category += | head -n 3
drive 63 -1 pmapdb growth --from @1 | head -n 3
drive 9 -1 pmapdb growth my
drive 9 -1 pmapdb growth "'my app'" --to @
drive 9 -1 pmapdb growth 'my\ app' --to @
drive 9 -1 pmapdb growth "'my"
drive 9 -1 pmapdb growth '"'
drive 9 -1 pmapdb growth z
drive 9 10 pmapdb groups
drive 9 13 pmapdb growth
drive 9 -1 pmapdb --db += +no.db growth --category h
drive 9 -1 pmapdb import x
drive 9 -1 pmapdb growth --query-dir x
drive 9 -1 pmapdb query ap
COMP_WORDBREAKS=$' \t\n'
drive 9 -1 pmapdb growth --category=h
BASH
run bash drive.bash
complete=$(bash -c '. ./pmapdb.bash; complete -p pmapdb')
echo "$complete"
