# complete-bash: the function of the bash script, driven as readline does.
need bash

# Queries whose names would run a command if completion expanded them.
mkdir mine
touch 'mine/z$(touch ran).sql' 'mine/z"`touch ran`.sql'
pmapdb completion bash >pmapdb.bash
cat >drive.bash <<'BASH'
source ./pmapdb.bash
drive() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    echo "$ $*|"
    _pmapdb
    ((${#COMPREPLY[@]} == 0)) || printf '  <%s>\n' "${COMPREPLY[@]}"
}
drive pmapdb gro
drive pmapdb growth --cat
drive pmapdb --db growth growth --cat
drive pmapdb --kib growth --cat
drive pmapdb growth --from ''
drive pmapdb growth --from @1
drive pmapdb import x
drive pmapdb --que
drive pmapdb query --li
drive pmapdb '' | head -n 4
BASH
run bash drive.bash
XDG_CONFIG_HOME=$PWD/config
mkdir -p config/pmapdb
mv mine config/pmapdb/queries
export XDG_CONFIG_HOME
run bash -c '. ./pmapdb.bash; COMP_WORDS=(pmapdb z) COMP_CWORD=1; _pmapdb; printf "<%s>\n" "${COMPREPLY[@]}"'
ls ran 2>/dev/null || echo "nothing ran"
complete=$(bash -c '. ./pmapdb.bash; complete -p pmapdb')
echo "$complete"
