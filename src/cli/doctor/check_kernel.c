/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links in the kernel: the backends, the accelerator's device and its driver; and the chain
 * from a program to a key of the kernel.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

/* If one backend works, the other one is not a necessary link of the chain. */
static bool works_by_kcrypto(const struct kc_found *found)
{
	return found->kernel.has_kcrypto && !found->kernel.kcrypto_err;
}

static bool works_by_device(const struct kc_found *found)
{
	return works_by_kcrypto(found) || (found->kernel.has_device && !found->kernel.device_err);
}

static bool works_by_af_alg(const struct kc_found *found)
{
	return !found->kernel.socket_err && !found->kernel.hides_hardware;
}

/* Where no accelerator is in sight, nobody misses a way to it; but software may be asked for. */
static bool is_wanted(const struct kc_found *found)
{
	return kc_has_hardware(found, "") || found->n_devices ||
	       found->offers.config.admit != KC_ADMIT_HARDWARE;
}

/* The kernel does not know the protocol: nobody has loaded it, or somebody keeps it out. */
static void find_unknown(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	enum kc_loaded loaded = kc_root_module(found, "af_alg");

	if (found->kernel.is_filtered && loaded != KC_MODULE_ABSENT)
		kc_fault(d, FILTERED, strerror(EAFNOSUPPORT));
	else if (found->kernel.blocked[0])
		kc_fault(d, BLOCKED, found->kernel.blocked);
	else if (loaded == KC_MODULE_ON_DISK)
		kc_fault(d, NOT_LOADED, "af_alg");
	else if (loaded == KC_MODULE_ABSENT)
		kc_fault(d, NOT_BUILT, "af_alg");
	else
		kc_fault(d, FORBIDDEN, strerror(EAFNOSUPPORT));
}

static void find_refused(struct kc_diagnosis *d)
{
	const struct kc_kernel *k = &d->found->kernel;

	if (k->socket_err == KC_KILLED)
		kc_fault(d, FILTERED, "it kills for asking");
	else if (k->restrict_level == 2)
		kc_fault(d, SWITCHED_OFF);
	else if (k->socket_err == EAFNOSUPPORT)
		find_unknown(d);
	else if (k->socket_err != EPERM && k->socket_err != EACCES)
		kc_fault(d, AF_ALG_FAILS, strerror(k->socket_err));
	else if (k->is_filtered)
		kc_fault(d, FILTERED, strerror(k->socket_err));
	else
		kc_fault(d, FORBIDDEN, strerror(k->socket_err));
}

void kc_check_af_alg(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	enum kc_loaded type = kc_root_module(found, "algif_skcipher");

	d->is_spared = works_by_device(found) || !is_wanted(found);
	if (found->kernel.socket_err)
		find_refused(d);
	else if (!found->kernel.bind_err || type == KC_MODULE_LOADED)
		kc_fine(d, "the kernel has AF_ALG");
	else if (type == KC_MODULE_ON_DISK)
		kc_fault(d, NOT_LOADED, "algif_skcipher");
	else
		kc_fault(d, NOT_BUILT, "algif_skcipher");
}

/* A driver that is hardware for another backend, while the device does not list it. */
static const char *not_admitted(const struct kc_found *found)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *c = found->offers.policy.row[i], *ours = c, *other = c;

		while (ours && strcmp(ours->backend->name, "/dev/kcrypto") != 0)
			ours = ours->next;
		while (other && (other == ours || other->nature != KC_HARDWARE))
			other = other->next;
		if (ours && other && ours->reason == KC_NO_DRIVER)
			return other->driver;
	}
	return NULL;
}

void kc_check_kcrypto(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_kernel *k = &found->kernel;
	bool is_other = k->has_device && !k->device_err;
	const char *driver;

	d->is_spared = works_by_af_alg(found) || is_other || !is_wanted(found);
	if (!k->has_kcrypto && kc_root_module(found, "kcrypto") == KC_MODULE_ON_DISK)
		kc_fault(d, KCRYPTO_UNLOADED);
	else if (!k->has_kcrypto)
		kc_fine(d, "there is no /dev/kcrypto; the kernel module kcrypto would make it");
	else if (k->kcrypto_err && k->kcrypto_err != EACCES && k->kcrypto_err != EPERM)
		kc_fault(d, KCRYPTO_DEAD, strerror(k->kcrypto_err));
	else if (k->kcrypto_err && strcmp(k->kcrypto_group, "root") == 0)
		kc_fault(d, KCRYPTO_ROOT);
	else if (k->kcrypto_err)
		kc_fault(d, KCRYPTO_LOCKED, k->kcrypto_group);
	else
		kc_fine(d, "/dev/kcrypto is there");
	driver = works_by_kcrypto(found) ? not_admitted(found) : NULL;
	if (driver)
		kc_fault(d, NOT_ADMITTED, driver);
}

void kc_check_devcrypto(struct kc_diagnosis *d)
{
	const struct kc_kernel *k = &d->found->kernel;

	d->is_spared = works_by_af_alg(d->found);
	if (!k->has_device) {
		kc_fine(d, "there is no /dev/crypto");
		return;
	}
	if (k->device_err == EACCES || k->device_err == EPERM)
		kc_fault(d, DEVICE_LOCKED, k->device_group);
	else if (k->device_err)
		kc_fault(d, DEVICE_DEAD, strerror(k->device_err));
	else
		kc_fine(d, "/dev/crypto is there%s%s", k->device_version[0] ? ", by version " : "",
			k->device_version);
	if (k->device_mode & 2)
		kc_fault(d, DEVICE_OPEN);
	if (strcmp(k->device_version, "1.14") == 0)
		kc_fault(d, DEVICE_OLD, k->device_version);
}

void kc_check_mask(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;

	if (found->kernel.hides_hardware && !works_by_device(found) && kc_has_hardware(found, ""))
		kc_fault(d, MASKED);
	else if (found->kernel.hides_hardware)
		kc_fault(d, MASKED_IDLE);
	if (found->kernel.restrict_level == 1)
		kc_fault(d, RESTRICTED);
}

void kc_check_crypto_user(struct kc_diagnosis *d)
{
	const struct kc_kernel *k = &d->found->kernel;

	if (k->proc_err)
		kc_fault(d, NO_PROC, strerror(k->proc_err));
	else if (!k->has_netlink)
		kc_fault(d, NO_NETLINK);
	else
		kc_fine(d, "the kernel tells its drivers' flags");
}

void kc_check_device(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	char how[128];

	for (size_t i = 0; i < found->n_devices; i++) {
		const struct kc_device *device = &found->device[i];

		snprintf(how, sizeof(how), "%s",
			 device->how ? device->how : "a kernel that has it");
		if (device->is_built)
			kc_fault(d, NO_DRIVER, device->name, device->module);
		else
			kc_fault(d, DRIVER_NOT_BUILT, device->name, device->module, how);
	}
}

bool kc_has_hardware(const struct kc_found *found, const char *mode)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = found->offers.policy.row[i]; c; c = c->next)
			if (c->nature == KC_HARDWARE && strstr(c->alg->kernel_name, mode))
				return true;
	return false;
}

void kc_check_driver(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;

	if (found->kernel.untested[0])
		kc_fault(d, UNTESTED, found->kernel.untested);
	if (kc_has_hardware(found, ""))
		kc_fine(d, "the kernel lists an accelerator's driver");
	else
		kc_fault(d, NO_HARDWARE);
}

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
