# SPDX-License-Identifier: Apache-2.0
#
# Packages of another Debian suite or architecture, without changing anything in apt's state.
# Sourced; files, and the log, go to the directory tmp.
# shellcheck shell=sh disable=SC2154

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The servers of this system's own Debian, from apt's configuration. The security archive does not
# have all of a suite's packages.
servers() {
	# shellcheck disable=SC1091 # the system's
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	# shellcheck disable=SC2016 # variables of apt's
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' \
		2>>"$tmp/log" | awk -v own="$codename" '
		$1 ~ /^(stable|oldstable|testing|unstable|sid)$/ || $1 == own {
			if (!seen[$2]++) print $2
		}'
}

# with_suite SUITE ARCH COMMAND: calls COMMAND with options for apt-get and apt-cache, server by
# server until it succeeds, and again later: a mirror that is being updated contradicts itself. The
# system's apt supplies proxy, password and time limits; sources, lists, pins and state are private,
# and nothing unsigned is accepted.  Old lists are accepted, as a mirror may stand still.
with_suite() {
	of=$1 for=$2 command=$3
	[ -e "$keyring" ] || fail "$keyring is missing, to check signatures: run scripts/setup uml72"
	mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial"
	: >"$tmp/status"
	servers=$(servers)
	[ -n "$servers" ] || fail "apt-get knows no server of this system's own Debian packages"
	set -- -q -o "Dir::State=$tmp" -o "Dir::State::lists=$tmp/lists" \
		-o "Dir::State::status=$tmp/status" -o "Dir::Cache=$tmp/cache" \
		-o "Dir::Etc::sourcelist=$tmp/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Acquire::AllowInsecureRepositories=false \
		-o Acquire::AllowWeakRepositories=false -o APT::Get::AllowUnauthenticated=false \
		-o APT::Update::Error-Mode=any -o Acquire::Retries=3 \
		-o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root \
		-o "APT::Architecture=$for" -o "APT::Architectures::=$for"
	for pause in 0 10 60; do
		sleep "$pause"
		for server in $servers; do
			echo "deb [arch=$for target=Packages signed-by=$keyring] $server $of main" \
				>"$tmp/sources.list"
			! apt-get "$@" update </dev/null >>"$tmp/log" 2>&1 || ! "$command" "$@" ||
				return 0
		done
	done
	tail -n 20 "$tmp/log" >&2
	return 1
}
