# SPDX-License-Identifier: Apache-2.0
# Makes each line of a script a C string; comments stay behind.
/^#/d
s/[\"]/\\&/g
s/.*/"&\\n"/
