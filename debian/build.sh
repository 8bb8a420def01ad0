#!/bin/sh
# Builds the Debian packages from the sources beside this folder, and leaves them in a folder:
#     sh debian/build.sh FOLDER        (cmake --build --preset release --target deb)
set -eu
out=$(cd "${1:?usage: build.sh FOLDER}" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

for tool in dh dpkg-buildpackage; do
    command -v $tool >/dev/null && continue
    echo "as root: apt-get install debhelper dpkg-dev" >&2
    exit 1
done
version=$(sed -n 's/^#define PMAPDB_VERSION "\(.*\)"/\1/p' include/pmapdb.h)
[ "$(dpkg-parsechangelog -S Version)" = "$version" ] || {
    echo "debian/changelog and include/pmapdb.h name different versions" >&2
    exit 1
}
# A copy: dpkg-buildpackage writes into the tree and beside it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/pmapdb"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$work/pmapdb"
(cd "$work/pmapdb" && dpkg-buildpackage -b -us -uc)
cp "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out"
ls "$out"/*.deb
