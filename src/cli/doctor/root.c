/* SPDX-License-Identifier: Apache-2.0 */
/* The system's files, below a directory that tests may choose; and its accelerators. */
#include "cli/doctor/doctor.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *kc_root_path(const struct kc_found *found, const char *format, ...)
{
	static char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s", found->root);
	va_list args;

	va_start(args, format);
	if (n < PATH_MAX)
		vsnprintf(path + n, sizeof(path) - (size_t)n, format, args);
	va_end(args);
	return path;
}

/* Returns the path of a file of the running kernel's modules, until the next call. */
static const char *path_of_modules(const struct kc_found *found, const char *name)
{
	struct utsname system;

	uname(&system);
	return kc_root_path(found, "/lib/modules/%s/%s", system.release, name);
}

/* True if that list has a line for the module's file. */
static bool lists(const struct kc_found *found, const char *list, const char *file)
{
	KC_FILE *in = fopen(path_of_modules(found, list), "re");
	char line[4096] = "/";

	while (in && fgets(line + 1, sizeof(line) - 1, in)) {
		line[strcspn(line, ":\n")] = '\0';
		/* File names mix '-' and '_'. */
		for (char *c = line; (c = strchr(c, '-'));)
			*c = '_';
		if (strstr(line, file))
			return true;
	}
	return false;
}

bool kc_root_has_modules(const struct kc_found *found)
{
	return access(path_of_modules(found, ""), F_OK) == 0;
}

enum kc_loaded kc_root_module(const struct kc_found *found, const char *name)
{
	char file[128];

	snprintf(file, sizeof(file), "/%s.ko", name);
	if (access(kc_root_path(found, "/sys/module/%s", name), F_OK) == 0 ||
	    lists(found, "modules.builtin", file))
		return KC_MODULE_LOADED;
	/* Small systems have all modules in one folder, and no lists. */
	if (lists(found, "modules.dep", file) || access(path_of_modules(found, file), F_OK) == 0)
		return KC_MODULE_ON_DISK;
	return KC_MODULE_ABSENT;
}

int kc_root_number(const struct kc_found *found, const char *path, const char *key)
{
	KC_FILE *file = fopen(kc_root_path(found, "%s", path), "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			return atoi(line + strlen(key));
	return -1;
}

/*
 * Accelerators with their kernel modules, the kernel's options for these, and OpenWrt's packages.
 */
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

/* True if the device has a driver; then records it with the driver's name. */
static bool take_bound(struct kc_found *found, const char *driver, const char *name,
		       const char *module)
{
	struct kc_bound *b = &found->bound[found->n_bound];
	char target[PATH_MAX] = "";
	const char *slash, *own = module;

	if (access(driver, F_OK) != 0)
		return false;
	if (found->n_bound == KC_MAX_DEVICES)
		return true;
	if (readlink(driver, target, sizeof(target) - 1) < 0)
		target[0] = '\0';
	slash = strrchr(target, '/');
	if (slash)
		own = slash + 1;
	snprintf(b->driver, sizeof(b->driver), "%.63s", own);
	snprintf(b->name, sizeof(b->name), "%.*s", (int)strcspn(name, "/"), name);
	b->module = module;
	found->n_bound++;
	return true;
}

/*
 * Records the device whose modalias is in the file @path, if it is an accelerator without a driver.
 * Only those of the table are certain to be accelerators that programs can use.
 */
static void find_device(struct kc_found *found, const char *path)
{
	const char *inside = path + strlen(found->root);
	int len = (int)(strrchr(inside, '/') - inside);
	const char *name = (const char *)memrchr(inside, '/', (size_t)len) + 1;
	struct kc_device *d = &found->device[found->n_devices];
	KC_FILE *file = fopen(path, "re");
	char alias[256];
	size_t i = 0, n = sizeof(known) / sizeof(known[0]);

	if (!file || fscanf(file, "%255[^\n]", alias) != 1 || found->n_devices == KC_MAX_DEVICES)
		return;
	while (i < n && fnmatch(known[i].alias, alias, 0) != 0)
		i++;
	if (i == n || take_bound(found, kc_root_path(found, "%.*s/driver", len, inside), name,
				 known[i].module))
		return;
	d->module = known[i].module;
	snprintf(d->name, sizeof(d->name), "%.*s", (int)strcspn(name, "/"), name);
	snprintf(d->how, sizeof(d->how), "a kernel with CONFIG_CRYPTO_DEV_%s", known[i].option);
	if (known[i].package)
		snprintf(d->package, sizeof(d->package), "kmod-crypto-hw-%s", known[i].package);
	found->n_devices++;
}

void kc_found_devices(struct kc_found *found)
{
	glob_t files = { .gl_pathc = 0 };

	glob(kc_root_path(found, "/sys/bus/*/devices/*/modalias"), 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++)
		find_device(found, files.gl_pathv[i]);
	globfree(&files);
}

void kc_found_conf(struct kc_found *found, const char *file)
{
	const char *named = secure_getenv("OPENSSL_CONF");
	const char *whence = "libcrypto";

	if (named)
		whence = "OPENSSL_CONF";
	if (!file && !named && found->program.conf[0])
		file = found->program.conf;
	else if (file)
		whence = "--config";
	found->is_named = named || strcmp(whence, "--config") == 0;
	found->is_env = named && strcmp(whence, "OPENSSL_CONF") == 0;
	found->whence = whence;
	kc_conf_read(&found->conf, file);
}
