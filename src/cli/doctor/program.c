/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program after two dashes, before it runs: which libcrypto the dynamic loader gives it, and
 * which openssl.cnf that libcrypto reads. For a script, its interpreter is examined.
 */
#include "cli/doctor/doctor.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"

#define MAX_SCRIPTS 3 /* interpreters that are scripts themselves */

/* Finds the program like execvp(). "" if there is none. */
static void find_on_path(char path[PATH_MAX], const char *name)
{
	const char *dirs = NULL;

	if (!strchr(name, '/'))
		dirs = getenv("PATH");
	snprintf(path, PATH_MAX, "%s", name);
	while (dirs && *dirs) {
		int len = (int)strcspn(dirs, ":");

		snprintf(path, PATH_MAX, "%.*s/%s", len, dirs, name);
		if (access(path, X_OK) == 0)
			return;
		dirs += len + (dirs[len] == ':');
	}
	if (!strchr(name, '/') || access(path, X_OK) != 0)
		path[0] = '\0';
}

/* Finds the program that runs a script; "#!/usr/bin/env NAME" has it in the second word. */
static bool find_interpreter(char path[PATH_MAX])
{
	char line[PATH_MAX] = "", *word, *rest;
	KC_FILE *file = fopen(path, "re");

	if (!file || !fgets(line, sizeof(line), file) || strncmp(line, "#!", 2) != 0)
		return false;
	word = strtok_r(line + 2, " \t\n", &rest);
	if (word && strcmp(word + strlen(word) - strlen("env"), "env") == 0)
		word = strtok_r(NULL, " \t\n", &rest);
	if (!word)
		return false;
	find_on_path(path, word);
	return path[0];
}

/* Reads which loader a program for this kind of machine names. False: a static one names none. */
static bool read_loader(const char *path, char loader[64])
{
	KC_FILE *file = fopen(path, "re");
	ElfW(Ehdr) e;
	ElfW(Phdr) h = { .p_type = PT_NULL };

	if (!file || fread(&e, sizeof(e), 1, file) != 1)
		return false;
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_phentsize != sizeof(h))
		return false;
	fseek(file, (long)e.e_phoff, SEEK_SET);
	for (unsigned i = 0; i < e.e_phnum && h.p_type != PT_INTERP; i++)
		if (fread(&h, sizeof(h), 1, file) != 1)
			return false;
	if (h.p_type != PT_INTERP || h.p_filesz > 64)
		return false;
	if (fseek(file, (long)h.p_offset, SEEK_SET) != 0)
		return false;
	return fread(loader, 1, h.p_filesz, file) == h.p_filesz;
}

/* Has the loader list the libraries, and run nothing; glibc's and musl's have this option. */
static void list_libraries(void *program, int fd)
{
	struct kc_program *p = program;
	char loader[64];

	dup2(fd, STDOUT_FILENO);
	if (read_loader(p->path, loader))
		execl(loader, loader, "--list", p->path, (char *)NULL);
}

static void list_libcrypto(struct kc_program *p)
{
	static char text[65536];
	struct kc_child child;
	const char *line, *arrow = NULL;
	size_t n = 0;

	if (kc_child_start(&child, list_libraries, p)) {
		n = kc_child_read_all(&child, text, sizeof(text) - 1, KC_CHILD_SECONDS);
		kc_child_end(&child);
		if (!child.has_ended || child.status != 0)
			n = 0;
	}
	text[n] = '\0';
	line = strstr(text, "libcrypto.so");
	if (line)
		arrow = strstr(line, "=> /");
	if (arrow && arrow < line + strcspn(line, "\n"))
		snprintf(p->libcrypto, sizeof(p->libcrypto), "%.*s", (int)strcspn(arrow + 3, " \n"),
			 arrow + 3);
}

/*
 * Searches for the path of the directory's cert.pem, a whole string in each libcrypto, and so in
 * programs that libcrypto.a is linked into. False: there is none.
 */
static bool search(struct kc_program *p, const char *file, size_t size)
{
	static const char cert[] = "/cert.pem", provider[] = "OpenSSL Default Provider";
	const char *at = memmem(file, size, cert, sizeof(cert)), *dir = at;

	if (!at || !memmem(file, size, provider, sizeof(provider)))
		return false;
	while (dir > file && dir[-1])
		dir--;
	snprintf(p->conf, sizeof(p->conf), "%.*s/openssl.cnf", (int)(at - dir), dir);
	return true;
}

/* Finds the openssl.cnf of the libcrypto in this file. */
static bool look_inside(struct kc_program *p, const char *path)
{
	KC_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	void *file = MAP_FAILED;
	struct stat st;
	bool is_inside = false;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file != MAP_FAILED) {
		is_inside = search(p, file, (size_t)st.st_size);
		munmap(file, (size_t)st.st_size);
	}
	return is_inside;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (stat(a, &x) != 0 || stat(b, &y) != 0)
		return false;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Finds the libcrypto, the program's own or the loader's, and the openssl.cnf that it reads. */
static void find_libcrypto(struct kc_program *p)
{
	Dl_info ours;

	list_libcrypto(p);
	p->is_other = p->libcrypto[0] && dladdr((void *)OpenSSL_version, &ours) &&
		      !is_same_file(p->libcrypto, ours.dli_fname);
	if (p->is_other)
		look_inside(p, p->libcrypto);
	p->is_inside = !p->libcrypto[0] && look_inside(p, p->path);
}

void kc_found_program(struct kc_found *found)
{
	struct kc_program *p = &found->program;
	const char *name;
	struct stat st;

	if (!p->argv)
		return;
	find_on_path(p->path, p->argv[0]);
	if (!p->path[0])
		return;
	p->is_set_id = stat(p->path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID);
	for (int i = 0; i < MAX_SCRIPTS && find_interpreter(p->path); i++)
		;
	name = strrchr(p->path, '/');
	p->is_node = strcmp(name, "/node") == 0 || strcmp(name, "/nodejs") == 0;
	find_libcrypto(p);
}
