# complete-zsh: the script is zsh.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need zsh

pmapdb completion zsh >script
run zsh -n script
