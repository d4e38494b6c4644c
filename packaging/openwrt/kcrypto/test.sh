#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# For the feeds' CI, on a device or in a container: test.sh PACKAGE VERSION.
set -e

key=000102030405060708090a0b0c0d0e0f
data=$(mktemp)
trap 'rm -f "$data" "$data".*' EXIT

# Whatever the kernel has: the provider loads, and the bytes are those of OpenSSL without it.
test_provider() {
	openssl version || apk add openssl-util || opkg install openssl-util
	openssl list -providers | tee "$data.providers"
	grep -q "^ *version: $1\$" "$data.providers"
	head -c 300000 /dev/urandom >"$data"
	openssl enc -aes-128-cbc -K "$key" -iv "$key" -in "$data" -out "$data.ours"
	OPENSSL_CONF=/dev/null openssl enc -aes-128-cbc -K "$key" -iv "$key" -in "$data" -out "$data.theirs"
	cmp "$data.ours" "$data.theirs"
}

case $1 in
libopenssl-kcrypto) test_provider "$2" ;;
libopenssl-kcrypto-keys) openssl list -providers -provider kcrypto-keys | grep -x ' *kcrypto-keys' ;;
kcrypto) kcrypto --version | grep -F "kcrypto $2, " ;;
*)
	echo "test.sh: unexpected package: $1" >&2
	exit 1
	;;
esac
