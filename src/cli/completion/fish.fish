# fish completion for pmapdb: pmapdb completion fish
# Offers commands, queries and options, as --usage lists them; elsewhere files.
function __pmapdb_words
    set -l typed (commandline -opc)
    set -l words ($typed[1] --usage 2>/dev/null | string replace -rf '^  ([\w.-]+)(=.*)?$' '$1')
    for word in $typed[2..-1]
        if contains -- $word $words; and not string match -q -- '-*' $word
            $typed[1] $word --usage 2>/dev/null | string replace -rf '^  ([\w.-]+)(=.*)?$' '$1'
            return
        end
    end
    string join \n -- $words
end
complete -c pmapdb -a '(__pmapdb_words)'
