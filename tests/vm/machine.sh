# SPDX-License-Identifier: Apache-2.0
#
# Reads the table of machines, whose path is in the variable machines.  Sourced.
# shellcheck shell=sh disable=SC2034,SC2154

machine_names() {
	awk '!/^#/ && NF { print $1 }' "$machines"
}

# Machines of another architecture, except for those that only boards use.
foreign_machines() {
	awk '/^# Of boards/ { exit } !/^#/ && NF && $2 != "here" { print $1 }' "$machines"
}

# read_machine NAME: sets a variable for each column of the machine's line, and the directory of
# kernels in build/vm; or returns 1.
read_machine() {
	row=$(awk -v name="$1" '$1 == name' "$machines")
	[ -n "$row" ] || return 1
	read -r machine programs suite package arch qemu bus console options <<ROW
$row
ROW
	kernels=kernel
	[ "$suite" = here ] || kernels=kernel-$suite
}

# make_variables VERSION: make's variables to build modules for another architecture with Debian's
# cross compilers.
make_variables() {
	case $1 in
	*-arm64) triplet=aarch64-linux-gnu kernel_arch=arm64 ;;
	*-armmp) triplet=arm-linux-gnueabihf kernel_arch=arm ;;
	*-686*) echo "ARCH=i386 CC=gcc-12" && return ;;
	*-s390x) triplet=s390x-linux-gnu kernel_arch=s390 ;;
	*) return 0 ;;
	esac
	echo "ARCH=$kernel_arch CROSS_COMPILE=$triplet- CC=$triplet-gcc-12"
}
