# SPDX-License-Identifier: Apache-2.0
#
# Chroots of a Debian suite, for tests/debian/run and tests/debian/boot, which set top, suite, out and log, and
# have fail(). tests/debian/inside has the steps.
# shellcheck shell=sh disable=SC2154

mirror() {
	# for apt
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's/^Debian //p' | head -n 1
}

# Adds experimental to mmdebstrap's list of sources, for OpenSSL alone.
# shellcheck disable=SC2016 # of mmdebstrap's shell
use_experimental='
	sed -i "s/^\(deb .*\) sid \(.*\)/&\n\1 experimental \2/" "$1/etc/apt/sources.list" &&
	printf "Package: src:openssl\nPin: release a=experimental\nPin-Priority: 900\n" \
		>"$1/etc/apt/preferences.d/experimental"'

# in_chroot STEP PACKAGES [DIRECTORY]: runs the step in a new chroot, which is removed at the end
# unless DIRECTORY says where it stays.  /kcrypto in the chroot is a copy of $out, and is copied
# back.
in_chroot() {
	step=$1
	target=${3:-/dev/null}
	from=$suite
	set -- --variant=apt "--include=$2" --aptopt='Acquire::Check-Valid-Until "false"'
	if [ "$suite" = experimental ]; then
		from=sid
		set -- "$@" "--setup-hook=$use_experimental"
	fi
	# shellcheck disable=SC2016,SC2046 # of mmdebstrap's shell; without a mirror, mmdebstrap knows one
	scripts/watched "$log" mmdebstrap "$@" \
		--customize-hook='mkdir "$1/kcrypto"' \
		--customize-hook="sync-in $out /kcrypto" \
		--customize-hook="upload $top/tests/debian/inside /inside" \
		--customize-hook="chroot \"\$1\" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 sh /inside $step || touch \"\$1/kcrypto/failed\"" \
		--customize-hook="sync-out /kcrypto $out" \
		"$from" "$target" $(mirror) && [ ! -e "$out/failed" ] ||
		{ tail -n 40 "$log" >&2 && fail "$step failed; the whole output: $log"; }
}
