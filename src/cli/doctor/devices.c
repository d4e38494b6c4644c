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
#include <unistd.h>

/* Accelerators, the modules that drive them, and the kernel's options and OpenWrt's packages. */
static const struct {
	const char *alias, *module, *option, *package;
} known[] = {
	{ "of:N*Cmarvell,*-crypto*", "marvell_cesa", "MARVELL_CESA" },
	{ "of:N*Cinside-secure,safexcel-eip93*", "crypto_hw_eip93", "EIP93", "eip93" },
	{ "of:N*Cinside-secure,safexcel-eip*", "crypto_safexcel", "SAFEXCEL", "safexcel" },
	{ "of:N*Cfsl,sec-v4.0", "caam", "FSL_CAAM" },
	{ "of:N*Cfsl,sec-v4.0C*", "caam", "FSL_CAAM" },
	{ "of:N*Cfsl,sec[12].*", "talitos", "TALITOS", "talitos" },
	{ "of:N*Cfsl,*-dcp*", "mxs_dcp", "MXS_DCP" },
	{ "of:N*Cqcom,crypto-v5*", "qcrypto", "QCE" },
	{ "of:N*Cqcom,qce*", "qcrypto", "QCE" },
	{ "of:N*Callwinner,sun4i-a10-crypto*", "sun4i_ss", "SUN4I_SS" },
	{ "of:N*Callwinner,sun8i-*-crypto*", "sun8i_ce", "SUN8I_CE" },
	{ "of:N*Crockchip,*-crypto*", "rk_crypto", "ROCKCHIP" },
	{ "of:N*Carm,cryptocell-*", "ccree", "CCREE" },
	{ "of:N*Catmel,*-aes*", "atmel_aes", "ATMEL_AES" },
	{ "of:N*Cti,omap*-aes*", "omap_aes_driver", "OMAP_AES" },
	{ "of:N*Cti,*-sa2ul*", "sa2ul", "SA2UL" },
	{ "of:N*Cst,*-cryp*", "stm32_cryp", "STM32_CRYP" },
	{ "virtio:d00000014v*", "virtio_crypto", "VIRTIO" },
	{ "pci:v00001022d00002082sv*", "geode_aes", "GEODE", "geode" },
	{ "pci:v00001022d00001537sv*", "ccp", "CCP", "ccp" },
	{ "pci:v00001022d00001456sv*", "ccp", "CCP", "ccp" },
	{ "pci:v00008086d00000435sv*", "qat_dh895xcc", "QAT_DH895xCC" },
	{ "pci:v00008086d000037C8sv*", "qat_c62x", "QAT_C62X" },
	{ "pci:v00008086d000019E2sv*", "qat_c3xxx", "QAT_C3XXX" },
	{ "pci:v00008086d00004940sv*", "qat_4xxx", "QAT_4XXX" },
};

#define MAX_UNBOUND 1024

static struct kc_device unbound[MAX_UNBOUND];
static size_t n_unbound;

/* @path: the file of the device's modalias. */
static void take_unbound(const struct kc_found *found, const char *path)
{
	const char *inside = path + strlen(found->root);
	int len = (int)(strrchr(inside, '/') - inside);
	const char *name = (const char *)memrchr(inside, '/', (size_t)len) + 1;
	KC_FILE *file = fopen(path, "re");
	struct kc_device *d = &unbound[n_unbound];

	if (n_unbound == MAX_UNBOUND || !file ||
	    access(kc_root_path(found, "%.*s/driver", len, inside), F_OK) == 0)
		return;
	memset(d, 0, sizeof(*d));
	if (fscanf(file, "%255[^\n]", d->alias) != 1)
		return;
	snprintf(d->name, sizeof(d->name), "%.*s", (int)strcspn(name, "/"), name);
	n_unbound++;
}

static void list_unbound(const struct kc_found *found)
{
	glob_t files = { .gl_pathc = 0 };

	glob(kc_root_path(found, "/sys/bus/*/devices/*/modalias"), 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++)
		take_unbound(found, files.gl_pathv[i]);
	globfree(&files);
}

/* Only these are certain to be accelerators that programs can use. */
static void match_known(struct kc_device *d)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !d->module[0]; i++) {
		if (fnmatch(known[i].alias, d->alias, 0) != 0)
			continue;
		snprintf(d->module, sizeof(d->module), "%s", known[i].module);
		snprintf(d->how, sizeof(d->how), "a kernel with CONFIG_CRYPTO_DEV_%s%s%s",
			 known[i].option,
			 known[i].package ? ", on OpenWrt: opkg install kmod-crypto-hw-" : "",
			 known[i].package ? known[i].package : "");
	}
}

/* The kernel's list has more than accelerators. */
static void match(const struct kc_found *found, const char *pattern, const char *module)
{
	for (size_t i = 0; i < n_unbound; i++) {
		struct kc_device *d = &unbound[i];

		if (d->module[0] || strncmp(pattern, d->alias, 4) != 0 ||
		    fnmatch(pattern, d->alias, 0) != 0 ||
		    !kc_root_lists(found, "modules.dep", "/drivers/crypto/", module))
			continue;
		snprintf(d->module, sizeof(d->module), "%s", module);
		strcpy(d->how, "a kernel that has it");
	}
}

void kc_found_devices(struct kc_found *found)
{
	KC_FILE *list = fopen(kc_root_modules(found, "modules.alias"), "re");
	char line[1024], pattern[512], module[64];

	list_unbound(found);
	for (size_t i = 0; i < n_unbound; i++)
		match_known(&unbound[i]);
	while (list && fgets(line, sizeof(line), list))
		if (sscanf(line, "alias %511s %63s", pattern, module) == 2)
			match(found, pattern, module);
	for (size_t i = 0; i < n_unbound && found->n_devices < KC_MAX_DEVICES; i++) {
		struct kc_device *d = &unbound[i];

		if (!d->module[0])
			continue;
		d->is_built = kc_root_module(found, d->module) != KC_MODULE_ABSENT;
		found->device[found->n_devices++] = *d;
	}
}
