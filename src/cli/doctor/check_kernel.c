/* SPDX-License-Identifier: Apache-2.0 */
/* The links in the kernel: the backends, the accelerator's device and its driver. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <string.h>

/* If one backend works, the other one is not a necessary link of the chain. */
static bool works_by_kcrypto(const struct kc_found *found)
{
	return found->kernel.kcrypto.exists && !found->kernel.kcrypto.err;
}

static bool works_by_device(const struct kc_found *found)
{
	return works_by_kcrypto(found) ||
	       (found->kernel.cryptodev.exists && !found->kernel.cryptodev.err);
}

static bool works_by_af_alg(const struct kc_found *found)
{
	return !found->kernel.socket_err && !found->offers.hides_hardware;
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

static void check_af_alg(struct kc_diagnosis *d)
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

static void check_kcrypto(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_node *node = &found->kernel.kcrypto, *other = &found->kernel.cryptodev;
	bool may_not = node->err == EACCES || node->err == EPERM;
	const char *driver;

	d->is_spared =
		works_by_af_alg(found) || (other->exists && !other->err) || !is_wanted(found);
	if (!node->exists && kc_root_module(found, "kcrypto") == KC_MODULE_ON_DISK)
		kc_fault(d, KCRYPTO_UNLOADED);
	else if (!node->exists)
		kc_fine(d, "there is no /dev/kcrypto; the kernel module kcrypto would make it");
	else if (may_not && strcmp(node->group, "root") == 0)
		kc_fault(d, KCRYPTO_ROOT);
	else if (may_not)
		kc_fault(d, KCRYPTO_LOCKED, node->group);
	else if (node->err)
		kc_fault(d, KCRYPTO_DEAD, strerror(node->err));
	else
		kc_fine(d, "/dev/kcrypto is there");
	driver = works_by_kcrypto(found) ? not_admitted(found) : NULL;
	if (driver)
		kc_fault(d, NOT_ADMITTED, driver);
}

static void check_devcrypto(struct kc_diagnosis *d)
{
	const struct kc_node *node = &d->found->kernel.cryptodev;
	const char *version = d->found->kernel.cryptodev_version;

	d->is_spared = works_by_af_alg(d->found);
	if (!node->exists)
		kc_fine(d, "there is no /dev/crypto");
	else if (node->err == EACCES || node->err == EPERM)
		kc_fault(d, DEVICE_LOCKED, node->group);
	else if (node->err)
		kc_fault(d, DEVICE_DEAD, strerror(node->err));
	else
		kc_fine(d, "/dev/crypto is there%s%s", *version ? ", by version " : "", version);
	if (node->mode & 2)
		kc_fault(d, DEVICE_OPEN);
	if (node->exists && strcmp(version, "1.14") == 0)
		kc_fault(d, DEVICE_OLD, version);
}

static void check_mask(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;

	if (found->offers.hides_hardware && !works_by_device(found) && kc_has_hardware(found, ""))
		kc_fault(d, MASKED);
	else if (found->offers.hides_hardware)
		kc_fault(d, MASKED_IDLE);
	if (found->kernel.restrict_level == 1)
		kc_fault(d, RESTRICTED);
}

static void check_crypto_user(struct kc_diagnosis *d)
{
	const struct kc_kernel *k = &d->found->kernel;

	if (k->proc_err)
		kc_fault(d, NO_PROC, strerror(k->proc_err));
	else if (!k->has_netlink)
		kc_fault(d, NO_NETLINK);
	else
		kc_fine(d, "the kernel tells its drivers' flags");
}

static void check_device(struct kc_diagnosis *d)
{
	const struct kc_device *device = d->found->device;

	for (size_t i = 0; i < d->found->n_devices; i++, device++)
		if (device->is_built)
			kc_fault(d, NO_DRIVER, device->name, device->module);
		else
			kc_fault(d, DRIVER_NOT_BUILT, device->name, device->module, device->how);
}

bool kc_has_hardware(const struct kc_found *found, const char *mode)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = found->offers.policy.row[i]; c; c = c->next)
			if (c->nature == KC_HARDWARE && strstr(c->alg->kernel_name, mode))
				return true;
	return false;
}

static void check_driver(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;

	if (found->kernel.untested[0])
		kc_fault(d, UNTESTED, found->kernel.untested);
	if (kc_has_hardware(found, ""))
		kc_fine(d, "the kernel lists an accelerator's driver");
	else
		kc_fault(d, NO_HARDWARE);
}

const struct kc_link kc_links_to_driver[] = {
	{ "af_alg", check_af_alg },	      { "kcrypto", check_kcrypto },
	{ "devcrypto", check_devcrypto },     { "mask", check_mask },
	{ "crypto_user", check_crypto_user }, { "device", check_device },
	{ "driver", check_driver },	      { NULL },
};
