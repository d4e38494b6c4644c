# SPDX-License-Identifier: Apache-2.0
#
# What the runners uml and qemu share: options, the job for the machine, starting and ending its
# processes, output, result, retry.  Sourced. This file knows nothing of either machine; the runner
# defines
#   usage            print the help text
#   option NAME VAL  take an option of its own, or return 1
#   prepare          build what the machine needs, once
#   machine          call `start PROGRAM ARGS...`
#   explain          say why it could not come up, if the console tells; or nothing
# and uses here, top, vm, out, mem; files that it leaves in the directory tmp are removed.
# shellcheck shell=sh disable=SC2034

PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
vm=$top/build/vm
name=$(basename "$0")
mem=1024
limit=1800
out=
own_out=
tmp=
pid=
tailer=
judged=no

# Exit statuses of the machine itself, which no test should use: a failure of the machine must not
# be taken for a failure of the test.
late=98
broken=99

say() {
	echo "kcrypto: tests/vm/$name: $*" >&2
}

die() {
	say "$*"
	exit "$broken"
}

need() {
	for program; do
		command -v "$program" >/dev/null ||
			die "$program is missing: run scripts/setup $name"
	done
}

number() {
	case $2 in
	'' | *[!0-9]* | 0*) die "$1 wants a positive number, not '$2'" ;;
	esac
}

quote() {
	printf "'"
	printf %s "$1" | sed "s/'/'\\\\''/g"
	printf "'"
}

# write_job COMMAND ARGS...: writes the job as a shell script, since a kernel's command line is too
# short for arguments and environment.
write_job() {
	printf 'cd '
	quote "$PWD"
	# shellcheck disable=SC2016 # the PATH of the inside
	printf ' || exit 126\nexec env -i PATH="$PATH" HOME=/run TMPDIR=/run'
	awk 'BEGIN { for (name in ENVIRON)
		if (name ~ /^(KCRYPTO_|OPENSSL_|KC_)[A-Za-z0-9_]*$/) print name }' |
		while read -r var; do
			eval "value=\$$var"
			printf ' %s=' "$var"
			quote "${value?}"
		done
	for word; do
		printf ' '
		quote "$word"
	done
	echo
}

# start PROGRAM ARGS...: starts it in a process group of its own, so that the machine and nothing
# else can be killed; patient ends the machine even if this script is gone.
start() {
	# shellcheck disable=SC2016
	setsid "$here/patient" "$limit" "$out/late" "$out" -- \
		sh -c 'echo $$ >"$0" && exec "$@"' "$out/pid" "$@" </dev/null >>"$out/console.log" 2>&1 &
	pid=$!
}

# UML makes itself a second process group.  Its number is read after the first group's end: by then
# either the file has it, or UML was still in the first group.
stop() {
	[ -n "$pid" ] || return 0
	kill -s KILL -- "-$pid" 2>/dev/null || :
	group=$(cat "$out/pid" 2>/dev/null) || :
	[ -z "$group" ] || kill -s KILL -- "-$group" 2>/dev/null || :
	wait "$pid" 2>/dev/null || :
	rm -f "$out/pid"
	pid=
}

end() {
	judged=yes
	exit "$1"
}

# An error in these scripts ends them with 1, a status that belongs to the command.
clean() {
	stop
	[ -z "$tailer" ] || kill "$tailer" 2>/dev/null || :
	[ -z "$tmp" ] || rm -rf "$tmp"
	[ -z "$own_out" ] || rm -rf "$own_out"
	[ "$judged" = yes ] || exit "$broken"
}

# Runs the machine once, whatever the result is.  Its output is a file that grows.
boot() {
	rm -f "$out/rc" "$out/pid" "$out/late"
	: >"$out/output"
	machine
	tail -c +1 -f -s 0.1 --pid="$pid" "$out/output" </dev/null &
	tailer=$!
	# tail ends with the machine; or earlier, as any program does, if nobody reads its output.
	wait "$tailer" || end 141
	tailer=
	stop
	grep -ao 'kcrypto: tests/vm/.*' "$out/console.log" >&2 || :
	is_late=no
	[ ! -e "$out/late" ] || is_late=yes
}

# Judges by the rc file alone: an emulator's exit status says little.
run() {
	for try in 1 2; do
		boot
		result=$(cat "$out/rc" 2>/dev/null) || result=
		case $result,$is_late in
		[0-9]*) end "$result" ;;
		running,yes)
			own_out=
			say "nothing was said for $limit seconds, so the command was ended; see $out"
			end "$late"
			;;
		running,no) why='died under the command' ;;
		*,yes) why="did not come up, and said nothing for $limit seconds" ;;
		*) why='did not come up' ;;
		esac
		[ "$try" = 2 ] || say "the machine $why; once more"
	done
	own_out=
	grep -m 1 -B 10 'Kernel panic' "$out/console.log" >&2 || tail -n 20 "$out/console.log" >&2
	explain
	die "the machine $why, twice; all it said is in $out/console.log"
}

vm_main() {
	while [ $# -gt 0 ]; do
		case $1 in
		--) break ;;
		--help) usage && exit 0 ;;
		esac
		[ $# -ge 2 ] || die "$1 wants a value; see --help"
		case $1 in
		--mem) number "$1" "$2" && mem=$2 ;;
		--timeout) number "$1" "$2" && limit=$2 ;;
		--out) out=$2 ;;
		*) option "$1" "$2" || die "no such option: $1 $2; see --help" ;;
		esac
		shift 2
	done
	[ $# -ge 2 ] || die 'a command is wanted after --; see --help'
	shift

	trap clean EXIT
	trap 'end 129' HUP
	trap 'end 130' INT
	trap 'end 143' TERM
	mkdir -p "$vm"
	if [ -z "$out" ]; then
		own_out=$(mktemp -d "$vm/out.XXXXXX")
		out=$own_out
	fi
	mkdir -p "$out"
	out=$(cd "$out" && pwd -P)
	rm -f "$out/console.log"
	write_job "$@" >"$out/job"
	prepare
	run
}
