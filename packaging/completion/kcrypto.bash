# SPDX-License-Identifier: Apache-2.0
# bash completion for kcrypto. All words come from `kcrypto help` and `kcrypto list`, and the drivers from the
# kernel, so there is no list to keep.

# Prints the commands; with the name of one, its actions and options.
_kcrypto_words()
{
	kcrypto help ${1:+"$1"} 2>/dev/null | awk -v command="$1" '
		command == "" && sub(/^(usage:)? +kcrypto /, "") { print $1 }
		command != "" && /^  --/ { print $1 }
		command != "" && /^usage:/ {
			for (i = 4; i <= NF; i++)
				if ($i ~ /^[a-z]/)
					print $i
		}'
}

# What may follow the option $2 of the command $1: the help calls it FILE, DIR, LIST or NAME, and ends in
# the names, if there are only these.
_kcrypto_value()
{
	kcrypto help "$1" 2>/dev/null | awk -v option="$2" '
		$1 == option && $2 ~ /^[A-Z]+$/ {
			print $2
			if ($2 == "NAME" && sub(/.*: /, "") && gsub(/, /, "\n"))
				print
		}'
}

# Of a list with commas, the last word is completed.
_kcrypto_list()
{
	local done=

	[[ $1 == *,* ]] && done=${1%,*},
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$(kcrypto list --all --no-trial 2>/dev/null |
		awk '/^$/ { exit } NR > 1 { print $1 }')" -- "${1##*,}")
}

_kcrypto_drivers()
{
	awk '$1 == "driver" && !seen[$3]++ { print $3 }' /proc/crypto 2>/dev/null
}

_kcrypto()
{
	local i word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} value=

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			declare -F _command_offset >/dev/null && _command_offset $((i + 1))
			return
		fi
	done
	[[ $before == --* ]] && mapfile -t value < <(_kcrypto_value "${COMP_WORDS[1]}" "$before")
	case ${value[0]} in
	FILE) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	DIR) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	LIST) [[ $before != --algorithms ]] || _kcrypto_list "$word" ;;
	'')
		[[ $COMP_CWORD == 1 || ${COMP_WORDS[1]} == help ]] && i= || i=${COMP_WORDS[1]}
		mapfile -t COMPREPLY < <(compgen -W "$(_kcrypto_words "$i")" -- "$word")
		[[ $i != selftest || $word == -* ]] ||
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_kcrypto_drivers)" -- "$word")
		;;
	*) mapfile -t COMPREPLY < <(compgen -W "${value[*]:1}" -- "$word") ;;
	esac
}

complete -o filenames -F _kcrypto kcrypto
