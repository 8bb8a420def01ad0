# bash completion for pmapdb: pmapdb completion bash
# Offers commands, queries and options, as --usage lists them; elsewhere files.
_pmapdb() {
    local program=${COMP_WORDS[0]/#\~/$HOME} current=${COMP_WORDS[COMP_CWORD]} command='' word words
    words=$("$program" --usage 2>/dev/null)
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word != -* && $words == *$'\n  '"$word"$'\n'* ]]; then
            command=$word
            words=$("$program" "$command" --usage 2>/dev/null)
            break
        fi
    done
    COMPREPLY=()
    [[ $current || ! $command ]] || return
    while IFS= read -r word; do
        word=${word%%=*}
        [[ $word == '  '* && ${word:2} == "$current"* && ${word:2} != *[!A-Za-z0-9_.-]* ]] || continue
        [[ $current == -* || $word != '  -'* ]] && COMPREPLY+=("${word:2}")
    done <<<"$words"
}
complete -o default -F _pmapdb pmapdb
