#compdef pmapdb
# zsh completion for pmapdb: pmapdb completion zsh
# Offers commands, queries and options, as --usage lists them; elsewhere files.
_pmapdb() {
    local program=${(Q)words[1]/#\~\//$HOME/} word
    local -a list
    list=(${${(M)${(f)"$($program --usage 2>/dev/null)"}:#  *}#  })
    for word in ${words[2,CURRENT-1]}; do
        if [[ $word != -* && -n ${(M)list:#${(b)word}} ]]; then
            list=(${${(M)${(f)"$($program $word --usage 2>/dev/null)"}:#  *}#  })
            break
        fi
    done
    compadd -- ${${list%%=*}:#*[^A-Za-z0-9_.-]*} || _files
}
if [[ $funcstack[1] == _pmapdb ]]; then
    _pmapdb "$@"
else
    compdef _pmapdb pmapdb
fi
