/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links in the kernel: the backends, the accelerator's device and its driver. A child asks the
 * questions for which a filter may punish. The kernel may load modules for them, as it would for a
 * program's first session.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <linux/if_alg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/doctor/modprobe.h"

#ifndef AF_ALG
#define AF_ALG 38
#endif

static void try_af_alg(void *data)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_type = "skcipher",
				   .salg_name = "cbc(aes)" };
	struct kc_kernel *k = data;
	int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	k->socket_err = 0;
	if (fd < 0)
		k->socket_err = errno;
	if (fd >= 0 && bind(fd, (struct sockaddr *)&sa, sizeof(sa)) != 0)
		k->bind_err = errno;
}

/* Opens the node as every session does; an open file reserves nothing. */
static void look_at_node(const struct kc_found *found, struct kc_node *node, const char *name)
{
	const char *path = kc_root_path(found, "%s", name);
	const struct group *group;
	const char *name_of_group = "";
	struct stat st;
	KC_FD fd = -1;

	*node = (struct kc_node){ .path = name, .err = ENOENT };
	if (stat(path, &st) != 0)
		return;
	group = getgrgid(st.st_gid);
	if (group)
		name_of_group = group->gr_name;
	snprintf(node->group, sizeof(node->group), "%s", name_of_group);
	node->mode = st.st_mode;
	fd = open(path, O_RDWR | O_CLOEXEC);
	node->err = 0;
	if (fd < 0)
		node->err = errno;
}

/* If the child is killed, or the kernel does not answer, the error stays. */
void kc_found_kernel(struct kc_found *found)
{
	struct kc_kernel *k = &found->kernel;
	struct kc_child child;

	k->socket_err = KC_KILLED;
	kc_child_ask(&child, try_af_alg, k, sizeof(*k), KC_CHILD_SECONDS);
	look_at_node(found, &k->kcrypto, "/dev/kcrypto");
	look_at_node(found, &k->devcrypto, "/dev/crypto");
}

static bool is_filtered(const struct kc_found *found)
{
	return kc_root_number(found, "/proc/self/status", "Seccomp:") > 0;
}

static int restrict_level(const struct kc_found *found)
{
	return kc_root_number(found, "/proc/sys/crypto/af_alg_restrict", "");
}

/* If one backend works, the other is no necessary link of the chain. */
static bool works_by_device(const struct kc_found *found)
{
	return !found->kernel.kcrypto.err || !found->kernel.devcrypto.err;
}

static bool works_by_af_alg(const struct kc_found *found)
{
	return !found->kernel.socket_err && !found->offers.hides_hardware;
}

/* Without an accelerator in sight, no way to it is missed; but software may be asked for. */
static bool is_wanted(const struct kc_found *found)
{
	if (kc_has_hardware(found, "") || found->n_devices)
		return true;
	return found->conf.config.admit != KC_ADMIT_HARDWARE;
}

/* For messages, until the next call. */
static const char *modules_dir(const struct kc_found *found)
{
	static char dir[PATH_MAX];
	struct utsname system;

	uname(&system);
	snprintf(dir, sizeof(dir), "%s", kc_root_path(found, "/lib/modules/%s", system.release));
	return dir;
}

/* The kernel does not know the protocol: its module is not loaded, or is kept out. */
static void find_unknown(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	enum kc_loaded loaded = kc_root_module(found, "af_alg");
	char path[PATH_MAX];

	if (is_filtered(found) && loaded != KC_MODULE_ABSENT)
		kc_fault(d, FILTERED, strerror(EAFNOSUPPORT));
	else if (kc_modprobe_blocks(found, path))
		kc_fault(d, BLOCKED, path);
	else if (loaded == KC_MODULE_ABSENT && !kc_root_has_modules(found))
		kc_fault(d, MODULES_ABSENT, modules_dir(found));
	else if (loaded == KC_MODULE_ON_DISK)
		kc_fault(d, NOT_LOADED, "af_alg");
	else if (loaded == KC_MODULE_ABSENT)
		kc_fault(d, NOT_BUILT, "af_alg");
	else
		kc_fault(d, FORBIDDEN, strerror(EAFNOSUPPORT));
}

static void find_refused(struct kc_diagnosis *d)
{
	int err = d->found->kernel.socket_err;

	if (err == KC_KILLED)
		kc_fault(d, FILTERED, "it kills the process");
	else if (restrict_level(d->found) == 2)
		kc_fault(d, SWITCHED_OFF);
	else if (err == EAFNOSUPPORT)
		find_unknown(d);
	else if (err != EPERM && err != EACCES)
		kc_fault(d, AF_ALG_FAILS, strerror(err));
	else if (is_filtered(d->found))
		kc_fault(d, FILTERED, strerror(err));
	else
		kc_fault(d, FORBIDDEN, strerror(err));
}

static void check_af_alg(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	enum kc_loaded type = kc_root_module(found, "algif_skcipher");
	char path[PATH_MAX];

	d->is_spared = works_by_device(found) || !is_wanted(found);
	if (found->kernel.socket_err)
		find_refused(d);
	else if (!found->kernel.bind_err || type == KC_MODULE_LOADED)
		kc_fine(d, "the kernel has AF_ALG");
	else if (kc_modprobe_blocks(found, path))
		kc_fault(d, BLOCKED, path);
	else if (type == KC_MODULE_ABSENT && !kc_root_has_modules(found))
		kc_fault(d, MODULES_ABSENT, modules_dir(found));
	else if (type == KC_MODULE_ON_DISK)
		kc_fault(d, NOT_LOADED, "algif_skcipher");
	else
		kc_fault(d, NOT_BUILT, "algif_skcipher");
}

static bool is_unlisted(const struct kc_candidate *c)
{
	return c->reason == KC_NO_DRIVER || c->reason == KC_NAMED_DRIVER_ABSENT;
}

/*
 * For a backend other than the device: true for hardware, or a driver that the administrator named.
 */
static bool is_usable(const struct kc_candidate *c)
{
	if (c->nature == KC_HARDWARE)
		return true;
	return c->driver_fixed && !is_unlisted(c);
}

/* Returns a driver that another backend can use, but that the device does not list. */
static const char *not_admitted(const struct kc_found *found)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *c = found->offers.policy.row[i], *ours = c, *other = c;

		while (ours && strcmp(ours->backend->names[0], "/dev/kcrypto") != 0)
			ours = ours->next;
		while (other && (other == ours || !is_usable(other)))
			other = other->next;
		if (ours && other && is_unlisted(ours))
			return other->driver;
	}
	return NULL;
}

/* With sudo, the user is the one who called it. */
static const char *user_name(void)
{
	const char *name = secure_getenv("SUDO_USER");
	const struct passwd *user = getpwuid(getuid());

	if (name)
		return name;
	if (user)
		return user->pw_name;
	return "USER";
}

/* Checks that the node exists and works. */
static void check_node(struct kc_diagnosis *d, const struct kc_node *node, const char *module)
{
	bool may_not = node->err == EACCES || node->err == EPERM;

	if (may_not && strcmp(node->group, "root") == 0 && strcmp(module, "kcrypto") == 0)
		kc_fault(d, KCRYPTO_ROOT);
	else if (may_not)
		kc_fault(d, DEVICE_LOCKED, node->path, node->group, user_name());
	else if (node->err)
		kc_fault(d, DEVICE_DEAD, node->path, strerror(node->err), module);
	else
		kc_fine(d, "%s is there", node->path);
}

static void check_kcrypto(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_node *node = &found->kernel.kcrypto;
	const char *driver = NULL;

	if (!node->err)
		driver = not_admitted(found);
	d->is_spared = works_by_af_alg(found) || !found->kernel.devcrypto.err || !is_wanted(found);
	if (node->err != ENOENT)
		check_node(d, node, "kcrypto");
	else if (kc_root_module(found, "kcrypto") == KC_MODULE_ON_DISK)
		kc_fault(d, KCRYPTO_UNLOADED);
	else
		kc_fine(d, "there is no /dev/kcrypto; the kernel module kcrypto would make it");
	if (driver)
		kc_fault(d, NOT_ADMITTED, driver);
}

static void check_devcrypto(struct kc_diagnosis *d)
{
	const struct kc_node *node = &d->found->kernel.devcrypto;
	KC_FILE *file = fopen(kc_root_path(d->found, "/sys/module/cryptodev/version"), "re");
	char version[32] = "";

	d->is_spared = works_by_af_alg(d->found);
	if (node->err != ENOENT)
		check_node(d, node, "cryptodev");
	else
		kc_fine(d, "there is no /dev/crypto");
	if (node->mode & 2)
		kc_fault(d, DEVICE_OPEN);
	if (node->err != ENOENT && file && fscanf(file, "%31s", version) == 1 &&
	    strcmp(version, "1.14") == 0)
		kc_fault(d, DEVICE_OLD, version);
}

static void check_mask(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;

	if (found->offers.hides_hardware && !works_by_device(found) && kc_has_hardware(found, ""))
		kc_fault(d, MASKED, KC_MODULE_PACKAGE);
	else if (found->offers.hides_hardware)
		kc_fault(d, MASKED_IDLE);
	if (restrict_level(found) == 1)
		kc_fault(d, RESTRICTED);
}

static void check_list(struct kc_diagnosis *d)
{
	if (access(kc_root_path(d->found, "/proc/crypto"), R_OK) != 0)
		kc_fault(d, NO_PROC, strerror(errno));
	else
		kc_fine(d, "the kernel lists its drivers");
}

static void check_device(struct kc_diagnosis *d)
{
	const struct kc_device *device = d->found->device;

	for (size_t i = 0; i < d->found->n_devices; i++, device++)
		if (kc_root_module(d->found, device->module) != KC_MODULE_ABSENT)
			kc_fault(d, NO_DRIVER, device->name, device->module);
		else
			kc_fault(d, DRIVER_NOT_BUILT, device->name, device->module, device->how,
				 device->package);
}

bool kc_has_hardware(const struct kc_found *found, const char *mode)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = found->offers.policy.row[i]; c; c = c->next)
			if (c->nature == KC_HARDWARE && strstr(c->alg->kernel_name, mode))
				return true;
	return false;
}

static bool is_in_table(const char *kernel_name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (strcmp(kc_algs[i].kernel_name, kernel_name) == 0)
			return true;
	return false;
}

/* Finds a listed driver that the kernel itself does not trust. */
static void check_untested(struct kc_diagnosis *d)
{
	KC_FILE *file = fopen(kc_root_path(d->found, "/proc/crypto"), "re");
	char line[256], name[64] = "", driver[64] = "";

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "name : %63s", name);
		sscanf(line, "driver : %63s", driver);
		if (strncmp(line, "selftest", 8) == 0 && !strstr(line, "passed") &&
		    is_in_table(name))
			kc_fault(d, UNTESTED, driver);
	}
}

/* Returns the candidate of a driver whose device was not seen to do anything. */
static const struct kc_candidate *find_idle(const struct kc_found *found)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = found->offers.policy.row[i]; c; c = c->next)
			if (c->seen == KC_DONE_BY_SOFTWARE)
				return c;
	return NULL;
}

static void check_driver(struct kc_diagnosis *d)
{
	const struct kc_candidate *idle = find_idle(d->found);

	check_untested(d);
	kc_check_scattered(d);
	if (kc_has_hardware(d->found, ""))
		kc_fine(d, "the kernel lists an accelerator's driver");
	else if (idle)
		kc_fine(d, "%s is an accelerator's driver, but the kernel's software does its work",
			idle->driver);
	else
		kc_fault(d, NO_HARDWARE);
}

const struct kc_link kc_links_to_driver[] = {
	{ "af_alg", check_af_alg },	  { "kcrypto", check_kcrypto },
	{ "devcrypto", check_devcrypto }, { "mask", check_mask, .scope = KC_OF_LIST },
	{ "list", check_list },		  { "device", check_device },
	{ "driver", check_driver },	  { NULL },
};
