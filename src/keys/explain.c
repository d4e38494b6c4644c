/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's errors with keys, in words; the command says the same as a program's errors. */
#include "keys/explain.h"

#include <errno.h>
#include <string.h>

const char *kc_keys_explain(int err)
{
	switch (-err) {
	case ENOKEY:
		return "there is no such key that this process may search";
	case EKEYEXPIRED:
		return "the key has expired";
	case EKEYREVOKED:
		return "the key has been revoked";
	case EKEYREJECTED:
		return "the key has been rejected";
	case ESTALE:
		return "the key is no longer the one that the context was given";
	case EACCES:
	case EPERM:
		return "this process may not use the key, or is in a sandbox";
	case ENOSYS:
		return "this kernel has no keyrings (CONFIG_KEYS)";
	case ENODEV:
		return "this kernel has no keys of this type";
	case ENOPROTOOPT:
		return "this kernel can't encrypt with a key of this type: it needs Linux 6.2 or later";
	case ENODATA:
		return "the key does not tell its length: say it with key-length";
	case EAFNOSUPPORT:
		return "this kernel has no AF_ALG, or crypto.af_alg_restrict = 2";
	case ENOENT:
		return "this kernel has no driver for this algorithm, or none for this process";
	case ECONNRESET:
		return "the session has ended, and the beginning of the message with it";
	case EMFILE:
		return "there are too many sessions";
	case EDQUOT:
		return "the user has too many keys (/proc/key-users)";
	default:
		return strerror(-err);
	}
}

const char *kc_keys_explain_wrapped(int err)
{
	switch (-err) {
	case EINVAL:
	case EKEYREJECTED:
		return "the driver refuses this blob: it has a wrong length, or is another device's";
	case ENOENT:
	case EACCES:
		return "the kernel has no driver for wrapped keys in this mode, or reserves it for "
		       "root (Linux 7.3)";
	case EIO:
	case EBADMSG:
		return "the device can't open this blob, or failed";
	case EPROTO:
		return "the driver does not decrypt what it has encrypted";
	default:
		return NULL;
	}
}
