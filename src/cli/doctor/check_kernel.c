/* SPDX-License-Identifier: Apache-2.0 */
/* The links in the kernel: the backends, the accelerator's device and its driver. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <string.h>

/* If one backend works, the other one is not a necessary link of the chain. */
static bool works_by_device(const struct kc_found *found)
{
	return found->kernel.has_device && !found->kernel.device_err;
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
static void find_unknown(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;
	enum kc_loaded loaded = kc_root_module(found, "af_alg");

	if (found->kernel.is_filtered && loaded != KC_MODULE_ABSENT)
		kc_fault(exam, FILTERED, strerror(EAFNOSUPPORT));
	else if (found->kernel.blocked[0])
		kc_fault(exam, BLOCKED, found->kernel.blocked);
	else if (loaded == KC_MODULE_ON_DISK)
		kc_fault(exam, NOT_LOADED, "af_alg");
	else if (loaded == KC_MODULE_ABSENT)
		kc_fault(exam, NOT_BUILT, "af_alg");
	else
		kc_fault(exam, FORBIDDEN, strerror(EAFNOSUPPORT));
}

static void find_refused(struct kc_exam *exam)
{
	const struct kc_kernel *k = &exam->found->kernel;

	if (k->socket_err == KC_KILLED)
		kc_fault(exam, FILTERED, "it kills for asking");
	else if (k->restrict_level == 2)
		kc_fault(exam, SWITCHED_OFF);
	else if (k->socket_err == EAFNOSUPPORT)
		find_unknown(exam);
	else if (k->socket_err != EPERM && k->socket_err != EACCES)
		kc_fault(exam, AF_ALG_FAILS, strerror(k->socket_err));
	else if (k->is_filtered)
		kc_fault(exam, FILTERED, strerror(k->socket_err));
	else
		kc_fault(exam, FORBIDDEN, strerror(k->socket_err));
}

void kc_check_af_alg(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;
	enum kc_loaded type = kc_root_module(found, "algif_skcipher");

	exam->is_spared = works_by_device(found) || !is_wanted(found);
	if (found->kernel.socket_err)
		find_refused(exam);
	else if (!found->kernel.bind_err || type == KC_MODULE_LOADED)
		kc_fine(exam, "the kernel has AF_ALG");
	else if (type == KC_MODULE_ON_DISK)
		kc_fault(exam, NOT_LOADED, "algif_skcipher");
	else
		kc_fault(exam, NOT_BUILT, "algif_skcipher");
}

void kc_check_devcrypto(struct kc_exam *exam)
{
	const struct kc_kernel *k = &exam->found->kernel;

	exam->is_spared = works_by_af_alg(exam->found);
	if (!k->has_device) {
		kc_fine(exam, "there is no /dev/crypto; cryptodev-linux would make it");
		return;
	}
	if (k->device_err == EACCES || k->device_err == EPERM)
		kc_fault(exam, DEVICE_LOCKED, k->device_group);
	else if (k->device_err)
		kc_fault(exam, DEVICE_DEAD, strerror(k->device_err));
	else
		kc_fine(exam, "/dev/crypto is there%s%s",
			k->device_version[0] ? ", by version " : "", k->device_version);
	if (k->device_mode & 2)
		kc_fault(exam, DEVICE_OPEN);
	if (strcmp(k->device_version, "1.14") == 0)
		kc_fault(exam, DEVICE_OLD, k->device_version);
}

void kc_check_mask(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;

	if (found->kernel.hides_hardware && !works_by_device(found) && kc_has_hardware(found, ""))
		kc_fault(exam, MASKED);
	else if (found->kernel.hides_hardware)
		kc_fault(exam, MASKED_IDLE);
	if (found->kernel.restrict_level == 1)
		kc_fault(exam, RESTRICTED);
}

void kc_check_crypto_user(struct kc_exam *exam)
{
	const struct kc_kernel *k = &exam->found->kernel;

	if (k->proc_err)
		kc_fault(exam, NO_PROC, strerror(k->proc_err));
	else if (!k->has_netlink)
		kc_fault(exam, NO_NETLINK);
	else
		kc_fine(exam, "the kernel tells its drivers' flags");
}

void kc_check_device(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;
	char how[128];

	for (size_t i = 0; i < found->n_devices; i++) {
		const struct kc_device *d = &found->device[i];

		snprintf(how, sizeof(how), "%s", d->how ? d->how : "a kernel that has it");
		if (d->is_built)
			kc_fault(exam, NO_DRIVER, d->name, d->module);
		else
			kc_fault(exam, DRIVER_NOT_BUILT, d->name, d->module, how);
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

void kc_check_driver(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;

	if (found->kernel.untested[0])
		kc_fault(exam, UNTESTED, found->kernel.untested);
	if (kc_has_hardware(found, ""))
		kc_fine(exam, "the kernel lists an accelerator's driver");
	else
		kc_fault(exam, NO_HARDWARE);
}
