# complete-fish: the script is fish.
need fish

pmapdb completion fish >script
run fish -n script
