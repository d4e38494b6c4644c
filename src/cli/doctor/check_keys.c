/* SPDX-License-Identifier: Apache-2.0 */
/* The chain from a program to a key of the kernel: kcrypto-keys(7)'s lines and the keyring. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

static void check_section(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_found_module *module = &d->found->keys.module;

	if (!kc_parts_activates(&conf->cnf, conf->parts.keys))
		kc_fault(d, KEYS_INACTIVE, conf->parts.keys);
	if (!conf->parts.is_base_first)
		kc_fault(d, KEYS_ORDER);
	if (module->err)
		kc_fault(d, KEYS_MODULE, module->path, strerror(module->err));
	else
		kc_fine(d, "%s is there", module->path);
	if (OpenSSL_version_num() < 0x30500000)
		kc_fault(d, KEYS_OPENSSL, OpenSSL_version(OPENSSL_VERSION));
}

/* A key of type user is in every kernel that has keys at all. */
static void check_kernel(struct kc_diagnosis *d, int err)
{
	if (err == -ENOSYS)
		kc_fault(d, KEYS_NOT_BUILT);
	else if (err == -ENOPROTOOPT)
		kc_fault(d, KEYS_SERIAL);
	else if (err == -EPERM || err == -EACCES)
		kc_fault(d, KEYS_FORBIDDEN);
	else if (err == -ENOENT && d->found->kernel.restrict_level == 1)
		kc_fault(d, KEYS_RESTRICTED);
	else if (err)
		kc_fault(d, KEYS_FAIL, kc_keys_why(err));
	else
		kc_fine(d, "AF_ALG takes a key of the keyring");
}

static void check_types(struct kc_diagnosis *d)
{
	const struct kc_keys_probe *probe = &d->found->keys.probe;

	for (size_t i = 1; i < KC_KEY_TYPES; i++)
		if (probe->result[i] == -ENODEV)
			kc_fault(d, KEYS_NO_TYPE, kc_keys_type(i), kc_keys_module(i));
	for (size_t i = 0; i < probe->n_wrapped; i++)
		kc_fine(d, "%s is a driver of wrapped keys", probe->wrapped[i]);
}

void kc_check_kernel_keys(struct kc_diagnosis *d)
{
	const struct kc_found_keys *keys = &d->found->keys;

	if (d->found->conf.parts.keys)
		check_section(d);
	if (keys->is_probed) {
		check_kernel(d, keys->probe.result[0]);
		check_types(d);
	}
	if (keys->name && keys->name_err)
		kc_fault(d, KEYS_NO_KEY, keys->name, kc_keys_why(keys->name_err));
	else if (keys->name)
		kc_fine(d, "this process can use the key %s", keys->name);
}
