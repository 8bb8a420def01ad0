#!/bin/sh
# Installs the packages into a fresh Debian 12, tries them, and removes them: nothing may be left.
#     sh debian/tests/chroot.sh FOLDER         as root; FOLDER has the packages (target deb)
# Needs debootstrap and the network; changes no mount of the host: all happens in a mount namespace.
set -eu
if [ -z "${PMAPDB_IN_NAMESPACE:-}" ]; then
    PMAPDB_IN_NAMESPACE=1 exec unshare --mount --pid --fork sh "$0" "$@"
fi
debs=$(cd "${1:?usage: chroot.sh FOLDER}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || :; rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$root.log" 2>&1 || {
    tail "$root.log"
    exit 1
}
rm "$root.log"
mount -t proc proc "$root/proc"
mkdir "$root/debs"
cp "$debs"/pmapdb_*.deb "$debs"/libpmapdb*.deb "$here/smoke.sh" "$root/debs"
rm -f "$root"/debs/*-dbgsym_*.deb
in_root() {
    chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}
# The files of the system, without the caches, logs and lists of the package manager.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./debs -o -path ./var/cache -o -path ./var/log \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./tmp \) -prune -o -print | sort)
}
in_root apt-get update -q >/dev/null
files >"$root/debs/before"

began=$(date +%s)
in_root sh -c 'apt-get install -y -q --no-install-recommends /debs/pmapdb_*.deb' >"$root/debs/log"
in_root sh -c 'PMAPDB=/tmp/first.db; export PMAPDB; pmapdb -q capture $$ && pmapdb categories --top 3'
echo "== from apt-get install to the first answer: $(($(date +%s) - began)) s"

in_root sh -c 'apt-get install -y -q --no-install-recommends /debs/*.deb gcc libc6-dev pkg-config sqlite3' >>"$root/debs/log"
in_root sh /debs/smoke.sh
echo "== the smoke test passes"

in_root sh -c 'apt-get purge -y -q pmapdb libpmapdb0 libpmapdb-dev gcc libc6-dev pkg-config sqlite3 &&
    apt-get autoremove --purge -y -q' >>"$root/debs/log"
files | grep -i pmap | { ! grep -v '^./tmp'; } || { echo "== left behind after the removal"; exit 1; }
files | diff "$root/debs/before" - | grep '^[<>]' | head || :
echo "== removed: nothing of pmapdb is left"
