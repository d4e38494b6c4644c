/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accelerators without a driver: devices whose modalias is claimed by a module of drivers/crypto,
 * according to the kernel's own list, or to ours if the kernel was built without the module or has
 * no list.
 */
#include "cli/doctor/doctor.h"

#include <fnmatch.h>
#include <glob.h>
#include <string.h>
#include <sys/utsname.h>

/* Accelerators, the modules that drive them, and how to get those. */
static const struct {
	const char *alias, *module, *how;
} known[] = {
#define OWRT(config, package) "a kernel with " config ", on OpenWrt: opkg install " package
#define KERNEL(config)	      "a kernel with " config
	{ "of:N*Cmarvell,*-crypto*", "marvell_cesa", KERNEL("CONFIG_CRYPTO_DEV_MARVELL_CESA") },
	{ "of:N*Cinside-secure,safexcel-eip93*", "crypto_hw_eip93",
	  OWRT("CONFIG_CRYPTO_DEV_EIP93", "kmod-crypto-hw-eip93") },
	{ "of:N*Cinside-secure,safexcel-eip*", "crypto_safexcel",
	  OWRT("CONFIG_CRYPTO_DEV_SAFEXCEL", "kmod-crypto-hw-safexcel") },
	{ "of:N*Cfsl,sec-v4.0", "caam", KERNEL("CONFIG_CRYPTO_DEV_FSL_CAAM") },
	{ "of:N*Cfsl,sec-v4.0C*", "caam", KERNEL("CONFIG_CRYPTO_DEV_FSL_CAAM") },
	{ "of:N*Cfsl,sec[12].*", "talitos",
	  OWRT("CONFIG_CRYPTO_DEV_TALITOS", "kmod-crypto-hw-talitos") },
	{ "of:N*Cfsl,*-dcp*", "mxs_dcp", KERNEL("CONFIG_CRYPTO_DEV_MXS_DCP") },
	{ "of:N*Cqcom,crypto-v5*", "qcrypto", KERNEL("CONFIG_CRYPTO_DEV_QCE") },
	{ "of:N*Cqcom,qce*", "qcrypto", KERNEL("CONFIG_CRYPTO_DEV_QCE") },
	{ "of:N*Callwinner,sun4i-a10-crypto*", "sun4i_ss", KERNEL("CONFIG_CRYPTO_DEV_SUN4I_SS") },
	{ "of:N*Callwinner,sun8i-*-crypto*", "sun8i_ce", KERNEL("CONFIG_CRYPTO_DEV_SUN8I_CE") },
	{ "of:N*Crockchip,*-crypto*", "rk_crypto", KERNEL("CONFIG_CRYPTO_DEV_ROCKCHIP") },
	{ "of:N*Carm,cryptocell-*", "ccree", KERNEL("CONFIG_CRYPTO_DEV_CCREE") },
	{ "of:N*Catmel,*-aes*", "atmel_aes", KERNEL("CONFIG_CRYPTO_DEV_ATMEL_AES") },
	{ "of:N*Cti,omap*-aes*", "omap_aes_driver", KERNEL("CONFIG_CRYPTO_DEV_OMAP_AES") },
	{ "of:N*Cti,*-sa2ul*", "sa2ul", KERNEL("CONFIG_CRYPTO_DEV_SA2UL") },
	{ "of:N*Cst,*-cryp*", "stm32_cryp", KERNEL("CONFIG_CRYPTO_DEV_STM32_CRYP") },
	{ "virtio:d00000014v*", "virtio_crypto", KERNEL("CONFIG_CRYPTO_DEV_VIRTIO") },
	{ "pci:v00001022d00002082sv*", "geode_aes",
	  OWRT("CONFIG_CRYPTO_DEV_GEODE", "kmod-crypto-hw-geode") },
	{ "pci:v00001022d00001537sv*", "ccp", OWRT("CONFIG_CRYPTO_DEV_CCP", "kmod-crypto-hw-ccp") },
	{ "pci:v00001022d00001456sv*", "ccp", OWRT("CONFIG_CRYPTO_DEV_CCP", "kmod-crypto-hw-ccp") },
	{ "pci:v00008086d00000435sv*", "qat_dh895xcc", KERNEL("CONFIG_CRYPTO_DEV_QAT_DH895xCC") },
	{ "pci:v00008086d000037C8sv*", "qat_c62x", KERNEL("CONFIG_CRYPTO_DEV_QAT_C62X") },
	{ "pci:v00008086d000019E2sv*", "qat_c3xxx", KERNEL("CONFIG_CRYPTO_DEV_QAT_C3XXX") },
	{ "pci:v00008086d00004940sv*", "qat_4xxx", KERNEL("CONFIG_CRYPTO_DEV_QAT_4XXX") },
};

#define MAX_UNBOUND 1024

static struct kc_device unbound[MAX_UNBOUND];
static size_t n_unbound;

/* @path: the file of the device's modalias. */
static void take_unbound(const struct kc_found *found, const char *path)
{
	struct kc_device *d = &unbound[n_unbound];
	int len = (int)(strrchr(path, '/') - path);
	const char *name = memrchr(path, '/', (size_t)len - 1);
	FILE *file;

	path += strlen(found->root);
	len -= (int)strlen(found->root);
	if (n_unbound == MAX_UNBOUND || kc_root_has(found, "%.*s/driver", len, path))
		return;
	file = kc_root_open(found, "%s", path);
	if (!file)
		return;
	memset(d, 0, sizeof(*d));
	if (fgets(d->alias, sizeof(d->alias), file)) {
		d->alias[strcspn(d->alias, "\n")] = '\0';
		snprintf(d->name, sizeof(d->name), "%.*s", (int)strcspn(name + 1, "/"), name + 1);
		n_unbound++;
	}
	fclose(file);
}

static void list_unbound(const struct kc_found *found)
{
	char pattern[PATH_MAX];
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s/sys/bus/*/devices/*/modalias", found->root);
	n_unbound = 0;
	if (glob(pattern, 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++)
		take_unbound(found, files.gl_pathv[i]);
	globfree(&files);
}

/* Ours first: only these are certain to be accelerators that programs can use. */
static void match_known(struct kc_device *d)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !d->module[0]; i++) {
		if (fnmatch(known[i].alias, d->alias, 0) != 0)
			continue;
		snprintf(d->module, sizeof(d->module), "%s", known[i].module);
		d->how = known[i].how;
	}
}

/* Is that module in the kernel's folder of accelerator drivers? */
static bool is_accelerators(const struct kc_found *found, const char *module)
{
	struct utsname system;
	char line[4096];
	bool is_it = false;
	FILE *file = uname(&system) == 0 ?
			     kc_root_open(found, "/lib/modules/%s/modules.dep", system.release) :
			     NULL;

	while (file && !is_it && fgets(line, sizeof(line), file)) {
		const char *name;

		line[strcspn(line, ":\n")] = '\0';
		for (char *c = line; *c; c++)
			*c = *c == '-' ? '_' : *c;
		name = strrchr(line, '/');
		is_it = name && strstr(line, "/drivers/crypto/") &&
			strncmp(name + 1, module, strlen(module)) == 0 &&
			strncmp(name + 1 + strlen(module), ".ko", 3) == 0;
	}
	if (file)
		fclose(file);
	return is_it;
}

/* One line of the kernel's list: alias PATTERN MODULE. */
static void match_line(const struct kc_found *found, const char *pattern, const char *module)
{
	for (size_t i = 0; i < n_unbound; i++) {
		struct kc_device *d = &unbound[i];

		if (!d->module[0] && strncmp(pattern, d->alias, 4) == 0 &&
		    fnmatch(pattern, d->alias, 0) == 0 && is_accelerators(found, module))
			snprintf(d->module, sizeof(d->module), "%s", module);
	}
}

static void match_list(const struct kc_found *found)
{
	char line[1024], pattern[512], module[64];
	struct utsname system;
	FILE *file = uname(&system) == 0 ?
			     kc_root_open(found, "/lib/modules/%s/modules.alias", system.release) :
			     NULL;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "alias %511s %63s", pattern, module) == 2)
			match_line(found, pattern, module);
	if (file)
		fclose(file);
}

void kc_found_devices(struct kc_found *found)
{
	list_unbound(found);
	for (size_t i = 0; i < n_unbound; i++)
		match_known(&unbound[i]);
	match_list(found);
	for (size_t i = 0; i < n_unbound && found->n_devices < KC_MAX_DEVICES; i++) {
		struct kc_device *d = &unbound[i];

		if (!d->module[0])
			continue;
		d->is_built = kc_root_module(found, d->module) != KC_MODULE_ABSENT;
		found->device[found->n_devices++] = *d;
	}
}
