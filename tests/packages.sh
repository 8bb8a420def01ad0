# packages: installs what building and testing need and this machine lacks. Sourced, from the root.
# shellcheck shell=sh
#
#     packages_install build          what `cmake --preset` needs
#     packages_install build test     and what the tests need
#
# A package counts as missing if its probe fails: a command that does not run, a header
# that the compiler does not find (pcre2.h does not compile alone; pcre2posix.h lies beside it).
# On a machine without apt-get, missing packages are only reported.

# USE PACKAGE KIND PROBE; USE extra is welcome but not needed.
packages_list() {
    cat <<'LIST'
build gcc             compiler c
build g++             compiler c++
build libc6-dev       header   stdio.h
build cmake           command  cmake
build ninja-build     command  ninja
build pkg-config      command  pkg-config
build libsqlite3-dev  header   sqlite3.h
build libcsv-dev      header   csv.h
build libarchive-dev  header   archive.h
build libxxhash-dev   header   xxhash.h
build libjansson-dev  header   jansson.h
build libsmartcols-dev header   libsmartcols/libsmartcols.h
build libutf8proc-dev header   utf8proc.h
build libpcre2-dev    header   pcre2posix.h
build zlib1g-dev      header   zlib.h
build libcurl4-openssl-dev header curl/curl.h
build libcmocka-dev   header   cmocka.h
test  sqlite3         command  sqlite3
test  zstd            command  zstd
test  python3         command  python3
extra clang-format-14 command  clang-format-14
extra clickhouse-server command clickhouse-server
LIST
}

packages_has() {
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    compiler) packages_compiles "$2" ;;
    header) printf '#include <%s>\n' "$2" | ${CC:-cc} -E -x c - >/dev/null 2>&1 ;;
    esac
}

packages_compiles() {
    packages_driver=${CC:-cc}
    [ "$1" = c ] || packages_driver=${CXX:-c++}
    printf 'int main(void) { return 0; }\n' |
        $packages_driver -x "$1" - -o /dev/null >/dev/null 2>&1
}

# The packages of these uses that are missing, on one line.
packages_missing() {
    packages_list | while read -r use package kind probe; do
        case " $* " in
        *" $use "*) packages_has "$kind" "$probe" || printf '%s ' "$package" ;;
        esac
    done
}

packages_apt() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
    fi
}

# The lists may be absent (fresh container) or older than what the mirrors hold: then they are
# fetched, once. --reinstall: a package may be there while its files are not.
packages_get() {
    packages_apt install -y -q --no-install-recommends --reinstall "$@" || {
        packages_apt update -q && packages_apt install -y -q --no-install-recommends --reinstall "$@"
    }
}

packages_install() {
    packages_wanted=$(packages_missing "$@")
    if [ -n "$packages_wanted" ]; then
        echo "== Missing: $packages_wanted"
        if ! command -v apt-get >/dev/null 2>&1; then
            echo "no apt-get here: install what these Debian packages hold, then run this again" >&2
            return 1
        fi
        if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
            echo "as root: apt-get install $packages_wanted" >&2
            return 1
        fi
        # shellcheck disable=SC2086 # one word per package
        packages_get $packages_wanted || return 1
        packages_wanted=$(packages_missing "$@")
        if [ -n "$packages_wanted" ]; then
            echo "still missing after installing: $packages_wanted" >&2
            return 1
        fi
    else
        echo "== Nothing to install"
    fi
}
