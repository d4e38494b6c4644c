# SPDX-License-Identifier: Apache-2.0
#
# kcrypto engine-names: installs the engine under the old ids, where OpenSSL searches for them, and
# removes it. A file that has such a name already is kept beside it, dpkg is told, and removing
# restores the file.  Each step is one rename, so a name always has a whole file, and each step can
# be repeated.  A path is diverted only while kcrypto's file is there, so nothing stale stays
# wherever this script is killed.
#
#	sh engine_names.sh install|remove DIRECTORY TEXT ID...
#
# TEXT is contained in every build of the engine, and in no other file.
set -u
unset CDPATH

fail() {
	echo "$0: $*" >&2
	exit 1
}

# An absolute path, as dpkg needs it.
what=$1
dir=$(cd -- "$2" && pwd) || exit 1
text=$3
shift 3
engine=$dir/kcrypto-engine.so

# for_path ID: sets the names of the id's file, of the file that was there before, and of the new
# file.
for_path() {
	path=$dir/$1.so
	kept=$path.kcrypto-kept
	new=$path.kcrypto-new
}

exists() {
	[ -e "$1" ] || [ -L "$1" ]
}

# A link is never kcrypto's, wherever it leads.
is_ours() {
	[ -f "$1" ] && [ ! -L "$1" ] && tr '\000' '\n' <"$1" 2>/dev/null | LC_ALL=C grep -qF -- "$text"
}

# The same bytes, or links to the same place.
is_same() {
	if [ -L "$1" ] || [ -L "$2" ]; then
		[ -L "$1" ] && [ -L "$2" ] && [ "$(readlink "$1")" = "$(readlink "$2")" ]
	else
		cmp -s "$1" "$2"
	fi
}

has_dpkg() {
	command -v dpkg-divert >/dev/null
}

# divert --add|--remove: tells dpkg where the distribution's file of this name goes.
divert() {
	has_dpkg || return 0
	dpkg-divert --quiet --no-rename --divert "$kept" "$1" "$path" && return
	why=
	[ "$(id -u)" = 0 ] || why=': only root can change what dpkg diverts'
	echo "$0: $path: dpkg-divert refused$why" >&2
	return 1
}

is_diverted() {
	has_dpkg && [ "$(dpkg-divert --truename "$path")" = "$kept" ]
}

# Gives the file a second name. It stays where it is until kcrypto's takes its place.
name_too() {
	if [ -L "$1" ]; then
		cp -P "$1" "$2"
	else
		ln "$1" "$2"
	fi
}

# Keeps the file that stands at kcrypto's path beside it.  If a kept file exists already, dpkg's own
# file keeps that name; without dpkg the newer file gets the name, as an upgrade brought it.
keep() {
	at=$kept
	if exists "$kept"; then
		! is_same "$path" "$kept" || return 0
		i=1
		while exists "$kept.$i"; do
			i=$((i + 1))
		done
		if is_diverted; then
			at=$kept.$i
		else
			mv -f "$kept" "$kept.$i" || return
		fi
	fi
	name_too "$path" "$at"
}

# Restores the file that was there before kcrypto's, if there was one.
put_back() {
	if exists "$path" && ! is_ours "$path"; then
		said='is not ours'
		! exists "$kept" || ! is_same "$path" "$kept" || rm -f "$kept"
	elif exists "$kept"; then
		said='is again what it was'
		mv -f "$kept" "$path"
	elif exists "$path"; then
		said='removed'
		rm -f "$path"
	else
		said='is not there'
	fi
}

# Writes complete copies before anything is changed, since that needs the disk's space.
prepare() {
	[ -f "$engine" ] || fail "$engine: No such file"
	clean "$@"
	for id; do
		for_path "$id"
		[ ! -d "$path" ] || fail "$path: is a directory"
		cp "$engine" "$new" && chmod 644 "$new" || fail "$new: could not be written"
		sync "$new" 2>/dev/null || sync
	done
}

install_one() {
	said='installed'
	if is_ours "$path"; then
		! cmp -s "$new" "$path" || said='is there already'
	else
		undo="$undo $1"
		! exists "$path" || keep || return
		! exists "$path" || said="installed; what was there is kept as $at"
	fi
	mv -f "$new" "$path" && divert --add && echo "$path: $said"
}

# Installs all names or none; names that were kcrypto's before stay.
install() {
	prepare "$@"
	undo=
	for id; do
		for_path "$id"
		install_one "$id" && continue
		for done in $undo; do
			for_path "$done"
			divert --remove 2>/dev/null
			put_back
		done
		fail 'nothing was installed'
	done
}

remove() {
	for id; do
		for_path "$id"
		divert --remove && put_back || exit 1
		echo "$path: $said"
		for other in "$kept" "$kept".*; do
			! exists "$other" || echo "$other: is kept"
		done
	done
}

clean() {
	for id; do
		for_path "$id"
		set -- "$@" "$new"
		shift
	done
	rm -f "$@"
}

trap 'clean "$@"' EXIT
trap 'exit 1' HUP INT TERM
"$what" "$@"
