# complete-zsh: the script is zsh.
need zsh

pmapdb completion zsh >script
run zsh -n script
