# fish completion for pmapdb: pmapdb completion fish
function __pmapdb_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $current)
    set -q option[1]; or set option ''
    set -l path (string replace -r -- '^--[^=]*=' '' $current)
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                string join \n -- $option(__fish_complete_path $path)
            case :dirs
                string join \n -- $option(__fish_complete_directories $path)
            case '*'
                echo $line
        end
    end
end
complete -c pmapdb -f -k -a '(__pmapdb_complete)'
