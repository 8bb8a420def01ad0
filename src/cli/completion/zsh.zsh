#compdef pmapdb
# zsh completion for pmapdb: pmapdb completion zsh
_pmapdb() {
    local program=${(Q)words[1]/#\~\//$HOME/} line word ret=1
    local -a list
    for line in ${(f)"$($program __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)"}; do
        case $line in
        :files | :dirs)
            compset -P '--*='
            if [[ $line == :dirs ]]; then _files -/ && ret=0; else _files && ret=0; fi
            ;;
        *)
            word=${line%%$'\t'*}
            word=${word//\\/\\\\}
            word=${word//:/\\:}
            [[ $line == *$'\t'* ]] && word+=:${line#*$'\t'}
            list+=("$word")
            ;;
        esac
    done
    (( $#list )) && _describe -V pmapdb list && ret=0
    return ret
}
if [[ $funcstack[1] == _pmapdb ]]; then
    _pmapdb "$@"
else
    compdef _pmapdb pmapdb
fi
