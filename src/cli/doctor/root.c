/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the system, below a directory that tests may choose; the kernel's modules among them; and
 * the modules that openssl.cnf names.
 */
#include "cli/doctor/found.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void path_of(char path[PATH_MAX], const struct kc_found *found, const char *format,
		    va_list args)
{
	int n = snprintf(path, PATH_MAX, "%s", found->root);

	if (n < PATH_MAX)
		vsnprintf(path + n, PATH_MAX - (size_t)n, format, args);
}

FILE *kc_root_open(const struct kc_found *found, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	path_of(path, found, format, args);
	va_end(args);
	return fopen(path, "re");
}

bool kc_root_has(const struct kc_found *found, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	path_of(path, found, format, args);
	va_end(args);
	return access(path, F_OK) == 0;
}

/*
 * Is this line of modprobe's lists for kernel/.../NAME.ko? It has '-' and '_' as in the file name.
 */
static bool is_line_of(const char *line, const char *name)
{
	size_t len = strcspn(line, ":\n");
	const char *base = memrchr(line, '/', len);

	base = base ? base + 1 : line;
	for (; *name && (*base == *name || (*base == '-' && *name == '_')); base++)
		name++;
	return !*name && strncmp(base, ".ko", 3) == 0;
}

static bool is_listed(const struct kc_found *found, const char *list, const char *name)
{
	char line[4096];
	struct utsname system;
	bool is_there = false;
	FILE *file = uname(&system) == 0 ?
			     kc_root_open(found, "/lib/modules/%s/%s", system.release, list) :
			     NULL;

	while (file && !is_there && fgets(line, sizeof(line), file))
		is_there = is_line_of(line, name);
	if (file)
		fclose(file);
	return is_there;
}

/* Small systems have all modules in one folder, and no lists. */
static bool is_file(const struct kc_found *found, const char *name)
{
	struct utsname system;

	return uname(&system) == 0 &&
	       kc_root_has(found, "/lib/modules/%s/%s.ko", system.release, name);
}

enum kc_loaded kc_root_module(const struct kc_found *found, const char *name)
{
	if (kc_root_has(found, "/sys/module/%s", name) || is_listed(found, "modules.builtin", name))
		return KC_MODULE_LOADED;
	return is_listed(found, "modules.dep", name) || is_file(found, name) ? KC_MODULE_ON_DISK :
									       KC_MODULE_ABSENT;
}

static void find_module(struct kc_found_module *module, const char *name)
{
	kc_module_path(name, module->path, sizeof(module->path));
	module->err = access(module->path, R_OK) == 0 ? 0 : errno;
}

void kc_found_modules(struct kc_found *found)
{
	const struct kc_conf *conf = &found->conf;
	const char *keys = kc_cnf_get(&conf->cnf, conf->parts.keys, "module");

	if (conf->module[0])
		find_module(&found->module, conf->module);
	if (conf->parts.keys)
		find_module(&found->keys.module, keys ? keys : "kcrypto-keys.so");
}
