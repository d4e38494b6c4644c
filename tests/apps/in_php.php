<?php
// SPDX-License-Identifier: Apache-2.0
// The extension openssl; see language.py. PHP's own hash() is not libcrypto's.
$key = implode('', array_map('chr', range(0, 31)));
$iv = substr($key, 0, 16);
$plain = ['aes-128-cbc' => 16, 'aes-256-cbc' => 32, 'aes-256-ctr' => 32, 'aes-192-ofb' => 24];
$sealed = ['aes-256-gcm', 'chacha20-poly1305'];

function seal($name, $key, $iv, $data)
{
	$out = openssl_encrypt($data, $name, $key, OPENSSL_RAW_DATA, $iv, $tag, 'aad');
	if (openssl_decrypt($out, $name, $key, OPENSSL_RAW_DATA, $iv, $tag, 'aad') !== $data)
		exit(1);
	return $out . $tag;
}

while (fgets(STDIN) !== false) {
	$total = hash_init('sha256');
	$count = 0;
	foreach ([0, 1, 16, 1000, 4096, 16384, 65536, 200000] as $size) {
		$data = str_pad('', $size, "$size-");
		$parts = [];
		foreach ($plain as $name => $len) {
			$out = openssl_encrypt($data, $name, substr($key, 0, $len), OPENSSL_RAW_DATA, $iv);
			if (openssl_decrypt($out, $name, substr($key, 0, $len), OPENSSL_RAW_DATA, $iv) !== $data)
				exit(1);
			$parts[] = $out;
		}
		foreach ($sealed as $name)
			$parts[] = seal($name, $key, substr($iv, 0, 12), $data);
		foreach (['md5', 'sha1', 'sha256', 'sha512', 'sha3-256'] as $name)
			$parts[] = openssl_digest($data, $name, true);
		foreach ($parts as $part) {
			hash_update($total, $part);
			$count += strlen($part);
		}
	}
	echo $count, ' ', hash_final($total), "\n";
}
