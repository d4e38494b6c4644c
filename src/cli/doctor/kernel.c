/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side. Questions that a filter may punish are asked by a child. The
 * kernel may load modules for them, as it would for a program's first session.
 */
#include "cli/doctor/found.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <linux/if_alg.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"

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
}
