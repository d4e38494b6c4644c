/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place where a reason has words. The man page kcrypto-provider(7) lists the same rows
 * in the same words; a test compares them.
 */
#include "core/reason.h"

#include <stddef.h>

const struct kc_reason_text kc_reasons[KC_REASON_COUNT] = {
	[KC_OK] = { "ok", "nothing is wrong", NULL },

	[KC_NOT_LISTED] = { "not-listed", "the configuration does not ask for it",
			    "add its name to the key ciphers, digests or macs" },
	[KC_NO_INTERFACE] = { "no-interface", "the kernel lacks this interface",
			      "AF_ALG needs its modules af_alg, algif_skcipher, algif_aead and algif_hash, on OpenWrt kmod-crypto-user; /dev/crypto needs cryptodev, on OpenWrt kmod-cryptodev" },
	[KC_NO_DRIVER] = { "no-driver", "the kernel lists no driver for it",
			   "load the kernel module of the accelerator; /proc/crypto shows what is there" },
	[KC_ONLY_SOFTWARE] = { "only-software", "the kernel has only software for it",
			       "nothing is lost, OpenSSL's own is faster; soft_drivers = 1 is for tests" },
	[KC_NATURE_UNKNOWN] = { "nature-unknown", "its driver may be hardware or software",
				"set soft_drivers = 2 to admit such drivers, or driver.ALGORITHM to name one" },
	[KC_NAMED_DRIVER_ABSENT] = { "named-driver-absent",
				     "the driver that the configuration names is not there",
				     "correct or remove the key driver.ALGORITHM; /proc/crypto shows the names" },
	[KC_HARDWARE_HIDDEN] = { "hardware-hidden",
				 "this kernel answers with software whatever driver is asked for",
				 "Linux 7.2 and later do so; install cryptodev-linux, whose /dev/crypto reaches the accelerator" },
	[KC_LEGACY_INACTIVE] = { "legacy-inactive",
				 "it is one of OpenSSL's legacy provider, which is not active",
				 "activate legacy beside default in openssl.cnf, where such a cipher is needed at all" },
	[KC_NO_BASE] = { "no-base", "OpenSSL's default provider does not have it",
			 "the libcrypto in use was built without it" },
	[KC_ONLY_BY_NAME] = { "only-by-name",
			      "this way does digests and MACs only where they are listed by name",
			      "/dev/crypto may crash the kernel with them; read the warning at the key digests" },
	[KC_IN_FILTER] = { "in-filter", "the process is in a seccomp filter, which may kill it",
			   "where the filter kills for nothing that kcrypto does, set seccomp = trust" },
	[KC_NOT_REACHED] = { "not-reached", "applications do not get it from kcrypto",
			     "the notes say what is missing between openssl.cnf and kcrypto" },
	[KC_NOT_BY_ENGINE] = { "not-by-engine", "the engine does not have it",
			       "configure the provider, which has it" },

	[KC_OPEN_FAILED] = { "open-failed", "the kernel did not open a session with its driver",
			     "containers, sandboxes and sysctl crypto.af_alg_restrict may refuse AF_ALG" },
	[KC_REQUEST_FAILED] = { "request-failed", "its driver failed a request",
				"the kernel's log may say more" },
	[KC_WRONG_ANSWER] = { "wrong-answer", "its driver gave a wrong answer to a known question",
			      "report it to the driver's authors; do not use it for anything else either" },
	[KC_LIED] = { "lied", "its driver gave a wrong answer to a program's request",
		      "report it to the driver's authors; take it out of the configuration's lists" },
	[KC_NO_ANSWER] = { "no-answer", "its driver did not answer",
			   "take it out of the configuration's lists: a process that uses it may hang" },
	[KC_NO_MEMORY] = { "no-memory", "there was no memory for the trial", NULL },
	[KC_SLOWER] = { "slower", "its driver is slower than software at every size", NULL },

	[KC_TUNED_ABSENT] = { "tuned-absent", "there is no tune file",
			      "run kcrypto tune as root, so that no process has to find out by itself" },
	[KC_TUNED_WRITABLE] = { "tuned-writable",
				"the tune file is a link, or others than root may write to it",
				"remove it, and run kcrypto tune as root" },
	[KC_TUNED_DAMAGED] = { "tuned-damaged", "the tune file is damaged",
			       "run kcrypto tune as root" },
	[KC_TUNED_STALE] = { "tuned-stale",
			     "the tune file is of another kernel, CPU or version of kcrypto",
			     "run kcrypto tune as root" },

	[KC_UNKNOWN_KEY] = { "unknown-key", "there is no such key",
			     "write it as in kcrypto-provider(7): in lower case, or all in upper case" },
	[KC_UNKNOWN_ALGORITHM] = { "unknown-algorithm",
				   "this version has no algorithm of this name",
				   "the names are in the first column of kcrypto list" },
	[KC_WRONG_LIST] = { "wrong-list", "it belongs to another list",
			    "ciphers, digests and macs are keys of their own" },
	[KC_BAD_NUMBER] = { "bad-number", "this is not a whole number", NULL },
	[KC_BAD_VALUE] = { "bad-value", "the key does not have this value", NULL },
	[KC_OUT_OF_RANGE] = { "out-of-range", "the number is out of range", NULL },
	[KC_EMPTY] = { "empty", "a value is missing", NULL },
};
