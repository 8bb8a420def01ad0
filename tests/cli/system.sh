# system: an error of the system is reported in its own words with the name of the file; the next run
# completes the work.

pmap_x 7 web 100 >1795220000-7.x
say "a file that cannot be read: the memory of a process at address 0"
run pmapdb import -q 1795220000-7.x /proc/self/mem
run pmapdb import /proc/self/mem
pmapdb snapshots -f csv | wc -l

# Sanitizers and the loader use descriptors too, so the sufficient number differs.
say "too few file descriptors: one line says so; enough of them: all captures are stored"
gzip 1795220000-7.x
export PMAPDB=few.db
few() { # COMMAND...: runs it with more and more descriptors until it works
    n=3 failures=0
    # shellcheck disable=SC3045 # every sh of Linux has -n
    while ! (ulimit -n $n && ASAN_OPTIONS=detect_leaks=0 "$@") >answer 2>said && [ $n -lt 64 ]; do
        case $(cat said) in
        *"Too many open files" | *"(Too many open files)") failures=$((failures + 1)) ;;
        *"loading shared libraries"*) ;;
        *) cat said ;;
        esac
        [ "$(wc -l <said)" -eq 1 ] || cat said
        n=$((n + 1))
    done
    echo "$1 $2: $([ $failures -gt 0 ] && echo told), $([ $n -lt 64 ] && echo works)"
}
few pmapdb import -q 1795220000-7.x.gz
mkdir folder
pmap_x 8 app 100 >folder/1795220000-8.x
few pmapdb import -q folder
few pmapdb snapshots -f csv
cat answer
run pmapdb refusals -f csv
