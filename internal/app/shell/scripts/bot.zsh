#compdef bot
# Completion of bot for zsh: eval "$(bot completion zsh)"
_bot() {
	local word about
	local -a found
	while IFS=$'\t' read -r word about; do
		found+=("${word//:/\\:}:$about")
	done < <(command bot complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( $#found )); then
		_describe bot found
	else
		_files
	fi
}
if [[ ${funcstack[1]} == _bot ]]; then
	_bot "$@"
else
	compdef _bot bot
fi
