# SPDX-License-Identifier: Apache-2.0
#
# Reads the table of machines, which the variable machines names.  Sourced.
# shellcheck shell=sh disable=SC2034,SC2154

machine_names() {
	awk '!/^#/ && NF { print $1 }' "$machines"
}

# Those of another architecture.
foreign_machines() {
	awk '!/^#/ && NF && $2 != "here" { print $1 }' "$machines"
}

# read_machine NAME: sets the columns of its line, and the folder of kernels in build/vm; or returns 1.
read_machine() {
	row=$(awk -v name="$1" '$1 == name' "$machines")
	[ -n "$row" ] || return 1
	read -r machine programs suite package arch qemu bus console options <<ROW
$row
ROW
	kernels=kernel
	[ "$suite" = here ] || kernels=kernel-$suite
}
