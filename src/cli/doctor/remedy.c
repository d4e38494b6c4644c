/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of findings. A command that changes openssl.cnf is tried first, as a dry run in a
 * child. It is printed only if the file would then be in order, or at least free of this finding. A
 * command that installs a package names the package manager that exists; on OpenWrt, the package's
 * own lines are set by UCI.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/screen.h"

struct trial {
	const struct kc_found *found;
	const char *action; /* of kcrypto config */
	char word[40];	    /* the finding that has to go */
	bool helps;
};

static void try(void *data)
{
	struct trial *t = data;

	(void)!freopen("/dev/null", "w", stderr);
	(void)!freopen("/dev/null", "w", stdout);
	t->helps = kc_config_helps(t->found, t->action, t->word);
}

/* True if the file is immutable: then not even root can change it. */
static bool is_immutable(const char *path)
{
	KC_FD fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int flags = 0;

	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return false;
	return flags & FS_IMMUTABLE_FL;
}

/* True if this user may write the file, or the directory in which it would be made. */
static bool may_write(const char *path)
{
	char dir[PATH_MAX];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		slash[1] = '\0';
	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0;
	return access(dir, W_OK) == 0;
}

static void put_option(FILE *out, const char *option, const char *word)
{
	fputs(option, out);
	kc_put_word(word, out);
}

/*
 * True if kcrypto config finds this file by itself; not so for that of a program's own libcrypto.
 */
static bool is_usual_file(const struct kc_found *found)
{
	return !found->is_named && strcmp(found->conf.file, found->program.conf) != 0;
}

static void name_config(char *to, size_t size, const struct kc_found *found, const char *action)
{
	const char *root = found->conf.cnf.root, *file = found->conf.file;
	KC_FILE *out = fmemopen(to, size, "w");

	if (!out)
		return;
	if (!*root && is_immutable(file)) {
		put_option(out, "sudo chattr -i ", file);
		fputs(" && ", out);
	}
	if (*root || !may_write(file))
		fputs("sudo ", out);
	fprintf(out, "kcrypto config %s", action);
	if (*root)
		put_option(out, " --root ", root);
	if (!is_usual_file(found))
		put_option(out, " --config ", file);
	if (fflush(out) != 0)
		to[0] = '\0'; /* no command is better than a part of one */
}

static bool helps(const struct kc_symptom *f, const struct kc_found *found, const char *action)
{
	struct trial trial = { .found = found, .action = action };
	struct kc_child child;

	snprintf(trial.word, sizeof(trial.word), "%s", f->word);
	kc_child_ask(&child, try, &trial, sizeof(trial), KC_CHILD_SECONDS);
	return trial.helps;
}

static bool is_there(const struct kc_found *found, const char *path)
{
	return access(kc_root_path(found, "%s", path), F_OK) == 0;
}

/*
 * On OpenWrt the package has a file with all lines but this one, which /etc/init.d/openssl writes
 * if the administrator sets it in UCI.
 */
static bool is_for_uci(const struct kc_symptom *f, const struct kc_found *found)
{
	static const char file[] = "/modules.cnf.d/kcrypto.cnf";
	const struct kc_cnf *cnf = &found->conf.cnf;
	bool is_packaged = false;

	for (size_t i = 0; i < cnf->n_files; i++) {
		size_t len = strlen(cnf->file[i].path);

		is_packaged |= len >= sizeof(file) &&
			       strcmp(cnf->file[i].path + len + 1 - sizeof(file), file) == 0;
	}
	if (!is_packaged || strcmp(f->word, "no-line") != 0)
		return false;
	return is_there(found, "/etc/config/openssl");
}

#define UCI_ENABLE                                                                                 \
	"uci set openssl.kcrypto=provider && uci set openssl.kcrypto.enabled=1 && "                \
	"uci commit openssl && /etc/init.d/openssl start"

/* A broken file may lack nothing, and need a repair. */
static void try_config(struct kc_symptom *f, const struct kc_found *found)
{
	bool is_enable = strcmp(f->command, "<enable>") == 0;
	const char *action = NULL;

	if (is_enable && is_for_uci(f, found)) {
		snprintf(f->command, sizeof(f->command), UCI_ENABLE);
		return;
	}
	if (kc_files_is_mounted(found->conf.file))
		action = NULL; /* possible only outside this container */
	else if (is_enable && helps(f, found, "enable"))
		action = "enable";
	else if (f->state != KC_STATE_OFF && helps(f, found, "fix"))
		action = "fix";
	f->command[0] = '\0';
	if (action)
		name_config(f->command, sizeof(f->command), found, action);
}

/* Package managers, by their commands. Alpine has the same one as OpenWrt. */
static const struct {
	const char *path, *call;
	bool is_openwrt;
} managers[] = {
	{ "/bin/opkg", "opkg install", true },
	{ "/usr/bin/apk", "apk add", true },
	{ "/usr/bin/apt-get", "sudo apt-get install", false },
	{ "/usr/bin/dnf", "sudo dnf install", false },
	{ "/sbin/apk", "sudo apk add", false },
};

/* OpenWrt has packages for kernel modules, whose names begin like this. */
static void name_install(struct kc_symptom *f, const struct kc_found *found)
{
	char package[128];
	bool is_kmod, is_openwrt = is_there(found, "/etc/openwrt_release");
	size_t i = 0, n = sizeof(managers) / sizeof(managers[0]);

	snprintf(package, sizeof(package), "%s", f->command + strlen("<install>"));
	is_kmod = strncmp(package, " kmod-", 6) == 0;
	while (i < n &&
	       (managers[i].is_openwrt != is_openwrt || !is_there(found, managers[i].path)))
		i++;
	f->command[0] = '\0';
	if (i < n && strlen(package) > 1 && is_kmod == is_openwrt)
		snprintf(f->command, sizeof(f->command), "%s%s", managers[i].call, package);
}

/* Commands for root are written with sudo, which a system that root uses may lack. */
static void drop_sudo(char *text)
{
	for (char *at = text; geteuid() == 0 && (at = strstr(at, "sudo "));)
		memmove(at, at + 5, strlen(at + 5) + 1);
}

void kc_diagnosis_advise(struct kc_diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct kc_symptom *f = &d->v[i];

		if (strncmp(f->command, "<install>", 9) == 0)
			name_install(f, d->found);
		else if (f->command[0] == '<')
			try_config(f, d->found);
		drop_sudo(f->command);
		drop_sudo(f->advice);
	}
}

void kc_diagnose(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope)
{
	kc_diagnosis_run(d, found, scope);
	kc_diagnosis_advise(d);
}
