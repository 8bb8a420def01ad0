# complete-fish: the script is fish.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need fish

pmapdb completion fish >script
run fish -n script
