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

void kc_root_close(FILE **file)
{
	if (*file)
		fclose(*file);
}

const char *kc_root_modules(const struct kc_found *found, const char *name)
{
	struct utsname system;

	uname(&system);
	return kc_root_path(found, "/lib/modules/%s/%s", system.release, name);
}

bool kc_root_lists(const struct kc_found *found, const char *list, const char *folder,
		   const char *name)
{
	KC_FILE *file = fopen(kc_root_modules(found, list), "re");
	char line[4096], *base;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, ":\n")] = '\0';
		base = strrchr(line, '/');
		base = base ? base + 1 : line;
		/* The file's name has '-' and '_' as it likes. */
		for (char *c = base; *c; c++)
			*c = *c == '-' ? '_' : *c;
		if (strstr(line, folder) && strncmp(base, name, strlen(name)) == 0 &&
		    strncmp(base + strlen(name), ".ko", 3) == 0)
			return true;
	}
	return false;
}

enum kc_loaded kc_root_module(const struct kc_found *found, const char *name)
{
	char file[128];

	/* Small systems have all modules in one folder, and no lists. */
	snprintf(file, sizeof(file), "%s.ko", name);
	if (access(kc_root_path(found, "/sys/module/%s", name), F_OK) == 0 ||
	    kc_root_lists(found, "modules.builtin", "", name))
		return KC_MODULE_LOADED;
	return kc_root_lists(found, "modules.dep", "", name) ||
			       access(kc_root_modules(found, file), F_OK) == 0 ?
		       KC_MODULE_ON_DISK :
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
	KC_FILE *file = fopen(kc_root_path(found, "%s", path), "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			return atoi(line + strlen(key));
	return -1;
}

/* Does a line of modprobe's keep out this module, or the name by which the kernel asks for it? */
static bool is_blocking(const char *line)
{
	char word[16] = "", name[32] = "", rest[256] = "";

	sscanf(line, "%15s %31s %255[^\n]", word, name, rest);
	if (strcmp(name, "af_alg") != 0 && strcmp(name, "algif_skcipher") != 0 &&
	    strcmp(name, "net-pf-38") != 0)
		return false;
	return strcmp(word, "blacklist") == 0 ||
	       (strcmp(word, "install") == 0 &&
		(strstr(rest, "/false") || strstr(rest, "/true"))) ||
	       (strcmp(word, "alias") == 0 && strstr(rest, "off"));
}

static void search_file(struct kc_kernel *k, const char *path)
{
	KC_FILE *file = fopen(path, "re");
	char line[512];

	while (file && !k->blocked[0] && fgets(line, sizeof(line), file))
		if (is_blocking(line))
			snprintf(k->blocked, sizeof(k->blocked), "%s", path);
}

static void find_blocked(const struct kc_found *found, struct kc_kernel *k)
{
	static const char *const dirs[] = { "/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib" };
	glob_t files = { .gl_pathc = 0 };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		glob(kc_root_path(found, "%s/modprobe.d/*.conf", dirs[i]), i ? GLOB_APPEND : 0,
		     NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++)
		search_file(k, files.gl_pathv[i]);
	globfree(&files);
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
	KC_FILE *file = fopen(kc_root_path(found, "/proc/crypto"), "re");
	char line[256], name[64] = "", driver[sizeof(k->untested)] = "";

	k->proc_err = file ? 0 : errno;
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "name : %63s", name);
		sscanf(line, "driver : %63s", driver);
		if (strncmp(line, "selftest", 8) == 0 && !strstr(line, "passed") &&
		    is_in_table(name))
			memcpy(k->untested, driver, sizeof(driver));
	}
}

/* Opens it as every session does; an open file reserves nothing. */
static void look_at(struct kc_node *node, const struct kc_found *found, const char *name)
{
	const char *path = kc_root_path(found, "%s", name);
	const struct group *group;
	struct stat st;
	int fd;

	node->exists = stat(path, &st) == 0;
	if (!node->exists)
		return;
	group = getgrgid(st.st_gid);
	snprintf(node->group, sizeof(node->group), "%s", group ? group->gr_name : "");
	node->mode = st.st_mode;
	fd = open(path, O_RDWR | O_CLOEXEC);
	node->err = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

static void read_version(const struct kc_found *found, struct kc_kernel *k)
{
	KC_FILE *file = fopen(kc_root_path(found, "/sys/module/cryptodev/version"), "re");

	if (file && fscanf(file, "%31s", k->cryptodev_version) != 1)
		k->cryptodev_version[0] = '\0';
}

/* The keyring answers only if somebody asks. */
void kc_found_keys(struct kc_found *found)
{
	struct kc_found_keys *keys = &found->keys;

	keys->is_probed = found->conf.parts.keys || keys->name;
	if (keys->is_probed)
		kc_keys_probe(&keys->probe, fopen(kc_root_path(found, "/proc/crypto"), "re"));
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
	look_at(&k->kcrypto, found, "/dev/kcrypto");
	look_at(&k->cryptodev, found, "/dev/crypto");
	read_version(found, k);
}
