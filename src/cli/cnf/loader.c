/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which line openssl.cnf may have. All architectures of a system read the same file. If one of them
 * has a libcrypto but no module, its programs would not start.
 */
#include "cli/cnf/loader.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cnf/files.h"

#define NAME	"/kcrypto.cnf"
#define MODULES "/ossl-modules"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Where distributions have libraries. */
static const char *const libraries[] = {
	"/usr/lib/*-linux-*",	    "/usr/lib64",	"/usr/lib32",	 "/usr/lib",
	"/lib/*-linux-*",	    "/lib64",		"/lib32",	 "/lib",
	"/usr/local/lib/*-linux-*", "/usr/local/lib64", "/usr/local/lib"
};

bool kc_loader_is(const char *path)
{
	size_t len = strlen(path), n = strlen(NAME);

	if (len <= n)
		return false;
	return strcmp(path + len - n, NAME) == 0;
}

static bool is_there(const char *root, const char *path)
{
	KC_FD fd = kc_files_open(root, path, O_PATH);

	return fd >= 0;
}

/*
 * Calls @look for each path below the root that matches @directory and @name, until it returns
 * true.
 */
static bool each(const char *root, const char *directory, const char *name, void *arg,
		 bool (*look)(void *arg, const char *path))
{
	char pattern[PATH_MAX];
	bool is_found = false;
	glob_t all = { .gl_pathc = 0 };

	snprintf(pattern, sizeof(pattern), "%s%s%s", root, directory, name);
	if (glob(pattern, 0, NULL, &all) == 0)
		for (size_t i = 0; !is_found && i < all.gl_pathc; i++)
			is_found = look(arg, all.gl_pathv[i] + strlen(root));
	globfree(&all);
	return is_found;
}

static bool take_file(void *arg, const char *path)
{
	struct kc_loader *loader = arg;

	snprintf(loader->file, sizeof(loader->file), "%s", path);
	return true;
}

/* Returns where libcrypto looks for modules; NULL before OpenSSL 3.0. */
#ifdef KC_HAS_PROVIDER
static const char *built_in_dir(void)
{
	return OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
}
#else
static const char *built_in_dir(void)
{
	return NULL;
}
#endif

static void find_file(struct kc_loader *loader, const char *root)
{
	const char *dir = *root ? NULL : secure_getenv("OPENSSL_MODULES");
	char path[PATH_MAX];
	bool fits = false;

	if (!dir)
		dir = built_in_dir();
	if (dir && *dir == '/')
		fits = snprintf(path, sizeof(path), "%s%s", dir, NAME) < PATH_MAX;
	if (fits && is_there(root, path))
		take_file(loader, path);
	for (size_t i = 0; *root && !*loader->file && i < COUNT(libraries); i++)
		each(root, libraries[i], MODULES NAME, loader, take_file);
}

/* The bytes of an ELF file that tell its machine, in its own byte order. */
struct machine {
	unsigned char class, data;
	uint16_t is;
};

static bool read_machine(const char *root, const char *path, struct machine *m)
{
	KC_FD fd = kc_files_open(root, path, O_RDONLY);
	Elf32_Ehdr head; /* up to here the same as the 64-bit header */

	if (fd < 0 || read(fd, &head, sizeof(head)) != sizeof(head))
		return false;
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	*m = (struct machine){ head.e_ident[EI_CLASS], head.e_ident[EI_DATA], head.e_machine };
	return true;
}

struct comparison {
	const char *root;
	struct machine ours;
	bool has_each_its_own; /* the module's path differs between architectures */
	char *foreign;
};

static bool is_same_machine(const struct machine *a, const struct machine *b)
{
	return a->class == b->class && a->data == b->data && a->is == b->is;
}

static bool take_foreign(void *arg, const char *path)
{
	const struct comparison *c = arg;
	struct machine theirs;
	char module[PATH_MAX + 32];

	if (!read_machine(c->root, path, &theirs) || is_same_machine(&theirs, &c->ours))
		return false;
	snprintf(module, sizeof(module), "%.*s" MODULES "/kcrypto.so",
		 (int)(strrchr(path, '/') - path), path);
	if (c->has_each_its_own && is_there(c->root, module))
		return false;
	snprintf(c->foreign, PATH_MAX, "%s", path);
	return true;
}

/* True for $LIB, which the dynamic linker replaces by the directory of the program's libraries. */
static bool has_lib(const char *root, const char *file)
{
	KC_TEXT text = { .at = NULL };

	if (kc_files_read(root, file, &text) != 0)
		return false;
	return strstr(text.at, "$LIB");
}

static void find_foreign(struct kc_loader *loader, const char *root)
{
	const char *elsewhere = secure_getenv("KCRYPTO_ROOT"); /* for tests */
	struct comparison c = { .root = *root || !elsewhere ? root : elsewhere,
				.foreign = loader->foreign };
	char module[PATH_MAX];

	snprintf(module, sizeof(module), "%.*s.so", (int)(strlen(loader->file) - 4), loader->file);
	if (!read_machine(root, module, &c.ours))
		return;
	c.has_each_its_own = has_lib(root, loader->file);
	for (size_t i = 0; !*loader->foreign && i < COUNT(libraries); i++)
		each(c.root, libraries[i], "/libcrypto.so.[3-9]*", &c, take_foreign);
}

void kc_loader_find(struct kc_loader *loader, const char *root)
{
	*loader = (struct kc_loader){ .file = "" };
	find_file(loader, root);
	if (*loader->file)
		find_foreign(loader, root);
}

static bool take_any(void *arg, const char *path)
{
	(void)arg, (void)path;
	return true;
}

bool kc_loader_has_library(const char *root, const char *versions)
{
	char name[64];
	bool has = false;

	snprintf(name, sizeof(name), "/libcrypto.so.%s", versions);
	for (size_t i = 0; !has && i < COUNT(libraries); i++)
		has = each(root, libraries[i], name, NULL, take_any);
	return has;
}
