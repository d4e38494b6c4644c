/* SPDX-License-Identifier: Apache-2.0 */
/* The chain from a program to a key of the kernel: kcrypto-keys(7)'s lines and the keyring. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

static void check_section(struct kc_exam *exam)
{
	const struct kc_found_keys *keys = &exam->found->keys;

	if (!kc_conf_is_active(exam->found->text.cnf, keys->section))
		kc_fault(exam, KEYS_INACTIVE, keys->section);
	if (!keys->is_after_default)
		kc_fault(exam, KEYS_ORDER);
	if (keys->module_err)
		kc_fault(exam, KEYS_MODULE, keys->module, strerror(keys->module_err));
	else
		kc_fine(exam, "%s is there", keys->module);
	if (OpenSSL_version_num() < 0x30500000)
		kc_fault(exam, KEYS_OPENSSL, OpenSSL_version(OPENSSL_VERSION));
}

/* A key of type user is in every kernel that has keys at all. */
static void check_kernel(struct kc_exam *exam, int err)
{
	if (err == -ENOSYS)
		kc_fault(exam, KEYS_NOT_BUILT);
	else if (err == -ENOPROTOOPT)
		kc_fault(exam, KEYS_SERIAL);
	else if (err == -EPERM || err == -EACCES)
		kc_fault(exam, KEYS_FORBIDDEN);
	else if (err == -ENOENT && exam->found->kernel.restrict_level == 1)
		kc_fault(exam, KEYS_RESTRICTED);
	else if (err)
		kc_fault(exam, KEYS_FAIL, kc_keys_why(err));
	else
		kc_fine(exam, "AF_ALG takes a key of the keyring");
}

static void check_types(struct kc_exam *exam)
{
	const struct kc_keys_probe *probe = &exam->found->keys.probe;

	for (size_t i = 1; i < KC_KEY_TYPES; i++)
		if (probe->result[i] == -ENODEV)
			kc_fault(exam, KEYS_NO_TYPE, kc_keys_type(i), kc_keys_module(i));
	for (size_t i = 0; i < probe->n_wrapped; i++)
		kc_fine(exam, "%s is a driver of wrapped keys", probe->wrapped[i]);
}

void kc_check_kernel_keys(struct kc_exam *exam)
{
	const struct kc_found_keys *keys = &exam->found->keys;

	if (keys->section)
		check_section(exam);
	if (keys->is_probed) {
		check_kernel(exam, keys->probe.result[0]);
		check_types(exam);
	}
	if (keys->name && keys->name_err)
		kc_fault(exam, KEYS_NO_KEY, keys->name, kc_keys_why(keys->name_err));
	else if (keys->name)
		kc_fine(exam, "this process can use the key %s", keys->name);
}
