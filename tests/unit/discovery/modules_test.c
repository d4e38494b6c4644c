/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel can't have, by files of ours in place of its own and depmod's. */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/backend.h"

static const char *aliases, *listed; /* NULL: no such file */

int uname(struct utsname *name)
{
	strcpy(name->release, "6.1-x");
	return 0;
}

static int open_text(const char *text)
{
	int ends[2];

	if (!text)
		return -1;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	return ends[0];
}

int open(const char *path, int flags, ...)
{
	errno = ENOENT;
	if (strcmp(path, "/lib/modules/6.1-x/modules.alias") == 0)
		return open_text(aliases);
	if (strcmp(path, "/proc/crypto") == 0)
		return open_text(listed);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
}

static bool is_absent(const char *name)
{
	bool absent[KC_ALG_COUNT];

	kc_kernel_lacks(absent);
	return absent[kc_alg_find(name, strlen(name)) - kc_algs];
}

TEST(without_a_list_of_modules_none_is)
{
	aliases = NULL;
	listed = "name         : aes\n";
	assert_false(is_absent("ARIA-128-CBC"));
	assert_false(is_absent("AES-128-CBC"));
	aliases = "alias crypto-aes aes_generic\n";
	listed = NULL;
	assert_false(is_absent("ARIA-128-CBC"));
}

TEST(it_is_one_whose_cipher_is_neither_listed_nor_in_a_module)
{
	aliases = "alias pci:v00008086d crypto\nalias crypto-camellia camellia_generic\n"
		  "alias crypto-camellia-generic camellia_generic\nalias crypto-cbc cbc\n"
		  "alias crypto-ariana x\nalias crypto-sm x\nalias crypto-chacha20 chacha_generic\n"
		  "alias crypto-md5 md5";
	listed = "name         : aes\ndriver       : aes-generic\nmodule       : aria\n\n"
		 "name         : des3_ede\n\nname         : hmac(sha1)\n";
	assert_false(is_absent("AES-256-GCM"));
	assert_false(is_absent("CMAC-AES-128"));
	assert_false(is_absent("DES-EDE3-CBC"));
	assert_false(is_absent("CAMELLIA-192-CTR"));
	assert_false(is_absent("ChaCha20-Poly1305"));
	assert_false(is_absent("MD5"));
	assert_false(is_absent("HMAC-MD5"));
	assert_true(is_absent("DES-CBC"));
	assert_true(is_absent("ARIA-128-CBC"));
	assert_true(is_absent("SM4-CTR"));
	assert_true(is_absent("SM3"));
	assert_true(is_absent("SHA1"));
}
