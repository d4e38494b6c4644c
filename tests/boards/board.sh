# SPDX-License-Identifier: Apache-2.0
#
# Reads the table of boards, whose path is in the variable boards.  Sourced.
# shellcheck shell=sh disable=SC2034,SC2154

board_names() {
	awk '!/^#/ && NF { print $1 }' "$boards"
}

# read_board NAME: sets a variable for each column of the board's line, or returns 1.
read_board() {
	board_row=$(awk -v name="$1" '$1 == name' "$boards")
	[ -n "$board_row" ] || return 1
	read -r board board_machine board_node board_modules <<ROW
$board_row
ROW
}
