/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the system, whose files are below a directory that tests may choose, and about the
 * kernel. Questions that a filter may punish are asked by a child. The kernel may load modules for
 * them, as it would for a program's first session.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <linux/if_alg.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/child.h"

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

#ifndef AF_ALG
#define AF_ALG 38
#endif
#ifndef NETLINK_CRYPTO
#define NETLINK_CRYPTO 21
#endif

struct answers {
	int socket_err, bind_err;
	bool has_netlink;
};

static void ask(void *data)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_type = "skcipher",
				   .salg_name = "cbc(aes)" };
	struct answers *a = data;
	int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	*a = (struct answers){ .socket_err = fd < 0 ? errno : 0 };
	if (fd >= 0 && bind(fd, (struct sockaddr *)&sa, sizeof(sa)) != 0)
		a->bind_err = errno;
	a->has_netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_CRYPTO) >= 0;
}

/* The value that stays if the child is killed, or the kernel does not answer. */
static void ask_in_child(struct kc_kernel *k)
{
	struct answers a = { .socket_err = KC_KILLED };
	struct kc_child child;

	kc_child_ask(&child, ask, &a, sizeof(a), KC_CHILD_SECONDS);
	k->socket_err = a.socket_err;
	k->bind_err = a.bind_err;
	k->has_netlink = a.has_netlink;
}

/* The number after @key in a file of such lines; -1: there is none. */
static int number_in(const struct kc_found *found, const char *path, const char *key)
{
	FILE *file = kc_root_open(found, "%s", path);
	char line[256];
	int n = -1;

	while (file && n < 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			n = atoi(line + strlen(key));
	if (file)
		fclose(file);
	return n;
}

/* Does a line of modprobe's keep out this module, or the name by which the kernel asks for it? */
static bool is_blocking(char *line)
{
	char *rest, *word = strtok_r(line, " \t\n", &rest);
	char *name = word ? strtok_r(NULL, " \t\n", &rest) : NULL;
	char *more = name ? strtok_r(NULL, "\n", &rest) : NULL;
	bool is_it = name && (strcmp(name, "af_alg") == 0 || strcmp(name, "algif_skcipher") == 0 ||
			      strcmp(name, "net-pf-38") == 0);

	if (!is_it)
		return false;
	return strcmp(word, "blacklist") == 0 ||
	       (strcmp(word, "install") == 0 && more &&
		(strstr(more, "/false") || strstr(more, "/true"))) ||
	       (strcmp(word, "alias") == 0 && more && strstr(more, "off"));
}

static void search_file(struct kc_kernel *k, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512];

	while (file && !k->blocked[0] && fgets(line, sizeof(line), file))
		if (is_blocking(line))
			snprintf(k->blocked, sizeof(k->blocked), "%s", path);
	if (file)
		fclose(file);
}

static void find_blocked(const struct kc_found *found, struct kc_kernel *k)
{
	static const char *const dirs[] = { "/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib" };
	char pattern[PATH_MAX];
	glob_t files;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s%s/modprobe.d/*.conf", found->root, dirs[i]);
		if (glob(pattern, 0, NULL, &files) != 0)
			continue;
		for (size_t n = 0; n < files.gl_pathc; n++)
			search_file(k, files.gl_pathv[n]);
		globfree(&files);
	}
}

static bool is_in_table(const char *kernel_name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (strcmp(kc_algs[i].kernel_name, kernel_name) == 0)
			return true;
	return false;
}

/* Whether the list is there, and a driver in it that the kernel itself does not trust. */
static void read_list(const struct kc_found *found, struct kc_kernel *k)
{
	FILE *file = kc_root_open(found, "/proc/crypto");
	char line[256], name[64] = "", driver[sizeof(k->untested)] = "";

	k->proc_err = file ? 0 : errno;
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "name : %63s", name);
		sscanf(line, "driver : %63s", driver);
		if (strncmp(line, "selftest", 8) == 0 && !strstr(line, "passed") &&
		    is_in_table(name))
			memcpy(k->untested, driver, sizeof(driver));
	}
	if (file)
		fclose(file);
}

static void look_at_kcrypto(const struct kc_found *found, struct kc_kernel *k)
{
	char path[PATH_MAX];
	const struct group *group;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/dev/kcrypto", found->root);
	k->has_kcrypto = stat(path, &st) == 0;
	if (!k->has_kcrypto)
		return;
	group = getgrgid(st.st_gid);
	snprintf(k->kcrypto_group, sizeof(k->kcrypto_group), "%s", group ? group->gr_name : "");
	fd = open(path, O_RDWR | O_CLOEXEC);
	k->kcrypto_err = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

/* Opens it as every session does; an open file reserves nothing. */
static void look_at_device(const struct kc_found *found, struct kc_kernel *k)
{
	char path[PATH_MAX];
	const struct group *group;
	struct stat st;
	FILE *version;
	int fd;

	snprintf(path, sizeof(path), "%s/dev/crypto", found->root);
	k->has_device = stat(path, &st) == 0;
	if (!k->has_device)
		return;
	k->device_mode = st.st_mode;
	group = getgrgid(st.st_gid);
	snprintf(k->device_group, sizeof(k->device_group), "%s", group ? group->gr_name : "");
	fd = open(path, O_RDWR | O_CLOEXEC);
	k->device_err = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	version = kc_root_open(found, "/sys/module/cryptodev/version");
	if (version && !fgets(k->device_version, sizeof(k->device_version), version))
		k->device_version[0] = '\0';
	if (version)
		fclose(version);
	k->device_version[strcspn(k->device_version, "\n")] = '\0';
}

/* The keyring answers only if somebody asks. */
void kc_found_keys(struct kc_found *found)
{
	struct kc_found_keys *keys = &found->keys;

	keys->is_probed = found->conf.parts.keys || keys->name;
	if (keys->is_probed)
		kc_keys_probe(&keys->probe, kc_root_open(found, "/proc/crypto"));
	if (keys->name)
		keys->name_err = kc_keys_try(keys->name);
}

void kc_found_kernel(struct kc_found *found)
{
	struct kc_kernel *k = &found->kernel;

	ask_in_child(k);
	k->is_filtered = number_in(found, "/proc/self/status", "Seccomp:") > 0;
	k->restrict_level = number_in(found, "/proc/sys/crypto/af_alg_restrict", "");
	k->has_tls = kc_root_module(found, "tls") == KC_MODULE_LOADED;
	find_blocked(found, k);
	read_list(found, k);
	look_at_device(found, k);
	look_at_kcrypto(found, k);
}
