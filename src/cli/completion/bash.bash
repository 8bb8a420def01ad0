# bash completion for pmapdb: pmapdb completion bash
# Bash also cuts words at = : @. This script joins them again, and offers bash only the part after
# the cut. If bash shows a list, each candidate has its description.
_pmapdb() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then
            while [[ $word && ${rest#"${rest%%[![:blank:]]*}"} != "$word"* ]]; do
                word=${word%?}
            done
        fi
        if [[ i -gt 0 && $rest != [[:blank:]]* ]]; then
            words[${#words[@]}-1]+=$word
        else
            rest=${rest#"${rest%%[![:blank:]]*}"}
            words+=("$word")
        fi
        rest=${rest#"$word"}
    done

    local current=${words[${#words[@]}-1]} quote='' cut='' wanted='' line list=() about=()
    case $current in
    \'* | \"*)
        quote=1
        current=${current:1}
        words[${#words[@]}-1]=$current
        ;;
    esac
    [[ $COMP_WORDBREAKS == *=* && $current == *=* ]] && cut=${current%"${current##*=}"}
    [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && cut=${current%"${current##*:}"}
    for ((i = 1; i < ${#words[@]} - 1; i++)); do
        word=${words[i]} # with the quotes that the user typed
        case $word in
        \'*\' | \"*\") words[i]=${word:1:${#word}-2} ;;
        *) words[i]=${word//\\/} ;;
        esac
    done
    while IFS= read -r line; do
        if [[ $line == :* ]]; then
            wanted=$line
            continue
        fi
        word=${line%%$'\t'*}
        word=${word#"$cut"}
        # Names come from processes, and the candidates are typed into a shell. Offers inside an
        # open quote only words that need no quoting there; elsewhere, words that %q can protect.
        if [[ $quote ]]; then
            [[ $word == *[!A-Za-z0-9_./@:+,%=\ -]* ]] && continue
        else
            printf -v word %q "$word"
            [[ $word == \$\'* ]] && continue
        fi
        [[ $line == *$'\t'* ]] && about[${#list[@]}]=${line#*$'\t'}
        list+=("$word")
    done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)

    if [[ ${COMP_TYPE:-9} == 63 && ${#list[@]} -gt 1 ]]; then
        for i in "${!about[@]}"; do
            printf -v list[i] '%-16s  (%s)' "${list[i]}" "${about[i]}"
        done
    fi
    COMPREPLY=("${list[@]}")
    case $wanted in
    :dirs) compopt -o dirnames ;;
    :files)
        compopt -o default
        if ((${#list[@]})); then # otherwise bash would offer only the list
            compopt -o filenames
            while IFS= read -r word; do
                COMPREPLY+=("$word")
            done < <(compgen -f -- "$current")
        fi
        ;;
    esac 2>/dev/null
}
# newest first; bash before 4.4 sorts
complete -o nosort -F _pmapdb pmapdb 2>/dev/null || complete -F _pmapdb pmapdb
